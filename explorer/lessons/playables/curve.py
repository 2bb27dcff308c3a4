"""A false curve in a sum-check: where it may meet the true one, and a dart that decides."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from explorer.lessons.games.sumcheck import difference, evaluate, is_possible, success

TITLE = "Draw the false curve"
FRONT = "touch_curve"
TRUTH = (1, 2, 1)  # the coefficients, from the constant on: those of the lesson's handout
CLAIM = 6
PRIMES = (11, 101, 1009)
DEGREE = 2


def data() -> dict[str, Any]:
    """Return the true curve, the false one for each pair of meeting points, and probabilities."""
    prime = PRIMES[0]
    points = range(prime)
    true = [evaluate(TRUTH, x, prime) for x in points]
    error = (CLAIM - true[0] - true[1]) % prime
    curves: dict[str, list[int]] = {}
    for one, other in combinations(points, DEGREE):
        if is_possible((one, other), prime):
            off = difference(error, (one, other), prime)
            curves[f"{one},{other}"] = [(true[x] + evaluate(off, x, prime)) % prime for x in points]
    chances = [[p, float(success(p, DEGREE, 1))] for p in PRIMES]
    return {"claim": CLAIM, "true": true, "curves": curves, "chances": chances}
