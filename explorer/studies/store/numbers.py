"""The numbers behind the pictures of a study: plain rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from explorer.studies import Result
from explorer.studies.statistics import calibration, summarize
from explorer.studies.unfinished import Unfinished

__all__ = ["calibrations", "estimates"]


def estimates(
    rows: Iterable[Result], measure: str, *by: str, failed: Sequence[Unfinished] = ()
) -> list[dict[str, Any]]:
    """A number of each group, with its interval.

    Returns
    -------
    rows : list of dict
        ``group``, by the first grouping, and the others by their names; ``value``, ``low``,
        ``high``, ``episodes``, ``problems``.
    """
    return [
        {
            **dict(zip(("group", *by[1:]), line.group, strict=True)),
            "value": line.estimate.value,
            "low": line.estimate.low,
            "high": line.estimate.high,
            "episodes": line.estimate.count,
            "problems": line.estimate.clusters,
        }
        for line in summarize(rows, by, [measure], failed=failed)
        if line.estimate.value is not None
    ]


def calibrations(rows: Iterable[Result], group: str) -> list[dict[str, Any]]:
    """How sure verifiers were, in bins, and how often the statement held.

    Returns
    -------
    rows : list of dict
        ``group``, ``noted``, ``held``, ``low``, ``high``, ``episodes``.
    """
    return [
        {
            "group": group,
            "noted": each.noted,
            "held": each.held.value,
            "low": each.held.low,
            "high": each.held.high,
            "episodes": each.held.count,
        }
        for each in calibration(rows)
    ]
