"""Exact rational numbers for numbers that people write.

Values are compared exactly, so a tie is recognised as a tie, and any difference as a difference,
for payoffs of any sizes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["fraction", "nearest_floats", "whole_numbers"]

MOST_SIMPLE = 10_000  # the largest denominator of a simple fraction
# Integers up to this size are exact as floats.
EXACT = 1 << 53


def fraction(value: float | Fraction) -> Fraction:
    """Return the number that a person meant: 1/3 for 0.3333333333333333, 1/10 for 0.1.

    A float stands for the simple fraction nearest to it, or else for its decimal digits.
    """
    return Fraction(value) if isinstance(value, Rational) else _meant(float(value))


@lru_cache(maxsize=4096)
def _meant(given: float) -> Fraction:
    """Return the number meant by a float; cached, since each round needs the same payoffs."""
    simple = Fraction(given).limit_denominator(MOST_SIMPLE)
    # A large float is an integer, but not the one that it shows: 1e30 means 10**30.
    is_simple = float(simple) == given and simple.denominator > 1
    return simple if is_simple else Fraction(repr(given))


def whole_numbers(amounts: npt.NDArray[Any], times: int = 1) -> tuple[npt.NDArray[Any], int]:
    """Return amounts as integers, and their common denominator.

    Parameters
    ----------
    amounts : array
        Floats, each read by :func:`fraction`.
    times : int
        The largest number of terms of a sum. If sums fit, machine integers are used, which are
        fast; otherwise Python's, which have no limit.
    """
    values, places = np.unique(amounts, return_inverse=True)
    exact = [fraction(value) for value in values.tolist()]
    common = math.lcm(*(each.denominator for each in exact))
    whole = [each.numerator * (common // each.denominator) for each in exact]
    fits = max(common, times * max(map(abs, whole), default=0)) < EXACT
    table = np.array(whole, dtype=np.int64 if fits else object)
    return table[places].reshape(amounts.shape), common


def nearest_floats(whole: npt.NDArray[Any], common: int) -> npt.NDArray[np.float64]:
    """Return the nearest floats to integers divided by a common denominator.

    Equal sums become the same float, whatever the order of their terms.
    """
    # Both ways of dividing round once: the machine integers are exact as floats, and Python divides
    # integers of any size correctly.
    return np.asarray(whole / common, dtype=np.float64)
