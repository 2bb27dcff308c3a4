"""Test many strangers at once: who is left, and where a threshold separates the two kinds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.languages import marked
from explorer.lessons.experiments.proofs import at_least

TITLE = marked("Test two hundred strangers")
FRONT = "touch_strangers"
OF_EACH = 100
MOST = 10  # tests
GUESS = Fraction(1, 2)
ERRORS = (0, 5, 10, 20, 30)  # percent of the tests that an honest stranger fails


def data() -> dict[str, Any]:
    """Return how often each kind passes a number of a number of tests."""
    return {
        "each": OF_EACH,
        "guess": float(GUESS),
        "errors": list(ERRORS),
        "tasters": [_tails(1 - Fraction(error, 100)) for error in ERRORS],
        "guessers": _tails(GUESS),
    }


def _tails(chance: Fraction) -> list[list[float]]:
    """Return how often enough tests are passed, by the number of tests and the number needed."""
    return [
        [float(at_least(needed, tests, chance)) for needed in range(tests + 1)]
        for tests in range(MOST + 1)
    ]
