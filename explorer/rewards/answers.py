"""The answers as tables and sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from explorer.rewards.seats import deviation
from explorer.rewards.valuation import CHANCES, Valuation
from nip_core.errors import NipError

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler
    from nip_core.values import ExactValues, Sample, StoppingRule

__all__ = [
    "SWEEPS",
    "components_table",
    "current_value",
    "rule_table",
    "sample_table",
    "sweep",
    "sweepable",
]

REWARDS = (
    "prover_reward",
    "verifier_reward",
    "verifier_incorrect_penalty",
    "verifier_terminated_penalty",
    "verifier_no_guess_reward",
)
COEFFICIENTS = ("simulator_reward_coefficient", "aux_prover_reward_coefficient")
SWEEPS = (*CHANCES, *REWARDS, *COEFFICIENTS, "max_message_rounds", "min_message_rounds")
STEPS = 25
MOST_SWEPT_ROUNDS = 40


def components_table(handler: ProtocolHandler, values: ExactValues) -> pd.DataFrame:
    """What each seat's mean is made of: the chance of each component and what it contributes."""
    rows = [
        {"seat": agent, "component": name, "chance": chance, "contributes": mean}
        for agent in handler.spec.agent_names
        for name, (chance, mean) in values.components(agent).items()
    ]
    return pd.DataFrame(rows)


def rule_table(handler: ProtocolHandler, rule: StoppingRule) -> pd.DataFrame:
    """An optimal stopping rule: one row for each turn and state that can be."""
    rows: list[dict[str, Any]] = []
    for variant, round_id, state in zip(*np.nonzero(rule.reachable), strict=True):
        ties = rule.ties[variant, round_id, state]
        names = ("reject", "accept", "ask on")
        rows.append(
            {
                **({"schedule": int(variant)} if handler.spec.num_variants > 1 else {}),
                "round": int(round_id),
                "answers for minus against": int(state) - rule.answers,
                "belief": float(rule.belief[state]),
                "best": names[int(rule.decisions[variant, round_id, state])],
                "as good": ", ".join(
                    name
                    for number, name in enumerate(names)
                    if ties[number] and number != rule.decisions[variant, round_id, state]
                ),
            }
        )
    return pd.DataFrame(rows)


def sweep(valuation: Valuation, name: str) -> pd.DataFrame:
    """How each seat's value moves along a parameter: exact at every point.

    Returns
    -------
    points : DataFrame
        ``seat``, ``value`` of the parameter, ``mean``, ``low`` and ``high`` (a standard deviation
        below and above the mean).
    """
    from nip_core.values import exact_values

    rows: list[dict[str, Any]] = []
    for value in _points(valuation, name):
        try:
            changed = _with_value(valuation, name, value)
            handler = changed.handler()
            values = exact_values(handler, changed.model(handler))
        except NipError:
            continue
        for agent in handler.spec.agent_names:
            mean, around = values.mean(agent), deviation(values, agent)
            rows.append(
                {
                    "seat": agent,
                    "value": value,
                    "mean": mean,
                    "low": mean - around,
                    "high": mean + around,
                }
            )
    return pd.DataFrame(rows, columns=["seat", "value", "mean", "low", "high"])


def sweepable(valuation: Valuation, handler: ProtocolHandler) -> list[str]:
    """The parameters that have a say here."""
    rounds = ["max_message_rounds", "min_message_rounds"] if _rounds_group(valuation) else []
    if valuation.play in ("table", "recorded"):
        rounds = rounds[1:]
    coefficients = COEFFICIENTS if handler.spec.is_zero_knowledge else ()
    return [*valuation.chances(handler), *REWARDS, *coefficients, *rounds]


def current_value(valuation: Valuation, name: str) -> float:
    """What a parameter is now."""
    if name in CHANCES:
        return getattr(valuation, name)
    return float(getattr(getattr(valuation.parameters, _home(valuation, name)), name))


def _points(valuation: Valuation, name: str) -> Sequence[float]:
    if name in CHANCES:
        return np.linspace(0, 1, STEPS).tolist()
    if name.endswith("message_rounds"):
        return range(1, MOST_SWEPT_ROUNDS + 1)
    now = current_value(valuation, name)
    return np.linspace(now - 2, now + 2, STEPS).tolist()


def _with_value(valuation: Valuation, name: str, value: float) -> Valuation:
    if name in CHANCES:
        return dataclasses.replace(valuation, **{name: value})
    changed: Mapping[str, Any] = {_home(valuation, name): {name: value}}
    return dataclasses.replace(valuation, parameters=valuation.parameters.replace(**changed))


def _home(valuation: Valuation, name: str) -> str:
    """The group of parameters that one is in."""
    if name.endswith("message_rounds"):
        return str(_rounds_group(valuation))
    return "zk_protocol" if name in COEFFICIENTS else "protocol_common"


def _rounds_group(valuation: Valuation) -> str | None:
    """Where the protocol reads its rounds, if it reads any."""
    from nip_core.registry import protocol_class

    group = protocol_class(valuation.parameters.interaction_protocol).parameter_group
    has = group is not None and hasattr(getattr(valuation.parameters, group), "max_message_rounds")
    return group if has else None


def sample_table(handler: ProtocolHandler, values: ExactValues, found: Sample) -> pd.DataFrame:
    """The sample beside the truth: means with intervals by betting, rates with Wilson's."""
    from nip_core.values import wilson

    rows: list[dict[str, Any]] = []
    for agent in handler.spec.agent_names:
        low, high = found.mean_interval(agent)
        rows.append(_row(f"mean of {agent}", values.mean(agent), found.mean(agent), low, high))
    hits = dict(zip(values.verdicts, found.verdicts.tolist(), strict=True))
    for name, chance in [*values.verdicts.items(), ("right", values.right)]:
        count = found.right if name == "right" else hits[name]
        low, high = wilson(count, found.episodes)
        rows.append(_row(f"share of {name}", chance, count / found.episodes, low, high))
    return pd.DataFrame(rows)


def _row(what: str, exact: float, sampled: float, low: float, high: float) -> dict[str, Any]:
    return {
        "what": what,
        "exact": exact,
        "sampled": sampled,
        "from": low,
        "to": high,
        "holds it": "yes" if low <= exact <= high else "no",
    }
