"""How each part of an answer was read: as a message, a verdict, and so on.

The positions come from the reading itself (:mod:`nip_core.text.answers`), not from a second reading
by other rules. A text in the documented form (:mod:`nip_core.text.parsing`) is shown as that form
is cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from nip_core.errors import InvalidResponseError
from nip_core.text import parsing
from nip_core.text.agent_spec import DECISION_WORDS
from nip_core.text.answers import statements_in
from nip_core.text.confidence import confidences_in
from nip_core.text.expected import VERDICT, Expected
from nip_core.text.parsing import Decision
from nip_core.text.parts import placed_parts, split_parts
from nip_core.text.thoughts import part

__all__ = ["Span", "SpanKind", "read_spans"]

SpanKind = Literal["thought", "message", "verdict", "confidence", "ignored"]


CLOSING = " \t\n)]*_.,;:"


class Span(NamedTuple):
    """A part of a text.

    Parameters
    ----------
    kind : {"thought", "message", "verdict", "confidence", "ignored"}
    start, end : int
        Its characters are ``text[start:end]``.
    channel : str
        The channel of a message, if there are several.
    """

    kind: SpanKind
    start: int
    end: int
    channel: str = ""


def read_spans(
    text: str,
    decision: Decision,
    messages: Mapping[str, str],
    headers: Mapping[str, str],
    *,
    sure: int | None = None,
) -> tuple[Span, ...]:
    """Return the disjoint, ordered parts that cover the text from which a move was read.

    Parameters
    ----------
    text : str
    decision : {0, 1, 2}
        The move's.
    messages : mapping of str to str
        The move's, by channel.
    headers : mapping of str to str
        The headers of parts, if the seat writes on several channels.
    sure : int, optional
        The confidence in the verdict that was read, in percent.

    Returns
    -------
    tuple of Span
        Empty if the text is not part of the move.
    """
    for reading in (_meant, _documented):
        parts = reading(text, decision, messages, headers, sure)
        if parts is not None:
            return tuple(_whole(text, parts))
    return ()


def _meant(
    text: str,
    decision: Decision,
    messages: Mapping[str, str],
    headers: Mapping[str, str],
    sure: int | None,
) -> list[Span] | None:
    """Return the parts by :mod:`nip_core.text.answers`; None if it reads another move."""
    parting = part(text)
    begin, end = parting.said
    answer = text[begin:end]
    spans = [Span("thought", *place) for place in parting.thought]
    if decision == 2:
        parts = _messages(answer, messages, headers)
        return None if parts is None else spans + [_moved(span, begin) for span in parts]
    verdicts = list(statements_in(answer, Expected(VERDICT, instead=True)))
    word = DECISION_WORDS[decision]
    verdict_places = [statement.place for statement in verdicts if statement.option == word]
    others = {statement.option for statement in verdicts} - {word, None}
    if not verdict_places or others or messages:
        return None
    amounts = [
        Span("confidence", *place)
        for amount, place in confidences_in(answer)
        if sure is not None and amount == sure
    ]
    parts = _over([Span("verdict", *place) for place in _merged(verdict_places)], amounts)
    # A closing bracket after an amount has no meaning.
    return spans + [_moved(p, begin) for p in parts if answer[p.start : p.end].strip(CLOSING)]


def _messages(
    answer: str, messages: Mapping[str, str], headers: Mapping[str, str]
) -> list[Span] | None:
    if len(headers) < 2:
        (text,) = messages.values() if len(messages) == 1 else ("",)
        at = answer.find(text)
        return [Span("message", at, at + len(text))] if text and at >= 0 else None
    try:
        parts = split_parts(answer, headers)
    except InvalidResponseError:
        return None
    # Messages of older records begin with their headers.
    older = {channel: f"{headers[channel]} {part}".rstrip() for channel, part in parts.items()}
    if dict(messages) not in (parts, older):
        return None
    placed = placed_parts(answer, headers)
    if placed is not None:
        return [Span("message", at, body[1], channel) for channel, (at, body) in placed.items()]
    return _parts(answer, headers)


def _parts(answer: str, headers: Mapping[str, str]) -> list[Span]:
    """Return the parts by the documented reading."""
    folded = parsing.fold(answer)
    starts = {channel: folded.find(parsing.fold(header)) for channel, header in headers.items()}
    order = sorted(starts, key=starts.__getitem__)
    ends = [*(starts[channel] for channel in order[1:]), len(answer)]
    return [
        Span(
            "message",
            starts[channel],
            starts[channel] + len(answer[starts[channel] : end].rstrip()),
            channel,
        )
        for channel, end in zip(order, ends, strict=True)
    ]


def _documented(
    text: str,
    decision: Decision,
    messages: Mapping[str, str],
    headers: Mapping[str, str],
    sure: int | None,
) -> list[Span] | None:
    """Return the parts by :mod:`nip_core.text.parsing`; None if it reads another move."""
    del sure
    if decision != 2:
        try:
            agrees = parsing.parse_decision(text) == decision and not messages
        except InvalidResponseError:
            return None
        return (
            [Span("verdict", *m.span()) for m in parsing.DECISION.finditer(text)]
            if agrees
            else None
        )
    if len(headers) < 2:
        (whole,) = messages.values() if len(messages) == 1 else ("",)
        return [Span("message", 0, len(text))] if whole == text and text else None
    try:
        agrees = parsing.split_at_headers(text, headers) == dict(messages)
    except InvalidResponseError:
        return None
    return _parts(text, headers) if agrees else None


def _moved(span: Span, by: int) -> Span:
    return span._replace(start=span.start + by, end=span.end + by)


def _merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the places in order, with overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _over(below: list[Span], above: list[Span]) -> Iterator[Span]:
    """Yield spans with others laid over them, cut so that none overlap."""
    tops = _merged([(span.start, span.end) for span in above])
    yield from (Span("confidence", *place) for place in tops)
    passed = 0
    for span in below:
        start = span.start
        while passed < len(tops) and tops[passed][1] <= start:
            passed += 1
        while passed < len(tops) and tops[passed][0] < span.end:
            if tops[passed][0] > start:
                yield span._replace(start=start, end=tops[passed][0])
            start = tops[passed][1]
            passed += 1
        if start < span.end:
            yield span._replace(start=start)


def _whole(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield spans for the whole text, including ignored parts."""
    at = 0
    for span in sorted((span for span in spans if span.start < span.end), key=lambda s: s.start):
        if at < span.start:
            yield Span("ignored", at, span.start)
        yield span
        at = span.end
    if at < len(text):
        yield Span("ignored", at, len(text))
