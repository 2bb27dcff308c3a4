"""What a remark on a protocol is about, and what repairs it: gestures, in words for buttons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nip_core.displays import capitalized
from nip_core.language import START, Specification, Wording
from nip_core.spec import Remark

__all__ = ["UNFINISHED", "about_what", "fixes_of"]

# What is only not finished yet, which is said quietly.
UNFINISHED = ("seat-never-acts", "channel-unused", "choice-never-made", "part-unseen")
# Codes of remarks that say that a seat finds out what it is not shown.
TELLS = "-tells"
MOST_SEATS = 3  # that are offered to be shown something
_PLACE = re.compile(
    r"(seat|part|channel|choice|value) '(.+?)'|pay (\d+)|stage '(.+?)'(?:, turn (\d+))?"
    r"|limit of '(.+?)' for '(.+?)'"
)


def about_what(spec: Specification, place: str) -> dict[str, Any]:
    """Return what a remark is about: a kind and a name, or numbers."""
    found = _PLACE.match(place)
    if found is None:
        return {}
    kind, name, pay, stage, turn, of, seat = found.groups()
    if kind:
        return {"kind": kind, "name": name}
    if pay:
        return {"kind": "pay", "number": int(pay) - 1}
    if of:
        for number, limit in enumerate(spec.limits):
            if (limit.of, limit.seat) == (of, seat):
                return {"kind": "limit", "number": number}
        return {}
    about = {"kind": "stage", "stage": spec.stage_index.get(stage, 0)}
    # The document counts turns otherwise where members of a family act one by one.
    return about | ({"turn": int(turn) - 1} if turn and not spec.families else {})


def fixes_of(spec: Specification, remark: Remark, about: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield repairs: words for a button, a gesture, and its arguments."""
    kind = about.get("kind")
    if remark.code == "choice-never-made":
        stage = len(spec.stages) - 1
        turn = len(spec.stages[stage].turns) - 1
        where = {"choice": about["name"], "stage": stage, "turn": turn}
        yield ["Choose it in the last turn", "choose", where]
    if remark.code in ("part-unseen", "channel-monologue"):
        yield from _show(spec, about["kind"], about["name"], spec.seat_names)
    if remark.code.endswith(TELLS) and remark.choice is not None:
        yield from _show(spec, "choice", remark.choice, remark.agents)
    if "turn" in about:
        yield from _in_turn(spec, remark, {name: about[name] for name in ("stage", "turn")})
    if remark.code in (*UNFINISHED, "choice-without-effect") and kind:
        yield ["Remove it", "remove", {"kind": kind, "name": about["name"]}]
    # Rules of families are written out for their members, so that they have other numbers.
    if kind == "pay" and remark.code.startswith("pay-") and not spec.families:
        yield ["Remove it", "remove_rule", {"kind": "pay", "number": about["number"]}]
    if kind == "limit" and not spec.families:
        yield ["Remove the limit", "remove_rule", {"kind": "limit", "number": about["number"]}]


def _show(spec: Specification, kind: str, name: str, seats: tuple[str, ...]) -> Iterator[list[Any]]:
    """Yield ways to let seats see something that they do not see from the start."""
    things = {"part": spec.parts, "channel": spec.channels, "choice": spec.choices}[kind]
    seen = next((dict(thing.seen) for thing in things if thing.name == name), None)
    if seen is None:
        return
    blind = [s for s in seats if s in spec.seat_names and seen.get(s) != START]
    for seat in blind[:MOST_SEATS]:
        words = f"Let {Wording(spec).seat(seat)} see {spec.title_of(name)}"
        yield [words, "see", {"kind": kind, "name": name, "seat": seat, "since": START}]


def _in_turn(spec: Specification, remark: Remark, at: dict[str, int]) -> Iterator[list[Any]]:
    turn = spec.stages[at["stage"]].turns[at["turn"]]
    if remark.code == "act-never":
        for seat in remark.agents:
            words = f"Let {Wording(spec).seat(seat)} always act there"
            yield [capitalized(words), "only_if", {"seat": seat, **at, "when": "true"}]
    if remark.code in ("guard-never", "guard-always") and len(turn.then) == 1:
        ((target, _),) = turn.then
        yield ["Remove this way out", "stay", {**at, "target": target}]
