"""The answers as tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler
    from nip_core.values import ExactValues, Sample, StoppingRule

__all__ = [
    "components_table",
    "rule_table",
    "sample_table",
]


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
