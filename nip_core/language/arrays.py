"""States of a protocol as arrays: a column for each register, and a row for each state.

A column has a table of its different values, and for each row the number of one of them. So an
expression is computed once for each combination of the values that it reads, part by part, and not
once for each state. Probabilities are whole numbers over one denominator, and pay is a whole number
of a unit; with ``exact=False`` both are floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.budget import PLAYS, spend
from nip_core.language.expressions import Value, Work

__all__ = ["Column", "Columns", "Rows", "Ways", "combined", "evaluated", "joined", "numbered"]

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]
# Columns that are not forgotten before the end.
VERDICT_COLUMN, TRUTH_COLUMN, SOURCE_COLUMN = ALWAYS = "the verdict", "the truth", "the source"
# Below this, sums and products of whole numbers fit into 64 bits.
MOST = 2**62


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """A value for each row.

    Parameters
    ----------
    table : list
        The values that there may be.
    codes : array, optional
        For each row the number of its value; None if all have the first.
    """

    table: list[Value]
    codes: Ints | None

    def groups(self) -> Iterator[tuple[Value, npt.NDArray[np.bool_] | None]]:
        """Yield each value that some row has, with a mask of these rows; None is all."""
        if self.codes is None:
            yield self.table[0], None
            return
        numbers = np.flatnonzero(np.bincount(self.codes, minlength=len(self.table))).tolist()
        for number in numbers:
            yield self.table[number], None if len(numbers) == 1 else self.codes == number

    @property
    def has_none(self) -> bool:
        """Whether some row has no value."""
        if None not in self.table:
            return False
        none = self.table.index(None)
        return none == 0 if self.codes is None else bool((self.codes == none).any())

    def take(self, rows: Ints | npt.NDArray[np.bool_]) -> Column:
        """Return the column of some rows."""
        return self if self.codes is None else Column(self.table, self.codes[rows])

    def filled(self, size: int) -> Ints:
        """Return the numbers of values as an array."""
        return np.zeros(size, np.int64) if self.codes is None else self.codes


Columns = Mapping[str, Column]


def evaluated(work: Work, columns: Columns, known: dict[int, Column]) -> Column:
    """Return a value that is computed from columns.

    Parameters
    ----------
    work : Work
    columns : mapping of str to Column
        The registers.
    known : dict
        What was computed from the same columns before.
    """
    if work.register:
        return columns[work.register]
    column = known.get(id(work))
    if column is None:
        parts = [evaluated(part, columns, known) for part in work.parts]
        column = known[id(work)] = combined(work.apply, parts)
    return column


def combined(apply: Callable[..., Value], parts: Sequence[Column]) -> Column:
    """Return a function of columns, called once for each combination of their values."""
    varying = [(at, part.codes) for at, part in enumerate(parts) if part.codes is not None]
    if not varying:
        return Column([apply(*(part.table[0] for part in parts))], None)
    sizes = [len(parts[at].table) for at, _ in varying]
    rows = len(varying[0][1])
    tables = [part.table for part in parts]
    if math.prod(sizes) <= 64 + rows // 2:
        codes = varying[0][1]
        for (_, more), size in zip(varying[1:], sizes[1:], strict=True):
            codes = codes * size + more
        places: Iterable[tuple[int, ...]] = np.ndindex(*sizes)
        count = math.prod(sizes)
    else:
        first, codes = numbered([(c, size) for (_, c), size in zip(varying, sizes, strict=True)])
        places = zip(*(c[first].tolist() for _, c in varying), strict=True)
        count = len(first)
    spend(20 + count * (1 + len(parts)) + rows * len(varying) // 32, PLAYS)
    values: dict[Value, int] = {}
    numbers = np.empty(count, np.int64)
    arguments = [table[0] for table in tables]
    for number, place in enumerate(places):
        for (at, _), code in zip(varying, place, strict=True):
            arguments[at] = tables[at][code]
        numbers[number] = values.setdefault(apply(*arguments), len(values))
    if len(values) == 1:
        return Column([*values], None)
    return Column([*values], numbers[codes])


def numbered(columns: Sequence[tuple[Numbers, int]]) -> tuple[Ints, Ints]:
    """Return the first row of each different one, and for each row the number of its kind.

    Parameters
    ----------
    columns : sequence of (array, size)
        Whole numbers from 0 on, below the size.
    """
    codes, reach = columns[0]
    for more, size in columns[1:]:
        if reach * size >= MOST:
            different, codes = np.unique(codes, return_inverse=True)
            reach = len(different)
        codes, reach = codes * size + more, reach * size
    spend(20 + len(codes) * (len(columns) + 6) // 32, PLAYS)
    if reach <= 64 + 2 * len(codes):
        # Without sorting: a table of all numbers.
        first = np.full(reach, -1, np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        there = first >= 0
        return first[there], (np.cumsum(there) - 1)[codes]
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return first, numbers


def _largest(array: Numbers) -> int:
    return max((abs(int(number)) for number in array.tolist()), default=0)


def _fits(array: Numbers, factor: int) -> Numbers:
    """Return whole numbers that can be multiplied and then added up without overflow."""
    if array.dtype == object or not len(array):
        return array
    if array.dtype != np.int64:
        return array
    if float(np.abs(array).sum(dtype=float)) * factor < MOST:
        return array
    return array.astype(object)


def added(numbers: Ints, size: int, amounts: Numbers) -> Numbers:
    """Return the sums of amounts by number."""
    if amounts.ndim > 1:
        return np.stack([added(numbers, size, line) for line in amounts])
    if amounts.dtype == float:
        return np.bincount(numbers, weights=amounts, minlength=size)
    sums = np.zeros(size, amounts.dtype)
    np.add.at(sums, numbers, amounts)
    return sums


@dataclass(frozen=True, eq=False, slots=True)
class Ways:
    """How a choice may be made.

    Parameters
    ----------
    codes : array
        The numbers of the options.
    shares : array, ``[kind of row, option]``
        The probability of each, times `of`.
    of : int
    kinds : array, optional
        For each row the number of its kind, if there are several.
    """

    codes: Ints
    shares: Numbers
    of: int
    kinds: Ints | None


@dataclass(eq=False, slots=True)
class Rows:
    """States with their probabilities.

    Parameters
    ----------
    columns : dict of str to Column
    weight : array
        The probability of each state, times the denominator: whole numbers, or floats.
    denominator : int
        1 for floats.
    pay : array, optional
        Either what was paid so far, in units; then states with different pay are different. Or the
        mean of that in each state, times its probability, times the denominator.
    unit : int
        The pay is divided by this.
    whole : bool
        Whether `pay` is the first of these two.
    """

    columns: dict[str, Column]
    weight: Numbers
    denominator: int = 1
    pay: Numbers | None = None
    unit: int = 1
    whole: bool = True

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, rows: Ints | npt.NDArray[np.bool_]) -> Rows:
        """Return some rows."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        pay = None if self.pay is None else self.pay[..., rows]
        return Rows(columns, self.weight[rows], self.denominator, pay, self.unit, self.whole)

    def with_columns(self, columns: dict[str, Column]) -> Rows:
        """Return the same states with other columns."""
        return Rows(columns, self.weight, self.denominator, self.pay, self.unit, self.whole)

    def kept(self, names: Iterable[str], alike: Sequence[Sequence[str]] = ()) -> Rows:
        """Return the states with only some registers; states that are then equal are added up.

        Results that are already known are kept, too.

        Parameters
        ----------
        names : iterable of str
        alike : sequence of sequences of str
            Registers whose values may be exchanged.
        """
        columns = {name: self.columns[name] for name in sorted(names)}
        columns |= {name: self.columns[name] for name in ALWAYS if name in self.columns}
        size = len(self)
        for group in alike:
            codes = np.stack([columns[name].filled(size) for name in group])
            codes.sort(axis=0)
            table = columns[group[0]].table
            columns |= {n: Column(table, row) for n, row in zip(group, codes, strict=True)}
        if columns.keys() == self.columns.keys() and not alike:
            return self
        return self._merged(columns)

    def merged(self) -> Rows:
        """Return the states, of which those that are equal are added up."""
        return self._merged(self.columns)

    def _merged(self, columns: dict[str, Column]) -> Rows:
        size = len(self)
        varying = [c for c in columns.values() if c.codes is not None]
        keys = [(c.filled(size), len(c.table)) for c in varying]
        if self.whole and self.pay is not None and size:
            keys.append(_places(self.pay))
        if not keys:
            first, numbers = np.zeros(min(size, 1), np.int64), np.zeros(size, np.int64)
        else:
            first, numbers = numbered(keys)
        count = len(first)
        if count == size:
            return self.with_columns(columns)
        columns = {name: column.take(first) for name, column in columns.items()}
        weight = added(numbers, count, self.weight)
        pay = self.pay
        if pay is not None:
            pay = pay[first] if self.whole else added(numbers, count, _fits(pay, 1))
        return Rows(columns, weight, self.denominator, pay, self.unit, self.whole).reduced()

    def reduced(self) -> Rows:
        """Divide probabilities and their denominator by what divides all."""
        if self.denominator == 1:
            return self
        arrays = [self.weight] if self.whole or self.pay is None else [self.weight, self.pay]
        common = self.denominator
        for array in arrays:
            common = math.gcd(common, int(np.gcd.reduce(array)) if len(array) else 0)
        if common > 1:
            self.weight = self.weight // common
            if len(arrays) == 2:
                self.pay = arrays[1] // common
            self.denominator //= common
        if self.weight.dtype == object and self.denominator < MOST:
            self.weight = self.weight.astype(np.int64)
            if self.pay is not None and len(arrays) == 2 and self.pay.dtype == object:
                small = _largest(self.pay) * (1 + len(self)) < MOST
                self.pay = self.pay.astype(np.int64) if small else self.pay
        return self

    def paid(self, amounts: Column, factor: Fraction) -> None:
        """Add what the states are paid: a factor times a column, in which none is 0.

        Of several states that were added up, only the mean of what was paid so far is known.
        """
        assert self.pay is not None
        numbers, unit = _in_units(amounts.table, factor)
        if not numbers.any():
            return
        rows = amounts.filled(len(self))
        if float in (numbers.dtype, self.pay.dtype) or (
            self.weight.dtype == float and not self.whole
        ):
            paid = (numbers / unit).astype(float)[rows]
            before = (self.pay / self.unit).astype(float)
            self.unit = 1
        else:
            common = math.lcm(unit, self.unit)
            paid = (numbers * (common // unit))[rows]
            before = _fits(self.pay, common // self.unit) * (common // self.unit)
            self.unit = common
        if not self.whole:
            most = _largest(numbers) if paid.dtype != float else 1
            paid = paid * _fits(self.weight, most * self.unit)
        self.pay = before + paid

    def moments(self, amounts: Column, factor: Fraction) -> tuple[Any, Any]:
        """Return what amounts add to the means of all pay and of its square.

        Of several states that were added up, the mean of what was paid so far is known.
        """
        assert self.pay is not None
        size, rows = len(amounts.table), amounts.filled(len(self))
        weights = added(rows, size, self.weight).tolist()
        before = added(rows, size, _fits(self.pay, 1)).tolist()
        first: Any = 0
        second: Any = 0
        for value, weight, paid in zip(amounts.table, weights, before, strict=True):
            if value is not None and value != 0:
                amount = value * (float(factor) if isinstance(value, float) else factor)
                first += amount * weight
                second += amount * (2 * paid / Fraction(self.unit) + amount * weight)
        return first / Fraction(self.denominator), second / Fraction(self.denominator)

    def chances(self) -> list[Any]:
        """Return the probability of each state."""
        if self.weight.dtype == float:
            return self.weight.tolist()
        return [Fraction(weight, self.denominator) for weight in self.weight.tolist()]

    def amounts(self) -> list[Any]:
        """Return what was paid so far in each state."""
        assert self.pay is not None
        if self.pay.dtype == float:
            return self.pay.tolist()
        return [Fraction(pay, self.unit) for pay in self.pay.tolist()]

    def spread(self, name: str, table: list[Value], ways: Ways) -> Rows:
        """Return the rows with one more column, once for each value that is possible in a row."""
        shares, of, kinds = ways.shares, ways.of, ways.kinds
        size, count = len(self), len(ways.codes)
        spend(20 + size * count * (4 + len(self.columns)) // 32, PLAYS)
        if (shares == shares[0, 0]).all():
            shares, of, kinds = np.ones((1, count), np.int64), count, None
        chances = np.repeat(shares, size, axis=0) if kinds is None else shares[kinds]
        possible = np.flatnonzero(chances)
        spread = self.take(possible // count)
        spread.columns[name] = Column(table, ways.codes[possible % count])
        factor = chances.ravel()[possible]
        if spread.weight.dtype == float:
            factor = factor / of
        else:
            spread.denominator *= of
            if spread.denominator >= MOST:
                spread.weight = spread.weight.astype(object)
            if (shares == 1).all():
                return spread
        spread.weight = spread.weight * factor
        if spread.pay is not None and not self.whole:
            most = int(shares.max()) if factor.dtype != float else 1
            spread.pay = _fits(spread.pay, most) * factor
        return spread

    def drawn(self, name: str, table: list[Value], ways: Ways, rng: np.random.Generator) -> Rows:
        """Return the same for states that are counts of plays, with a value drawn for each play."""
        size, count = len(self), len(ways.codes)
        spend(20 + size * count * (4 + len(self.columns)) // 16, PLAYS)
        chances = (ways.shares / ways.of).astype(float)
        chances /= chances.sum(axis=1, keepdims=True)
        kinds = np.zeros(size, np.int64) if ways.kinds is None else ways.kinds
        plays = int(self.weight.sum())
        if plays < size * count:
            # Few plays with many ways: one by one. The last sum may be rounded below 1.
            rows = np.repeat(np.arange(size), self.weight)
            below = np.cumsum(chances, axis=1)[:, :-1]
            place = (rng.random(plays)[:, None] >= below[kinds[rows]]).sum(axis=1)
            there, counts = np.unique(rows * count + place, return_counts=True)
        else:
            counts = rng.multinomial(self.weight, chances[kinds]).ravel()
            there = np.flatnonzero(counts)
            counts = counts[there]
        drawn = self.take(there // count)
        drawn.columns[name] = Column(table, ways.codes[there % count])
        drawn.weight = counts
        return drawn


def _places(pay: Numbers) -> tuple[Ints, int]:
    """Return numbers for what was paid."""
    if pay.dtype == np.int64:
        low, high = int(pay.min()), int(pay.max())
        if high - low < 1 << 24:
            return pay - low, high - low + 1
    different, numbers = np.unique(pay, return_inverse=True)
    return numbers, len(different)


def joined(parts: Sequence[Rows]) -> Rows:
    """Return the states of several parts with the same registers, one after the other."""
    if len(parts) == 1:
        return parts[0]
    denominator = math.lcm(*(part.denominator for part in parts))
    unit = math.lcm(*(part.unit for part in parts))
    columns: dict[str, Column] = {}
    for name in parts[0].columns:
        columns[name] = _joined_column([(part.columns[name], len(part)) for part in parts])
    weights: list[Numbers] = []
    pays: list[Numbers] = []
    for part in parts:
        times = denominator // part.denominator
        weight = part.weight
        if weight.dtype != float and denominator >= MOST:
            weight = weight.astype(object)
        weights.append(weight * times if times > 1 else weight)
        if part.pay is not None:
            more = unit // part.unit * (1 if part.whole else times)
            pays.append(_fits(part.pay, more * len(parts)) * more if more > 1 else part.pay)
    pay = np.concatenate(pays, axis=-1) if pays else None
    return Rows(columns, np.concatenate(weights), denominator, pay, unit, parts[0].whole)


def _joined_column(parts: Sequence[tuple[Column, int]]) -> Column:
    tables = [column.table for column, _ in parts]
    if all(table is tables[0] for table in tables):
        table, codes = tables[0], [column.filled(size) for column, size in parts]
    else:
        values: dict[Value, int] = {}
        places = [
            np.array([values.setdefault(v, len(values)) for v in table], np.int64)
            for table in tables
        ]
        table = [*values]
        codes = [
            place[column.filled(size)] for place, (column, size) in zip(places, parts, strict=True)
        ]
    return Column(table, np.concatenate(codes)) if len(table) > 1 else Column(table, None)


def _in_units(table: Sequence[Value], factor: Fraction) -> tuple[Numbers, int]:
    """Return amounts as whole numbers of one over the unit, or as floats; none is 0."""
    if any(isinstance(value, float) for value in table):
        return np.array([0.0 if v is None else float(factor) * float(v) for v in table]), 1
    amounts = [Fraction(0) if v is None else factor * Fraction(v) for v in table]
    unit = math.lcm(*(amount.denominator for amount in amounts))
    numbers = [amount.numerator * (unit // amount.denominator) for amount in amounts]
    small = max(map(abs, numbers), default=0) < MOST // (1 << 20)
    return np.array(numbers, np.int64 if small else object), unit
