"""What stands where in a document: names of seats, channels and so on, and expressions.

One description of all fields serves renaming, removing what mentions something that is gone, and
listing the names in use. Fields that it does not know, since they are new, hold names wherever they
hold a text that is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from nip_core.editing.forms import ALL, Document, acts_of, is_list, is_table, written_acts
from nip_core.errors import SpecError
from nip_core.language.syntax import SyntaxNode, parse

__all__ = [
    "ANY",
    "DROP",
    "EXPRESSION",
    "INSIDE",
    "SINCE",
    "Change",
    "names_in",
    "renamed_in",
    "rewritten",
]

EXPRESSION = "expression"
# Since when something is seen; a stage that is a way out of a turn is none.
SINCE = "since"
# What expressions name; others stand in them only as families, after `in`.
INSIDE = ("choice", "option", "setting", "value", "label")
# What a change returns for what cannot stay.
DROP: Any = object()
ANY = ("seat", "channel", "choice", "part", "value", "stage", "setting", "option", "label")
Change = Callable[[tuple[str, ...], str], Any]
"""Gets the kinds of thing that a name may be, and the name; returns the new one, or `DROP`."""
Shape = Callable[[Any, Change], Any]


def _plain(value: Any, change: Change) -> Any:
    return value


def _name(*kinds: str) -> Shape:
    return lambda value, change: change(kinds, value) if isinstance(value, str) else value


def _several(shape: Shape, *, empty: Any = DROP) -> Shape:
    """Describe one value or a list, of which items can go; without any, `empty` is left."""

    def several(value: Any, change: Change) -> Any:
        if not is_list(value):
            return shape(value, change)
        listed = [shape(item, change) for item in value]
        kept = [item for item in listed if item is not DROP]
        return kept if kept or not value else empty

    return several


def _keyed(key: Shape, value: Shape = _plain, *, empty: Any = DROP) -> Shape:
    """Describe a table whose keys are names."""

    def keyed(table: Any, change: Change) -> Any:
        if not is_table(table):
            return _several(key, empty=empty)(table, change)
        entries = table.items()
        pairs = [(key(name, change), value(own, change)) for name, own in entries]
        kept = {name: own for name, own in pairs if name is not DROP and own is not DROP}
        return kept if kept or not table else empty

    return keyed


def _unknown(value: Any, change: Change) -> Any:
    if isinstance(value, str):
        return change(ANY, value)
    if is_table(value):
        return _keyed(_unknown, _unknown)(value, change)
    return _several(_unknown)(value, change) if is_list(value) else value


def _fields(*needs: str, short: Shape = _plain, **shapes: Shape) -> Shape:
    """Describe a table with fields; without one that it needs, it cannot stay."""

    def fields(value: Any, change: Change) -> Any:
        if not is_table(value):
            return short(value, change)
        made: dict[str, Any] = {}
        for key, own in value.items():
            new = shapes.get(key, _unknown)(own, change)
            if new is not DROP:
                made[key] = new
            elif key in needs:
                return DROP
        return made

    return fields


def _options(value: Any, change: Change) -> Any:
    if is_table(value):
        return _fields(**dict.fromkeys(("from", "to", "step"), _COUNT))(value, change)
    return value if value == ALL else _several(_name("option"))(value, change)


def _acts(value: Any, change: Change) -> Any:
    """Change the acts of a seat; a condition that cannot stay ends a case of several."""
    dropped: list[str] = []

    def noting(kinds: tuple[str, ...], text: str) -> Any:
        new = change(kinds, text)
        dropped.extend([text] if new is DROP else [])
        return new

    # As long as all of it stays, it stays in its form.
    in_form = _several(lambda act, own: (_ACT if is_table(act) else _CHANNELS)(act, own))
    as_written = in_form(value, noting)
    if not dropped:
        return as_written
    acts = acts_of(value)
    made = [_ACT(act, change) for act in acts]
    kept: list[dict[str, Any]] = []
    for before, after in zip(acts, made, strict=True):
        says, chooses = "say" in after or "may_say" in after, "choose" in after
        lost_case = "when" in before and "when" not in after and len(acts) > 1
        if lost_case or not (says or chooses):
            continue
        if not (says and chooses):
            after.pop("silent", None)
        if len(before.get("choose", ())) != len(after.get("choose", ())):
            after.pop("total", None)
        if len(after.get("say", after.get("may_say", ()))) + len(after.get("choose", ())) < 2:
            after.pop("apart", None)
        kept.append(after)
    return written_acts(kept) if kept else DROP


def _turn(value: Any, change: Change) -> Any:
    made: dict[str, Any] = {}
    for key, own in value.items():
        if key == "then":
            name, new = key, _keyed(_name("stage"), _EXPRESSION)(own, change)
        elif key == "copy" and is_table(own):
            name, new = key, _keyed(_name("channel"), _COPIED)(own, change)
        else:
            name = change(("seat",), key)
            new = DROP if name is DROP else _acts(own, change)
        if name is not DROP and new is not DROP:
            made[name] = new
    return made


_EXPRESSION = _name(EXPRESSION)
_COPIED = _name("copied", EXPRESSION)
_COUNT = _name("setting")
_CHANNELS, _CHOICES = _several(_name("channel")), _several(_name("choice"))


def _seen(value: Any, change: Change) -> Any:
    if isinstance(value, str):
        return change(("stage", SINCE), value)
    return _keyed(_name("seat"), _name("stage", SINCE), empty=[])(value, change)


def _weights(value: Any, change: Change) -> Any:
    made = [_EXPRESSION(weight, change) for weight in value]
    return DROP if DROP in made else made


_ACT = _fields(
    say=_CHANNELS,
    may_say=_CHANNELS,
    choose=_keyed(_name("choice"), _options),
    when=_EXPRESSION,
    silent=_EXPRESSION,
    total=_COUNT,
)
_OWN = {"seen": _seen, "count": _COUNT, "each": _name("seat")}
_LINE = _fields("each", quotable=_plain, **_OWN)


def _line(value: Any, change: Change) -> Any:
    """Change a part or channel, which may be written as only who sees it."""
    named = is_table(value) and ("seen" in value or "each" in value)
    return (_LINE if named else _seen)(value, change)


_WAYS = dict.fromkeys(("is", "max", "min", "sum", "count", "first", "last"), _EXPRESSION)
_ALL_NAMED = ("part", "channel", "choice", "value", "option", "stage", "setting")
_SECTIONS: dict[str, Shape] = {
    **dict.fromkeys(("format", "name", "title", "source", "family", "about", "simplified"), _plain),
    "settings": _keyed(_name("setting")),
    "labels": _several(_name("label")),
    "titles": _keyed(_name(*_ALL_NAMED)),
    "roles": _fields(
        truth=_name("choice"),
        verdict=_CHOICES,
        go_on=_keyed(_name("choice"), _name("option")),
        estimates=_keyed(_name("choice"), _EXPRESSION),
    ),
    "verdict": _EXPRESSION,
    "experts": _several(_name("seat"), empty=[]),
    "seats": _keyed(
        _name("seat"), _fields(title=_plain, argues=_EXPRESSION, anonymous=_plain, count=_COUNT)
    ),
    "parts": _keyed(_name("part"), _line),
    "channels": _keyed(_name("channel"), _line),
    "choices": _keyed(
        _name("choice"),
        _fields(
            *("by", "options", "each"),
            by=_name("seat"),
            options=_options,
            weights=_weights,
            truth_of=_plain,
            draw=_plain,
            **_OWN,
        ),
    ),
    "values": _keyed(
        _name("value"),
        _fields(*_WAYS, "at", "each", short=_EXPRESSION, at=_CHOICES, **(_OWN | _WAYS)),
    ),
    "stages": _several(
        _fields("name", name=_name("stage"), times=_COUNT, turns=_several(_turn)), empty=[]
    ),
    "pay": _several(
        _fields(
            *("to", "amount", "when", "at"),
            to=_keyed(_name("seat")),
            amount=_EXPRESSION,
            when=_EXPRESSION,
            at=_name("seat", "choice"),
        )
    ),
    "limits": _several(
        _fields(
            *("seat", "of", "option"),
            seat=_several(_name("seat")),
            of=_name("choice"),
            most=_COUNT,
            per=_plain,
            option=_name("option"),
        )
    ),
}


def rewritten(document: Document, change: Change) -> dict[str, Any]:
    """Return a document with all of its names and expressions changed."""
    made: dict[str, Any] = {}
    for key, value in document.items():
        new = _SECTIONS.get(key, _unknown)(value, change)
        if new is not DROP:
            made[key] = new
    return made


# -- expressions -----------------------------------------------------------------------------------


def _named(node: SyntaxNode, bound: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Yield what an expression names, with its place, without numbers that `for` goes through."""
    if node.op in ("name", "item") and node.name not in bound:
        yield node.at, node.name
    if node.op == "for":
        body, among, *conditions = node.args
        yield from _named(among, bound)
        for part in (body, *conditions):
            yield from _named(part, bound | {node.name})
        return
    for part in node.args:
        yield from _named(part, bound)


@lru_cache(maxsize=4_096)
def _places(text: str) -> tuple[tuple[int, str], ...]:
    try:
        return tuple(_named(parse(text)))
    except SpecError:
        return ()


def names_in(text: object) -> set[str]:
    """Return the names in an expression."""
    return {name for _, name in _places(text)} if isinstance(text, str) else set()


def renamed_in(text: str, new: Mapping[str, str]) -> str:
    """Return an expression with other names."""
    for at, name in sorted(_places(text), reverse=True):
        if name in new:
            text = text[:at] + new[name] + text[at + len(name) :]
    return text
