"""The edits from one protocol to another, and from nothing to any protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any, cast

from nip_core.editing.edits import (
    LISTED,
    NAMED,
    Add,
    Edit,
    Move,
    Place,
    Remove,
    Rename,
    Set,
    apply_one,
    entry_at,
)
from nip_core.editing.forms import Document, full, in_order, is_table
from nip_core.editing.meaning import names_in
from nip_core.language import Specification, load_specification

__all__ = ["BLANK", "blank", "difference", "from_nothing"]

BLANK: Document = {
    "format": "nip-protocol/2",
    "name": "untitled",
    "seats": {"verifier": {"title": "Verifier"}},
    "stages": [{"name": "part_1", "turns": [{}]}],
}
SECTIONS = (*NAMED.values(), *LISTED.values())


def blank() -> Specification:
    """Return the protocol with which drawing begins: one seat and one empty turn."""
    return load_specification(BLANK)


def difference(before: Document, after: Document) -> list[Edit]:
    """Return edits that lead from one document to another, as a whole."""
    path = _Path(before)
    for kind in NAMED:
        path.named(kind, after.get(NAMED[kind], {}))
    path.stages(after["stages"])
    for kind in ("pay", "limit"):
        path.listed((kind,), after.get(LISTED[kind], []))
    path.fields(("protocol",), before, after, SECTIONS)
    return path.edits


class _Path:
    """The edits so far, and the document after them."""

    def __init__(self, document: Document) -> None:
        self.now, self.edits = dict(document), list[Edit]()

    def do(self, edit: Edit) -> None:
        self.now, _ = apply_one(self.now, edit)
        self.edits.append(edit)

    def _names(self, place: Place) -> list[str]:
        """Return the names of the things in a table, such as all seats."""
        kind, *numbers = place
        if kind == "stage":
            return [stage["name"] for stage in self.now["stages"]]
        if kind in NAMED:
            return [*self.now.get(NAMED[kind], {})]
        turn = self.now["stages"][numbers[0]]["turns"][numbers[1]]
        if kind == "act":
            return [seat for seat in turn if _is_seat(self.now, seat)]
        return [*turn.get({"exit": "then", "copy": "copy"}[kind], {})]

    def named(self, kind: str, wanted: Mapping[str, Any], *within: int) -> None:
        """Lead to the things of a table, which have names, in their order."""
        place = (kind, *within)
        for number in reversed(range(len(self._names(place)))):
            if self._names(place)[number] not in wanted:
                self.do(Remove((*place, number)))
        for number, (name, value) in enumerate(wanted.items()):
            self._to_place(place, number, name, value)
            self.entry((*place, number), value)

    def _to_place(self, place: Place, number: int, name: str, value: Any) -> None:
        there = self._names(place)
        if name not in there:
            key = "" if place == ("stage",) else name
            self.do(Add((*place, number), value, key))
        elif there.index(name) != number:
            self.do(Move((*place, there.index(name)), (*place, number)))

    def entry(self, place: Place, value: Any) -> None:
        """Lead to what is at a place, by its fields if it has any."""
        now = entry_at(self.now, place)
        if in_order(now) == in_order(value):
            return
        by_fields = is_table(now) and is_table(value)
        if not by_fields or place[0] in ("act", "part", "channel", "value"):
            self.do(Set(place, "", value))
        else:
            self.fields(place, cast(Document, now), cast(Document, value), ())

    def fields(self, place: Place, now: Document, wanted: Document, others: Sequence[str]) -> None:
        for key in now:
            if key not in wanted and key not in others:
                self.do(Set(place, key, None))
        for key, value in wanted.items():
            same = key in now and in_order(now[key]) == in_order(value)
            if key not in others and not same:
                self.do(Set(place, key, value))

    def stages(self, wanted: Sequence[Document]) -> None:
        names = [stage["name"] for stage in wanted]
        for number in reversed(range(len(self.now["stages"]))):
            if self.now["stages"][number]["name"] not in names:
                self.do(Remove(("stage", number)))
        for number, stage in enumerate(wanted):
            self._to_place(("stage",), number, stage["name"], stage)
            self.fields(("stage", number), self.now["stages"][number], stage, ("turns",))
            self.listed(("turn", number), stage["turns"])

    def listed(self, place: Place, wanted: Sequence[Any]) -> None:
        """Lead to the things of a list; what is like before stays."""
        kind, *numbers = place
        there = (
            self.now["stages"][numbers[0]]["turns"] if numbers else self.now.get(LISTED[kind], [])
        )
        texts = [[in_order(thing) for thing in things] for things in (there, wanted)]
        shift = 0
        matcher = SequenceMatcher(None, *texts, autojunk=False)
        for same, begin, end, first, last in matcher.get_opcodes():
            if same == "equal":
                continue
            both = min(end - begin, last - first)
            at = begin + shift
            for step in range(both):
                if kind == "turn":
                    self.turn((*numbers, at + step), wanted[first + step])
                else:
                    self.entry((*place, at + step), wanted[first + step])
            for _ in range(begin + both, end):
                self.do(Remove((*place, at + both)))
            for step in range(both, last - first):
                self.do(Add((*place, at + step), wanted[first + step]))
            shift += (last - first) - (end - begin)

    def turn(self, numbers: Sequence[int], wanted: Document) -> None:
        document = self.now
        acts = {key: acts for key, acts in wanted.items() if _is_seat(document, key)}
        copies: Document = wanted.get("copy", {}) if "copy" not in acts else {}
        self.named("act", acts, *numbers)
        self.named("exit", wanted.get("then", {}), *numbers)
        self.named("copy", copies, *numbers)


def _is_seat(document: Document, key: str) -> bool:
    return key != "then" and (key != "copy" or "copy" in document["seats"])


# -- from nothing ----------------------------------------------------------------------------------


def from_nothing(document: Document) -> list[Edit]:
    """Return edits that build a protocol from the blank one; every prefix of them is legal."""
    return [*_from_nothing(document)]


def _from_nothing(document: Document) -> Iterator[Edit]:
    protocol: Place = ("protocol",)
    later = ("verdict", "roles")
    for key, value in document.items():
        if key in BLANK and key not in SECTIONS and BLANK[key] != value:
            yield Set(protocol, key, value)
        if isinstance(value, str) and key not in (*BLANK, *later):
            yield Set(protocol, key, value)
    yield from _table("setting", document)
    yield from _seats(document)
    yield from _stages(document)
    yield from _table("part", document)
    yield from _table("channel", document)
    yield from _table("choice", document, "weights")
    if "labels" in document:
        yield Set(protocol, "labels", document["labels"])
    yield from _values(document)
    for s, stage in enumerate(document["stages"]):
        for t, turn in enumerate(stage["turns"]):
            if t:
                yield Add(("turn", s, t), {})
            acts = {key: acts for key, acts in turn.items() if _is_seat(document, key)}
            for number, (seat, own) in enumerate(acts.items()):
                yield Add(("act", s, t, number), own, seat)
            exits: Document = turn.get("then", {})
            copies: Document = turn.get("copy", {}) if "copy" not in acts else {}
            for kind, table in (("exit", exits), ("copy", copies)):
                for number, (name, text) in enumerate(table.items()):
                    yield Add((kind, s, t, number), text, name)
        for key in stage:
            if key not in ("name", "turns"):
                yield Set(("stage", s), key, stage[key])
    for number, choice in enumerate(document.get("choices", {}).values()):
        if "weights" in choice:
            yield Set(("choice", number), "weights", choice["weights"])
    for number, seat in enumerate(document["seats"].values()):
        if is_table(seat) and "argues" in seat:
            yield Set(("seat", number), "argues", seat["argues"])
    for kind in ("pay", "limit"):
        for number, rule in enumerate(document.get(LISTED[kind], [])):
            yield Add((kind, number), rule)
    yield from _table("title", document)
    known = {*SECTIONS, *BLANK, "labels"}
    for key, value in document.items():
        if key in later or (key not in known and not isinstance(value, str)):
            yield Set(protocol, key, value)


def _without(entry: Any, *fields: str) -> Any:
    if not is_table(entry):
        return entry
    return {key: value for key, value in cast(Document, entry).items() if key not in fields}


def _table(kind: str, document: Document, *without: str) -> Iterator[Edit]:
    for number, (name, entry) in enumerate(document.get(NAMED[kind], {}).items()):
        yield Add((kind, number), _without(entry, *without), name)


def _seats(document: Document) -> Iterator[Edit]:
    """Turn the only seat of the blank protocol into the seats of another."""
    (first,) = BLANK["seats"]
    names = [*document["seats"]]
    own = names.index(first) if first in names else 0
    if first not in names:
        yield Rename("seat", first, names[0])
    for number, (name, seat) in enumerate(document["seats"].items()):
        if number == own:
            if seat != BLANK["seats"][first]:
                yield Set(("seat", number), "", _without(seat, "argues"))
        else:
            yield Add(("seat", number), _without(seat, "argues"), name)


def _stages(document: Document) -> Iterator[Edit]:
    blank = BLANK["stages"][0]["name"]
    for number, stage in enumerate(document["stages"]):
        if number:
            yield Add(("stage", number), {"name": stage["name"], "turns": [{}]})
        elif stage["name"] != blank:
            # The name may be one of a later stage, which comes after this.
            yield Rename("stage", blank, stage["name"])


def _values(document: Document) -> Iterator[Edit]:
    """Yield values, each after those that it names."""
    values = document.get("values", {})
    done: list[str] = []

    def add(name: str) -> Iterator[Edit]:
        if name in done:
            return
        entry = full("values", values[name])
        texts = [text for key, text in entry.items() if key not in ("at", "seen", "each")]
        needed = {other for text in texts for other in names_in(text)} & {*values}
        for other in values:
            if other in needed and other != name and other not in done:
                yield from add(other)
        before = [*takewhile(lambda each: each != name, values)]
        place = sum(each in done for each in before)
        done.append(name)
        yield Add(("value", place), values[name], name)

    for name in values:
        yield from add(name)
