"""The tables of a study's results, described once for the terminal and for the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from explorer.studies.findings import Findings
from explorer.studies.models import Forecast
from explorer.studies.predictions import Prediction
from explorer.studies.rows import Counted
from explorer.studies.statistics import (
    DEFINITIONS,
    OVER_PROVERS,
    Estimate,
    agreements,
    gaps,
    matches,
    over_provers,
    ratings,
    summarize,
)
from nip_core.displays import displayed


class Number(NamedTuple):
    """An estimate of a measure; None if there is nothing to estimate."""

    measure: str
    estimate: Estimate | None


# A text, a text with a note, or a number.
TableCell = str | tuple[str, str] | Number


@displayed
@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of results; the first cell of a row names it."""

    title: str
    heads: tuple[str, ...]  # names of measures, and words
    rows: Sequence[Sequence[TableCell]]
    remarks: tuple[str, ...] = ()  # sentences for below the table

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures among the columns."""
        return tuple(name for name in self.heads if name in DEFINITIONS)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The first estimate of each row that has one, by the row's name."""
        return {
            str(name): cell.estimate
            for name, *cells in self.rows
            for cell in cells[:1]
            if isinstance(cell, Number) and cell.estimate is not None
        }


def groups_table(findings: Findings, by: Sequence[str], measures: Sequence[str]) -> ResultTable:
    """Return a row for each group of episodes, with how many there are, and each measure."""
    # Conditions without any finished episode have a row too.
    by_condition = findings.counts if [*by] == ["condition"] else ()
    counts: dict[tuple[str, ...], Counted] = {
        (condition_counts.condition,): condition_counts for condition_counts in by_condition
    }
    estimates: dict[tuple[str, ...], dict[str, Estimate]] = {group: {} for group in counts}
    for line in summarize(findings.rows, by, measures, failed=findings.failed):
        estimates.setdefault(line.group, {})[line.measure] = line.estimate
    finished, failed = (
        Counter(tuple(str(getattr(row, name)) for name in by) for row in rows)
        for rows in (findings.rows, [lost.row for lost in findings.failed])
    )
    return ResultTable(
        f"All numbers by {' and '.join(by)}",
        (
            *by,
            *(["planned"] if counts else []),
            "finished" if counts or failed else "episodes",
            *(["failed"] if failed else []),
            *measures,
        ),
        [
            [
                *group,
                *([f"{counts[group].planned:,}"] if counts else []),
                f"{finished[group]:,}",
                *([f"{failed[group]:,}"] if failed else []),
                *(Number(name, measured.get(name)) for name in measures),
            ]
            for group, measured in estimates.items()
        ],
    )


def forecast_table(forecasts: Sequence[Forecast]) -> ResultTable:
    """Return what the models of each condition would be asked before a run."""
    return ResultTable(
        "What the models would be asked",
        ("condition", "engine", "episodes", "calls", "tokens", "money"),
        [
            [
                forecast.condition,
                forecast.engine,
                f"{forecast.episodes:,}",
                forecast.calls,
                forecast.tokens,
                forecast.money,
            ]
            for forecast in forecasts
        ],
    )


def provers_table(findings: Findings) -> ResultTable:
    """Return what verifiers achieve over all provers that were tried."""
    return ResultTable(
        "Over all provers that were tried",
        ("protocol, verifier", *OVER_PROVERS, "worst prover"),
        [
            [
                f"{findings.group_name('protocol', achieved.protocol)}, {achieved.verifier}",
                *(Number(name, getattr(achieved, name)) for name in OVER_PROVERS),
                (achieved.worst, f"of {achieved.provers}"),
            ]
            for achieved in over_provers(findings.rows)
            # Without a truth, neither can be said.
            if achieved.completeness.value is not None or achieved.soundness_error.value is not None
        ],
    )


# The fields of a condition's gaps, by the names of their measures.
_GAPS = {"gap_alone": "alone", "gap_one_proof": "one_proof", "gap_recovered": "recovered"}


def gaps_table(findings: Findings) -> ResultTable:
    """Return the gaps that papers report, of conditions that have any."""
    return ResultTable(
        "Compared with simpler protocols, with the same players",
        ("condition", *_GAPS),
        [
            [gap.condition, *(Number(name, getattr(gap, field)) for name, field in _GAPS.items())]
            for gap in gaps(findings.rows, findings.registered)
            if any(getattr(gap, field) is not None for field in _GAPS.values())
        ],
    )


def agreement_table(findings: Findings) -> ResultTable:
    """Return how far judges agree."""
    judged = agreements(findings.rows)
    return ResultTable(
        "How much judges agree",
        ("judges of", "alpha", "judges", "scale", "same", "judged"),
        [
            [
                agreement.who,
                Number("alpha", agreement.alpha),
                ", ".join(agreement.judges),
                agreement.scale,
                "–" if agreement.same is None else f"{agreement.same:.0%}",
                f"{agreement.alpha.count:,}",
            ]
            for agreement in judged
        ],
        _remarks((agreement.who, agreement.why) for agreement in judged),
    )


def ratings_table(findings: Findings) -> ResultTable:
    """Return how strong players are, each with its side; a StudyError says that they are many."""
    rated = {
        f"{rating.player}, {rating.side}": rating for rating in ratings(matches(findings.rows))
    }
    return ResultTable(
        "Ratings, from episodes in which two seats argued for different answers",
        ("player", "strength", "won"),
        [
            [
                name,
                Number("strength", rating.strength),
                (f"{rating.won:.0%}", f"of {rating.strength.count:,}"),
            ]
            for name, rating in rated.items()
        ],
        _remarks((name, rating.remark) for name, rating in rated.items()),
    )


# The columns of a prediction: what was measured of evidence, what follows, and what happened.
PREDICTED = "shows", "fakes", "own", "predicted", "accuracy"


def predictions_table(found: Iterable[Prediction]) -> ResultTable:
    """Return what evidence predicts for each condition, beside what was measured."""
    listed = [*found]
    return ResultTable(
        "Predicted from evidence, and measured",
        ("condition", *PREDICTED),
        [
            [one.condition, *(Number(name, getattr(one, name)) for name in PREDICTED)]
            for one in listed
        ],
        _remarks((one.condition, remark) for one in listed for remark in one.remarks),
    )


def _remarks(named_remarks: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return each remark once, after the names of the rows that it is about."""
    names: dict[str, list[str]] = {}
    for name, remark in named_remarks:
        if remark:
            names.setdefault(remark, []).append(name)
    return tuple(f"{'; '.join(those)}: {remark}" for remark, those in names.items())
