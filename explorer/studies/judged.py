"""What recorded judges and debaters did: a table of accuracy, calibration, quotes and evidence.

Records are grouped by protocol and by who argued. Intervals are those of a study: clustered by
problem, at 95%.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from explorer.studies.statistics import Estimate, of_mean, of_rate
from nip_core.displays import displayed
from nip_core.play import Episode
from nip_core.transcript import Judgement, Recorded
from nip_core.values import measured_evidence

# Confidence in the answer that a judge finds more probable, in percent.
CONFIDENCE = ((50, 60), (60, 70), (70, 80), (80, 90), (90, 100))
NO_REPLAY = "no protocol"
LEAST = 0.01


@displayed
@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A measure of a group of records.

    Parameters
    ----------
    protocol : str
    argued : str
        Who argued; empty if the files do not say.
    measure : str
    value, low, high : float or None
        None if it cannot be measured, and for intervals of too few problems.
    count, problems : int
        How many cases were counted, about how many problems.
    """

    protocol: str
    argued: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    count: int
    problems: int


Row = Callable[[str, Estimate], JudgedRow]


def judged_rows(records: Iterable[Recorded]) -> list[JudgedRow]:
    """Return the table of some records, of which unfinished ones are left out."""
    return [
        row
        for (protocol, argued), those in _groups(records)
        for row in _rows(protocol, argued, those)
    ]


def right_rows(records: Iterable[Recorded]) -> list[JudgedRow]:
    """Return only how often judges were right, which is quick."""
    return [
        _right(partial(_row, *group), when, cases)
        for group, those in _groups(records)
        for when, cases in _judged(those)
    ]


def _groups(records: Iterable[Recorded]) -> list[tuple[tuple[str, str], list[Recorded]]]:
    """Return the finished records by protocol and by who argued."""
    groups: dict[tuple[str, str], list[Recorded]] = {}
    for record in records:
        if record.episode is None or record.episode.over:
            name = NO_REPLAY if record.episode is None else record.episode.rules.full_name
            groups.setdefault((name, record.argued), []).append(record)
    return sorted(groups.items())


@dataclass(frozen=True, slots=True)
class _Case:
    judgement: Judgement
    problem: str

    @property
    def last(self) -> float:
        return self.judgement.beliefs[-1]

    @property
    def confidence(self) -> float:
        return 100 * max(self.last, 1 - self.last)

    @property
    def right(self) -> float:
        return {True: 1.0, False: 0.0, None: 0.5}[self.judgement.is_right]


def _row(protocol: str, argued: str, measure: str, estimate: Estimate) -> JudgedRow:
    counted = estimate.value, estimate.low, estimate.high, estimate.count, estimate.clusters
    return JudgedRow(protocol, argued, measure, *counted)


def _judged(records: Sequence[Recorded]) -> Iterator[tuple[str, list[_Case]]]:
    """Yield the judgements made during and after the debates, with which of both."""
    for live, when in ((True, "during"), (False, "afterwards")):
        cases = [
            _Case(judgement, record.problem)
            for record in records
            for judgement in record.judgements
            if judgement.live == live
        ]
        if cases:
            yield when, cases


def _right(row: Row, when: str, cases: Sequence[_Case]) -> JudgedRow:
    about = [case.problem for case in cases]
    return row(f"right, judged {when}", of_rate([case.right for case in cases], about))


def _rows(protocol: str, argued: str, records: Sequence[Recorded]) -> Iterator[JudgedRow]:
    row = partial(_row, protocol, argued)
    for when, cases in _judged(records):
        about = [case.problem for case in cases]
        yield _right(row, when, cases)
        squares = [(1 - case.last) ** 2 for case in cases]
        yield row(f"Brier score, judged {when}", of_mean(squares, about))
        logs = [math.log2(max(case.last, LEAST)) for case in cases]
        yield row(f"log score, judged {when}", of_mean(logs, about))
        for low, high in CONFIDENCE:
            here = [c for c in cases if low <= c.confidence < high or c.confidence == high == 100]
            if here:
                problems = [case.problem for case in here]
                name = f"right at {low} to {high}% confidence, judged {when}"
                yield row(name, of_rate([case.right for case in here], problems))
    yield from _evidence(protocol, argued, [r.episode for r in records if r.episode is not None])
    first = [
        (_Case(Judgement("", True, judgement.beliefs[:1]), record.problem))
        for record in records
        for judgement in record.judgements
        # Whoever gave several estimates during a debate gave the first before any argument.
        if judgement.live and len(judgement.beliefs) > 1
    ]
    if first:
        rights, about = [case.right for case in first], [case.problem for case in first]
        yield row("own (first estimate; an even one counts half)", of_mean(rights, about))


def _evidence(protocol: str, argued: str, episodes: Sequence[Episode]) -> Iterator[JudgedRow]:
    for rate in measured_evidence(episodes).rates:
        if rate.is_measured:
            name = f"{rate.name} (messages with a quote that was found)"
            numbers = rate.share, rate.low, rate.high, rate.count, rate.problems
            yield JudgedRow(protocol, argued, name, *numbers)
    for is_true, side in ((True, "right"), (False, "wrong")):
        found, problems = _quotes(episodes, is_true=is_true)
        if found:
            name = f"quotes for the {side} answer that were found"
            rate = of_rate(found, problems)
            numbers = rate.value, rate.low, rate.high, rate.count, rate.clusters
            yield JudgedRow(protocol, argued, name, *numbers)


def _quotes(episodes: Iterable[Episode], *, is_true: bool) -> tuple[list[float], list[str]]:
    """Return for each quote of a side whether it was found, and its problem."""
    found: list[float] = []
    problems: list[str] = []
    for episode in episodes:
        spec = episode.rules
        truth = episode.result().choices.get(spec.roles.truth or "")
        sides = {
            seat.name: spec.expression(seat.argues).value(episode.node.registers)
            for seat in spec.seats
            if seat.name in spec.roles.sides
        }
        for node in episode.path():
            for message in () if node.release is None else node.release.messages:
                if message.seat in sides and (sides[message.seat] == truth) == is_true:
                    found += [float(quote.found) for quote in message.quotes]
                    problems += [episode.task.id] * len(message.quotes)
    return found, problems
