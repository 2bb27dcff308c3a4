"""Exact linear programs in rational numbers: the simplex method on integers.

A program consists of variables and linear functions of them, none of which may be negative. The
tableau is Dantzig's dictionary, with each row scaled to the smallest integers, so entries are exact
for numbers of any size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from nip_core.errors import UnsupportedError

__all__ = ["ONE", "Linear", "Solution", "combined", "less", "maximise", "value_at"]

ONE = -1
"""The key of a row's constant."""
Linear = Mapping[int, Fraction]
"""A linear function: the factor of each variable, by number, and the constant at :data:`ONE`."""

# After this many steps without progress, a pivoting rule is used that cannot cycle.
_IDLE_ITERATIONS = 25
# The number of entries that one program may rewrite: about half a minute.
MOST_WORK = 100_000_000


def combined(rows: Iterable[Linear]) -> Linear:
    """Return the sum of linear functions."""
    total: dict[int, Fraction] = {}
    for row in rows:
        for place, factor in row.items():
            total[place] = total.get(place, Fraction(0)) + factor
    return {place: factor for place, factor in total.items() if factor}


def less(row: Linear, other: Linear) -> Linear:
    """Return the difference of two linear functions."""
    return combined((row, {place: -factor for place, factor in other.items()}))


def value_at(row: Linear, at: Sequence[Fraction]) -> Fraction:
    """Return a linear function's value for values of its variables."""
    return sum(
        (factor * (1 if place == ONE else at[place]) for place, factor in row.items()), Fraction(0)
    )


@dataclass(frozen=True, slots=True)
class Solution:
    """The largest value of a program, and the variables' values."""

    value: Fraction
    at: tuple[Fraction, ...]


def maximise(
    goal: Linear, rows: Sequence[Linear], size: int, *, beyond: Fraction | None = None
) -> Solution | None:
    """Return the largest value of a linear function.

    Parameters
    ----------
    goal : Linear
    rows : sequence of Linear
        Functions that must not be negative, in addition to the variables.
    size : int
        The number of variables.
    beyond : Fraction, optional
        Stop at a value above this, even if it is not the largest.

    Returns
    -------
    solution : Solution or None
        None if the rows cannot be satisfied.

    Raises
    ------
    UnsupportedError
        If there is no largest value, or the program is too large.
    """
    return _Tableau(rows, size).best(goal, beyond)


class _Tableau:
    """Rows `weight * basic = constant + sum(factor * free)`, in integers.

    The last entry of a row is its constant. If all free variables are 0, a basic variable is the
    constant divided by the weight.
    """

    def __init__(self, rows: Sequence[Linear], size: int) -> None:
        self._size = size
        self._free = list(range(size))
        self._basic = list(range(size, size + len(rows)))
        self._rows: list[list[int]] = []
        self._weights: list[int] = []
        for row in rows:
            entries, weight = _whole(row, size)
            self._rows.append(entries)
            self._weights.append(weight)
        self._work = 0

    def best(self, goal: Linear, beyond: Fraction | None) -> Solution | None:
        if not self._make_feasible():
            return None
        entries, weight = self._in_free(goal)
        self._rows.append(entries)
        self._weights.append(weight)
        self._climb(beyond)
        value = Fraction(self._rows[-1][-1], self._weights[-1])
        at = [Fraction(0)] * self._size
        for number, row, weight in zip(self._basic, self._rows, self._weights, strict=False):
            if number < self._size:
                at[number] = Fraction(row[-1], weight)
        return Solution(value, tuple(at))

    def _in_free(self, goal: Linear) -> tuple[list[int], int]:
        """Return a function of the first variables as one of the present free variables."""
        places = {number: place for place, number in enumerate(self._free)}
        rows = {number: place for place, number in enumerate(self._basic)}
        total = [Fraction(0)] * (len(self._free) + 1)
        total[-1] += goal.get(ONE, 0)
        for number, factor in goal.items():
            if number == ONE or not factor:
                continue
            if number in places:
                total[places[number]] += factor
                continue
            row = rows[number]
            share = factor / self._weights[row]
            for place, entry in enumerate(self._rows[row]):
                if entry:
                    total[place] += share * entry
        return _whole(dict(enumerate(total)), len(self._free))

    def _make_feasible(self) -> bool:
        """Find a feasible solution: add a variable to all rows, and reduce it to 0."""
        lowest = min(
            range(len(self._rows)),
            key=lambda row: Fraction(self._rows[row][-1], self._weights[row]),
            default=None,
        )
        if lowest is None or self._rows[lowest][-1] >= 0:
            return True
        lift = self._size + len(self._basic)
        for row, weight in zip(self._rows, self._weights, strict=True):
            row.insert(-1, weight)
        self._free.append(lift)
        self._rows.append([0] * (len(self._free) - 1) + [-1, 0])
        self._weights.append(1)
        self._pivot(lowest, len(self._free) - 1)
        self._climb(None, first=lift)
        reached = self._rows.pop()
        self._weights.pop()
        if reached[-1] < 0:
            return False
        if lift in self._basic:  # at 0, in a row that any other variable can take
            row = self._basic.index(lift)
            place = next(p for p, entry in enumerate(self._rows[row][:-1]) if entry)
            self._pivot(row, place)
        place = self._free.index(lift)
        del self._free[place]
        for row in self._rows:
            del row[place]
        return True

    def _climb(self, beyond: Fraction | None, first: int | None = None) -> None:
        """Increase the last row until no variable increases it."""
        idle = 0
        while True:
            goal = self._rows[-1]
            if beyond is not None and goal[-1] > beyond * self._weights[-1]:
                return
            rising = [place for place, entry in enumerate(goal[:-1]) if entry > 0]
            if not rising:
                return
            if idle < _IDLE_ITERATIONS:
                enters = max(rising, key=goal.__getitem__)
            else:  # Bland's rule: the smallest number enters, and the smallest leaves
                enters = min(rising, key=self._free.__getitem__)
            row = self._leaves(enters, first)
            idle = idle + 1 if not self._rows[row][-1] else 0
            self._pivot(row, enters)

    def _leaves(self, enters: int, first: int | None) -> int:
        """Return the basic variable that reaches 0 first when a free one grows."""
        best, top, bottom = -1, 0, 1
        for place, number in enumerate(self._basic):
            slope = self._rows[place][enters]
            if slope >= 0:
                continue
            constant = self._rows[place][-1]
            left, right = constant * bottom, top * -slope
            if (
                best < 0
                or left < right
                or (left == right and (number == first or number < self._basic[best] != first))
            ):
                best, top, bottom = place, constant, -slope
        if best < 0:
            raise UnsupportedError("This linear program has no largest value.")
        return best

    def _pivot(self, leaves: int, enters: int) -> None:
        """Exchange two variables: one leaves the basis, and the other enters it."""
        row, weight = self._rows[leaves], self._weights[leaves]
        slope = row[enters]
        # weight * b = ... + slope * n becomes |slope| * n = -(... - weight * b) with its sign.
        sign = -1 if slope > 0 else 1
        row = [sign * entry for entry in row]
        row[enters] = -sign * weight
        slope = abs(slope)
        row, slope = _smallest(row, slope)
        self._rows[leaves], self._weights[leaves] = row, slope
        self._basic[leaves], self._free[enters] = self._free[enters], self._basic[leaves]
        for place, other in enumerate(self._rows):
            factor = other[enters]
            if place == leaves or not factor:
                continue
            other[enters] = 0
            mixed = [
                slope * mine + factor * theirs for mine, theirs in zip(other, row, strict=True)
            ]
            self._rows[place], self._weights[place] = _smallest(mixed, slope * self._weights[place])
            self._work += len(row)
        if self._work > MOST_WORK:
            raise UnsupportedError("This linear program is too large to be solved exactly.")


def _whole(row: Linear, size: int) -> tuple[list[int], int]:
    """Return a row in integers, and its factor."""
    weight = math.lcm(*(factor.denominator for factor in row.values()))
    entries = [0] * (size + 1)
    for place, factor in row.items():
        entries[place] = factor.numerator * (weight // factor.denominator)
    return _smallest(entries, weight)


def _smallest(row: list[int], weight: int) -> tuple[list[int], int]:
    common = math.gcd(weight, *row)
    return ([entry // common for entry in row], weight // common) if common > 1 else (row, weight)
