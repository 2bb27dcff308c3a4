"""Tables of measures, grouped by any field of the rows; and the calibration of verifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.play import by_tenth
from explorer.studies.results import ResultRow
from explorer.studies.rows import Unfinished
from explorer.studies.statistics.estimates import Estimate, of_mean, of_rate
from explorer.studies.statistics.measures import MEASURES, Measure
from explorer.studies.study import StudyError
from nip_core.displays import Table, Tabular, displayed, line
from nip_core.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd


# The fields by which episodes can be grouped.
GROUPINGS = (
    *("condition", "protocol", "verifier", "provers", "side", "arm", "engine"),
    *("difficulty", "kind", "problem", "task", "y", "epoch", "rounds"),
)


@displayed
@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One measure of one group."""

    group: tuple[str, ...]  # the values that its episodes share, for each grouping
    measure: str
    estimate: Estimate


class Summary(list[SummaryRow], Tabular):
    """Rows with their groupings.

    Parameters
    ----------
    by : sequence of str
        The groupings.
    """

    def __init__(self, lines: Iterable[SummaryRow], by: Sequence[str]) -> None:
        super().__init__(lines)
        self.by = tuple(by)

    def __repr__(self) -> str:
        groups = len({line.group for line in self})
        by = f"by {' and '.join(self.by)}" if self.by else "of all episodes"
        return line(self, f"{len(self):,} numbers", f"{groups:,} groups", by)

    def table(self) -> Table:
        """Return a row for each number, with its interval."""
        numbers = "value", "low", "high", "standard_error", "episodes", "problems"
        return Table(
            (*self.by, "measure", *numbers),
            [
                (
                    *summary_row.group,
                    summary_row.measure,
                    e.value,
                    e.low,
                    e.high,
                    e.error,
                    e.count,
                    e.clusters,
                )
                for summary_row in self
                for e in [summary_row.estimate]
            ],
        )


def measure_named(name: str) -> Measure:
    """Return a measure by its name."""
    if name not in MEASURES:
        raise StudyError(str(UnknownNameError("measure", name, MEASURES)))
    return MEASURES[name]


def estimate(
    rows: Iterable[ResultRow],
    measure: Measure,
    level: float = 0.95,
    failed: Iterable[Unfinished] = (),
) -> Estimate:
    """Return one measure of some episodes, clustered by problem."""
    pairs = [(value, row.problem) for row in rows if (value := measure.of(row)) is not None]
    if measure.failed is not None:
        pairs += [(measure.failed, unfinished.row.problem) for unfinished in failed]
    values, groups = [value for value, _ in pairs], [group for _, group in pairs]
    estimate_found = (of_rate if measure.kind == "rate" else of_mean)(values, groups, level)
    low, high = (
        None if end is None else min(measure.most, max(measure.least, end))
        for end in (estimate_found.low, estimate_found.high)
    )
    return replace(estimate_found, low=low, high=high)


def summarize(
    rows: Iterable[ResultRow],
    by: Sequence[str] = ("condition",),
    measures: Sequence[str] | None = None,
    level: float = 0.95,
    failed: Sequence[Unfinished] = (),
) -> Summary:
    """Return every measure of every group, in the order in which groups first occur.

    Parameters
    ----------
    by : sequence of str
        Of :data:`GROUPINGS`.
    measures : sequence of str, optional
        Of :data:`MEASURES`; by default all that are not zero in every episode.
    failed : sequence of Unfinished
        Failed episodes, which some measures count. Groups with only failures are included.
    """
    for name in by:
        if name not in GROUPINGS:
            raise StudyError(str(UnknownNameError("grouping", name, GROUPINGS)))
    groups: dict[tuple[str, ...], list[ResultRow]] = {}
    for row in rows:
        groups.setdefault(tuple(str(getattr(row, name)) for name in by), []).append(row)
    everything = [row for group_rows in groups.values() for row in group_rows]
    lost: dict[tuple[str, ...], list[Unfinished]] = {}
    for unfinished in failed:
        group = tuple(str(getattr(unfinished.row, name)) for name in by)
        groups.setdefault(group, [])
        lost.setdefault(group, []).append(unfinished)
    chosen = [measure_named(name) for name in measures or MEASURES]
    if measures is None:
        # Without failures, the measure equals the one that ignores them.
        chosen = [measure for measure in chosen if lost or measure.failed is None]
        chosen = [measure for measure in chosen if any(map(measure.of, everything))]
    lines = (
        SummaryRow(
            group,
            measure.definition.name,
            estimate(group_rows, measure, level, lost.get(group, ())),
        )
        for group, group_rows in groups.items()
        for measure in chosen
    )
    return Summary(lines, by)


def frame(lines: Iterable[SummaryRow], by: Sequence[str] = ("condition",)) -> pd.DataFrame:
    """Return rows as a data frame."""
    return Summary(lines, by).to_frame()


@displayed
@dataclass(frozen=True, slots=True)
class Bin:
    """A range of probabilities that judges stated."""

    # The bounds in percent; the last bin includes 100.
    low: int
    high: int
    noted: float  # their mean, as a share
    held: Estimate  # the share of cases in which the event happened


def calibration(rows: Iterable[ResultRow], level: float = 0.95) -> list[Bin]:
    """Return the bins that contain a probability, from the lowest on."""
    stated = [(percent, held, row.problem) for row in rows for percent, held in row.forecasts]
    return [
        Bin(
            low,
            high,
            sum(percent for percent, _, _ in here) / len(here) / 100,
            of_rate([held for _, held, _ in here], [problem for *_, problem in here], level),
        )
        for (low, high), here in by_tenth(stated, lambda pair: pair[0]).items()
    ]


def calibration_error(bins: Iterable[Bin]) -> float | None:
    """Return the expected calibration error; None without probabilities."""
    listed = list(bins)
    count = sum(bin_.held.count for bin_ in listed)
    if not count:
        return None
    apart = sum(bin_.held.count * abs(bin_.noted - (bin_.held.value or 0.0)) for bin_ in listed)
    return apart / count
