"""The short forms of a document, read in full and written again.

``prover = "main"`` in a turn is an act that writes on one channel. Edits of it need all of its
fields, and what has not changed stays as it was written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard, cast

from nip_core.language.seeing import Readers

__all__ = [
    "ALL",
    "Act",
    "Document",
    "acts_of",
    "full",
    "in_order",
    "is_list",
    "is_table",
    "names_of",
    "paid_to",
    "readers_of",
    "seen_by",
    "written_acts",
    "written_seen",
]

Document = Mapping[str, Any]
"""A protocol of version 2 as plain data, which nothing changes in place."""
Act = dict[str, Any]
ALL = "all"
# Who sees something that does not say it. What each seat of a family has is seen by that seat.
_USUAL: Mapping[str, Any] = {"choices": "everyone"}


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Return whether a value of a document is a list."""
    return isinstance(value, list | tuple)


def is_table(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a value of a document is a table."""
    return isinstance(value, Mapping)


def in_order(value: Any) -> str:
    """Return a value as a text, to compare it also by the order of its keys."""
    return json.dumps(value, ensure_ascii=False)


def names_of(value: Any) -> list[str]:
    """Return one name, or several, as a list."""
    return [value] if isinstance(value, str) else [*(value or ())]


def acts_of(value: Any) -> list[Act]:
    """Return the acts of a seat in a turn, each with all names as lists, in `choose` with options.

    A seat has several acts if it does one or the other, by conditions.
    """
    listed = value if is_list(value) else []
    several = any(is_table(item) for item in listed)
    return [_act(item) for item in (listed if several else [value])]


def _act(value: Any) -> Act:
    if not is_table(value):
        return {"say": names_of(value)}
    act = dict(value)
    for key in ("say", "may_say"):
        if key in act:
            act[key] = names_of(act[key])
    if "choose" in act and not is_table(act["choose"]):
        act["choose"] = dict.fromkeys(names_of(act["choose"]), ALL)
    return act


def written_acts(acts: Sequence[Act]) -> Any:
    """Return acts in the form in which documents are written by programs."""
    written = [_written_act(act) for act in acts]
    return written[0] if len(written) == 1 else written


def _written_act(act: Act) -> Act:
    made = {key: value for key, value in act.items() if value not in ([], {}, None, False)}
    chosen = made.get("choose", {})
    if all(options == ALL for options in chosen.values()) and chosen:
        made["choose"] = [*chosen]
    return made


def full(section: str, value: Any) -> dict[str, Any]:
    """Return an entry of a section with its fields by name."""
    if section in ("parts", "channels"):
        named = is_table(value) and ("seen" in value or "each" in value)
        return dict(value) if named else {"seen": value}
    if is_table(value):
        return dict(value)
    return {"title": value} if section == "seats" else {"is": value}


def readers_of(document: Document) -> Readers:
    """Return the seats and stages that the short forms of `seen` mean."""
    return Readers([*document["seats"]], [stage["name"] for stage in document["stages"]])


def seen_by(document: Document, section: str, name: str) -> dict[str, str]:
    """Return since when which seats see a part, channel, choice or value."""
    entry = full(section, document[section][name])
    seen = entry.get("seen", _USUAL.get(section, []))
    times = dict(readers_of(document).read(seen, (section, name), entry.get("by", "")))
    own = entry.get("each")
    return times if own is None else {own: "start", **times}


def written_seen(document: Document, times: Mapping[str, str], maker: str = "") -> Any:
    """Return the shortest field that says who sees something, in the order of the seats."""
    order = {seat: number for number, seat in enumerate(document["seats"])}
    pairs = sorted(times.items(), key=lambda pair: order.get(pair[0], len(order)))
    return readers_of(document).written(tuple(pairs), maker)


def paid_to(value: Any) -> dict[str, Any]:
    """Return the factor of each seat that a rule pays."""
    if is_table(value):
        return dict(value)
    return dict.fromkeys(cast("Iterable[str]", names_of(value)), 1)
