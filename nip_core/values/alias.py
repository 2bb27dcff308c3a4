"""Draws from a few chances, in the same time however many there are (Walker's alias method).

The line from 0 to the number of columns is cut into columns of width 1. Each holds one outcome up
to its threshold and another one, its alias, beyond it. So a single random number is enough for a
draw.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["AliasTable"]

CHUNK = 1 << 15  # numbers that stay in the processor's cache


class AliasTable:
    """What it takes to draw from chances.

    Parameters
    ----------
    chances : sequence of float
        Above 0; they need not add up to 1 exactly.
    """

    def __init__(self, chances: Sequence[float]) -> None:
        total = sum(chances)
        # The number of columns is a power of 2, so that multiplying by it rounds nothing.
        self._columns = 1 << (len(chances) - 1).bit_length()
        left = [self._columns * chance / total for chance in chances]
        left += [0.0] * (self._columns - len(left))
        self._size = len(chances)
        self._aliases = np.arange(self._columns)
        within = np.ones(self._columns)
        low = [place for place, share in enumerate(left) if share < 1]
        high = [place for place, share in enumerate(left) if share >= 1]
        while low and high:
            place, giver = low.pop(), high[-1]
            within[place], self._aliases[place] = left[place], giver
            left[giver] -= 1 - left[place]
            if left[giver] < 1:
                low.append(high.pop())
        # By rounding, columns of outcomes may be left over; those beyond them never are.
        self._thresholds = np.arange(self._columns) + within

    def counts(self, draws: int, seed: int) -> npt.NDArray[np.int64]:
        """Return how often each outcome comes in so many draws."""
        rng = np.random.default_rng(seed)
        numbers = np.empty(min(draws, CHUNK))
        # By column, within its threshold and beyond: aliases are looked up once, at the end.
        found = np.zeros(2 * self._columns, dtype=np.int64)
        for start in range(0, draws, CHUNK):
            drawn = numbers[: min(CHUNK, draws - start)]
            rng.random(out=drawn)
            drawn *= self._columns
            columns = drawn.astype(np.int32)
            beyond = drawn >= self._thresholds.take(columns)
            columns += columns
            columns += beyond
            found += np.bincount(columns, minlength=len(found))
        counts = found[::2].copy()
        np.add.at(counts, self._aliases, found[1::2])
        return counts[: self._size]
