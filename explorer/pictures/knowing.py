"""Who knows what in a protocol: pieces of the task, messages, choices and worked-out values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from explorer.pictures.entrance import specified
from explorer.pictures.folding import Folding
from explorer.pictures.tokens import TASK
from nip_core.displays import capitalized, displayed, join_names
from nip_core.language import END, START, Specification
from nip_core.registry import AnyProtocol

Known = Literal["during", "after", "never"]
"""When a seat knows something: during play, only after the end, or never."""
# The best of several, of members of a family that is shown as one.
_ORDER: tuple[Known, ...] = ("during", "after", "never")
# Things in the head of a row; if they take more characters than this, the others are counted.
MOST_NAMED, LONG = 3, 60


@displayed
@dataclass(frozen=True, slots=True)
class Knowledge:
    """Things that the same seats know at the same time, with the time for each seat."""

    things: tuple[str, ...]
    known: Mapping[str, Known]
    lead: str = ""  # what all things are: "messages on "

    @property
    def title(self) -> str:
        """The things, as the head of a row."""
        words, more = join_names(self.things), len(self.things) - MOST_NAMED
        if len(words) > LONG and more > 1:
            words = join_names((*self.things[:MOST_NAMED], f"{more} more"))
        return capitalized(f"{self.lead}{words}")


def who_knows_what(protocol: AnyProtocol | Specification) -> list[Knowledge]:
    """Return what the seats of a protocol know, and when.

    Large families are one seat or one thing, as in the grid: what a member knows of the family's
    things counts, such as each juror's own vote.
    """
    spec = specified(protocol)
    folding = Folding(spec)
    found: list[Knowledge] = []
    for lead, things in _kinds(spec):
        rows: dict[str, dict[str, Known]] = {}
        for name, title, seen in things:
            row = rows.setdefault(folding.stem(name) if folding.many(name) > 1 else title, {})
            for seat in spec.seat_names:
                shown, known = folding.first(seat), _known(seen, seat)
                row[shown] = _ORDER[min(_ORDER.index(known), _ORDER.index(row.get(shown, "never")))]
        alike: dict[tuple[Known, ...], list[str]] = {}
        for title, row in rows.items():
            alike.setdefault(tuple(row.values()), []).append(title)
        found += [
            Knowledge(tuple(titles), dict(zip(folding.seats, known, strict=True)), lead)
            for known, titles in alike.items()
        ]
    return found


def _known(seen: Mapping[str, str], seat: str) -> Known:
    if seat not in seen:
        return "never"
    return "after" if seen[seat] == END else "during"


# Its name, its title, and since when seats see it.
Thing = tuple[str, str, Mapping[str, str]]


def _kinds(spec: Specification) -> Iterator[tuple[str, Iterable[Thing]]]:
    """Return things by kind, with a lead for those that have one."""
    facts = [choice for choice in spec.choices if choice.by == TASK]
    yield "", [(one.name, spec.title_of(one.name), dict(one.seen)) for one in (*spec.parts, *facts)]
    if len(spec.channels) > 1:
        titled = [(one.name, spec.channel_title(one.name), dict(one.seen)) for one in spec.channels]
        yield "messages on ", titled
    else:
        yield "", [(one.name, "messages", dict(one.seen)) for one in spec.channels]
    if any(part.quotable for part in spec.parts):
        readers = {seat: since for channel in spec.channels for seat, since in channel.seen}
        yield "", [("quotes", "which quotes are real", readers)]
    # Whoever makes a choice knows it.
    made: list[Thing] = [
        (one.name, spec.title_of(one.name), {**dict(one.seen), one.by: START})
        for one in spec.choices
        if one.by != TASK
    ]
    made += [(one.name, spec.title_of(one.name), dict(one.seen)) for one in spec.values if one.seen]
    yield "", made
