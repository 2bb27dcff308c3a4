"""Places of a sample that a scorer's words cite: ``[M3]``, a scorer's own references, or an id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from explorer.logs.traces import Score, Trace
from nip_core.displays import displayed

_CITED = re.compile(r"\[([^\[\]\n]{1,80})\]")
_MESSAGE = re.compile(r"M([0-9]{1,6})")


@displayed
@dataclass(frozen=True, slots=True)
class Cited:
    """A piece of a text, and the entry that it cites; None for all other text."""

    text: str
    entry: int | None


def cited(text: str, score: Score, trace: Trace) -> Iterator[Cited]:
    """Yield the pieces of a text in their order.

    ``[M3]`` is what the scorer's references say, or else the third message of the sample without
    those of the system, as Inspect's scanners count.
    """
    at = 0
    for found in _CITED.finditer(text):
        entry = _entry(found[1], score, trace)
        if entry is None:
            continue
        if found.start() > at:
            yield Cited(text[at : found.start()], None)
        yield Cited(found[0], entry)
        at = found.end()
    if at < len(text):
        yield Cited(text[at:], None)


def _entry(name: str, score: Score, trace: Trace) -> int | None:
    known = score.references.get(f"[{name}]", score.references.get(name))
    if known is not None:
        return trace.places.get(known)
    if message := _MESSAGE.fullmatch(name):
        place = int(message[1]) - 1
        if 0 <= place < len(trace.numbered):
            return trace.places.get(trace.numbered[place])
    return trace.places.get(name)
