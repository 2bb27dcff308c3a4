"""Gestures about seats, channels, parts of the task and settings: add, name, order, remove."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from nip_core.displays import name_in_words
from nip_core.editing.arguments import (
    AnyKind,
    AnyName,
    Condition,
    Flag,
    Members,
    Name,
    Number,
    Plain,
    SeatName,
    SeatNames,
    Title,
    Words,
)
from nip_core.editing.edits import Move, Remove, Rename, Set, count_at
from nip_core.editing.forms import full, is_list, is_table, names_of
from nip_core.editing.meaning import EXPRESSION, renamed_in, rewritten
from nip_core.editing.naming import (
    fresh,
    has_name,
    is_family,
    names_of_kind,
    slug,
    taken_names,
)
from nip_core.editing.removing import without
from nip_core.editing.work import Work, gesture
from nip_core.errors import EditError, show
from nip_core.language.structure import FOR_PEOPLE
from nip_core.language.syntax import parse

__all__ = ["deciders", "remove"]

# Who is usually last, as on the pages of protocols.
_LAST = ("verifier", "judge")


def deciders(work: Work) -> list[str]:
    """Return the seats that make choices and argue for nothing, as a judge does."""
    by = {choice["by"] for choice in work.table("choices").values()}
    seats = ((name, full("seats", seat)) for name, seat in work.table("seats").items())
    return [name for name, seat in seats if name in by and "argues" not in seat]


@gesture("add the seat {title}")
def add_seat(work: Work, title: Title = "Prover", at: Plain = None) -> None:
    """Add a seat, which sees whatever everybody sees. The seat that decides stays last."""
    titles = [full("seats", seat).get("title") for seat in work.table("seats").values()]
    number, wanted = 2, title
    while title in titles:
        title, number = f"{wanted} {number}", number + 1
    name = fresh(work.document, title)
    last = work.seats[-1]
    place = len(work.seats) - (last in deciders(work) or last in _LAST)
    if at is not None:
        if type(at) is not int or not 0 <= at <= len(work.seats):
            raise EditError(f"{show(at)} is no place among {len(work.seats)} seats.")
        place = at
    work.add("seat", name, {"title": title}, place)
    work.words = f"add the seat “{title}”"


@gesture("make {count} of {seat}")
def several(work: Work, seat: SeatName, count: Members) -> None:
    """Say how many of a seat there are, such as three jurors, each with its own choices."""
    family = is_family(work.document, "seat", seat)
    number = None if count == 1 and not family else count
    setting = work.entry("seat", seat).get("count")
    if isinstance(setting, str):
        place = work.place("setting", setting)
        work.do(Set(place, "", count))
        return
    work.set(work.place("seat", seat), count=number)
    if family or count == 1:
        return
    own = [name for name, choice in work.table("choices").items() if choice["by"] == seat]
    if own:
        votes = " and ".join(f"“{name_in_words(name)}”" for name in own)
        work.note(f"each of the {count} now has a choice {votes} of its own.")
        _of_all(work, seat, own)


def _of_all(work: Work, seat: str, choices: list[str]) -> None:
    """Let others go by what most of several seats choose, where it was one that chose.

    What is about a seat of the family itself, such as its pay, stays about its own choice.
    """
    document, all_of = work.document, dict[str, str]()
    for name in choices:
        options = document["choices"][name]["options"]
        words = is_list(options) and isinstance(options[0], str)
        all_of[name] = f"{'majority' if words else 'mean'}({name})"

    def change(kinds: tuple[str, ...], text: str) -> str:
        return renamed_in(text, all_of) if EXPRESSION in kinds else text

    made = rewritten(document, change)
    for s, stage in enumerate(document["stages"]):
        for t, turn in enumerate(stage["turns"]):
            if seat in turn:
                made["stages"][s]["turns"][t][seat] = turn[seat]
    for number, rule in enumerate(document.get("pay", [])):
        if seat in names_of(rule["to"]):
            made["pay"][number] = rule
    for name, value in document.get("values", {}).items():
        if is_table(value) and "at" not in value and "is" not in value:
            # What is collected from a choice is still collected when that is made.
            own = next((text for key, text in value.items() if key not in ("seen", "each")), "")
            made["values"][name] |= {"at": own} if own in all_of else {}
    if made != document:
        work.become(made)
        work.note("where their choice matters to others, it is now that of most, or the mean.")


@gesture("add the channel {title}")
def add_channel(work: Work, title: Title = "Main", seats: SeatNames = None) -> None:
    """Add a channel that everyone reads, or some seats."""
    _add_seen(work, "channel", title, seats)


@gesture("add the part {title} to the task")
def add_part(
    work: Work, title: Title = "passage", seats: SeatNames = None, quotable: Flag = False
) -> None:
    """Add a part of the task that everyone sees, or some seats. Quotes from it can be checked."""
    name = _add_seen(work, "part", title, seats)
    if quotable:
        work.set(work.place("part", name), quotable=True)


def _add_seen(work: Work, kind: str, title: str, seats: list[str] | None) -> str:
    name = fresh(work.document, title)
    work.add(kind, name, {"seen": "everyone" if seats is None else seats})
    _keep_title(work, name, title)
    return name


def _keep_title(work: Work, name: str, title: str) -> None:
    """Keep a title that is not what people get for the name anyway."""
    if name_in_words(name).casefold() != title.casefold():
        work.add("title", name, title)


@gesture("call {name} {title}")
def call(work: Work, kind: AnyKind, name: AnyName, title: Title) -> None:
    """Give something a name for people. A name that was made from the old one follows."""
    if kind == "seat":
        old = work.entry("seat", name).get("title") or name_in_words(name)
        work.set(work.place("seat", name), title=title)
    else:
        titles = work.table("titles")
        old = titles.get(name, name_in_words(str(name)))
        if name in titles:
            work.do(Remove(("title", [*titles].index(name))))
    made_of_title = re.fullmatch(rf"{re.escape(slug(old))}(_\d+)?", str(name)) is not None
    if made_of_title and slug(title) != slug(old) and isinstance(name, str):
        new = fresh(work.document, title)
        work.do(Rename(kind, name, new))
        name = new
    if kind != "seat" and name_in_words(str(name)).casefold() != title.casefold():
        work.add("title", name, title)


@gesture("rename {name} to {new}")
def rename(work: Work, kind: AnyKind, name: AnyName, new: Name) -> None:
    """Change a name in the document, wherever it is used. Titles are what people see."""
    if new == name:
        return
    if new in taken_names(work.document):
        other = fresh(work.document, new)
        raise EditError(f"The name {show(new)} is used for something else; {other!r} is free.")
    work.do(Rename(kind, name, new))


@gesture("call the protocol {title}")
def call_protocol(work: Work, title: Title) -> None:
    """Give the protocol a name for people, and a name for files that follows from it."""
    work.set(("protocol",), name=slug(title))
    given = title if name_in_words(slug(title)).casefold() != title.casefold() else None
    if given is not None or "title" in work.document:
        work.set(("protocol",), title=given)


@gesture("write what the protocol is for")
def describe(work: Work, field: Plain, text: Words) -> None:
    """Set a text for people: the source, the family, what it is about, what was simplified."""
    if field not in FOR_PEOPLE:
        raise EditError(f"There is no text called {show(field)}; there is {', '.join(FOR_PEOPLE)}.")
    if text or field in work.document:
        work.set(("protocol",), **{field: text or None})


@gesture("move {name} to place {to}")
def reorder(work: Work, kind: AnyKind, name: AnyName, to: Plain) -> None:
    """Move something among those of its kind: the order of seats is that of the picture."""
    if kind == "option":
        raise EditError("The order of options is that of their list.")
    count = len(names_of_kind(work.document, kind))
    if type(to) is not int or not 0 <= to < count:
        raise EditError(f"{show(to)} is no place among {count}.")
    place = work.place(kind, name)
    if place[1] != to:
        work.do(Move(place, (kind, to)))
    work.words = f"move {work.said('any' if kind != 'seat' else 'seat', name)} to place {to + 1}"


@gesture("remove {name}")
def remove(work: Work, kind: AnyKind, name: AnyName) -> None:
    """Remove something, and whatever mentions it. Of a setting, its number stays in its place."""
    if kind == "setting":
        _freeze(work, name)
        work.do(Remove(work.place("setting", name)))
        return
    made, also = without(work.document, kind, name)
    work.become(made)
    for sentence in also:
        work.note(sentence)


def _freeze(work: Work, name: str) -> None:
    """Write a setting's number wherever it is used."""
    number = Fraction(str(work.table("settings")[name]))
    whole = number.denominator == 1
    text = str(number) if whole and number >= 0 else f"({number.numerator} / {number.denominator})"

    def change(kinds: tuple[str, ...], own: str) -> Any:
        if EXPRESSION in kinds:
            return _replaced(own, name, text)
        return int(number) if "setting" in kinds and len(kinds) == 1 and own == name else own

    # The key of the table is not one of its uses.
    settings = work.table("settings")
    without_it = {key: own for key, own in work.document.items() if key != "settings"}
    made = rewritten(without_it, change)
    order = [*work.document]
    work.become({key: settings if key == "settings" else made[key] for key in order})


def _replaced(expression: str, name: str, text: str) -> str:
    nodes = [n for n in parse(expression).nodes() if n.op == "name" and n.name == name]
    for node in sorted(nodes, key=lambda node: -node.at):
        expression = expression[: node.at] + text + expression[node.at + len(name) :]
    return expression


@gesture("remove rule {number}")
def remove_rule(work: Work, kind: Plain, number: Plain) -> None:
    """Remove a payment or a limit."""
    if not isinstance(kind, str) or kind not in ("pay", "limit"):
        raise EditError(f"{show(kind)} is neither pay nor limit.")
    count = count_at(work.document, kind)
    if type(number) is not int or not 0 <= number < count:
        raise EditError(f"There is no {kind} of number {show(number)}; there are {count}.")
    work.words = f"remove {'payment' if kind == 'pay' else 'limit'} {number + 1}"
    work.do(Remove((kind, number)))


@gesture("let {seat} argue for {side}")
def argue(work: Work, seat: SeatName, side: Condition) -> None:
    """Say which answer a seat argues for, or "none"; the seat is told."""
    if side in ("none", ""):
        work.words = f"let {work.said('seat', seat)} argue for nothing"
    work.set(work.place("seat", seat), argues=None if side in ("none", "") else side)


@gesture("let {seats} know the truth")
def know_truth(work: Work, seats: SeatNames = None) -> None:
    """Say which seats know what is true; left out, it is worked out from who argues."""
    if seats is None:
        work.words = "let those who argue know the truth"
    elif not seats:
        work.words = "let nobody know the truth"
    work.set(("protocol",), experts=seats)


@gesture("hide who {seat} is")
def hide_name(work: Work, seat: SeatName, on: Flag = True) -> None:
    """Show a seat's messages without its name, or with it."""
    if not on:
        work.words = f"show the name of {work.said('seat', seat)}"
    work.set(work.place("seat", seat), anonymous=True if on else None)


@gesture("set {name} to {value}")
def set_setting(work: Work, name: Name, value: Number) -> None:
    """Set a number that others can change, or add it."""
    if has_name(work.document, "setting", name):
        if work.table("settings")[name] != value:
            work.do(Set(work.place("setting", name), "", value))
        return
    made = fresh(work.document, name)
    work.add("setting", made, value)
    _keep_title(work, made, name)
