"""An argument in steps that can each be redone: doubly-efficient debate, with a liar's claims."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any

from explorer.lessons.experiments.proofs import binomial

TITLE = "Lie where each step can be redone"
FRONT = "touch_redo"
# The true probabilities of a yes in the steps, in twentieths. Claims are in twentieths too.
TRUE = (10, 16, 5, 13, 9, 18, 7, 12)
STEP = 20
TRIES = (5, 20, 50, 100, 200)  # the numbers of times that Bob may redo a step
# A claim may be off by the tolerance. Bob rejects if his share differs by the threshold: as in the
# paper, half-way between an allowed error and one that must be found (there 2 and 5 parts of a
# small number; here 1 and 5 twentieths).
TOLERANCE = Fraction(1, STEP)
THRESHOLD = Fraction(3, STEP)


def rejects(true: int, claim: int, tries: int) -> Fraction:
    """Return how likely Bob's share of this many trials differs by at least the threshold."""
    # In whole numbers, since fractions would take seconds.
    below, most = _below(true, tries), int(THRESHOLD * STEP * tries)
    near = [yes for yes in range(tries + 1) if abs(STEP * yes - claim * tries) < most]
    return 1 - (below[near[-1] + 1] - below[near[0]])


@lru_cache(len(TRIES))
def _below(true: int, tries: int) -> tuple[Fraction, ...]:
    """Return the chance of fewer yeses, for each number; all claims about a step share it."""
    return tuple(accumulate(binomial(tries, Fraction(true, STEP)), initial=Fraction(0)))


def data() -> dict[str, Any]:
    """Return the true probabilities, and how often Bob rejects each claim about each of them."""
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
