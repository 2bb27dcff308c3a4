"""What the evidence that messages contained predicts for a study's conditions, beside its results.

Nobody is asked again: quotes, flags and verdicts without arguments are counted in the transcripts.
No verdict that follows arguments is used, so what is predicted can fail.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

from explorer.studies.results import ResultRow
from explorer.studies.statistics import MEASURES, Estimate, Estimates, estimate
from nip_core.displays import Table, Tabular, displayed, line
from nip_core.language import Specification
from nip_core.play import Episode
from nip_core.values import (
    Card,
    EvidenceCounts,
    MeasuredEvidence,
    MeasuredRate,
    card,
    evidence_counts,
    measured_evidence,
    predicted_right,
)

# Seconds for the prediction of one condition, and for its card.
SECONDS, CARD_SECONDS = 5.0, 10.0
RATES = "shows", "fakes", "own"

Read = Callable[[str], Episode]


@displayed
@dataclass(frozen=True, slots=True)
class Prediction:
    """What evidence predicts for a condition, and what was measured there.

    Parameters
    ----------
    condition : str
    shows, fakes, own : Estimate
        The measured rates of the evidence model; without a value where they are not measured.
    predicted : Estimate
        How often a judge should be right who makes the best of this evidence.
    accuracy : Estimate
        How often the verdict was right.
    remarks : tuple of str
        What was counted elsewhere, and why something is missing.
    """

    condition: str
    shows: Estimate
    fakes: Estimate
    own: Estimate
    predicted: Estimate
    accuracy: Estimate
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class CountedEvidence(Tabular):
    """What the transcripts of a study say about evidence.

    Parameters
    ----------
    rows : sequence of ResultRow
    counts : sequence of EvidenceCounts
        Of each row's episode.
    documents : mapping of str to Specification
        The protocol of each condition.
    """

    rows: Sequence[ResultRow]
    counts: Sequence[EvidenceCounts]
    documents: dict[str, Specification]

    def __repr__(self) -> str:
        conditions = f"{len(self.documents):,} conditions"
        return line(self, f"{len(self.rows):,} episodes", conditions)

    def table(self) -> Table:
        """Return a row for each rate of each condition."""
        found = [(name, self.measured(name)[0].table()) for name in self.documents]
        head = found[0][1].head if found else ()
        return Table(
            ("condition", *head), [(name, *row) for name, table in found for row in table.rows]
        )

    def measured(self, condition: str, level: float = 0.95) -> tuple[MeasuredEvidence, str]:
        """Return the evidence of a condition, and from where it is.

        Where its own messages cannot be checked, those of the same provers in other conditions
        count. A judge's own verdicts count from all conditions.
        """
        pairs = list(zip(self.rows, self.counts, strict=True))
        mine = [(row, counts) for row, counts in pairs if row.condition == condition]
        judges = {row.verifier for row, _ in mine} - {""}
        provers = {row.provers for row, _ in mine} - {""}
        alone = [
            counts for row, counts in pairs if row.verifier in judges or row.condition == condition
        ]
        own = measured_evidence([c for _, c in mine], alone=alone, level=level)
        # What is counted for acts says nothing about messages.
        if own.is_complete or self.kind(condition) != "fact":
            return own, ""
        others = [c for row, c in pairs if row.provers in provers and c.kind == "fact"]
        shared = measured_evidence(others, alone=alone, level=level)
        has_experts = any(seat for row, _ in mine for seat in row.stances)
        if not shared.is_complete or not has_experts:
            return own, ""
        return shared, "shows and fakes are from other conditions with the same provers"

    def kind(self, condition: str) -> str:
        """Return what is true in a condition's protocol: a fact, an act, a word or nothing."""
        pairs = zip(self.rows, self.counts, strict=True)
        return next(counts.kind for row, counts in pairs if row.condition == condition)

    def card(self, condition: str, seconds: float = CARD_SECONDS) -> Card:
        """Return the card of a condition's protocol, for the evidence that was measured."""
        measured, _ = self.measured(condition)
        return card(self.documents[condition], measured.evidence, seconds=seconds)


def counted_evidence(rows: Sequence[ResultRow], read: Read) -> CountedEvidence:
    """Return what the transcripts of some rows say about evidence."""
    counts: list[EvidenceCounts] = []
    documents: dict[str, Specification] = {}
    for row in rows:
        known = _CACHE.get(row)
        if known is None or row.condition not in documents:
            episode = read(row.key)
            documents.setdefault(row.condition, episode.rules)
            if known is None:
                known = evidence_counts(episode, problem=row.problem)
                _CACHE.put(row, known)
        counts.append(known)
    return CountedEvidence(rows, counts, documents)


def predictions(
    rows: Sequence[ResultRow], read: Read, level: float = 0.95
) -> Estimates[Prediction]:
    """Return for each condition what evidence predicts, and what was measured.

    Parameters
    ----------
    rows : sequence of ResultRow
    read : callable
        Returns the episode of a row's key, as ``Record.episode`` does.
    level : float
        The level of each interval by itself.
    """
    return predicted(counted_evidence(rows, read), level)


def predicted(found: CountedEvidence, level: float = 0.95) -> Estimates[Prediction]:
    """Return the same from what was counted."""
    return Estimates[Prediction](
        _prediction(found, condition, level) for condition in found.documents
    )


def _prediction(found: CountedEvidence, condition: str, level: float) -> Prediction:
    measured, source = found.measured(condition, level)
    # All three intervals hold together with this level.
    joint, _ = found.measured(condition, 1 - (1 - level) / len(RATES))
    reading = predicted_right(found.documents[condition], joint, seconds=SECONDS)
    has_value = reading.value is not None
    value, low, high = (
        float(number) if has_value else None
        for number in (reading.value, reading.low, reading.high)
    )
    count, problems = (measured.shows.count, measured.shows.problems) if has_value else (0, 0)
    remarks = [source] if source else []
    if not has_value:
        remarks.append(f"nothing is predicted: {reading.reason}")
    elif not measured.own.is_measured and found.kind(condition) == "fact":
        remarks.append(
            f"own is not measured ({measured.own.reason}); {float(measured.base.own):g} is assumed"
        )
    mine = [row for row in found.rows if row.condition == condition]
    return Prediction(
        condition,
        estimate_of(measured.shows),
        estimate_of(measured.fakes),
        estimate_of(measured.own),
        Estimate(value, low, high, None, count, problems),
        estimate(mine, MEASURES["accuracy"], level),
        tuple(remarks),
    )


def estimate_of(rate: MeasuredRate) -> Estimate:
    """Return a measured rate as an estimate."""
    if not rate.is_measured:
        return Estimate(None, None, None, None, rate.count, rate.problems)
    return Estimate(rate.share, rate.low, rate.high, None, rate.count, rate.problems)


class _Cache:
    """What was counted in transcripts, by their digests: pages are shown again and again."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._counts: OrderedDict[tuple[str, str], EvidenceCounts] = OrderedDict()

    def get(self, row: ResultRow) -> EvidenceCounts | None:
        """Return what is known of a row's transcript."""
        with self._lock:
            return self._counts.get((row.digest, row.problem))

    def put(self, row: ResultRow, counts: EvidenceCounts) -> None:
        """Remember what was counted; the oldest is forgotten if there is too much."""
        if not row.digest:
            return
        with self._lock:
            self._counts[row.digest, row.problem] = counts
            while len(self._counts) > self._most:
                self._counts.popitem(last=False)


_CACHE = _Cache(50_000)
