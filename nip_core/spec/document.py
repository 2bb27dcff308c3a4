"""Reading and writing protocol specifications as plain documents (JSON).

The format is described by ``nip_core/spec/protocol-spec-1.json``.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, TypeVar, cast

from nip_core.budget import TURNS, for_document, spend
from nip_core.documents import as_list, as_object
from nip_core.errors import SpecError, show
from nip_core.spec.data import SpecData
from nip_core.spec.parts import Agent, Channel, Payoff
from nip_core.spec.schedule import Schedule, Turn
from nip_core.spec.validation import MAX_TURNS

__all__ = ["FORMAT", "dump_spec", "load_spec", "spec_schema"]

FORMAT = "nip-protocol/1"
# The most (agent, channel) pairs in all turns.
MAX_SPOKEN = 100_000
# The most bytes of the table of speakers in every round and variant.
MAX_PLACES = 50_000_000

T = TypeVar("T")
Spec = TypeVar("Spec", bound=SpecData)


def spec_schema() -> dict[str, Any]:
    """Return the JSON Schema of a specification's document."""
    # Imported here, since it takes long and is rarely needed.
    from importlib import resources

    path = resources.files("nip_core.spec") / "protocol-spec-1.json"
    return json.loads(path.read_text("utf-8"))


def dump_spec(spec: SpecData) -> dict[str, Any]:
    """Return a specification as a new plain document, without fields at their defaults."""
    return {
        "format": FORMAT,
        "name": spec.name,
        "agents": [_present(agent) for agent in spec.agents],
        "channels": [
            {**_present(channel), "viewers": list(channel.viewers)} for channel in spec.channels
        ],
        "schedules": [
            {part: [_dump_turn(t) for t in getattr(s, part)] for part in ("prelude", "cycle")}
            for s in spec.schedules
        ],
        "max_message_rounds": spec.max_message_rounds,
        "min_message_rounds": spec.min_message_rounds,
        "payoff": dataclasses.asdict(spec.payoff),
        "prover_stance_can_be_randomized": spec.prover_stance_can_be_randomized,
    }


def load_spec(document: object, kind: type[Spec]) -> Spec:
    """Build a specification of the given class from a plain document.

    Raises
    ------
    SpecError
        If it is invalid; names the place in the document and what is allowed there.
    """
    top = _object(document, "the document", SpecData, extra=("format",))
    if top.get("format", FORMAT) != FORMAT:
        raise SpecError(f"format is {show(top['format'])}; this version reads {FORMAT!r}.")
    values = {key: value for key, value in top.items() if key != "format"}
    with for_document():
        return _build(top, values, kind)


def _build(top: dict[str, Any], values: dict[str, Any], kind: type[Spec]) -> Spec:
    values["agents"] = _items(top, "agents", lambda v, at: Agent(**_object(v, at, Agent)))
    values["channels"] = _items(top, "channels", _load_channel)
    values["schedules"] = _items(top, "schedules", _load_schedule)
    _need_readable(values["schedules"])
    if "payoff" in top:
        values["payoff"] = Payoff(**_object(top["payoff"], "payoff", Payoff))
    spec = kind(**values)
    sizes = (spec.num_variants, spec.max_message_rounds, len(spec.agents), len(spec.channels))
    if prod(sizes) > MAX_PLACES:
        raise SpecError(
            f"Protocol {spec.name!r}: schedules x rounds x agents x channels are "
            f"{' x '.join(f'{size:,}' for size in sizes)} = {prod(sizes):,}; at most "
            f"{MAX_PLACES:,} are read. Lower max_message_rounds."
        )
    return spec


def _need_readable(schedules: tuple[Schedule, ...]) -> None:
    """Refuse schedules that are valid but take too long to process."""
    turns = [turn for schedule in schedules for turn in (*schedule.prelude, *schedule.cycle)]
    if len(turns) > MAX_TURNS:
        raise SpecError(f"schedules hold {len(turns):,} turns; at most {MAX_TURNS:,} are read.")
    spoken = sum(len(turn.speakers) for turn in turns)
    if spoken > MAX_SPOKEN:
        raise SpecError(f"schedules name {spoken:,} speakers; at most {MAX_SPOKEN:,} are read.")


def _present(item: Agent | Channel) -> dict[str, object]:
    fields = {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    return {key: value for key, value in fields.items() if value is not None}


def _dump_turn(turn: Turn) -> dict[str, list[str]]:
    return {agent: list(turn.channels_of(agent)) for agent in turn.agents}


def _load_channel(value: object, at: str) -> Channel:
    fields = _object(value, at, Channel)
    fields["viewers"] = _names(fields["viewers"], f"{at}.viewers")
    return Channel(**fields)


def _load_schedule(value: object, at: str) -> Schedule:
    fields = _object(value, at, Schedule)
    return Schedule(**{part: _items(fields, part, _load_turn, at) for part in fields})


def _load_turn(value: object, at: str) -> Turn:
    if not isinstance(value, Mapping):
        raise SpecError(f"{at} is {show(value)}; it must map agents to lists of channels.")
    turn = cast("Mapping[object, object]", value)
    spend(5 + 5 * len(turn), TURNS, "{}", at)
    return Turn.of({_text(a, at): _names(on, f"{at}.{a}") for a, on in turn.items()})


def _object(value: object, at: str, kind: type[Any], extra: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the mapping `value`, if it has the fields of `kind` and no others."""
    known = {field.name: field.default for field in dataclasses.fields(kind)}
    required = tuple(name for name, default in known.items() if default is dataclasses.MISSING)
    optional = tuple(name for name in known if name not in required)
    return as_object(value, at, required, (*optional, *extra), error=SpecError)


def _items(
    holder: Mapping[str, Any], key: str, load: Callable[[object, str], T], at: str = ""
) -> tuple[T, ...]:
    value, place = holder[key], f"{at}.{key}".lstrip(".")
    items = as_list(value, place, error=SpecError)
    spend(5 * len(items), TURNS, "{}", place)
    return tuple(load(item, f"{place}[{index}]") for index, item in enumerate(items))


def _names(value: object, at: str) -> tuple[str, ...]:
    items = as_list(value, at, error=SpecError)
    spend(2 * len(items), TURNS, "{}", at)
    return tuple(_text(item, at) for item in items)


def _text(value: object, at: str) -> str:
    if not isinstance(value, str):
        raise SpecError(f"{at} holds {show(value)}; it must be a name.")
    return value
