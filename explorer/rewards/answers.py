"""The answers as tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from explorer.rewards.question import CHANCES, Question
from nip_core.errors import NipError

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler
    from nip_core.values import ExactValues, MidPoint, Sample, StoppingRule

__all__ = [
    "SWEEPS",
    "components_table",
    "in_short",
    "present",
    "rule_table",
    "sample_table",
    "seats_table",
    "sweep",
    "sweepable",
    "why",
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
WORDS = {
    "no verdict": "episodes without a verdict",
    "bias": "verdicts that lean to one side",
    "going on": "what is paid for asking on",
    "shared": "the shared reward (it gets what the verifier gets)",
    "no side": "having no side, for which nothing is paid",
    "fine": "the fine for being the last to decide",
    "rules": "rules of its own",
}


def in_short(values: ExactValues) -> str:
    """How episodes end, in a sentence."""
    said = ", ".join(f"{name} {_percent(chance)}" for name, chance in values.verdicts.items())
    length = float((np.arange(1, len(values.rounds) + 1) * values.rounds).sum())
    return (
        f"Verdicts: {said}. Right: {_percent(values.right)}. "
        f"An episode lasts {length:.2f} rounds on average."
    )


def seats_table(handler: ProtocolHandler, values: ExactValues) -> pd.DataFrame:
    """One row for each seat: mid-point, exact mean, how far it spreads, and why they differ."""
    from nip_core.values import mid_point

    rows: list[dict[str, Any]] = []
    for agent in handler.spec.agent_names:
        found = mid_point(handler, values, agent)
        rows.append(
            {
                "seat": agent,
                "mid-point": found.estimate,
                "exact mean": found.mean,
                "difference": found.mean - found.estimate,
                "standard deviation": _spread(values, agent),
                "why": why(found),
            }
        )
    return pd.DataFrame(rows)


def why(found: MidPoint) -> str:
    """Why a mid-point is not the mean, or why it is."""
    if found.is_sure:
        return "Equal: every part that could tell them apart is zero."
    parts = [(WORDS[name], part) for name, part in found.parts.items() if abs(part) >= 1e-9]
    parts.sort(key=lambda each: -abs(each[1]))
    said = "; ".join(f"{words}: {part:+.4g}" for words, part in parts)
    return f"Equal by accident: {said}." if found.is_equal else f"{said[0].upper()}{said[1:]}."


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


def sweep(question: Question, name: str) -> pd.DataFrame:
    """How each seat's value moves along a parameter: exact at every point.

    Returns
    -------
    points : DataFrame
        ``seat``, ``value`` of the parameter, ``mean``, ``low`` and ``high`` (a standard deviation
        below and above the mean).
    """
    from nip_core.values import exact_values

    rows: list[dict[str, Any]] = []
    for value in _points(question, name):
        try:
            turned = _turned(question, name, value)
            handler = turned.handler()
            values = exact_values(handler, turned.model(handler))
        except NipError:
            continue
        for agent in handler.spec.agent_names:
            mean, spread = values.mean(agent), _spread(values, agent)
            rows.append(
                {
                    "seat": agent,
                    "value": value,
                    "mean": mean,
                    "low": mean - spread,
                    "high": mean + spread,
                }
            )
    return pd.DataFrame(rows, columns=["seat", "value", "mean", "low", "high"])


def sweepable(question: Question, handler: ProtocolHandler) -> list[str]:
    """The parameters that have a say here."""
    rounds = ["max_message_rounds", "min_message_rounds"] if _rounds_group(question) else []
    if question.play in ("table", "recorded"):
        rounds = rounds[1:]
    coefficients = COEFFICIENTS if handler.spec.is_zero_knowledge else ()
    return [*question.chances(handler), *REWARDS, *coefficients, *rounds]


def present(question: Question, name: str) -> float:
    """What a parameter is now."""
    if name in CHANCES:
        return getattr(question, name)
    return float(getattr(getattr(question.parameters, _home(question, name)), name))


def _points(question: Question, name: str) -> Sequence[float]:
    if name in CHANCES:
        return np.linspace(0, 1, STEPS).tolist()
    if name.endswith("message_rounds"):
        return range(1, MOST_SWEPT_ROUNDS + 1)
    now = present(question, name)
    return np.linspace(now - 2, now + 2, STEPS).tolist()


def _turned(question: Question, name: str, value: float) -> Question:
    if name in CHANCES:
        return question.turned(**{name: value})
    changed: Mapping[str, Any] = {_home(question, name): {name: value}}
    return question.turned(parameters=question.parameters.replace(**changed))


def _home(question: Question, name: str) -> str:
    """The group of parameters that one is in."""
    if name.endswith("message_rounds"):
        return str(_rounds_group(question))
    return "zk_protocol" if name in COEFFICIENTS else "protocol_common"


def _rounds_group(question: Question) -> str | None:
    """Where the protocol reads its rounds, if it reads any."""
    from nip_core.registry import protocol_class

    group = protocol_class(question.parameters.interaction_protocol).parameter_group
    has = group is not None and hasattr(getattr(question.parameters, group), "max_message_rounds")
    return group if has else None


def sample_table(handler: ProtocolHandler, values: ExactValues, found: Sample) -> pd.DataFrame:
    """The sample beside the truth: means with the bootstrap's interval, rates with Wilson's."""
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


def _spread(values: ExactValues, agent: str) -> float:
    """The standard deviation of a seat's reward; a variance of 0 may be rounded below it."""
    return max(0.0, values.variance(agent)) ** 0.5


def _percent(chance: float) -> str:
    return f"{chance:.1%}"
