"""How well messages informed in recorded episodes: ``shows``, ``fakes`` and ``own`` with intervals.

Messages and verdicts about the same problem are similar, so intervals are clustered by problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import nan

from nip_core.displays import Table, Tabular, line
from nip_core.errors import ModelError
from nip_core.play import Episode
from nip_core.values.checks import (
    checked,
    checked_level,
    checked_records,
    instance,
    optional,
    whole,
)
from nip_core.values.counting import RATES, EvidenceCounts, evidence_counts
from nip_core.values.evidence import Evidence
from nip_core.values.intervals import clustered_wilson

__all__ = ["MeasuredEvidence", "MeasuredRate", "measured_evidence"]

# With fewer cases than these, a share says next to nothing.
LEAST = 10


@dataclass(frozen=True, slots=True)
class MeasuredRate(Tabular):
    """One rate of the evidence model as it was measured.

    Parameters
    ----------
    name : {"shows", "fakes", "own"}
    hits, count : int
    problems : int
        How many problems the cases are about.
    low, high : float
        Wilson's interval, clustered by problem.
    level : float
    counted : str
        What was counted, in words.
    reason : str
        Why the rate is not measured; empty if it is.
    """

    name: str
    hits: int
    count: int
    problems: int
    low: float
    high: float
    level: float
    counted: str
    reason: str = ""

    def __repr__(self) -> str:
        if self.reason:
            return line(self, f"{self.name} is not measured", f"{self.count:,} cases")
        interval = f"{self.low:.4g} to {self.high:.4g}"
        return line(self, f"{self.name} {self.share:.4g} ({interval})", f"{self.count:,} cases")

    @property
    def is_measured(self) -> bool:
        """Whether the rate is measured."""
        return not self.reason

    @property
    def share(self) -> float:
        """The share of hits; NaN if nothing was counted."""
        return self.hits / self.count if self.count else nan

    @property
    def said(self) -> str:
        """The rate with its interval and what was counted, or why it is not measured, in words."""
        if self.reason:
            return f"not measured: {self.reason}"
        share, low, high = (f"{number:.3f}" for number in (self.share, self.low, self.high))
        return (
            f"{share} ({low} to {high} at {self.level:.0%}): {self.hits:,} of {self.count:,} "
            f"{self.counted}, about {self.problems:,} problem{'s' * (self.problems != 1)}"
        )

    def table(self) -> Table:
        """Return its fields."""
        return Table(("rate", "value"), [(self.name, self.said)])


@dataclass(frozen=True)
class MeasuredEvidence(Tabular):
    """How well messages informed in recorded episodes.

    Parameters
    ----------
    shows, fakes, own : MeasuredRate
    base : Evidence
        What is taken for rates that are not measured, and for all other numbers of the model.
    """

    shows: MeasuredRate
    fakes: MeasuredRate
    own: MeasuredRate
    base: Evidence

    def __repr__(self) -> str:
        rates = (
            f"{rate.name} {rate.share:.3f}" if rate.is_measured else f"{rate.name} not measured"
            for rate in self.rates
        )
        return line(self, *rates)

    @property
    def rates(self) -> tuple[MeasuredRate, ...]:
        """The three rates."""
        return self.shows, self.fakes, self.own

    @property
    def is_complete(self) -> bool:
        """Whether how often messages show evidence is measured for both sides."""
        return self.shows.is_measured and self.fakes.is_measured

    @property
    def evidence(self) -> Evidence:
        """The model with all measured rates."""
        return self._with({r.name: Fraction(r.hits, r.count) for r in self.rates if r.is_measured})

    @property
    def corners(self) -> tuple[Evidence, ...]:
        """The models with every measured rate at one end of its interval.

        Where the intervals of `shows` and `fakes` overlap, messages may say nothing; so models in
        which both are equal are among them.
        """
        ends: dict[str, tuple[Fraction, ...]] = {
            rate.name: (_exact(rate.low), _exact(rate.high))
            for rate in self.rates
            if rate.is_measured
        }
        found = [dict(zip(ends, corner, strict=True)) for corner in product(*ends.values())]
        low = max(self.shows.low, self.fakes.low)
        if self.is_complete and low <= min(self.shows.high, self.fakes.high):
            equal = dict.fromkeys(("shows", "fakes"), _exact(low))
            others = {name: both for name, both in ends.items() if name not in equal}
            found += [
                equal | dict(zip(others, corner, strict=True))
                for corner in product(*others.values())
            ]
        return tuple(map(self._with, found))

    def _with(self, rates: Mapping[str, Fraction]) -> Evidence:
        return replace(self.base, **rates)

    def table(self) -> Table:
        """Return a row for each rate."""
        rows = [
            (
                *(rate.name, rate.share if rate.is_measured else None, rate.low, rate.high),
                *(rate.level, rate.hits, rate.count, rate.problems, rate.counted, rate.reason),
            )
            for rate in self.rates
        ]
        head = ("rate", "share", "from", "to", "level", "hits", "of", "problems")
        return Table((*head, "counted", "not measured"), rows)


def _exact(number: float) -> Fraction:
    return Fraction(number).limit_denominator(1_000_000)


# -- from counts to rates --------------------------------------------------------------------------

_COUNTED = {
    "fact": (
        "messages of experts who argued for what is true contained a quote that was found",
        "messages of experts who argued for what is false contained a quote that was found",
    ),
    "act": ("good acts were not flagged", "bad acts were not flagged"),
}
_OWN = "verdicts without arguments were right"
_NONE_LEFT = {
    "shows": "no expert wrote for what is true",
    "fakes": "no expert wrote for what is false",
    "own": "no verdict was made without arguments",
}
_NO_ACTS = {"shows": "no good act was judged", "fakes": "no bad act was judged"}


@checked(
    records=checked_records,
    alone=optional(checked_records),
    base=optional(instance(Evidence, "an Evidence")),
    level=checked_level,
    least=whole(1),
)
def measured_evidence(
    records: Iterable[Episode | EvidenceCounts],
    *,
    alone: Iterable[Episode | EvidenceCounts] | None = None,
    base: Evidence | None = None,
    level: float = 0.95,
    least: int = LEAST,
) -> MeasuredEvidence:
    """Return how well messages informed in some episodes.

    Parameters
    ----------
    records : iterable of Episode or EvidenceCounts
        Read from transcripts (:func:`nip_core.transcript.load`), or a study's. Only variations that
        were played to their end are counted.
    alone : iterable of Episode or EvidenceCounts, optional
        The episodes from which `own` is measured, such as those of the same judge without experts;
        by default the same.
    base : Evidence, optional
        What is taken for rates that cannot be measured, and for all other numbers.
    level : float
        The confidence level of each interval by itself.
    least : int
        A rate with fewer cases is not measured.

    Raises
    ------
    ModelError
        If what is true is a fact in some episodes and an act in others, since different things
        are counted there.
    """
    counts = _counts("records", records)
    others = counts if alone is None else _counts("alone", alone)
    kinds = {each.kind for each in counts} & _COUNTED.keys()
    if len(kinds) > 1:
        raise ModelError(
            "In some of these episodes what is true is a fact, in others an act of a player; "
            "different things are counted there. Measure them one after the other."
        )
    kind = next(iter(kinds), "fact")
    flagged = {each.flagged: None for each in counts if each.flagged}
    words = [
        counted + (f" ({'; '.join(flagged)})" if flagged else "") for counted in _COUNTED[kind]
    ]
    left = _NONE_LEFT | (_NO_ACTS if kind == "act" else {})
    rates = [
        _rate(name, those, counted, left[name], level, least)
        for name, those, counted in zip(
            RATES, (counts, counts, others), (*words, _OWN), strict=True
        )
    ]
    return MeasuredEvidence(*rates, base=Evidence() if base is None else base)


_AN_EPISODE = instance(
    (Episode, EvidenceCounts),
    "an Episode, as nip_core.transcript.load reads it, or what evidence_counts makes of one",
)


def _counts(name: str, records: Iterable[Episode | EvidenceCounts]) -> list[EvidenceCounts]:
    counts: list[EvidenceCounts] = []
    for number, record in enumerate(records, start=1):
        _AN_EPISODE(f"entry {number} of the argument {name!r}", record)
        counts.append(record if isinstance(record, EvidenceCounts) else evidence_counts(record))
    return counts


def _rate(
    name: str,
    records: Sequence[EvidenceCounts],
    counted: str,
    left: str,
    level: float,
    least: int,
) -> MeasuredRate:
    values: list[float] = []
    problems: list[str] = []
    for record in records:
        hits, count = getattr(record, name)
        values += [1.0] * hits + [0.0] * (count - hits)
        problems += [record.problem] * count
    hits, count = int(sum(values)), len(values)
    reason = ""
    if not count:
        reasons = {r.reasons[name]: None for r in records if r.reasons.get(name)}
        reason = "there are no episodes" if not records else "; ".join(reasons) or left
    elif count < least:
        reason = f"there are only {count:,} cases, fewer than {least:,}"
    low, high = clustered_wilson(values, problems, level)
    return MeasuredRate(name, hits, count, len({*problems}), low, high, level, counted, reason)
