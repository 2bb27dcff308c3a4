"""An argument in steps that can each be redone: doubly-efficient debate, with a liar's claims."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

TITLE = "Lie where each step can be redone"
FRONT = "touch_redo"
# The true chances of a yes in the steps, in twentieths, and so is all that can be claimed.
TRUE = (10, 16, 5, 13, 9, 18, 7, 12)
STEP = 20
TRIES = (5, 20, 50, 100, 200)  # by which Bob redoes a step
# A claim may be off by the tolerance. Bob rejects from the threshold on, as in the paper half-way
# between an error that is allowed and one that must be found (there 2 and 5 parts of a small
# number; here 1 and 5 twentieths).
TOLERANCE = Fraction(1, STEP)
THRESHOLD = Fraction(3, STEP)


def rejects(true: int, claim: int, tries: int) -> Fraction:
    """Return the chance that Bob's share of so many tries is at least the threshold off."""
    chance = Fraction(true, STEP)
    return sum(
        (
            comb(tries, yes) * chance**yes * (1 - chance) ** (tries - yes)
            for yes in range(tries + 1)
            if abs(Fraction(yes, tries) - Fraction(claim, STEP)) >= THRESHOLD
        ),
        Fraction(0),
    )


def data() -> dict[str, Any]:
    """Return the true chances, and how often Bob rejects each claim about each of them."""
    return {
        "true": list(TRUE),
        "step": STEP,
        "tolerance": float(TOLERANCE),
        "threshold": float(THRESHOLD),
        "tries": list(TRIES),
        "rejects": [
            [[_share(true, claim, tries) for claim in range(STEP + 1)] for tries in TRIES]
            for true in TRUE
        ],
    }


def _share(true: int, claim: int, tries: int) -> float:
    return round(float(rejects(true, claim, tries)), 5)
