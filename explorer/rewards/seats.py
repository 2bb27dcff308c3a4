"""What each seat is worth, in plain rows: the page's first answer, which should not wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nip_core.values import MidPoint, mid_point

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler
    from nip_core.values import ExactValues

__all__ = ["MID_POINT", "deviation", "in_short", "seats", "why"]

MID_POINT = (
    "The mid-point estimate is a quick guess of the library: for the verifier the middle of what a "
    "right and a wrong verdict pay, for a prover half of its reward. It ignores how often verdicts "
    "are right, episodes without a verdict, what is paid for asking on, and shared rewards."
)

WORDS = {
    "no verdict": "episodes without a verdict",
    "going on": "what is paid for asking on",
    "shared": "the shared reward (it gets what the verifier gets)",
    "no side": "having no side, for which nothing is paid",
    "fine": "not deciding although the verifier did",
    "rules": "rules of its own",
}
# What half of the verdicts would have to be for the mid-point to be the mean: of the verifier, and
# of everybody else. First if it is more than half, then if it is less.
LEANINGS = {
    True: ("verdicts are right more often than wrong", "verdicts are wrong more often than right"),
    False: (
        "verdicts are for its side more often than against it",
        "verdicts are against its side more often than for it",
    ),
}


def in_short(values: ExactValues) -> str:
    """How episodes end, in a sentence."""
    said = ", ".join(f"{name} {_percent(chance)}" for name, chance in values.verdicts.items())
    length = float((np.arange(1, len(values.rounds) + 1) * values.rounds).sum())
    return (
        f"Verdicts: {said}. Right: {_percent(values.right)}. "
        f"An episode lasts {length:.2f} rounds on average."
    )


def seats(
    handler: ProtocolHandler, values: ExactValues, *, digits: str = "+.4g"
) -> list[dict[str, Any]]:
    """One row for each seat: mid-point, exact mean, how far it spreads, and why they differ.

    Parameters
    ----------
    handler : ProtocolHandler
    values : ExactValues
    digits : str
        How numbers are written in reasons, as Python's formats say it.
    """
    rows: list[dict[str, Any]] = []
    for agent in handler.spec.agent_names:
        found = mid_point(handler, values, agent)
        rows.append(
            {
                "seat": agent,
                "mid-point": found.estimate,
                "exact mean": found.mean,
                "difference": found.difference,
                "standard deviation": deviation(values, agent),
                "why": why(found, handler, agent, digits),
            }
        )
    return rows


def why(found: MidPoint, handler: ProtocolHandler, agent: str, digits: str = "+.4g") -> str:
    """Why a seat's mid-point is not the mean, or why it is."""
    if found.is_sure:
        return "Equal: every part that could tell them apart is zero."
    words = {**WORDS, "bias": _leaning(found, handler, agent)}
    parts = [(words[name], part) for name, part in found.parts.items() if part]
    parts.sort(key=lambda each: -abs(each[1]))
    said = "; ".join(f"{what}: {part:{digits}}" for what, part in parts)
    return f"Equal by accident: {said}." if found.is_equal else f"{said[0].upper()}{said[1:]}."


def _leaning(found: MidPoint, handler: ProtocolHandler, agent: str) -> str:
    """What verdicts lean to, if they do: the truth, its opposite, a prover's side, the other."""
    payoff, is_verifier = handler.payoff, agent == handler.spec.verifier
    # The part is the surplus over half of the verdicts, times what a verdict more would bring.
    worth = payoff.verifier_reward - payoff.verifier_incorrect_penalty
    worth = worth if is_verifier else payoff.prover_reward
    return LEANINGS[is_verifier][found.parts.get("bias", 0.0) * worth < 0]


def deviation(values: ExactValues, agent: str) -> float:
    """The standard deviation of a seat's reward; a variance of 0 may be rounded below it."""
    return max(0.0, values.variance(agent)) ** 0.5


def _percent(chance: float) -> str:
    return f"{chance:.1%}"
