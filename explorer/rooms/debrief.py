r"""What came of a room: how often false statements were accepted in each of two conditions.

What is measured is the **false-acceptance rate against these provers**: of the false statements
that were played to the end, the share that the verifiers accepted. It is no soundness error. That
is a maximum over all provers, so that the rate is only a bound of it from below.

How far from below can be said exactly. Tables are drawn by themselves, whatever goes on at one of
them, and each has some share of false statements accepted, between 0 and 1. A bet against each mean
of such shares (:func:`nip_core.values.betting_mean`) gives the least that the rate, and so the
soundness error of these verifiers, is with 95 % confidence, however few the tables and however the
shares are spread.

Tables and tasks are both clusters: people at one table are alike, and so are the episodes about one
task. The difference of the rates is drawn again and again: with tables drawn (each within its
condition), with tasks drawn, with both, and with single episodes. Drawing both counts the chance of
each episode three times (Owen, Annals of Applied Statistics 1, 2007). So its draws are pulled
together to the variance

.. math::

    V = V_\text{tables} + V_\text{tasks} - V_\text{episodes}

and the interval's ends are moved outwards as Student's distribution asks for, whose ends are the
heavier the fewer clusters there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from explorer.rooms.told import Outcome
from nip_core.values import betting_mean

__all__ = ["FEWEST", "Count", "Difference", "counts", "difference", "least_error"]

# Of tables and of tasks. Of fewer, an interval would promise more than it holds.
FEWEST = 8
# Of the tables of each condition.
FEWEST_EACH = 4
RESAMPLES = 4_000

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Count:
    """What a condition made of false statements.

    Parameters
    ----------
    condition : str
    accepted, rejected, undecided : int
        Episodes about false statements. Only an accepted one is a false acceptance.
    tables, tasks : int
        How many different ones those are of.
    """

    condition: str
    accepted: int
    rejected: int
    undecided: int
    tables: int
    tasks: int

    @property
    def played(self) -> int:
        """Of how many episodes the rate is."""
        return self.accepted + self.rejected + self.undecided

    @property
    def rate(self) -> float | None:
        """The false-acceptance rate against these provers; None before any was played."""
        return self.accepted / self.played if self.played else None


@dataclass(frozen=True, slots=True)
class Difference:
    """How the false-acceptance rates of two conditions differ.

    Parameters
    ----------
    first, second : str
    value : float, optional
        The second's rate minus the first's; None if one of them was not played.
    low, high : float, optional
        A 95 % interval; None where none would be honest.
    why_not : str
        A sentence that says why there is no interval; empty if there is one.
    """

    first: str
    second: str
    value: float | None
    low: float | None = None
    high: float | None = None
    why_not: str = ""


def counts(outcomes: Iterable[Outcome], conditions: Sequence[str]) -> list[Count]:
    """What each condition made of false statements, in the order of the conditions."""
    false = [each for each in outcomes if each.y == 0]
    found: list[Count] = []
    for condition in conditions:
        here = [each for each in false if each.condition == condition]
        accepted = sum(each.decision == 1 for each in here)
        rejected = sum(each.decision == 0 for each in here)
        found.append(
            Count(
                condition,
                accepted,
                rejected,
                len(here) - accepted - rejected,
                len({each.table for each in here}),
                len({each.task for each in here}),
            )
        )
    return found


def difference(
    outcomes: Iterable[Outcome], first: str, second: str, *, level: float = 0.95, seed: int = 0
) -> Difference:
    """The difference of two conditions' rates, with an interval if there is enough to say one.

    Parameters
    ----------
    outcomes : iterable of Outcome
        Those about true statements are left out.
    first, second : str
        The conditions.
    level : float
    seed : int
        Of the draws: the same outcomes give the same interval.
    """
    false = [each for each in outcomes if each.y == 0 and each.condition in (first, second)]
    one, other = counts(false, (first, second))
    if one.rate is None or other.rate is None:
        return Difference(first, second, None, why_not="Only one of the two was played so far.")
    value = other.rate - one.rate
    tables, tasks = len({each.table for each in false}), len({each.task for each in false})
    if tables < FEWEST or tasks < FEWEST or min(one.tables, other.tables) < FEWEST_EACH:
        return Difference(
            first,
            second,
            value,
            why_not=f"These are the raw counts: with fewer than {FEWEST} tables "
            f"({FEWEST_EACH} in each condition) or fewer than {FEWEST} tasks, no interval would be "
            f"honest. Here are {tables} and {tasks}.",
        )
    drawn = _interval(tuple(false), second, level, seed)
    if drawn is None:
        return Difference(
            first,
            second,
            value,
            why_not="All tables and all tasks of a condition went alike, so that nothing is known "
            "of how much others would differ: no interval would be honest.",
        )
    return Difference(first, second, value, *drawn)


def least_error(
    outcomes: Iterable[Outcome], condition: str, *, level: float = 0.95
) -> float | None:
    """What the soundness error of a condition's verifiers is at least; None of too few tables.

    Parameters
    ----------
    outcomes : iterable of Outcome
        Those about true statements are left out.
    condition : str
    level : float
        How often such a bound is not too high, at least.
    """
    at: dict[int, list[bool]] = {}
    others: set[int] = set()
    for each in outcomes:
        if each.y == 0 and each.condition == condition:
            at.setdefault(each.table, []).append(each.decision == 1)
        elif each.y == 0:
            others.add(each.table)
    if len(at) < FEWEST_EACH or len(at.keys() | others) < FEWEST:
        return None
    shares = np.array([sum(accepted) / len(accepted) for accepted in at.values()])
    # Of an interval with two ends each is wrong half as often.
    return betting_mean(shares, np.ones(len(shares)), 0, 1, 2 * level - 1)[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Episodes as arrays, a place each: accepted or not, and which condition, table and task."""

    accepted: Floats
    second: npt.NDArray[np.bool_]
    table: npt.NDArray[np.intp]
    task: npt.NDArray[np.intp]

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], second: str) -> _Table:
        # A table that changes its condition counts as one in each.
        tables = [(each.condition == second, each.table) for each in outcomes]
        tasks = [each.task for each in outcomes]
        return cls(
            np.array([each.decision == 1 for each in outcomes], dtype=float),
            np.array([each.condition == second for each in outcomes]),
            _places(tables),
            _places(tasks),
        )


def _places(names: Sequence[Any]) -> npt.NDArray[np.intp]:
    known = {name: place for place, name in enumerate(sorted(set(names)))}
    return np.array([known[name] for name in names], dtype=np.intp)


# Everybody in a room looks at the same result at once.
@lru_cache(64)
def _interval(
    outcomes: tuple[Outcome, ...], second: str, level: float, seed: int
) -> tuple[float, float] | None:
    table = _Table.of(outcomes, second)
    rng = np.random.default_rng(seed)
    # Which condition each table, and each episode, is of.
    sides: npt.NDArray[np.bool_] = np.zeros(int(table.table.max()) + 1, dtype=np.bool_)
    sides[table.table] = table.second
    kinds = int(table.task.max()) + 1
    tables = _draws(rng, sides)[:, table.table]
    tasks = _draws(rng, np.zeros(kinds, dtype=np.bool_))[:, table.task]
    both = _differences(table, tables * tasks)
    groups = int(sides.sum()), int((~sides).sum())
    of_tables = _variance(_differences(table, tables)) * min(groups) / (min(groups) - 1)
    of_tasks = _variance(_differences(table, tasks)) * kinds / (kinds - 1)
    of_episodes = _variance(_differences(table, _draws(rng, table.second)))
    wanted = max(of_tables + of_tasks - of_episodes, of_tables, of_tasks)
    if not wanted or len(both) < RESAMPLES / 2:
        return None
    pulled = (both - both.mean()) * math.sqrt(wanted / _variance(both))
    freedom = (of_tables + of_tasks) ** 2 / (
        of_tables**2 / (sum(groups) - 2) + of_tasks**2 / (kinds - 1)
    )
    tail = NormalDist().cdf(-_quantile(level, freedom))
    low, high = np.quantile(pulled, [tail, 1 - tail]) + _differences(table)[0]
    return max(-1.0, float(low)), min(1.0, float(high))


def _draws(rng: np.random.Generator, sides: npt.NDArray[np.bool_]) -> Floats:
    """How often each is drawn, in each of the draws; within its side, so that none gets empty."""
    drawn = np.zeros((RESAMPLES, len(sides)))
    for side in (False, True):
        places = np.flatnonzero(sides == side)
        if size := len(places):
            drawn[:, places] = rng.multinomial(size, np.full(size, 1 / size), RESAMPLES)
    return drawn


def _differences(table: _Table, weights: Floats | None = None) -> Floats:
    """The second's rate minus the first's under each row of weights, where there are both."""
    rows = np.ones((1, len(table.accepted))) if weights is None else weights
    with np.errstate(invalid="ignore"):
        second, first = (
            (rows[:, here] @ table.accepted[here]) / rows[:, here].sum(axis=1)
            for here in (table.second, ~table.second)
        )
    found = second - first
    return found[np.isfinite(found)]


def _variance(values: Floats) -> float:
    return float(values.var()) if len(values) else 0.0


@lru_cache(100)
def _quantile(level: float, freedom: float) -> float:
    from scipy import stats

    return float(cast("Any", stats).t.ppf((1 + level) / 2, freedom))
