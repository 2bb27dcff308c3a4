"""Large families as one: which seat, part, channel, choice or value stands for which others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from explorer.pictures.rows import Cell, GridRow
from nip_core.displays import MOST_LISTED, in_sentence, listed
from nip_core.language import Specification


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)
# What is shown where members of a family do different things, the first of these.
_FIRST = ("speaks", "may speak", "decides", "steers", "noted", "drawn", "worked out", "early")
_THEN = ("sees", "reads", "none", "blind")
_ORDER = {state: place for place, state in enumerate((*_FIRST, *_THEN))}


class Folding:
    """The families of a protocol that are drawn as one.

    Parameters
    ----------
    spec : Specification
    members : bool
        Whether all members are drawn, however many there are.
    """

    def __init__(self, spec: Specification, *, members: bool = False) -> None:
        self.spec = spec
        families = () if members else spec.families
        self.families = [one for one in families if len(one.members) > MOST_LISTED]
        self._of = {member: one for one in self.families for member in one.members}
        self.seats = tuple(dict.fromkeys(map(self.first, spec.seat_names)))

    def __repr__(self) -> str:
        return f"Folding({self.spec.name}, {len(self.families)} families)"

    def first(self, name: str) -> str:
        """Return the first member of the family that something belongs to, or itself."""
        return self._of[name].members[0] if name in self._of else name

    def among(self, things: Iterable[_T]) -> list[_T]:
        """Return things without all members of large families but the first."""
        return [thing for thing in things if self.first(thing.name) == thing.name]

    def members(self, name: str) -> tuple[str, ...]:
        """Return what is drawn as one with something."""
        return self._of[name].members if name in self._of else (name,)

    def many(self, name: str) -> int:
        """Return how many are drawn as one with something; 1 if it is drawn by itself."""
        return len(self.members(name))

    def stem(self, name: str) -> str:
        """Return the title of something without the number that its family gives to it."""
        seat = name in self.spec.seat_names
        title = self.spec.seat_name(name) if seat else self.spec.title_of(name)
        words, _, number = title.rpartition(" ")
        return words if name in self._of and number.isdecimal() and words else title

    def title(self, name: str) -> str:
        """Return the title that is drawn: ``"Juror × 5"``."""
        many = self.many(name)
        return f"{self.stem(name)} × {many}" if many > 1 else self.stem(name)

    def each(self, seat: str) -> str:
        """Return a seat as the subject of a sentence: ``"Each juror"``, ``"Judge"``."""
        stem = self.stem(seat)
        return f"Each {in_sentence(stem)}" if self.many(seat) > 1 else stem

    def names(self, seats: Sequence[str], of: str = "") -> list[str]:
        """Return seats' names for people, of those that see something.

        Of a family of which each seat has one, a single seat is its own one.
        """
        family = self._of.get(of)
        whole = family is not None and [one for one in self.families if one.name == family.each]
        own = [seat for seat in seats if whole and seat in whole[0].members]
        if len(own) == 1:
            named = {own[0]: f"its own {in_sentence(self.stem(own[0]))}"}
            return [named.get(seat) or self.spec.seat_name(seat) for seat in seats]
        return [self.spec.seat_name(seat) for seat in seats]

    def phrase(self, seat: str) -> str:
        """Return what is drawn as one seat within a sentence: ``"jurors 1 to 5"``."""
        return listed(map(self.spec.seat_phrase, self.members(seat)))

    def rows(self, rows: Iterable[GridRow]) -> tuple[GridRow, ...]:
        """Return rows of which those of large families are one."""
        groups: dict[tuple[str, str, str], list[GridRow]] = {}
        for row in rows:
            key = (row.kind, self.first(row.of), self.first(row.who))
            groups.setdefault(key, []).append(row)
        return tuple(map(self._one, groups.values()))

    def _one(self, rows: Sequence[GridRow]) -> GridRow:
        row = rows[0]
        titled = row.who if row.kind == "channel" else row.of
        title = row.title if row.kind == "verdict" else self.title(titled)
        cells = tuple(map(self._cell, zip(*(own.cells for own in rows), strict=True)))
        # Values of members may be worked out in different ways.
        note = " … ".join(dict.fromkeys((row.note, rows[-1].note))) if rows[1:] else row.note
        fields = {"of": self.first(row.of), "who": self.first(row.who), "title": title}
        return replace(row, cells=cells, note=note, **fields)

    def _cell(self, cells: Sequence[Cell]) -> Cell:
        shown = min(cells, key=lambda cell: _ORDER[cell.state])
        seen = [cell.seats for cell in cells]
        if None in seen:
            return shown if shown.seats is None else replace(shown, seats=None)
        seats = {self.first(seat) for own in seen for seat in own or ()}
        return replace(shown, seats=tuple(seat for seat in self.seats if seat in seats))
