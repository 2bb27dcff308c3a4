r"""Estimates with intervals for clustered episodes, since those about one problem are similar.

With :math:`n` episodes in :math:`G` problems, the mean :math:`\bar x` has the standard error

.. math::

    s = \sqrt{\frac{G}{G-1} \sum_g \Big(\sum_{i \in g} (x_i - \bar x)\Big)^2} \Big/ n .
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.values import bootstrap_ends, clustered_error, clustered_wilson, student_quantile

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
RESAMPLES = 4_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its confidence interval.

    Parameters
    ----------
    value : float, optional
        None if no episode counts.
    low, high : float, optional
        The interval's ends; None if it cannot be estimated, from a single problem or from problems
        with equal results.
    error : float, optional
        The clustered standard error.
    count : int
        How many episodes count.
    clusters : int
        The number of problems.
    """

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    count: int
    clusters: int

    def __repr__(self) -> str:
        if self.value is None:
            return line(self, "nothing to count")
        number = f"{self.value:.4g}"
        if self.low is not None and self.high is not None:
            number += f" ({self.low:.4g} to {self.high:.4g})"
        return line(self, number, f"{self.count:,} episodes", f"{self.clusters:,} problems")


_NOTHING = Estimate(None, None, None, None, 0, 0)


T = TypeVar("T")


class Estimates(list[T], Tabular):
    """A table of things that contain estimates, with a row for each.

    Parameters
    ----------
    things : iterable
        Data classes of one kind. An estimate becomes three columns: the number, and the ends of
        its interval.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        kind = type(self[0]).__name__ if self else "nothing"
        return line(self, kind, f"{len(self):,} rows")

    def table(self) -> Table:
        """Return every field of each."""
        rows: list[dict[str, object]] = [
            {f.name: getattr(item, f.name) for f in fields(cast("Any", item))} for item in self
        ]
        numbers = {name for row in rows for name, v in row.items() if isinstance(v, Estimate)}
        head = [
            column
            for name in (rows[0] if rows else ())
            for column in ((name, f"{name}_low", f"{name}_high") if name in numbers else (name,))
        ]
        return Table(tuple(head), [tuple(_cells(row, numbers)) for row in rows])


def _cells(row: Mapping[str, object], numbers: Container[str]) -> Iterator[object]:
    for name, value in row.items():
        if name in numbers:
            estimate = value if isinstance(value, Estimate) else _NOTHING
            yield from (estimate.value, estimate.low, estimate.high)
        elif isinstance(value, tuple):
            yield ", ".join(map(str, cast("tuple[object, ...]", value)))
        else:
            yield value


def of_mean(values: Sequence[float], groups: Sequence[str], level: float = LEVEL) -> Estimate:
    """Return the mean, with the interval of its clustered error and Student's distribution."""
    if not len(values):
        return _NOTHING
    mean, clusters = float(np.mean(values)), len(set(groups))
    error = clustered_error(values, groups)
    if not error:
        # One problem, or problems with equal results, say nothing about the variation.
        return Estimate(mean, None, None, error, len(values), clusters)
    half = student_quantile(level, clusters - 1) * error
    return Estimate(mean, mean - half, mean + half, error, len(values), clusters)


def of_rate(hits: Sequence[float], groups: Sequence[str], level: float = LEVEL) -> Estimate:
    """Return a share, with Wilson's interval at the effective number of episodes.

    See :func:`nip_core.values.clustered_wilson`.
    """
    if not len(hits):
        return _NOTHING
    interval = clustered_wilson(hits, groups, level)
    error = clustered_error(hits, groups)
    return Estimate(float(np.mean(hits)), *interval, error, len(hits), len(set(groups)))


@lru_cache(8)
def _draws(size: int) -> Floats:
    """Return how often each of the problems is drawn, in each of the draws."""
    rng = np.random.default_rng(0)
    return rng.multinomial(size, np.full(size, 1 / size), RESAMPLES).astype(np.float64)


@dataclass(frozen=True, slots=True, repr=False)
class Redrawn:
    """Bootstrap draws of problems, each with all its rows."""

    groups: Sequence[str]  # the problem of each row

    @property
    def size(self) -> int:
        """The number of problems."""
        return len(set(self.groups))

    def sums(self, columns: npt.ArrayLike) -> Floats:
        """Return the sums of columns (rows, k) in each of the draws (draws, k)."""
        numbers = np.asarray(columns, dtype=float)
        _, places = np.unique(np.asarray(self.groups), return_inverse=True)
        by_problem = np.zeros((self.size, numbers.shape[1]))
        np.add.at(by_problem, places, numbers)
        return _draws(self.size) @ by_problem

    def interval(self, numbers: Floats, level: float = LEVEL) -> tuple[float, float] | None:
        """Return the interval of a number that was computed for each draw.

        The percentiles are moved outwards to match Student's distribution and the divisor G - 1.
        Otherwise, intervals are too short if there are few problems. There is none for a single
        problem, for equal results of all problems, or if too few of the draws have the number.
        """
        numbers = numbers[np.isfinite(numbers)]
        if self.size < 2 or len(numbers) < RESAMPLES / 2:
            return None
        wider = math.sqrt(self.size / (self.size - 1)) * student_quantile(level, self.size - 1)
        low, high = bootstrap_ends(numbers, wider)
        return (low, high) if low < high else None


def bootstrap_interval(
    parts: Sequence[Sequence[float]],
    groups: Sequence[str],
    statistic: Callable[..., Floats] | None = None,
    level: float = LEVEL,
) -> tuple[float, float] | None:
    """Return an interval from a bootstrap over problems; see :meth:`Redrawn.interval`.

    The parts are columns with a row for each episode or pair, and the groups the rows' problems.
    The statistic computes the number from the columns' means, an array each, by draw; by default it
    is the first mean.
    """
    redrawn = Redrawn(groups)
    if redrawn.size < 2:
        return None
    totals, *sums = redrawn.sums(np.column_stack([np.ones(len(groups)), *parts])).T
    means = [part / totals for part in sums]
    with np.errstate(divide="ignore", invalid="ignore"):
        numbers = means[0] if statistic is None else np.asarray(statistic(*means), dtype=float)
    return redrawn.interval(numbers, level)


def sign_flips(sums: Iterable[int]) -> float:
    r"""Return the exact two-sided p-value of a sign-flip test over problems.

    Under the null hypothesis, both signs of a problem's sum of differences are equally likely. The
    p-value is the share of all :math:`2^G` combinations of signs whose total is at least as far
    from zero. If every problem has one pair, it is McNemar's exact test. A problem's sum is of the
    pairs in which only the second was right, minus those in which only the first was.
    """
    nonzero = [total for total in sums if total]
    ways = {0: 1}
    for size in nonzero:
        longer: dict[int, int] = {}
        for total, count in ways.items():
            for sign in (size, -size):
                longer[total + sign] = longer.get(total + sign, 0) + count
        ways = longer
    extreme = sum(count for total, count in ways.items() if abs(total) >= abs(sum(nonzero)))
    return extreme / 2 ** len(nonzero)
