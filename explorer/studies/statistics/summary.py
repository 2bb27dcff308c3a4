"""Tables of what was measured: by condition, difficulty, problem, or anything a row says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.studies.errors import StudyError
from explorer.studies.results import Result
from explorer.studies.statistics.estimates import Estimate, of_mean, of_rate
from explorer.studies.statistics.measures import MEASURES, Measure
from nip_core.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GROUPINGS", "Line", "estimate", "frame", "measure_named", "summarize"]

# By what episodes can be put together.
GROUPINGS = (
    *("condition", "protocol", "verifier", "provers", "side", "arm", "engine"),
    *("difficulty", "kind", "problem", "task", "y", "epoch", "rounds"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One number of one group.

    Parameters
    ----------
    group : tuple of str
        What its episodes have in common, by the groupings that were asked for.
    measure : str
    estimate : Estimate
    """

    group: tuple[str, ...]
    measure: str
    estimate: Estimate


def measure_named(name: str) -> Measure:
    """A measure by its name.

    Raises
    ------
    StudyError
    """
    if name not in MEASURES:
        raise StudyError(str(UnknownNameError("measure", name, MEASURES)))
    return MEASURES[name]


def estimate(rows: Iterable[Result], measure: Measure, level: float = 0.95) -> Estimate:
    """One measure of some episodes, clustered by problem."""
    pairs = [(value, row.problem) for row in rows if (value := measure.of(row)) is not None]
    values, groups = [value for value, _ in pairs], [group for _, group in pairs]
    return (of_rate if measure.kind == "rate" else of_mean)(values, groups, level)


def summarize(
    rows: Iterable[Result],
    by: Sequence[str] = ("condition",),
    measures: Sequence[str] | None = None,
    level: float = 0.95,
) -> list[Line]:
    """Every measure of every group, in the order in which groups first occur.

    Parameters
    ----------
    rows : iterable of Result
    by : sequence of str
        Of :data:`GROUPINGS`.
    measures : sequence of str, optional
        Of :data:`MEASURES`; if left out, all of which some episode has anything but nought.
    level : float
    """
    for name in by:
        if name not in GROUPINGS:
            raise StudyError(str(UnknownNameError("grouping", name, GROUPINGS)))
    groups: dict[tuple[str, ...], list[Result]] = {}
    for row in rows:
        groups.setdefault(tuple(str(getattr(row, name)) for name in by), []).append(row)
    everything = [row for found in groups.values() for row in found]
    chosen = [measure_named(name) for name in measures or MEASURES]
    if measures is None:
        chosen = [each for each in chosen if any(map(each.of, everything))]
    return [
        Line(group, each.definition.name, estimate(found, each, level))
        for group, found in groups.items()
        for each in chosen
    ]


def frame(lines: Iterable[Line], by: Sequence[str] = ("condition",)) -> pd.DataFrame:
    """Lines as a data frame, a row each."""
    import pandas as pd

    columns = [*by, "measure", "value", "low", "high", "standard_error", "episodes", "problems"]
    cells = [
        (*line.group, line.measure, e.value, e.low, e.high, e.error, e.count, e.clusters)
        for line in lines
        for e in [line.estimate]
    ]
    return pd.DataFrame(cells, columns=columns)
