"""Edits of a protocol: five kinds, closed, each with an exact inverse.

An edit changes one thing at one place of a document, and checks nothing but that the place is
there. What a person does is a gesture (:data:`nip_core.editing.GESTURES`): edits that are applied
together, checked once, and undone together.

A place is a kind and numbers from 0: ``("seat", 1)``, ``("turn", stage, turn)``,
``("act", stage, turn, seat)``: what the n-th seat of a turn does. Of a family, the document in its
short form is edited, which has one entry for all members.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from nip_core.displays import displayed
from nip_core.editing.forms import Document, is_table
from nip_core.editing.naming import has_name, renamed
from nip_core.errors import EditError, show

__all__ = [
    "Add",
    "Edit",
    "Move",
    "Place",
    "Remove",
    "Rename",
    "Set",
    "apply",
    "apply_one",
    "count_at",
    "entry_at",
    "from_plain",
    "name_at",
    "to_plain",
]

Place = tuple[Any, ...]
# The tables of a document whose entries have names, and its lists.
NAMED = {
    "setting": "settings",
    "seat": "seats",
    "part": "parts",
    "channel": "channels",
    "choice": "choices",
    "value": "values",
    "title": "titles",
}
LISTED = {"stage": "stages", "pay": "pay", "limit": "limits"}
# What a turn holds beside the acts of its seats.
IN_TURN = {"exit": "then", "copy": "copy"}
RENAMED = ("seat", "part", "channel", "choice", "value", "setting", "stage", "option", "label")


@displayed
@dataclass(frozen=True, slots=True)
class Add:
    """Insert a thing at a place.

    Parameters
    ----------
    place : tuple
    thing : object
        As documents write it.
    name : str
        Its name, if things of this kind have names: of an act the seat, of an exit the stage.
    at : int
        Where its key stands in the table around it; -1 for the usual place.
    """

    place: Place
    thing: Any
    name: str = ""
    at: int = -1


@displayed
@dataclass(frozen=True, slots=True)
class Remove:
    """Take out what is at a place; with the last thing its table goes, too, unless it is kept."""

    place: Place
    keep: bool = False


@displayed
@dataclass(frozen=True, slots=True)
class Move:
    """Take out what is at a place, and insert it at another, counted without it."""

    place: Place
    to: Place
    at: int = -1


@displayed
@dataclass(frozen=True, slots=True)
class Set:
    """Change a field of what is at a place, or all of it for ``""``; None leaves the field out."""

    place: Place
    field: str
    value: Any
    at: int = -1


@displayed
@dataclass(frozen=True, slots=True)
class Rename:
    """Change a name wherever it is used."""

    kind: str
    old: str
    new: str


Edit = Add | Remove | Move | Set | Rename
_KINDS: dict[str, type[Edit]] = {
    kind.__name__.lower(): kind for kind in (Add, Remove, Move, Set, Rename)
}


def to_plain(edit: Edit) -> dict[str, Any]:
    """Return an edit as plain data."""
    return {"do": type(edit).__name__.lower(), **asdict(edit)}


def from_plain(data: Mapping[str, Any]) -> Edit:
    """Return an edit from plain data."""
    kind = _KINDS[data["do"]]
    known = {field.name for field in fields(kind)}
    given = {key: tuple(v) if key in ("place", "to") else v for key, v in data.items()}
    fitting: dict[str, Any] = {key: value for key, value in given.items() if key in known}
    return kind(**fitting)


# -- places ----------------------------------------------------------------------------------------


def _turn_at(document: Document, numbers: Sequence[int]) -> Mapping[str, Any]:
    stages = document["stages"]
    if not 0 <= numbers[0] < len(stages):
        raise EditError(f"There is no stage {numbers[0] + 1}; there are {len(stages)}.")
    turns = stages[numbers[0]]["turns"]
    if not 0 <= numbers[1] < len(turns):
        raise EditError(f"There is no turn {numbers[1] + 1} in this stage; it has {len(turns)}.")
    return turns[numbers[1]]


def _is_seat(document: Document, key: str) -> bool:
    return key != "then" and (key != "copy" or "copy" in document["seats"])


def _container(document: Document, kind: str, numbers: Sequence[int]) -> Any:
    """Return the table or list that holds the things of a kind, as far as it is there."""
    if kind in NAMED:
        return document.get(NAMED[kind], {})
    if kind in LISTED:
        return document.get(LISTED[kind], [])
    if kind == "turn":
        _turn_at(document, (*numbers[:1], 0))
        return document["stages"][numbers[0]]["turns"]
    if kind not in ("act", *IN_TURN) or len(numbers) != 2:
        raise EditError(f"There is no kind of thing called {show(kind)} there.")
    turn = _turn_at(document, numbers)
    if kind == "act":
        return {key: value for key, value in turn.items() if _is_seat(document, key)}
    return turn.get(IN_TURN[kind], {})


def count_at(document: Document, kind: str, *within: int) -> int:
    """Return how many things of a kind there are, in a stage or turn."""
    return len(_container(document, kind, within))


def _checked(document: Document, place: Place, more: int = 0) -> tuple[str, list[int], int, Any]:
    kind, *numbers = place
    if not numbers or not all(type(number) is int for number in numbers):
        raise EditError(f"{show(place)} is no place.")
    container = _container(document, kind, numbers[:-1])
    if not 0 <= numbers[-1] < len(container) + more:
        raise EditError(f"There is no {kind} {numbers[-1] + 1}; there are {len(container)}.")
    return kind, numbers[:-1], numbers[-1], container


def entry_at(document: Document, place: Place) -> Any:
    """Return what is at a place."""
    if place == ("protocol",):
        return document
    _, _, number, container = _checked(document, place)
    return [*container.values()][number] if is_table(container) else container[number]


def name_at(document: Document, place: Place) -> str:
    """Return the name of what is at a place; empty if it has none."""
    _, _, number, container = _checked(document, place)
    return [*container][number] if is_table(container) else ""


# -- writing: each returns a new document, and shares what has not changed ------------------------


def _inserted(table: Mapping[str, Any], at: int, key: str, value: Any) -> dict[str, Any]:
    pairs = [*table.items()]
    pairs.insert(len(pairs) if at < 0 else at, (key, value))
    return dict(pairs)


def _with_turn(document: Document, numbers: Sequence[int], turn: Any) -> dict[str, Any]:
    turns = [*document["stages"][numbers[0]]["turns"]]
    turns[numbers[1]] = turn
    return _with_turns(document, numbers[0], turns)


def _with_turns(document: Document, stage: int, turns: list[Any]) -> dict[str, Any]:
    stages = [*document["stages"]]
    stages[stage] = {**stages[stage], "turns": turns}
    return {**document, "stages": stages}


def _kept(
    table: Mapping[str, Any], key: str, inner: Any, at: int, *, keep: bool = False
) -> tuple[dict[str, Any], int]:
    """Return a table with a table or list in it, which is left out if it is empty.

    Also returns where its key stood, if it is gone.
    """
    if not inner and not keep and key not in ("seats", "stages"):
        return {k: v for k, v in table.items() if k != key}, [*table].index(key)
    if key in table:
        return {**table, key: inner}, -1
    return _inserted(table, at, key, inner), -1


def _written(
    document: Document,
    kind: str,
    numbers: Sequence[int],
    container: Any,
    at: int,
    *,
    keep: bool = False,
) -> tuple[dict[str, Any], int]:
    """Return a document with another table or list of a kind."""
    if kind in NAMED or kind in LISTED:
        return _kept(document, (NAMED | LISTED)[kind], container, at, keep=keep)
    if kind == "turn":
        return _with_turns(document, numbers[0], container), -1
    turn, gone = _kept(_turn_at(document, numbers), IN_TURN[kind], container, at, keep=keep)
    return _with_turn(document, numbers, turn), gone


def _added(document: Document, edit: Add) -> dict[str, Any]:
    kind, numbers, number, container = _checked(document, edit.place, 1)
    if kind in LISTED or kind == "turn":
        things = [*container]
        things.insert(number, edit.thing)
        return _written(document, kind, numbers, things, edit.at)[0]
    if edit.name in container:
        raise EditError(f"There is a {kind} {show(edit.name)} already.")
    if kind == "act":
        turn = _turn_at(document, numbers)
        if not _is_seat(document, edit.name):
            raise EditError(f"{show(edit.name)} is no seat.")
        at = edit.at
        if at < 0:
            # Before the seat that has this place now, or after the last one.
            keys, seats = [*turn], [*container]
            last = keys.index(seats[-1]) + 1 if seats else 0
            at = keys.index(seats[number]) if number < len(seats) else last
        return _with_turn(document, numbers, _inserted(turn, at, edit.name, edit.thing))
    table = _inserted(container, number, edit.name, edit.thing)
    return _written(document, kind, numbers, table, edit.at)[0]


def _taken(document: Document, place: Place, *, keep: bool = False) -> tuple[dict[str, Any], Add]:
    kind, numbers, number, container = _checked(document, place)
    if is_table(container):
        name, thing = [*container.items()][number]
        if kind == "act":
            turn = _turn_at(document, numbers)
            left = {key: value for key, value in turn.items() if key != name}
            return _with_turn(document, numbers, left), Add(place, thing, name, [*turn].index(name))
        rest: Any = {key: value for key, value in container.items() if key != name}
    else:
        name, thing = "", container[number]
        rest = [*container[:number], *container[number + 1 :]]
    made, gone = _written(document, kind, numbers, rest, -1, keep=keep)
    return made, Add(place, thing, name, gone)


def _with_field(document: Document, edit: Set) -> tuple[dict[str, Any], Set]:
    place, field = edit.place, edit.field
    whole = entry_at(document, place)
    if field == "":
        return _with_entry(document, place, edit.value), Set(place, "", whole)
    if not is_table(whole):
        raise EditError(f"This {place[0]} is written in a short form, without fields.")
    table = whole
    if edit.value is None:
        if field not in table:
            raise EditError(f"This {place[0]} has no field {show(field)}.")
        made = {key: value for key, value in table.items() if key != field}
        back = Set(place, field, table[field], [*table].index(field))
    elif field in table:
        made, back = {**table, field: edit.value}, Set(place, field, table[field])
    else:
        made, back = _inserted(table, edit.at, field, edit.value), Set(place, field, None)
    return made if place == ("protocol",) else _with_entry(document, place, made), back


def _with_entry(document: Document, place: Place, entry: Any) -> dict[str, Any]:
    if place == ("protocol",):
        return dict(entry)
    kind, numbers, number, container = _checked(document, place)
    if not is_table(container):
        things = [*container]
        things[number] = entry
        return _written(document, kind, numbers, things, -1)[0]
    key = [*container][number]
    if kind == "act":
        return _with_turn(document, numbers, {**_turn_at(document, numbers), key: entry})
    return _written(document, kind, numbers, {**container, key: entry}, -1)[0]


def _is_empty(document: Document, place: Place) -> bool:
    """Return whether there is a table for the things of a kind, with nothing in it."""
    kind, *numbers = place
    table = _turn_at(document, numbers[:-1]) if kind in IN_TURN else document
    return table.get((NAMED | LISTED | IN_TURN).get(kind, "")) in ({}, [])


def apply_one(document: Document, edit: Edit) -> tuple[dict[str, Any], Edit]:
    """Return the document after an edit, which is not checked, and the edit that undoes it."""
    match edit:
        case Add(place):
            return _added(document, edit), Remove(place, _is_empty(document, place))
        case Remove(place, keep):
            return _taken(document, place, keep=keep)
        case Move(place, to, at):
            if place[0] != to[0]:
                raise EditError(f"A {place[0]} cannot become a {to[0]}.")
            rest, taken = _taken(document, place)
            # Of a table that held nothing else, the key stays where it was.
            around = at if at >= 0 or place[0] == "act" else taken.at
            made = _added(rest, Add(to, taken.thing, taken.name, around))
            return made, Move(to, place, taken.at)
        case Set():
            return _with_field(document, edit)
        case Rename(kind, old, new):
            if kind not in RENAMED or not has_name(document, kind, old):
                raise EditError(f"There is no {kind} {show(old)}.")
            made = renamed(document, kind, old, new) if old != new else dict(document)
            if made is None:
                raise EditError(f"The name {show(new)} is used for something else.")
            return made, Rename(kind, new, old)


def apply(document: Document, edits: Iterable[Edit]) -> tuple[dict[str, Any], tuple[Edit, ...]]:
    """Return the document after some edits, and the edits that undo them, in their order."""
    made, back = dict(document), list[Edit]()
    for edit in edits:
        made, inverse = apply_one(made, edit)
        back.append(inverse)
    return made, tuple(reversed(back))
