"""A claim in many parts: estimates that leave a prover nothing to gain, and what they add up to.

The estimator of the protocol ``prover_estimator`` is paid by how far the picked estimate is off.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.lessons.dials import FRONT as FRONT
from explorer.lessons.dials import Bar, Dial, Way, dials_data

TITLE = "How sure are you of each part?"
PARTS = (3, 10, 30, 100, 300, 1000)


def gain(estimate: Fraction, true: Fraction) -> Fraction:
    """Return what a prover gains on average who picks a part by chance and names the direction."""
    return abs(estimate - true)


def whole(estimate: Fraction, parts: int) -> Fraction:
    """Return how likely all parts hold, by estimates that are multiplied."""
    return estimate**parts


def all_but_one(parts: int) -> Fraction:
    """Return the share of the parts that hold if one is false."""
    return 1 - Fraction(1, parts)


def _one_false(parts: int, estimate: Fraction) -> tuple[Fraction, ...]:
    return gain(estimate, all_but_one(parts)), whole(estimate, parts)


def _none_false(parts: int, estimate: Fraction) -> tuple[Fraction, ...]:
    return gain(estimate, Fraction(1)), whole(estimate, parts)


def data() -> dict[str, Any]:
    """Return the gain and the product of the estimates, for claims with and without a flaw."""
    estimates = tuple((f"{n - 1:,} of {n:,}", all_but_one(n)) for n in PARTS)
    return dials_data(
        "The claim as a whole, and what the prover gains",
        "leave the prover nothing to gain.",
        [
            Dial("Parts of the claim", tuple((f"{n:,}", n) for n in PARTS), 3),
            Dial("Each part holds, you say, in", (*estimates, ("every case", Fraction(1)))),
        ],
        [
            Bar("The prover gains", ("most", 0.0), bad=True),
            Bar("So you believe the whole claim in"),
        ],
        [
            Way(
                "Make one part false",
                "One part is false, and nobody knows which. The prover picks a part by chance.",
                _one_false,
                "The claim is false, and you still believe it that often: you multiply as if parts "
                "were independent. Change their number.",
            ),
            Way(
                "Make all parts true",
                "All parts are true. The prover picks a part by chance.",
                _none_false,
                "Now the whole claim is believed.",
            ),
        ],
    )
