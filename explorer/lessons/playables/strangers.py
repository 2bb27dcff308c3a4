"""Test many strangers at once: who is left, and where a threshold parts two hills."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.lessons.experiments.proofs import at_least

TITLE = "Test two hundred strangers"
FRONT = "touch_strangers"
OF_EACH = 100
MOST = 10  # tests
GUESS = Fraction(1, 2)
ERRORS = (0, 5, 10, 20, 30)  # percent of the tests that somebody who can taste it fails


def data() -> dict[str, Any]:
    """Return how often either kind passes so many of so many tests."""
    return {
        "each": OF_EACH,
        "guess": float(GUESS),
        "errors": list(ERRORS),
        "tasters": [_tails(1 - Fraction(error, 100)) for error in ERRORS],
        "guessers": _tails(GUESS),
    }


def _tails(chance: Fraction) -> list[list[float]]:
    """Return, by the number of tests and of those needed, how often enough are passed."""
    return [
        [float(at_least(needed, tests, chance)) for needed in range(tests + 1)]
        for tests in range(MOST + 1)
    ]
