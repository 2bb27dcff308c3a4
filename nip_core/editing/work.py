"""Gestures: what a person does to a protocol, made as a whole or refused as a whole.

A gesture is a function that edits a :class:`Work`. :func:`do` checks its arguments, lets it work,
and checks the protocol once. So a protocol that is being drawn is legal at all times. What else a
gesture had to change, it says in words; what is refused comes back with repairs that are gestures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from nip_core.displays import capitalized, displayed
from nip_core.editing.arguments import Parameters, phrase
from nip_core.editing.difference import difference
from nip_core.editing.draft import Draft
from nip_core.editing.edits import NAMED, Add, Edit, Place, Remove, Set, apply_one, entry_at
from nip_core.editing.forms import (
    Act,
    Document,
    acts_of,
    full,
    is_list,
    is_table,
    seen_by,
    written_acts,
    written_seen,
)
from nip_core.editing.naming import SECTION_OF, names_of_kind
from nip_core.errors import EditError, SpecError, did_you_mean, show
from nip_core.language import CHANCE
from nip_core.mistakes import Mistake, Path

__all__ = ["GESTURES", "Gesture", "Refusal", "Repair", "Result", "Work", "do", "gesture"]


@displayed
@dataclass(frozen=True, slots=True)
class Repair:
    """A gesture that can be made instead of a refused one, in words for a button."""

    words: str
    gesture: str
    arguments: Mapping[str, Any]


@displayed
@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a gesture was not made.

    Parameters
    ----------
    message : str
    mistakes : tuple of Mistake
        What would be wrong with the protocol, with places in its document.
    repairs : tuple of Repair
    """

    message: str
    mistakes: tuple[Mistake, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def path(self) -> Path:
        """The place in the document that it is about; empty if it is about no place in it."""
        return self.mistakes[0].path if self.mistakes else ()


@displayed
@dataclass(frozen=True, slots=True)
class Result:
    """What came of a gesture.

    Parameters
    ----------
    draft : Draft
        The same as before if it was refused.
    words : str
        What was done: "let the judge read the passage".
    edits, back : tuple
        The edits, and those that undo them.
    also : tuple of str
        What else had to change, each as a sentence.
    refused : Refusal, optional
    """

    draft: Draft
    words: str = ""
    edits: tuple[Edit, ...] = ()
    back: tuple[Edit, ...] = ()
    also: tuple[str, ...] = ()
    refused: Refusal | None = None


class RefusedError(EditError):
    """A gesture is refused for a reason that it knows itself, with repairs."""

    def __init__(self, message: str, *repairs: Repair) -> None:
        super().__init__(capitalized(message))
        self.repairs = repairs


class Work:
    """A document that a gesture changes, with the edits so far."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.document: Document = draft.document
        self.edits: list[Edit] = []
        self.back: list[Edit] = []
        self.also: list[str] = []
        self.words = ""

    # -- writing -------------------------------------------------------------------------------

    def do(self, edit: Edit) -> None:
        """Make an edit."""
        self.document, inverse = apply_one(self.document, edit)
        self.edits.append(edit)
        self.back.insert(0, inverse)

    def become(self, document: Document) -> None:
        """Make all edits that lead to another document."""
        for edit in difference(self.document, document):
            self.do(edit)

    def set(self, place: Place, **fields: Any) -> None:
        """Set fields of what is at a place; None leaves a field out."""
        entry = entry_at(self.document, place)
        if not is_table(entry) or (place[0] in ("part", "channel") and "seen" not in entry):
            section = NAMED.get(place[0], "")
            entry = full(section, entry)
            if all(entry.get(key) == value for key, value in fields.items()):
                return
            made = entry | fields
            made = {key: value for key, value in made.items() if value is not None}
            self.do(Set(place, "", made))
            return
        for key, value in fields.items():
            if cast(Document, entry).get(key) != value:
                self.do(Set(place, key, value))

    def note(self, sentence: str) -> None:
        """Say what else was changed."""
        sentence = capitalized(sentence)
        if sentence not in self.also:
            self.also.append(sentence)

    # -- reading -------------------------------------------------------------------------------

    @property
    def seats(self) -> list[str]:
        """The names of all seats, in order; of a family one."""
        return [*self.document["seats"]]

    def table(self, section: str) -> Document:
        """Return a section, such as ``"choices"``."""
        return self.document.get(section, {})

    def place(self, kind: str, name: str) -> Place:
        """Return the place of a named thing."""
        names = names_of_kind(self.document, kind)
        if name not in names:
            raise EditError(f"There is no {kind} {show(name)}.{did_you_mean(name, names)}")
        return (kind, names.index(name))

    def entry(self, kind: str, name: str) -> dict[str, Any]:
        """Return a named thing with its fields."""
        if kind == "stage":
            return entry_at(self.document, self.place(kind, name))
        return full(SECTION_OF[kind], entry_at(self.document, self.place(kind, name)))

    def add(self, kind: str, name: str, thing: Any, at: int = -1) -> None:
        """Add a named thing, by default after the others of its kind."""
        number = len(self.table(NAMED[kind])) if at < 0 else at
        self.do(Add((kind, number), thing, name))

    def said(self, way: str, value: Any) -> str:
        """Return a name in words, for what is said about a change."""
        return phrase(self.document, way, value)

    def turns(self, stage: int) -> list[Document]:
        """Return the turns of a stage."""
        return self.document["stages"][stage]["turns"]

    def seen(self, kind: str, name: str) -> dict[str, str]:
        """Return since when which seats see something."""
        return seen_by(self.document, SECTION_OF[kind], name)

    def set_seen(self, kind: str, name: str, times: Mapping[str, str]) -> None:
        """Set who sees something, and since when."""
        entry = self.entry(kind, name)
        own = entry.get("each")
        shown = {seat: since for seat, since in times.items() if seat != own or since != "start"}
        seen = written_seen(self.document, shown, entry.get("by", ""))
        usual = own is not None and not shown
        self.set(self.place(kind, name), seen=None if usual and "seen" not in entry else seen)

    # -- acts ----------------------------------------------------------------------------------

    def actors(self, stage: int, turn: int) -> list[str]:
        """Return who acts in a turn."""
        return [key for key in self.turns(stage)[turn] if self.is_seat(key)]

    def is_seat(self, key: str) -> bool:
        """Return whether a key of a turn is a seat or chance."""
        return key != "then" and (key != "copy" or "copy" in self.document["seats"])

    def acts(self, seat: str, stage: int, turn: int) -> list[Act]:
        """Return what a seat does in a turn, one act for each case; empty if it does nothing."""
        own = self.turns(stage)[turn]
        return acts_of(own[seat]) if seat in own else []

    def set_acts(self, seat: str, stage: int, turn: int, acts: Sequence[Act]) -> None:
        """Set what a seat does in a turn."""
        actors = self.actors(stage, turn)
        if seat not in actors:
            if acts:
                order = [*self.seats, CHANCE]
                before = [other for other in actors if order.index(other) < order.index(seat)]
                place = ("act", stage, turn, len(before))
                self.do(Add(place, written_acts(acts), seat))
            return
        place = ("act", stage, turn, actors.index(seat))
        if not acts:
            self.do(Remove(place))
        elif [*acts] != self.acts(seat, stage, turn):
            self.do(Set(place, "", written_acts(acts)))

    def change_acts(self, change: Callable[[str, int, int, Act], Act | None]) -> bool:
        """Change every act, or drop those for which there is None; return whether any changed."""
        before = len(self.edits)
        for s, stage in enumerate(self.document["stages"]):
            for t in range(len(stage["turns"])):
                for seat in self.actors(s, t):
                    made = (change(seat, s, t, dict(act)) for act in self.acts(seat, s, t))
                    self.set_acts(seat, s, t, [act for act in made if act is not None])
        return len(self.edits) > before


# -- gestures --------------------------------------------------------------------------------------


@displayed
@dataclass(frozen=True)
class Gesture:
    """A gesture: what it is called, what it does in words, and what it takes."""

    name: str
    words: str
    about: str
    function: Callable[..., None]

    @cached_property
    def parameters(self) -> Parameters:
        """What its arguments may be."""
        return Parameters.of(self.function)

    def said(self, document: Document, arguments: Mapping[str, Any]) -> str:
        """Return what it does with these arguments, in words."""
        ways = self.parameters.checks
        kind = str(arguments.get("kind", ""))
        values = {**self.parameters.usual, **arguments}
        names = {
            name: phrase(document, ways[name][1], value, kind)
            for name, value in values.items()
            if f"{{{name}}}" in self.words and value is not None
        }
        return self.words.format_map(_Words(names))


class _Words(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "…"


GESTURES: dict[str, Gesture] = {}


def gesture(words: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function as a gesture, with what it does in words."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        name = function.__name__.rstrip("_")
        about = (function.__doc__ or "").partition("\n\n")[0]
        GESTURES[name] = Gesture(name, words, " ".join(about.split()), function)
        return function

    return register


def do(draft: Draft, name: object, arguments: object = None) -> Result:
    """Make a gesture; never raises for what a person or a browser can send.

    Parameters
    ----------
    draft : Draft
    name : str
        The name of a gesture.
    arguments : mapping, optional
    """
    work = Work(draft)
    known = GESTURES.get(name) if isinstance(name, str) else None
    if known is None:
        hint = did_you_mean(name, GESTURES) if isinstance(name, str) else ""
        return Result(draft, refused=Refusal(f"There is no gesture {show(name)}.{hint}"))
    given: Mapping[str, Any] = {}
    try:
        given = known.parameters.checked(draft.document, arguments or {})
        work.words = known.said(draft.document, given)
        known.function(work, **given)
        made = Draft.made(work.document) if work.edits else draft
    except SpecError as error:
        return Result(draft, work.words, refused=_refusal(error, work, known.name, given))
    except EditError as error:
        repairs = error.repairs if isinstance(error, RefusedError) else ()
        return Result(draft, work.words, refused=Refusal(str(error), (), repairs))
    return Result(made, work.words, tuple(work.edits), tuple(work.back), tuple(work.also))


def _refusal(error: SpecError, work: Work, name: str, arguments: Mapping[str, Any]) -> Refusal:
    mistakes = error.mistakes
    if len(mistakes) == 0:
        return Refusal(str(error))
    places = f" ({len(mistakes)} places would be wrong.)" if len(mistakes) > 1 else ""
    first = mistakes[0]
    try:
        place = _place_words(work.document, first.path)
    except (AttributeError, LookupError, TypeError, ValueError):
        # The document is wrong, in whatever way.
        place = first.place
    at = f"{capitalized(place)}: " if place else ""
    message = f"{at}{first.said} {first.remedy}".strip() + places
    repairs = [repair for each in mistakes for repair in _repairs(each, work, name, arguments)]
    return Refusal(message, mistakes, tuple(repairs))


def _place_words(document: Document, path: Path) -> str:
    """Return a place of a document in the words of its picture: "turn 2 of “closing”"."""
    match path:
        case ("stages", int(stage), "turns", int(turn), *rest) if stage < len(document["stages"]):
            place = f"turn {turn + 1} of {phrase(document, 'stage', stage)}"
            seats = [key for key in rest[:1] if key in document["seats"]]
            return ", ".join([place, *(phrase(document, "seat", seat) for seat in seats)])
        case ("stages", int(stage), *_) if stage < len(document["stages"]):
            return phrase(document, "stage", stage)
        case ("pay" | "limits" as section, int(number), *_):
            return f"{'payment' if section == 'pay' else 'limit'} {number + 1}"
        case ("seats", str(seat), *_) if seat in document["seats"]:
            return phrase(document, "seat", seat)
        case ("parts" | "channels" | "choices" | "values" | "settings", str(name), *_):
            return phrase(document, "choice", name)
        case (str(section), *_):
            return section
        case _:
            return ""


def _repairs(mistake: Mistake, work: Work, name: str, arguments: Mapping[str, Any]) -> list[Repair]:
    """Return the gesture with what a correction writes, instead of an argument that is wrong."""
    fix, wrong = mistake.fix, _at(work.document, mistake.path)
    if fix is None or fix.of == "list":
        return []
    for key, value in arguments.items():
        if not isinstance(value, str) or value not in (wrong, mistake.name):
            continue
        new: Any = value.replace(mistake.name, fix.text) if mistake.name else None
        if fix.of == "value":
            new = _read(fix.text)
        elif mistake.span is not None:
            start, end = mistake.span
            new = value[:start] + fix.text + value[end:]
        if new not in (None, value):
            return [Repair(fix.said, name, {**arguments, key: new})]
    return []


def _at(document: Any, path: Path) -> Any:
    """Return what is at a place of a document, as far as it is there."""
    for part in path:
        if is_table(document):
            document = document.get(str(part))
        elif is_list(document) and isinstance(part, int) and part < len(document):
            document = document[part]
        else:
            return None
    return document


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
