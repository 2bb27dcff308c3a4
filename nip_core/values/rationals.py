"""Numbers that people write down, as exact rational numbers.

Values are compared in these, so that a tie is a tie and a difference a difference, however far
apart the sizes of payoffs are.
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

MOST_SIMPLE = 10_000  # denominators
# Whole numbers up to this size are floats without rounding.
EXACT = 1 << 53


def fraction(value: float | Fraction) -> Fraction:
    """Return the number that somebody meant: 1/3 for 0.3333333333333333, 1/10 for 0.1.

    A float is read as the simple fraction that it was made from, or else as the decimal number
    that it shows.
    """
    return Fraction(value) if isinstance(value, Rational) else _meant(float(value))


@lru_cache(maxsize=4096)
def _meant(given: float) -> Fraction:
    """Return the number that a float stands for; a payoff is asked for once in every round."""
    simple = Fraction(given).limit_denominator(MOST_SIMPLE)
    # A large float is a whole number, but not the one that it shows: 1e30 is meant as 10**30.
    is_simple = float(simple) == given and simple.denominator > 1
    return simple if is_simple else Fraction(repr(given))


def whole_numbers(amounts: npt.NDArray[Any], times: int = 1) -> tuple[npt.NDArray[Any], int]:
    """Return amounts as whole numbers and what they have to be divided by.

    Parameters
    ----------
    amounts : array
        Floats, each read by :func:`fraction`.
    times : int
        How many of them are added up at most. If the sums fit, the whole numbers are machine
        integers, which are fast; otherwise Python's, which have no limit.
    """
    values, places = np.unique(amounts, return_inverse=True)
    exact = [fraction(value) for value in values.tolist()]
    common = math.lcm(*(each.denominator for each in exact))
    whole = [each.numerator * (common // each.denominator) for each in exact]
    fits = max(common, times * max(map(abs, whole), default=0)) < EXACT
    table = np.array(whole, dtype=np.int64 if fits else object)
    return table[places].reshape(amounts.shape), common


def nearest_floats(whole: npt.NDArray[Any], common: int) -> npt.NDArray[np.float64]:
    """Return the floats that are nearest to whole numbers divided by a common number.

    Sums that are equal become the same float, in whatever order they were added up.
    """
    # Both ways of dividing round once: floats hold the machine integers without rounding, and
    # Python divides integers of any size correctly.
    return np.asarray(whole / common, dtype=np.float64)
