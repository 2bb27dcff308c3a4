"""Is what verifiers note about their confidence what comes of it?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from explorer.studies.results import Result
from explorer.studies.statistics.estimates import Estimate, of_rate
from nip_core.displays import displayed

__all__ = ["BINS", "Bin", "calibration", "calibration_error"]

BINS = 10


@displayed
@dataclass(frozen=True, slots=True)
class Bin:
    """Episodes whose notes were about the same.

    Parameters
    ----------
    low, high : int
        In percent; the last bin holds 100, too.
    noted : float
        The mean of the notes, as a share.
    held : Estimate
        In what share of the episodes the statement held.
    """

    low: int
    high: int
    noted: float
    held: Estimate


def calibration(rows: Iterable[Result], level: float = 0.95) -> list[Bin]:
    """The bins that hold any episode, from the lowest confidence on."""
    found: dict[int, list[Result]] = {}
    width = 100 // BINS
    for row in rows:
        if row.confidence is not None:
            found.setdefault(min(row.confidence // width, BINS - 1), []).append(row)
    return [
        Bin(
            place * width,
            (place + 1) * width,
            sum(row.confidence or 0 for row in here) / len(here) / 100,
            of_rate([row.y for row in here], [row.problem for row in here], level),
        )
        for place, here in sorted(found.items())
    ]


def calibration_error(bins: Iterable[Bin]) -> float | None:
    """The expected calibration error; None without notes."""
    listed = list(bins)
    count = sum(each.held.count for each in listed)
    if not count:
        return None
    apart = sum(each.held.count * abs(each.noted - (each.held.value or 0.0)) for each in listed)
    return apart / count
