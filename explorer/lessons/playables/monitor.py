"""Audit the plays whose highest suspicion is above a threshold: how many honest ones, how many bad.

The rule is that of the protocol ``audit_by_maximum``; how suspicious steps look is our assumption.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.lessons.dials import FRONT as FRONT
from explorer.lessons.dials import Bar, Dial, Way, dials_data

TITLE = "Which plays do you audit?"
LEVELS = tuple(range(0, 101, 10))
# Of 100 steps, so many have each suspicion from 0 to 100.
HARMLESS = (30, 20, 14, 10, 8, 6, 5, 3, 2, 1, 1)
HARMFUL = (2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20)
STEPS = (1, 2, 5, 10, 20)
MOST_AUDITS, LEAST_FOUND = 0.10, 0.80


def above(threshold: int, weights: tuple[int, ...]) -> Fraction:
    """Return how often a step's suspicion is above a threshold."""
    return Fraction(
        sum(w for level, w in zip(LEVELS, weights, strict=True) if level > threshold), sum(weights)
    )


def audited(threshold: int, steps: int, harmful: int) -> Fraction:
    """Return how often a play with so many harmful steps is audited: one step is enough."""
    quiet = (1 - above(threshold, HARMFUL)) ** harmful
    return 1 - quiet * (1 - above(threshold, HARMLESS)) ** (steps - harmful)


def _every_step(threshold: int, steps: int) -> tuple[Fraction, ...]:
    return audited(threshold, steps, 0), audited(threshold, steps, steps)


def _one_step(threshold: int, steps: int) -> tuple[Fraction, ...]:
    return audited(threshold, steps, 0), audited(threshold, steps, 1)


def data() -> dict[str, Any]:
    """Return how often plays are audited, by threshold and length, for both attackers."""
    return dials_data(
        "Of 100 honest plays and 100 attacks, those that you audit",
        "audit at most 10 of 100 honest plays, and at least 80 of 100 attacks.",
        [
            Dial("Audit above a suspicion of", tuple((str(n), n) for n in LEVELS), 3),
            Dial("Steps in a play", tuple((str(n), n) for n in STEPS), 2),
        ],
        [
            Bar("Honest plays audited", ("most", MOST_AUDITS)),
            Bar("Attacks audited", ("least", LEAST_FOUND)),
        ],
        [
            Way(
                "Let it attack at every step",
                "The attacker does harm at every step.",
                _every_step,
                "Now let it attack at one step only.",
            ),
            Way(
                "Let it attack at one step",
                "The attacker knows your rule and does harm at one step only.",
                _one_step,
            ),
        ],
    )
