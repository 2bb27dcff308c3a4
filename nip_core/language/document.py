"""Reading and writing protocols of version 2 as plain documents (JSON, or TOML for people).

The format is described by ``nip_core/language/protocol-spec-2.json``, the expressions in it by
:mod:`nip_core.language.syntax`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import Any, Literal, TypeVar, cast

from nip_core.budget import DECLARATIONS, TURNS, for_document, spend
from nip_core.documents import Limits, parse_json, parse_toml, read_text
from nip_core.errors import SpecError, nearest, show
from nip_core.language.collecting import Mistakes, collecting, report, skip
from nip_core.language.data import (
    ALWAYS,
    COLLECTED,
    END,
    IS,
    NEVER,
    Act,
    Channel,
    Choice,
    ComputedValue,
    Count,
    Grid,
    Limit,
    Option,
    Part,
    Pay,
    Seat,
    Stage,
    StatedRoles,
    Turn,
)
from nip_core.language.families import written_out
from nip_core.language.seeing import EVERYONE, Readers
from nip_core.language.slips import explained
from nip_core.language.structure import FOR_PEOPLE, Structure
from nip_core.mistakes import Fix, Path, written

__all__ = ["FORMAT", "SPECIFICATION", "dump", "load", "parsed", "schema"]

FORMAT = "nip-protocol/2"
# If one of these cannot be read, all names in it are unknown.
# What makes a family of an entry; see `families`, which writes out its members.
FAMILY = ("count", "each")
SECTIONS = ("settings", "seats", "parts", "channels", "choices", "values", "stages")
ALL, THEN, COPY, MAY = "all", "then", "copy", "may_say"
# What people write for true and false.
_FLAGS = {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false"}
# Enough for documents by people, and for version 1's largest schedules written by programs.
SPECIFICATION = Limits(size=2_000_000, values=200_000, depth=20, digits=60)

_T = TypeVar("_T")
_S = TypeVar("_S", bound=Structure)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document of version 2."""
    from importlib import resources

    path = resources.files("nip_core.language") / "protocol-spec-2.json"
    return json.loads(path.read_text("utf-8"))


# -- reading -----------------------------------------------------------------------------------


def parsed(
    text: str | bytes, read: Callable[[str, Limits, type[SpecError]], Any] | None = None
) -> tuple[Any, str]:
    """Return the plain document in a text, and the text.

    Parameters
    ----------
    text : str or bytes
    read : callable, optional
        The reader; by default of JSON if the text begins with a brace, else of TOML.
    """
    text = read_text(text, SPECIFICATION, SpecError)
    if read is None:
        read = parse_json if text.lstrip()[:1] == "{" else parse_toml
    try:
        return read(text, SPECIFICATION, SpecError), text
    except SpecError as error:
        raise explained(text, error) from None


def load(
    document: object,
    kind: type[_S],
    settings: Mapping[str, object] | None = None,
    text: str = "",
) -> _S:
    """Build a protocol from a plain document.

    Parameters
    ----------
    document : object
    kind : type
        The class to build.
    settings : mapping of str to number, optional
        Values that replace the document's own.
    text : str
        The text that the document was read from, for the lines of mistakes.

    Raises
    ------
    SpecError
        If it is invalid; has all mistakes, with their places and what is allowed there.
    """
    if not isinstance(document, Mapping):
        raise SpecError("The document must be an object.")
    top = cast("Mapping[str, Any]", document)
    listed = top.get("stages")
    stages = cast("list[object]", listed) if isinstance(listed, list) else []
    names = [
        cast("Mapping[str, object]", stage).get("name") if isinstance(stage, Mapping) else None
        for stage in stages
    ]
    with for_document(), collecting(top.get("name"), names, text) as mistakes:
        fields = _fields(top, settings, mistakes)
        return kind(**fields)


def _fields(
    document: Mapping[str, Any], settings: Mapping[str, object] | None, mistakes: Mistakes
) -> dict[str, Any]:
    """Return the fields of a protocol."""
    required = ("name", "seats", "stages")
    optional = ("format", *FOR_PEOPLE, "settings", "parts", "channels", "choices", "verdict")
    optional = (*optional, "experts", "labels", "values", "pay", "limits", "roles", "titles")
    top = _object(document, (), required, optional)
    if top.get("format", FORMAT) != FORMAT:
        report(
            ("format",),
            f"it is {show(top['format'])}; this reads {FORMAT!r}.",
            "Leave it out, or update this program if the file is newer.",
            fix=Fix(f"Write {FORMAT}", written(FORMAT)),
        )
    numbers = {
        name: _number(value, ("settings", name))
        for name, value in _mapping(top.get("settings", {}), ("settings",)).items()
    }
    for name, value in (settings or {}).items():
        if name not in numbers:
            known = ", ".join(numbers) or "none"
            raise SpecError(f"There is no setting {show(name)}; there is {known}.")
        numbers[name] = _number(value, ("settings", name))
    made = written_out(top, numbers)
    top, mistakes.source = made.document, made
    seats = tuple(
        _load_seat(name, value) for name, value in _mapping(top.get("seats"), ("seats",)).items()
    )
    names = [seat.name for seat in seats]
    stages = _items(top.get("stages"), ("stages",), partial(_load_stage, seats=names))
    readers = Readers(names, [stage.name for stage in stages])

    def declared(key: str, load_one: Callable[[str, object, Readers], _T]) -> dict[str, _T]:
        declarations = _mapping(top.get(key, {}), (key,))
        return {name: load_one(name, value, readers) for name, value in declarations.items()}

    parts, channels = declared("parts", _load_part), declared("channels", _load_channel)
    choices = declared("choices", _load_choice)
    values = {
        name: _load_value(name, value, readers, choices)
        for name, value in _mapping(top.get("values", {}), ("values",)).items()
    }
    limits = _items(top.get("limits", []), ("limits",), _load_limits)
    mistakes.limits = [number for number, alike in enumerate(limits) for _ in alike]
    fields = {
        "name": _text(top.get("name"), ("name",)),
        **{name: _text(top.get(name, ""), (name,)) for name in FOR_PEOPLE},
        "seats": seats,
        "parts": tuple(parts.values()),
        "channels": tuple(channels.values()),
        "values": tuple(values.values()),
        "stages": stages,
        "verdict": _expression(top.get("verdict", "none"), ("verdict",)),
        "pay": _items(top.get("pay", []), ("pay",), _load_pay),
        "limits": tuple(limit for alike in limits for limit in alike),
        "stated_roles": _load_roles(top.get("roles", {}), top.get("experts")),
        "labels": _names(top.get("labels", []), ("labels",)),
        "families": made.families,
        "written_out": bool(made.families or made.changed),
        "short": _short(document, numbers) if made.families or made.changed else "",
        "titles": tuple(
            (name, _text(title, ("titles", name)))
            for name, title in _mapping(top.get("titles", {}), ("titles",)).items()
        ),
    }
    # What is said about a name does not matter as long as its declaration cannot be read.
    mistakes.unusable |= {name for name in numbers if mistakes.hit(("settings", name))}
    mistakes.unusable |= {name for name in choices if mistakes.hit(("choices", name, "options"))}
    mistakes.unusable |= {name for name in values if mistakes.hit(("values", name))}
    if any(mistakes.covers((section,)) for section in SECTIONS):
        raise mistakes.refusal()
    usable = {name: choice for name, choice in choices.items() if name not in mistakes.unusable}
    numbers = {name: n for name, n in numbers.items() if name not in mistakes.unusable}
    return {**fields, "settings": tuple(numbers.items()), "choices": tuple(usable.values())}


def _short(document: Mapping[str, Any], settings: Mapping[str, Fraction]) -> str:
    """Return a document as it was written, with the present values of its settings."""
    numbers = {name: _plain(value) for name, value in settings.items()}
    shown = {key: value for key, value in document.items() if key != "format"}
    return json.dumps(shown | ({"settings": numbers} if numbers else {}), ensure_ascii=False)


def _at(path: Path) -> str:
    return ".".join(map(str, path))


def _mapping(value: object, at: Path) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        report(at, f"it is {show(value)}, not an object.", "Write { name = ... }, with each name.")
        return {}
    mapping = cast("Mapping[str, Any]", value)
    spend(5 * len(mapping), DECLARATIONS, "{}", _at(at))
    return mapping


def _object(
    value: object, at: Path, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the known fields of an object; report the others, and those that are missing."""
    if not isinstance(value, Mapping):
        fields = ", ".join(f"{key} = ..." for key in required or optional[:2])
        report(at, f"it is {show(value)}, not an object.", f"Write {{ {fields} }}.")
        return {}
    given = cast("Mapping[str, Any]", value)
    known = (*required, *optional)
    missing = {key for key in required if key not in given}
    lacks_section = at == () and bool(missing)
    for key in given:
        if key in known:
            continue
        near = nearest(key, [name for name in known if name not in given])
        if near is None and lacks_section:
            # It probably belongs to the section whose header is missing.
            continue
        if near is not None:
            missing.discard(near)
            skip((*at, near))
        fields = f"The fields here are {', '.join(known)}."
        report(
            (*at, key),
            "there is no such field.",
            f"Did you mean {near!r}? {fields}" if near else fields,
            of="key",
            fix=Fix(f"Write {near}", near, of="span") if near else None,
        )
    for key in required:
        if key in missing:
            report((*at, key), "this field is missing.", f"Add `{key}`.")
    return {key: value for key, value in given.items() if key in known}


def _list(value: object, at: Path) -> list[Any]:
    if not isinstance(value, list | tuple):
        fix = Fix("Write it in square brackets", "", of="list")
        report(at, f"it is {show(value)}, not a list.", "Write it in square brackets.", fix=fix)
        return []
    return list(cast("list[Any]", value))


def _items(value: object, at: Path, load_one: Callable[[object, Path], _T]) -> tuple[_T, ...]:
    items = _list(value, at)
    spend(5 * len(items), TURNS, "{}", _at(at))
    return tuple(load_one(item, (*at, index)) for index, item in enumerate(items))


def _text(value: object, at: Path) -> str:
    if not isinstance(value, str):
        fix = None
        if isinstance(value, int | float):
            new = written(str(value).lower())
            fix = Fix(f"Write {new}", new)
        report(at, f"it is {show(value)}, not a text.", "Write a text in quotes.", fix=fix)
        return ""
    return value


def _names(value: object, at: Path) -> tuple[str, ...]:
    """Return one name, or a list of names."""
    if isinstance(value, str):
        return (value,)
    return tuple(_text(item, (*at, number)) for number, item in enumerate(_list(value, at)))


def _flag(value: object, at: Path) -> bool:
    if type(value) is not bool:
        meant = _FLAGS.get(str(value).casefold())
        fix = Fix(f"Write {meant}", meant) if meant else None
        remedy = "Write true or false, without quotes."
        report(at, f"it is {show(value)}, not true or false.", remedy, fix=fix)
        return False
    return value


def _number(value: object, at: Path) -> Fraction:
    """Read a number, or a text such as ``"1/3"``, exactly and not as a float."""
    text = str(value) if isinstance(value, int | float | Fraction) else value
    if not isinstance(value, bool) and isinstance(text, str) and len(text) <= 60:
        _, _, exponent = text.lower().partition("e")
        try:
            if not exponent or abs(int(exponent)) <= 400:
                return Fraction(text)
        except (ValueError, ZeroDivisionError):
            pass
    fix = None
    if isinstance(text, str) and re.fullmatch(r"\d{1,9}(?:\.\d{1,9})? ?%", text):
        new = written(str(Fraction(text.rstrip("% ")) / 100))
        fix = Fix(f"Write {new}", new)
    remedy = "Write a number, or a text such as '1/3'."
    report(at, f"it is {show(value)}, not a number.", remedy, fix=fix)
    return Fraction(0)


def _count(value: object, at: Path) -> Count:
    if type(value) is int or isinstance(value, str):
        return value
    message = f"it is {show(value)}, not a whole number."
    report(at, message, "Write a whole number, or the name of a setting.")
    return 1


def _expression(value: object, at: Path) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        message = f"it is {show(value)}, not an expression."
        report(at, message, "Write an expression in quotes, or a number.")
        return "none"
    return value


def _option(value: object, at: Path) -> Option:
    if type(value) is int or isinstance(value, str):
        return value
    remedy = "Write a name in quotes, or a whole number (percent instead of decimals)."
    report(at, f"it is {show(value)}, not an option.", remedy)
    return 0


def _options(value: object, at: Path) -> tuple[Option, ...]:
    if isinstance(value, str):
        names = [name.strip() for name in value.split(",")]
        fix = Fix(f"Write {written(names)}", written(names))
        report(at, f"it is {show(value)}, not a list.", "Write a list of options.", fix=fix)
        return ()
    options = _list(value, at)
    if options and all(isinstance(option, bool) for option in options):
        names = written(["yes" if option else "no" for option in options])
        remedy = "Write names, such as yes and no."
        report(at, "true and false are conditions.", remedy, fix=Fix(f"Write {names}", names))
        return ()
    return tuple(_option(item, (*at, number)) for number, item in enumerate(options))


def _weights(value: object, options: object, at: Path) -> tuple[str, ...]:
    if isinstance(value, Mapping) and isinstance(options, tuple):
        by_name = cast("Mapping[object, object]", value)
        fix = None
        if {*by_name} == {*cast("tuple[object, ...]", options)}:
            new = written([by_name[option] for option in cast("tuple[object, ...]", options)])
            fix = Fix(f"Write {new}", new)
        remedy = "Write a list, with one weight for each option, in their order."
        report(at, "it is an object, not a list.", remedy, fix=fix)
        return ()
    listed = enumerate(_list(cast("object", value), at))
    return tuple(_expression(weight, (*at, number)) for number, weight in listed)


def _load_seat(name: str, value: object) -> Seat:
    if isinstance(value, str):
        return Seat(name, title=value)
    at = ("seats", name)
    fields = _object(value, at, (), ("title", "argues", "anonymous", "count"))
    return Seat(
        name,
        _text(fields.get("title", ""), (*at, "title")),
        _expression(fields.get("argues", "none"), (*at, "argues")),
        _flag(fields.get("anonymous", False), (*at, "anonymous")),
    )


def _load_part(name: str, value: object, readers: Readers) -> Part:
    at = ("parts", name)
    if not (isinstance(value, Mapping) and "seen" in value):
        return Part(name, readers.read(cast(object, value), at))
    fields = _object(cast(object, value), at, ("seen",), ("quotable", *FAMILY))
    return Part(
        name,
        readers.read(fields.get("seen"), (*at, "seen")),
        _flag(fields.get("quotable", False), (*at, "quotable")),
    )


def _load_channel(name: str, value: object, readers: Readers) -> Channel:
    at = ("channels", name)
    if isinstance(value, Mapping) and "seen" in value:
        fields = _object(cast(object, value), at, ("seen",), FAMILY)
        return Channel(name, readers.read(fields.get("seen"), (*at, "seen")))
    return Channel(name, readers.read(cast(object, value), at))


def _load_choice(name: str, value: object, readers: Readers) -> Choice:
    at = ("choices", name)
    known = ("seen", "weights", "truth_of", "draw", *FAMILY)
    fields = _object(value, at, ("by", "options"), known)
    listed = fields.get("options")
    if isinstance(listed, Mapping):
        grid = _object(cast(object, listed), (*at, "options"), ("from", "to"), ("step",))
        ends = {"from": grid.get("from"), "to": grid.get("to"), "step": grid.get("step", 1)}
        options: tuple[Option, ...] | Grid = Grid(
            *(_count(end, (*at, "options", key)) for key, end in ends.items())
        )
    else:
        options = _options(listed, (*at, "options"))
    maker = _text(fields.get("by"), (*at, "by"))
    return Choice(
        name=name,
        by=maker,
        options=options,
        seen=readers.read(fields.get("seen", EVERYONE), (*at, "seen"), maker),
        weights=_weights(fields.get("weights", []), options, (*at, "weights")),
        truth_of=_text(fields.get("truth_of", ""), (*at, "truth_of")),
        draw=_text(fields.get("draw", ""), (*at, "draw")),
    )


def _load_value(
    name: str, value: object, readers: Readers, choices: Collection[str]
) -> ComputedValue:
    at = ("values", name)
    if not isinstance(value, Mapping):
        return ComputedValue(name, _expression(value, at))
    ways = (IS, *COLLECTED)
    fields = _object(cast(object, value), at, (), (*ways, "at", "seen", "each"))
    named = [way for way in ways if way in fields]
    if len(named) != 1:
        wrong = f"it has {' and '.join(named)}." if named else "it does not say what it is."
        report(at, wrong, f"Write exactly one of {', '.join(ways)}.")
        return ComputedValue(name, "none")
    (way,) = named
    expression = _expression(fields[way], (*at, way))
    # What is collected from a choice is collected when it is made.
    usual = [expression] if expression in choices and way != IS else []
    return ComputedValue(
        name=name,
        expression=expression,
        way=way,
        at=_names(fields.get("at", usual), (*at, "at")),
        seen=readers.read(fields.get("seen", []), (*at, "seen")),
    )


def _load_stage(value: object, at: Path, seats: Collection[str]) -> Stage:
    fields = _object(value, at, ("name", "turns"), ("times",))
    return Stage(
        name=_text(fields.get("name"), (*at, "name")),
        turns=_items(fields.get("turns"), (*at, "turns"), partial(_load_turn, seats=seats)),
        times=_count(fields.get("times", 1), (*at, "times")),
    )


def _load_turn(value: object, at: Path, seats: Collection[str]) -> Turn:
    fields = _mapping(value, at)
    then = _mapping(fields.get(THEN, {}), (*at, "then"))
    # A document from before there were copies may have a seat of this name.
    copies: Mapping[str, Any] = {} if COPY in seats else _mapping(fields.get(COPY, {}), (*at, COPY))
    words = (THEN,) if COPY in seats else (THEN, COPY)
    return Turn(
        acts=tuple(
            act
            for seat, act_document in fields.items()
            if seat not in words
            for act in _load_acts(seat, act_document, (*at, seat))
        ),
        then=tuple(
            (target, _expression(condition, (*at, "then", target)))
            for target, condition in then.items()
        ),
        copies=tuple(
            (target, _expression(source, (*at, COPY, target))) for target, source in copies.items()
        ),
    )


def _load_acts(seat: str, value: object, path: Path) -> Iterator[Act]:
    """Yield a seat's acts in a turn, given as channels, one act, or several with conditions."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    several = any(isinstance(item, Mapping) for item in listed)
    for number, item in enumerate(listed if several else [cast("object", value)]):
        at = (*path, number) if several else path
        if not isinstance(item, Mapping):
            yield Act(seat, say=_names(item, at))
            continue
        known = ("say", "may_say", "choose", "when", "silent", "total", "apart", "one_by_one")
        fields = _object(cast(object, item), at, (), known)
        if fields.get("one_by_one"):
            report(
                (*at, "one_by_one"),
                f"{show(seat)} is a single seat.",
                "Leave it out, or give the seat a `count`.",
            )
        says = MAY if MAY in fields else "say"
        if MAY in fields and "say" in fields:
            report((*at, MAY), "the act has `say`, too.", "Leave one of them out.")
        total = fields.get("total")
        yield Act(
            seat=seat,
            say=_names(fields.get(says, []), (*at, says)),
            choose=tuple(_load_chosen(fields.get("choose", []), (*at, "choose"))),
            when=_expression(fields.get("when", ALWAYS), (*at, "when")),
            silent=_expression(fields.get("silent", NEVER), (*at, "silent")),
            total=None if total is None else _count(total, (*at, "total")),
            optional=says == MAY,
            apart=_flag(fields.get("apart", False), (*at, "apart")),
        )


def _load_chosen(value: object, at: Path) -> Iterator[tuple[str, tuple[Option, ...]]]:
    """Yield choices by name, with no options for all of them, or with the open ones."""
    if isinstance(value, Mapping):
        for name, options in _mapping(cast(object, value), at).items():
            yield name, () if options == ALL else _options(options, (*at, name))
        return
    for name in _names(value, at):
        yield name, ()


def _load_pay(value: object, at: Path) -> Pay:
    fields = _object(value, at, ("to", "amount"), ("when", "at"))
    to = fields.get("to")
    if isinstance(to, Mapping):
        factors = {
            seat: _number(factor, (*at, "to", seat))
            for seat, factor in _mapping(cast(object, to), (*at, "to")).items()
        }
    else:
        factors = dict.fromkeys(_names(to, (*at, "to")), Fraction(1))
    return Pay(
        to=tuple(factors.items()),
        amount=_expression(fields.get("amount"), (*at, "amount")),
        when=_expression(fields.get("when", ALWAYS), (*at, "when")),
        at=_text(fields.get("at", END), (*at, "at")),
    )


def _load_limits(value: object, at: Path) -> tuple[Limit, ...]:
    """Return a limit for each seat that it names."""
    fields = _object(value, at, ("seat", "of", "most"), ("per", "option"))
    option = fields.get("option")
    usual = "message" if option is None else "game"
    seats = _names(fields.get("seat"), (*at, "seat"))
    if not seats:
        report((*at, "seat"), "it is empty.", "Name a seat, or several.")
    spend(5 * len(seats), DECLARATIONS, "{}", _at(at))
    limit = Limit(
        seat="",
        of=_text(fields.get("of"), (*at, "of")),
        most=_count(fields.get("most"), (*at, "most")),
        per=cast(Literal["message", "game"], _text(fields.get("per", usual), (*at, "per"))),
        option=None if option is None else _option(option, (*at, "option")),
    )
    return tuple(replace(limit, seat=seat) for seat in seats)


def _load_roles(value: object, experts: object) -> StatedRoles:
    known = ("truth", "verdict", "go_on", "estimates")
    fields = _object(value, ("roles",), (), known)
    return StatedRoles(
        truth=_text(fields.get("truth", ""), ("roles", "truth")),
        verdict=_names(fields.get("verdict", []), ("roles", "verdict")),
        go_on=tuple(
            (name, _option(option, ("roles", "go_on", name)))
            for name, option in _mapping(fields.get("go_on", {}), ("roles", "go_on")).items()
        ),
        estimates=tuple(
            (name, _text(event, ("roles", "estimates", name)))
            for name, event in _mapping(fields.get("estimates", {}), ("roles", "estimates")).items()
        ),
        experts=None if experts is None else _names(experts, ("experts",)),
    )


# -- writing -----------------------------------------------------------------------------------


def dump(spec: Structure) -> dict[str, object]:
    """Return a protocol as a new plain document, in its shorter form if it has one."""
    if spec.short:
        return {"format": FORMAT, **json.loads(spec.short)}
    families = {family.name for family in spec.families}
    readers = Readers(spec.seat_names, spec.stage_index)
    document = {
        "format": FORMAT,
        "name": spec.name,
        **{name: getattr(spec, name) for name in FOR_PEOPLE},
        "settings": {name: _plain(value) for name, value in spec.settings},
        "experts": None if spec.stated_roles.experts is None else [*spec.stated_roles.experts],
        "seats": {
            seat.name: _without(seat, title="", argues="none", anonymous=False)
            for seat in spec.seats
        },
        "parts": {
            part.name: {"seen": readers.written(part.seen), **_without(part, quotable=False)}
            for part in spec.parts
        },
        "channels": {
            channel.name: {"seen": readers.written(channel.seen)} for channel in spec.channels
        },
        "choices": {choice.name: _dump_choice(readers, choice) for choice in spec.choices},
        "values": {value.name: _dump_value(readers, value) for value in spec.values},
        "stages": [
            {
                "name": stage.name,
                **_without(stage, times=1),
                "turns": [_dump_turn(turn) for turn in stage.turns],
            }
            for stage in spec.stages
        ],
        "verdict": spec.verdict,
        "pay": [
            {
                "to": {seat: _plain(factor) for seat, factor in pay.to},
                "amount": pay.amount,
                **_without(pay, when=ALWAYS, at=END),
            }
            for pay in spec.pay
        ],
        "limits": [*_dump_limits(spec.limits)],
        "roles": _dump_roles(spec.stated_roles),
        "labels": list(spec.labels),
        # Without the titles of families, of which this form knows nothing.
        "titles": {name: title for name, title in spec.titles if name not in families},
    }
    empty: tuple[object, ...] = ("", {}, [], None)
    # That nobody is an expert is something else than saying nothing about it.
    kept = ("stages", *(() if spec.stated_roles.experts is None else ("experts",)))
    return {key: value for key, value in document.items() if value not in empty or key in kept}


def _dump_limits(limits: Sequence[Limit]) -> Iterator[dict[str, object]]:
    """Yield limits; successive ones that differ in their seat only are one."""
    for limit, alike in groupby(limits, key=lambda limit: replace(limit, seat="")):
        seats = [each.seat for each in alike]
        yield {
            "seat": seats if seats[1:] else seats[0],
            "of": limit.of,
            "most": limit.most,
            "per": limit.per,
            **_without(limit, option=None),
        }


def _dump_roles(roles: StatedRoles) -> dict[str, object]:
    document: dict[str, object] = {
        "truth": roles.truth,
        "verdict": list(roles.verdict),
        "go_on": dict(roles.go_on),
        "estimates": dict(roles.estimates),
    }
    return {name: value for name, value in document.items() if value}


def _plain(value: Fraction) -> int | float | str:
    """Return a number in a document's form: whole, an exact decimal, or ``"1/3"``."""
    if value.denominator == 1:
        return int(value)
    text = repr(float(value))
    return float(value) if Fraction(text) == value else str(value)


def _without(thing: object, **defaults: object) -> dict[str, object]:
    fields = {name: getattr(thing, name) for name in defaults}
    return {name: value for name, value in fields.items() if value != defaults[name]}


def _dump_choice(readers: Readers, choice: Choice) -> dict[str, object]:
    options: Any = choice.options
    if isinstance(options, Grid):
        options = {"from": options.low, "to": options.high, **_without(options, step=1)}
    else:
        options = list(options)
    return {
        "by": choice.by,
        "options": options,
        "seen": readers.written(choice.seen, choice.by),
        **({"weights": list(choice.weights)} if choice.weights else {}),
        **_without(choice, truth_of="", draw=""),
    }


def _dump_value(readers: Readers, value: ComputedValue) -> object:
    if value.way == IS and not value.seen:
        return value.expression
    at = [] if value.at == (value.expression,) else [*value.at]
    return {
        value.way: value.expression,
        **({"at": at[0] if len(at) == 1 else at} if at else {}),
        **({"seen": readers.written(value.seen)} if value.seen else {}),
    }


def _dump_turn(turn: Turn) -> dict[str, object]:
    acts: dict[str, list[Any]] = {}
    for act in turn.acts:
        acts.setdefault(act.seat, []).append(_dump_act(act))
    document: dict[str, object] = {seat: a[0] if len(a) == 1 else a for seat, a in acts.items()}
    document |= {COPY: dict(turn.copies)} if turn.copies else {}
    return document | ({THEN: dict(turn.then)} if turn.then else {})


def _dump_act(act: Act) -> dict[str, object]:
    choose: Any = [name for name, _ in act.choose]
    if any(options for _, options in act.choose):
        choose = {name: list(options) or ALL for name, options in act.choose}
    return {
        **({MAY if act.optional else "say": list(act.say)} if act.say else {}),
        **({"choose": choose} if act.choose else {}),
        **_without(act, when=ALWAYS, silent=NEVER, total=None, apart=False),
    }
