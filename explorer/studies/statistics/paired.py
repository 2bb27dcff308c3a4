r"""Two conditions on the same tasks, and how many episodes show a difference between them.

For :math:`m` pairs that differ in a share :math:`\psi` of the cases, with a difference of
:math:`\delta` between the two rates of being right (Connor, Biometrics 43, 1987),

.. math::

    m = \frac{\big(z_{1-\alpha/2} \sqrt{\psi} + z_{1-\beta} \sqrt{\psi - \delta^2}\big)^2}{\delta^2}

and for unpaired episodes the usual

.. math::

    m = \frac{\big(z_{1-\alpha/2} \sqrt{2 \bar p (1 - \bar p)}
        + z_{1-\beta} \sqrt{p_1 (1 - p_1) + p_2 (1 - p_2)}\big)^2}{\delta^2}

each multiplied by the design effect, which measures how similar episodes about one problem are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from explorer.studies.results import ResultRow
from explorer.studies.statistics.estimates import (
    Estimate,
    bootstrap_interval,
    clustered_error,
    sign_flips,
)
from explorer.studies.statistics.measures import MEASURES, Measure
from explorer.studies.statistics.summary import measure_named
from explorer.studies.study import StudyError
from nip_core.displays import Table, Tabular, brief, displayed, line


@displayed
@dataclass(frozen=True, slots=True)
class Pair:
    """The results of two conditions on the same task in the same epoch."""

    problem: str
    # The numbers; if a condition counterbalances, the mean over its arms.
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class PairedComparison(Tabular):
    """The comparison of two conditions.

    Parameters
    ----------
    difference : Estimate
        The second's minus the first's; its count is of pairs.
    first_only, second_only : int
        Pairs in which only the one, and only the other, was right.
    p : float
        The p-value of McNemar's exact test on those, clustered by problem like the interval.
    """

    first: str
    second: str
    measure: str
    difference: Estimate
    first_only: int
    second_only: int
    p: float

    def __repr__(self) -> str:
        names = f"{brief(self.second)} against {brief(self.first)}"
        return line(self, names, self.measure, repr(self.difference), f"p = {self.p:.3g}")

    def table(self) -> Table:
        """Return the difference, and how many pairs only one of the two got right."""
        difference = self.difference
        row = {
            "measure": self.measure,
            "first": self.first,
            "second": self.second,
            "difference": difference.value,
            "low": difference.low,
            "high": difference.high,
            "pairs": difference.count,
            "only first right": self.first_only,
            "only second right": self.second_only,
            "p": self.p,
        }
        return Table(tuple(row), [tuple(row.values())])


def paired(first: Iterable[ResultRow], second: Iterable[ResultRow], measure: Measure) -> list[Pair]:
    """Return the pairs of numbers for tasks and epochs in which both have one."""
    problems, (one, other) = aligned((first, second), measure)
    return [Pair(*pair) for pair in zip(problems, one, other, strict=True)]


def aligned(
    conditions: Iterable[Iterable[ResultRow]], measure: Measure
) -> tuple[list[str], list[list[float]]]:
    """Return the problems of common tasks and epochs, and each condition's numbers there."""
    by_condition = [_by_task(rows, measure) for rows in conditions]
    common = [task for task in by_condition[0] if all(task in other for other in by_condition[1:])]
    problems = [by_condition[0][task][0] for task in common]
    return problems, [[numbers[task][1] for task in common] for numbers in by_condition]


def _by_task(
    rows: Iterable[ResultRow], measure: Measure
) -> dict[tuple[str, int], tuple[str, float]]:
    by_task: dict[tuple[str, int], tuple[str, list[float]]] = {}
    for row in rows:
        value = measure.of(row)
        if value is not None:
            by_task.setdefault((row.task, row.epoch), (row.problem, []))[1].append(value)
    return {task: (problem, sum(v) / len(v)) for task, (problem, v) in by_task.items()}


def compare(
    rows: Sequence[ResultRow],
    first: str,
    second: str,
    measure: str = "accuracy",
    level: float = 0.95,
    *,
    other_rows: Sequence[ResultRow] | None = None,
) -> PairedComparison:
    """Compare two conditions on the tasks that both have played.

    Parameters
    ----------
    first, second : str
        The conditions' names.
    other_rows : sequence of ResultRow, optional
        The second condition's rows, if it is from another study.

    Raises
    ------
    StudyError
        If they have no task in common.
    """
    measured = measure_named(measure)
    sides = (
        [row for row in rows if row.condition == first],
        [row for row in (rows if other_rows is None else other_rows) if row.condition == second],
    )
    pairs = paired(*sides, measured)
    if not pairs:
        raise StudyError(
            f"{first!r} and {second!r} have no finished episodes on the same tasks, so there is "
            "nothing to compare. Play them on the same tasks (`paired = true`)."
        )
    right = paired(*sides, measure_named("accuracy"))
    return compared(first, second, measure, pairs, right, level)


def compared(
    first: str,
    second: str,
    measure: str,
    pairs: Sequence[Pair],
    right: Sequence[Pair],
    level: float = 0.95,
) -> PairedComparison:
    """Return the comparison of pairs; `right` are those of who was right, for McNemar's test."""
    # Only pairs of zeros and ones, since a mean over counterbalanced arms may lie between.
    first_only = sum(pair.first == 1 and pair.second == 0 for pair in right)
    second_only = sum(pair.second == 1 and pair.first == 0 for pair in right)
    sums: Counter[str] = Counter()
    for pair in right:
        sums[pair.problem] += (pair.second == 1 and pair.first == 0) - (
            pair.first == 1 and pair.second == 0
        )
    return PairedComparison(
        first,
        second,
        measure,
        difference(pairs, level),
        first_only,
        second_only,
        sign_flips(sums.values()),
    )


def difference(pairs: Sequence[Pair], level: float = 0.95) -> Estimate:
    """Return the mean difference over pairs, with its interval from drawing problems."""
    values = [pair.second - pair.first for pair in pairs]
    groups = [pair.problem for pair in pairs]
    low, high = bootstrap_interval([values], groups, level=level) or (None, None)
    error, mean = clustered_error(values, groups), sum(values) / len(values)
    return Estimate(mean, low, high, error, len(values), len(set(groups)))


@displayed
@dataclass(frozen=True, slots=True)
class SamplePlan:
    """The number of episodes that are needed.

    Parameters
    ----------
    each : int
        Episodes of each of the two conditions.
    differing : float, optional
        The assumed share of pairs that differ; None for unpaired episodes.
    """

    each: int
    differing: float | None
    design_effect: float


@displayed
@dataclass(frozen=True, slots=True)
class Pilot:
    """The numbers from a pilot that a plan needs."""

    # How often the two were right.
    first: float
    second: float
    differing: float  # the share of pairs that differ
    design_effect: float  # the design effect of the differences, at least 1
    pairs: int


def plan(
    first: float,
    second: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    unpaired: bool = False,
    differing: float | None = None,
    design_effect: float = 1.0,
) -> SamplePlan:
    """Return how many episodes of each condition are needed to show that two rates differ.

    Parameters
    ----------
    first, second : float
        The assumed rates of the two conditions.
    power : float
        The probability to find the difference if there is one.
    level : float
        The probability to find none if there is none.
    unpaired : bool
        Whether the two conditions play different tasks.
    differing : float, optional
        The share of pairs in which exactly one of the two is right; by default that of independent
        conditions. The more similar the two are, the smaller it is, and the fewer episodes are
        needed.

    Raises
    ------
    StudyError
        If that is impossible.
    """
    for name, value in (("first", first), ("second", second)):
        if not 0 <= value <= 1:
            raise StudyError(f"The {name} rate is {value:g}; it must be from 0 to 1.")
    for name, value in (("power", power), ("level", level)):
        if not 0.5 <= value < 1:
            raise StudyError(f"The {name} is {value:g}; it must be from 0.5 to below 1.")
    if first == second:
        raise StudyError("The rates are the same: no number of episodes shows a difference.")
    if not 1 <= design_effect <= 1000:
        raise StudyError(f"The design effect is {design_effect:g}; it must be from 1 to 1,000.")
    apart = abs(second - first)
    z_level, z_power = (NormalDist().inv_cdf(p) for p in ((1 + level) / 2, power))
    if unpaired:
        middle = (first + second) / 2
        under_none = 2 * middle * (1 - middle)
        under_some = first * (1 - first) + second * (1 - second)
        differing = None
    else:
        independent = first * (1 - second) + second * (1 - first)
        differing = independent if differing is None else differing
        most = min(first + second, 2 - first - second)
        if not apart <= differing <= most + 1e-12:
            raise StudyError(
                f"Rates of {first:g} and {second:g} differ in a share from {apart:.3g} to "
                f"{most:.3g} of the pairs; {differing:.3g} is impossible."
            )
        under_none, under_some = differing, differing - apart**2
    size = (z_level * math.sqrt(under_none) + z_power * math.sqrt(under_some)) ** 2 / apart**2
    return SamplePlan(math.ceil(size * design_effect), differing, design_effect)


def pilot(first: Sequence[ResultRow], second: Sequence[ResultRow]) -> Pilot:
    """Return the numbers for a plan from a pilot of two conditions.

    A StudyError says that they share too few problems.
    """
    return pilot_of(paired(first, second, MEASURES["accuracy"]))


def pilot_of(pairs: Sequence[Pair]) -> Pilot:
    """Return the numbers for a plan from pairs of rates."""
    if len({pair.problem for pair in pairs}) < 5:
        raise StudyError(
            "The two conditions share fewer than five problems; play more of them before planning."
        )
    count = len(pairs)
    values = [pair.second - pair.first for pair in pairs]
    error = clustered_error(values, [pair.problem for pair in pairs]) or 0.0
    mean = sum(values) / count
    plain = sum((value - mean) ** 2 for value in values) / (count - 1) / count
    return Pilot(
        sum(pair.first for pair in pairs) / count,
        sum(pair.second for pair in pairs) / count,
        sum(value != 0 for value in values) / count,
        max(1.0, error**2 / plain) if plain else 1.0,
        count,
    )
