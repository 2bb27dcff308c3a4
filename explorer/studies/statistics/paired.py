"""Two conditions on the same tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.studies.errors import StudyError
from explorer.studies.results import Result
from explorer.studies.statistics.estimates import (
    Estimate,
    bootstrap_interval,
    clustered_error,
    sign_flips,
)
from explorer.studies.statistics.measures import Measure
from explorer.studies.statistics.summary import measure_named
from nip_core.displays import Table, Tabular, displayed, line, told

__all__ = ["Comparison", "Pair", "aligned", "compare", "difference", "paired"]


@displayed
@dataclass(frozen=True, slots=True)
class Pair:
    """What two conditions made of the same task in the same epoch.

    Parameters
    ----------
    problem : str
    first, second : float
        Where a condition counterbalances, the mean over its ways.
    """

    problem: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class Comparison(Tabular):
    """How two conditions differ.

    Parameters
    ----------
    first, second, measure : str
    difference : Estimate
        The second's minus the first's; its count is of pairs.
    first_only, second_only : int
        Pairs in which only the one, and only the other, was right.
    p : float
        Of McNemar's exact test on those, clustered by problem as the interval is.
    """

    first: str
    second: str
    measure: str
    difference: Estimate
    first_only: int
    second_only: int
    p: float

    def __repr__(self) -> str:
        names = f"{told(self.second)} against {told(self.first)}"
        return line(self, names, self.measure, repr(self.difference), f"p = {self.p:.3g}")

    def table(self) -> Table:
        """The difference, and in how many pairs only one of the two was right."""
        found = self.difference
        row = {
            "measure": self.measure,
            "first": self.first,
            "second": self.second,
            "difference": found.value,
            "low": found.low,
            "high": found.high,
            "pairs": found.count,
            "only first right": self.first_only,
            "only second right": self.second_only,
            "p": self.p,
        }
        return Table(tuple(row), [tuple(row.values())])


def paired(first: Iterable[Result], second: Iterable[Result], measure: Measure) -> list[Pair]:
    """The tasks and epochs that both have, and of which both have the number."""
    problems, (one, other) = aligned((first, second), measure)
    return [Pair(*each) for each in zip(problems, one, other, strict=True)]


def aligned(
    conditions: Iterable[Iterable[Result]], measure: Measure
) -> tuple[list[str], list[list[float]]]:
    """The problems of the tasks and epochs that all have, and each condition's numbers there."""
    found = [_by_task(rows, measure) for rows in conditions]
    common = [task for task in found[0] if all(task in other for other in found[1:])]
    problems = [found[0][task][0] for task in common]
    return problems, [[numbers[task][1] for task in common] for numbers in found]


def _by_task(rows: Iterable[Result], measure: Measure) -> dict[tuple[str, int], tuple[str, float]]:
    found: dict[tuple[str, int], tuple[str, list[float]]] = {}
    for row in rows:
        value = measure.of(row)
        if value is not None:
            found.setdefault((row.task, row.epoch), (row.problem, []))[1].append(value)
    return {task: (problem, sum(v) / len(v)) for task, (problem, v) in found.items()}


def compare(
    rows: Sequence[Result],
    first: str,
    second: str,
    measure: str = "accuracy",
    level: float = 0.95,
    *,
    other_rows: Sequence[Result] | None = None,
) -> Comparison:
    """Compare two conditions, on what both have played.

    Parameters
    ----------
    rows : sequence of Result
    first, second : str
        The conditions' names.
    measure : str
    level : float
    other_rows : sequence of Result, optional
        Where the second is from another study.

    Raises
    ------
    StudyError
        If they have no task in common.
    """
    asked = measure_named(measure)
    sides = (
        [row for row in rows if row.condition == first],
        [row for row in (rows if other_rows is None else other_rows) if row.condition == second],
    )
    pairs = paired(*sides, asked)
    if not pairs:
        raise StudyError(
            f"{first!r} and {second!r} have no finished episodes on the same tasks, so there is "
            "nothing to compare. Play them on the same tasks (`paired = true`)."
        )
    right = paired(*sides, measure_named("accuracy"))
    # Only where both are certain: a mean over counterbalanced ways may lie between.
    first_only = sum(pair.first == 1 and pair.second == 0 for pair in right)
    second_only = sum(pair.second == 1 and pair.first == 0 for pair in right)
    sums: Counter[str] = Counter()
    for pair in right:
        sums[pair.problem] += (pair.second == 1 and pair.first == 0) - (
            pair.first == 1 and pair.second == 0
        )
    return Comparison(
        first,
        second,
        measure,
        difference(pairs, level),
        first_only,
        second_only,
        sign_flips(sums.values()),
    )


def difference(pairs: Sequence[Pair], level: float = 0.95) -> Estimate:
    """The mean difference over pairs, with its interval from drawing problems."""
    values = [pair.second - pair.first for pair in pairs]
    groups = [pair.problem for pair in pairs]
    low, high = bootstrap_interval([values], groups, level=level) or (None, None)
    error, mean = clustered_error(values, groups), sum(values) / len(values)
    return Estimate(mean, low, high, error, len(values), len(set(groups)))
