"""Facts about a protocol for the handles and panels of its editor, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from explorer.pictures import ProtocolGrid
from nip_core.displays import capitalized, join_names
from nip_core.editing import Draft
from nip_core.language import ALWAYS, Act, Grid, Option, Specification

__all__ = ["facts_of", "reads_of"]

MOST_OPTIONS = 12
MOST_CONDITIONS = 60
# What a protocol says about itself, but for its title.
TEXTS = ("source", "family", "about", "simplified")
WAIT, NEVER = "wait", "false"


def facts_of(draft: Draft, grid: ProtocolGrid) -> dict[str, Any]:
    """Return what the editor needs to know about a protocol beside its picture."""
    spec = draft.spec
    numbers = [draft.turn_numbers(stage) for stage in range(len(spec.stages))]
    columns = [
        None if column.stage is None else [column.stage, numbers[column.stage][column.turn]]
        for column in grid.columns
    ]
    return {
        "rows": [[row.kind, row.of, row.who, row.title] for row in grid.rows],
        "columns": columns,
        "stages": [*_stages(draft, grid)],
        "acts": [
            _acts(grid, spec.stages[column.stage].turns[column.turn].acts)
            if column.stage is not None
            else {}
            for column in grid.columns
        ],
        "one_by_one": [
            [stage, turn, family.members[0]] for stage, turn, family in draft.one_by_one()
        ],
        "copies": [*_copies(grid, columns)],
        "exits": [*_exits(grid, columns)],
        "seats": [*_seats(draft, grid)],
        "makers": {name: _look(grid, name) for name in ("chance", "task", "rules")},
        "channels": [_named(spec, thing) for thing in grid.folding.among(spec.channels)],
        "parts": [
            {**_named(spec, part), "quotable": part.quotable}
            for part in grid.folding.among(spec.parts)
        ],
        "values": [
            {**_named(spec, value), "way": value.way, "of": value.expression, "at": [*value.at]}
            for value in grid.folding.among(spec.values)
        ],
        "choices": [*_choices(grid)],
        "pay": [*_pay(draft, grid)],
        "limits": [dict(limit) for limit in draft.document.get("limits", [])],
        "settings": [[name, str(value)] for name, value in spec.settings],
        "verdict": spec.verdict,
        "experts": draft.document.get("experts"),
        "texts": {field: draft.document.get(field, "") for field in TEXTS},
        "reads": reads_of(spec),
        "conditions": [*_conditions(grid)][:MOST_CONDITIONS],
    }


def _stages(draft: Draft, grid: ProtocolGrid) -> Iterator[dict[str, Any]]:
    for number, stage in enumerate(draft.spec.stages):
        yield {
            "name": stage.name,
            "title": capitalized(draft.spec.title_of(stage.name)),
            "times": stage.times,
            "number": draft.spec.times(number),
            "first": grid.stages[number].start,
            "columns": len(grid.stages[number]),
            "turns": len(draft.document["stages"][number]["turns"]),
        }


def _acts(grid: ProtocolGrid, acts: tuple[Act, ...]) -> dict[str, list[dict[str, Any]]]:
    spec = grid.spec
    found: dict[str, list[dict[str, Any]]] = {}
    for act in acts:
        found.setdefault(act.seat, []).append(
            {
                "say": [*act.say],
                "choose": [name for name, _ in act.choose],
                "when": "" if act.when == ALWAYS else act.when,
                "silent": "" if act.silent == NEVER else act.silent,
                "optional": bool(act.optional),
                "open": {
                    name: [*map(_plain, options)]
                    for name, options in act.choose
                    if options and [*options] != [*spec.options[name]]
                },
                "total": act.total,
                "apart": act.apart,
            }
        )
    return found


def _copies(grid: ProtocolGrid, columns: list[Any]) -> Iterator[dict[str, Any]]:
    for place, column in zip(columns, grid.columns, strict=True):
        if place is not None and column.stage is not None:
            for channel, source in grid.spec.stages[column.stage].turns[column.turn].copies:
                yield {"place": place, "channel": channel, "source": source}


def _exits(grid: ProtocolGrid, columns: list[Any]) -> Iterator[dict[str, Any]]:
    for way in grid.exits:
        stage, turn = columns[way.column]
        column = grid.columns[way.to]
        target = "end" if column.stage is None else grid.spec.stages[column.stage].name
        yield {
            "stage": stage,
            "turn": turn,
            "target": target,
            "words": capitalized(grid.way(way)),
        }


def _look(grid: ProtocolGrid, name: str) -> dict[str, Any]:
    look = grid.looks.get(name)
    if look is None:
        return {"title": name, "label": "", "light": ["", ""], "dark": ["", ""]}
    return {
        "title": look.name,
        "label": look.label,
        "light": [look.light, look.ink("light")],
        "dark": [look.dark, look.ink("dark")],
    }


def _seats(draft: Draft, grid: ProtocolGrid) -> Iterator[dict[str, Any]]:
    families = {member: f for f in draft.spec.families for member in f.members}
    words = {limit["seat"]: limit["most"] for limit in _word_limits(draft)}
    for seat in grid.folding.among(draft.spec.seats):
        family = families.get(seat.name)
        own = family.name if family else seat.name
        yield {
            "name": seat.name,
            **_look(grid, seat.name),
            "argues": seat.argues,
            "anonymous": seat.anonymous,
            "count": len(family.members) if family else 1,
            "words": words.get(own),
        }


def _word_limits(draft: Draft) -> list[dict[str, Any]]:
    limits = draft.document.get("limits", [])
    return [one for one in limits if one["of"] == "words" and isinstance(one["seat"], str)]


def _named(spec: Specification, thing: Any) -> dict[str, Any]:
    return {
        "name": thing.name,
        "title": capitalized(spec.title_of(thing.name)),
        "seen": dict(thing.seen),
    }


def _choices(grid: ProtocolGrid) -> Iterator[dict[str, Any]]:
    spec = grid.spec
    for choice in grid.folding.among(spec.choices):
        options = spec.options[choice.name]
        yield {
            **_named(spec, choice),
            "by": choice.by,
            "options": [*map(_plain, options[:MOST_OPTIONS])],
            "labels": [spec.title_of(option) for option in options[:MOST_OPTIONS]],
            "count": len(options),
            "grid": isinstance(choice.options, Grid) or isinstance(options[0], int),
            "words": grid.words.options(options),
            "weights": [*choice.weights],
            "truth_of": choice.truth_of,
        }


def _plain(option: Option) -> str | int:
    return option if isinstance(option, int) else str(option)


def _pay(draft: Draft, grid: ProtocolGrid) -> Iterator[dict[str, Any]]:
    rules = draft.document.get("pay", [])
    # Rules of families are written out for their members; then only the rules are shown.
    told = len(rules) == len(draft.spec.pay)
    for number, rule in enumerate(rules):
        seats = _paid_to(rule["to"])
        amount, when = str(rule["amount"]), str(rule.get("when", ""))
        plain = f"{join_names(seats)}: {amount}{f' if {when}' if when else ''}"
        yield {
            "to": {seat: str(factor) for seat, factor in seats.items()},
            "amount": amount,
            "when": when,
            "at": rule.get("at", "end"),
            "words": capitalized(grid.words.pays(draft.spec.pay[number])) if told else plain,
        }


def _paid_to(to: Any) -> dict[str, Any]:
    """Return the factors of seats, whatever form a rule has them in."""
    if isinstance(to, dict):
        return cast("dict[str, Any]", to)
    return dict.fromkeys([to] if isinstance(to, str) else cast("list[str]", to), 1)


def reads_of(spec: Specification) -> dict[str, dict[str, list[int]]]:
    """Return for each reader and writer how many of the writer's channels it reads, and of all."""
    writes: dict[str, set[str]] = {seat: set() for seat in spec.seat_names}
    for _, _, act in spec.acts():
        if act.seat in writes:
            writes[act.seat].update(act.say)
    seen = {channel.name: dict(channel.seen) for channel in spec.channels}
    return {
        reader: {
            writer: [sum(reader in seen[c] for c in channels), len(channels)]
            for writer, channels in writes.items()
        }
        for reader in spec.seat_names
    }


def _conditions(grid: ProtocolGrid) -> Iterator[list[str]]:
    """Yield conditions that a person may mean: in words, and as expressions."""
    spec = grid.spec
    words = [c for c in spec.choices if c.by in spec.seat_names and _has_words(spec, c.name)]
    groups: dict[tuple[Option, ...], list[str]] = {}
    for choice in words:
        groups.setdefault(tuple(spec.options[choice.name]), []).append(choice.name)
    expressions: list[str] = []
    for options, names in groups.items():
        if len(names) > 1:
            for option in options[:4]:
                expressions.append(" and ".join(f"{name} = {option}" for name in names))
    for choice in words:
        options = spec.options[choice.name]
        if WAIT in options:
            given = [option for option in options if option != WAIT]
            expressions.append(" or ".join(f"{choice.name} = {option}" for option in given))
        expressions += [f"{choice.name} = {option}" for option in options[:6]]
    estimates = [c for c in spec.choices if c.by in spec.seat_names and c not in words]
    expressions += [f"{c.name} >= {spec.options[c.name][-1]} / 2" for c in estimates]
    for text in expressions:
        yield [grid.words.condition(text), text]


def _has_words(spec: Specification, choice: str) -> bool:
    options = spec.options[choice]
    return isinstance(options[0], str) and len(options) <= MOST_OPTIONS
