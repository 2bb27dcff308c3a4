"""Reading and writing protocols of version 2 as plain documents (JSON, or TOML for people).

The format is described by ``nip_core/language/protocol-spec-2.json``, the expressions in it by
:mod:`nip_core.language.syntax`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import Any, Literal, TypeVar, cast

from nip_core.budget import DECLARATIONS, TURNS, for_document, spend
from nip_core.documents import Limits, as_list, as_object
from nip_core.errors import SpecError, show
from nip_core.language.data import (
    ALWAYS,
    END,
    NEVER,
    Act,
    Channel,
    Choice,
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
from nip_core.language.seeing import EVERYONE, Readers
from nip_core.language.structure import FOR_PEOPLE, Structure

__all__ = ["FORMAT", "SPECIFICATION", "dump", "load", "schema"]

FORMAT = "nip-protocol/2"
ALL, THEN = "all", "then"
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


def load(document: object, kind: type[_S], settings: Mapping[str, object] | None = None) -> _S:
    """Build a protocol from a plain document.

    Parameters
    ----------
    document : object
    kind : type
        The class to build.
    settings : mapping of str to number, optional
        Values that replace the document's own.

    Raises
    ------
    SpecError
        If it is invalid; names the place in the document and what is allowed there.
    """
    with for_document():
        return kind(**_fields(document, settings))


def _fields(document: object, settings: Mapping[str, object] | None) -> dict[str, Any]:
    """Return the fields of a protocol."""
    required = ("name", "seats", "stages")
    optional = ("format", *FOR_PEOPLE, "settings", "parts", "channels", "choices", "verdict")
    optional = (*optional, "pay", "limits", "roles", "titles")
    top = as_object(document, "the document", required, optional, error=SpecError)
    if top.get("format", FORMAT) != FORMAT:
        raise SpecError(f"format is {show(top['format'])}; this reads {FORMAT!r}.")
    numbers = {
        name: _number(value, f"settings.{name}")
        for name, value in _mapping(top.get("settings", {}), "settings").items()
    }
    for name, value in (settings or {}).items():
        if name not in numbers:
            known = ", ".join(numbers) or "none"
            raise SpecError(f"There is no setting {show(name)}; there is {known}.")
        numbers[name] = _number(value, f"the setting {name!r}")
    seats = tuple(_load_seat(name, v) for name, v in _mapping(top["seats"], "seats").items())
    stages = _items(top["stages"], "stages", _load_stage)
    readers = Readers([seat.name for seat in seats], [stage.name for stage in stages])

    def declared(key: str, load_one: Callable[[str, object, Readers], _T]) -> tuple[_T, ...]:
        declarations = _mapping(top.get(key, {}), key)
        return tuple(load_one(name, value, readers) for name, value in declarations.items())

    return {
        "name": _text(top["name"], "name"),
        **{name: _text(top.get(name, ""), name) for name in FOR_PEOPLE},
        "seats": seats,
        "parts": declared("parts", _load_part),
        "channels": declared("channels", _load_channel),
        "choices": declared("choices", _load_choice),
        "stages": stages,
        "verdict": _expression(top.get("verdict", "none"), "verdict"),
        "pay": _items(top.get("pay", []), "pay", _load_pay),
        "limits": tuple(
            limit
            for limits in _items(top.get("limits", []), "limits", _load_limits)
            for limit in limits
        ),
        "settings": tuple(numbers.items()),
        "stated_roles": _load_roles(top.get("roles", {})),
        "titles": tuple(
            (name, _text(title, f"titles.{name}"))
            for name, title in _mapping(top.get("titles", {}), "titles").items()
        ),
    }


def _mapping(value: object, at: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(f"{at} is {show(value)}; it must be an object, with a key for each name.")
    mapping = cast("Mapping[str, Any]", value)
    spend(5 * len(mapping), DECLARATIONS, "{}", at)
    return mapping


def _items(value: object, at: str, load_one: Callable[[object, str], _T]) -> tuple[_T, ...]:
    items = as_list(value, at, error=SpecError)
    spend(5 * len(items), TURNS, "{}", at)
    return tuple(load_one(item, f"{at}[{index}]") for index, item in enumerate(items))


def _text(value: object, at: str) -> str:
    if not isinstance(value, str):
        raise SpecError(f"{at} is {show(value)}; it must be a text.")
    return value


def _names(value: object, at: str) -> tuple[str, ...]:
    """Return one name, or a list of names."""
    if isinstance(value, str):
        return (value,)
    return tuple(_text(item, at) for item in as_list(value, at, error=SpecError))


def _flag(value: object, at: str) -> bool:
    if type(value) is not bool:
        raise SpecError(f"{at} is {show(value)}; it must be true or false.")
    return value


def _number(value: object, at: str) -> Fraction:
    """Read a number, or a text such as ``"1/3"``, exactly and not as a float."""
    text = str(value) if isinstance(value, int | float | Fraction) else value
    if isinstance(value, bool) or not isinstance(text, str) or len(text) > 60:
        raise SpecError(f"{at} is {show(value)}; it must be a number.")
    _, _, exponent = text.lower().partition("e")
    try:
        if exponent and abs(int(exponent)) > 400:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise SpecError(
            f"{at} is {show(value)}; it must be a number, or a text such as '1/3'."
        ) from None


def _count(value: object, at: str) -> Count:
    if type(value) is int or isinstance(value, str):
        return value
    raise SpecError(f"{at} is {show(value)}; it must be a whole number or the name of a setting.")


def _expression(value: object, at: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        raise SpecError(f"{at} is {show(value)}; it must be an expression, which is a text.")
    return value


def _option(value: object, at: str) -> Option:
    if type(value) is int or isinstance(value, str):
        return value
    raise SpecError(f"{at} holds {show(value)}; an option is a name or a whole number.")


def _options(value: object, at: str) -> tuple[Option, ...]:
    return tuple(_option(item, at) for item in as_list(value, at, error=SpecError))


def _load_seat(name: str, value: object) -> Seat:
    if isinstance(value, str):
        return Seat(name, title=value)
    at = f"seats.{name}"
    fields = as_object(value, at, (), ("title", "argues", "anonymous"), error=SpecError)
    return Seat(
        name,
        _text(fields.get("title", ""), f"{at}.title"),
        _expression(fields.get("argues", "none"), f"{at}.argues"),
        _flag(fields.get("anonymous", False), f"{at}.anonymous"),
    )


def _load_part(name: str, value: object, readers: Readers) -> Part:
    at = f"parts.{name}"
    if not (isinstance(value, Mapping) and "seen" in value):
        return Part(name, readers.read(cast(object, value), at))
    fields = as_object(cast(object, value), at, ("seen",), ("quotable",), error=SpecError)
    return Part(
        name,
        readers.read(fields["seen"], f"{at}.seen"),
        _flag(fields.get("quotable", False), f"{at}.quotable"),
    )


def _load_channel(name: str, value: object, readers: Readers) -> Channel:
    at = f"channels.{name}"
    if isinstance(value, Mapping) and "seen" in value:
        fields = as_object(cast(object, value), at, ("seen",), error=SpecError)
        return Channel(name, readers.read(fields["seen"], f"{at}.seen"))
    return Channel(name, readers.read(cast(object, value), at))


def _load_choice(name: str, value: object, readers: Readers) -> Choice:
    at = f"choices.{name}"
    known = ("seen", "weights", "truth_of", "draw")
    fields = as_object(value, at, ("by", "options"), known, error=SpecError)
    listed = fields["options"]
    if isinstance(listed, Mapping):
        grid = as_object(
            cast(object, listed), f"{at}.options", ("from", "to"), ("step",), error=SpecError
        )
        ends = (grid["from"], grid["to"], grid.get("step", 1))
        options: tuple[Option, ...] | Grid = Grid(*(_count(end, f"{at}.options") for end in ends))
    else:
        options = _options(listed, f"{at}.options")
    weights = as_list(fields.get("weights", []), f"{at}.weights", error=SpecError)
    maker = _text(fields["by"], f"{at}.by")
    return Choice(
        name=name,
        by=maker,
        options=options,
        seen=readers.read(fields.get("seen", EVERYONE), f"{at}.seen", maker),
        weights=tuple(_expression(weight, f"{at}.weights") for weight in weights),
        truth_of=_text(fields.get("truth_of", ""), f"{at}.truth_of"),
        draw=_text(fields.get("draw", ""), f"{at}.draw"),
    )


def _load_stage(value: object, at: str) -> Stage:
    fields = as_object(value, at, ("name", "turns"), ("times",), error=SpecError)
    return Stage(
        name=_text(fields["name"], f"{at}.name"),
        turns=_items(fields["turns"], f"{at}.turns", _load_turn),
        times=_count(fields.get("times", 1), f"{at}.times"),
    )


def _load_turn(value: object, at: str) -> Turn:
    fields = _mapping(value, at)
    then = _mapping(fields.get(THEN, {}), f"{at}.then")
    return Turn(
        acts=tuple(
            act
            for seat, act_document in fields.items()
            if seat != THEN
            for act in _load_acts(seat, act_document, f"{at}.{seat}")
        ),
        then=tuple(
            (target, _expression(condition, f"{at}.then.{target}"))
            for target, condition in then.items()
        ),
    )


def _load_acts(seat: str, value: object, at: str) -> Iterator[Act]:
    """Yield a seat's acts in a turn, given as channels, one act, or several with conditions."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    several = any(isinstance(item, Mapping) for item in listed)
    for item in listed if several else [cast("object", value)]:
        if not isinstance(item, Mapping):
            yield Act(seat, say=_names(item, at))
            continue
        known = ("say", "choose", "when", "silent", "total")
        fields = as_object(cast(object, item), at, (), known, error=SpecError)
        total = fields.get("total")
        yield Act(
            seat=seat,
            say=_names(fields.get("say", []), f"{at}.say"),
            choose=tuple(_load_chosen(fields.get("choose", []), f"{at}.choose")),
            when=_expression(fields.get("when", ALWAYS), f"{at}.when"),
            silent=_expression(fields.get("silent", NEVER), f"{at}.silent"),
            total=None if total is None else _count(total, f"{at}.total"),
        )


def _load_chosen(value: object, at: str) -> Iterator[tuple[str, tuple[Option, ...]]]:
    """Yield choices by name, with no options for all of them, or with the open ones."""
    if isinstance(value, Mapping):
        for name, options in _mapping(cast(object, value), at).items():
            yield name, () if options == ALL else _options(options, f"{at}.{name}")
        return
    for name in _names(value, at):
        yield name, ()


def _load_pay(value: object, at: str) -> Pay:
    fields = as_object(value, at, ("to", "amount"), ("when", "at"), error=SpecError)
    to = fields["to"]
    if isinstance(to, Mapping):
        factors = {
            seat: _number(factor, f"{at}.to.{seat}")
            for seat, factor in _mapping(cast(object, to), f"{at}.to").items()
        }
    else:
        factors = dict.fromkeys(_names(to, f"{at}.to"), Fraction(1))
    return Pay(
        to=tuple(factors.items()),
        amount=_expression(fields["amount"], f"{at}.amount"),
        when=_expression(fields.get("when", ALWAYS), f"{at}.when"),
        at=_text(fields.get("at", END), f"{at}.at"),
    )


def _load_limits(value: object, at: str) -> tuple[Limit, ...]:
    """Return a limit for each seat that it names."""
    fields = as_object(value, at, ("seat", "of", "most"), ("per", "option"), error=SpecError)
    option = fields.get("option")
    usual = "message" if option is None else "game"
    seats = _names(fields["seat"], f"{at}.seat")
    if not seats:
        raise SpecError(f"{at}.seat is []; name a seat, or several.")
    spend(5 * len(seats), DECLARATIONS, "{}", at)
    limit = Limit(
        seat=seats[0],
        of=_text(fields["of"], f"{at}.of"),
        most=_count(fields["most"], f"{at}.most"),
        per=cast(Literal["message", "game"], _text(fields.get("per", usual), at)),
        option=None if option is None else _option(option, f"{at}.option"),
    )
    return tuple(replace(limit, seat=seat) for seat in seats)


def _load_roles(value: object) -> StatedRoles:
    known = ("truth", "verdict", "go_on", "estimates")
    fields = as_object(value, "roles", (), known, error=SpecError)
    return StatedRoles(
        truth=_text(fields.get("truth", ""), "roles.truth"),
        verdict=_names(fields.get("verdict", []), "roles.verdict"),
        go_on=tuple(
            (name, _option(option, f"roles.go_on.{name}"))
            for name, option in _mapping(fields.get("go_on", {}), "roles.go_on").items()
        ),
        estimates=tuple(
            (name, _text(event, f"roles.estimates.{name}"))
            for name, event in _mapping(fields.get("estimates", {}), "roles.estimates").items()
        ),
    )


# -- writing -----------------------------------------------------------------------------------


def dump(spec: Structure) -> dict[str, object]:
    """Return a protocol as a new plain document, without fields at their defaults."""
    readers = Readers(spec.seat_names, spec.stage_index)
    document = {
        "format": FORMAT,
        "name": spec.name,
        **{name: getattr(spec, name) for name in FOR_PEOPLE},
        "settings": {name: _plain(value) for name, value in spec.settings},
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
        "titles": dict(spec.titles),
    }
    empty: tuple[object, ...] = ("", {}, [])
    return {key: value for key, value in document.items() if value not in empty or key == "stages"}


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


def _dump_turn(turn: Turn) -> dict[str, object]:
    acts: dict[str, list[Any]] = {}
    for act in turn.acts:
        acts.setdefault(act.seat, []).append(_dump_act(act))
    document: dict[str, object] = {seat: a[0] if len(a) == 1 else a for seat, a in acts.items()}
    return document | ({THEN: dict(turn.then)} if turn.then else {})


def _dump_act(act: Act) -> dict[str, object]:
    choose: Any = [name for name, _ in act.choose]
    if any(options for _, options in act.choose):
        choose = {name: list(options) or ALL for name, options in act.choose}
    return {
        **({"say": list(act.say)} if act.say else {}),
        **({"choose": choose} if act.choose else {}),
        **_without(act, when=ALWAYS, silent=NEVER, total=None),
    }
