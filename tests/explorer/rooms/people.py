"""A room for tests, and people who make moves in it."""

from __future__ import annotations

import json

from explorer import rooms
from explorer.rooms import RoomCondition, RoomPlan, SeatedTable
from explorer.storage import Storage
from nip_core.parameters import HyperParameters

LEADER = "f" * 32


def visitor(number: int) -> str:
    """The browser of somebody."""
    return f"{number:032x}"


def protocol(name: str = "mnip", rounds: int = 4) -> HyperParameters:
    """A short protocol."""
    group = {"max_message_rounds": rounds, "min_message_rounds": 1}
    return HyperParameters(interaction_protocol=name, **{f"{name}_protocol": group})


def plan(*names: str, **said) -> RoomPlan:
    """A plan of a condition for each protocol."""
    found = tuple(RoomCondition(name, protocol(name)) for name in names or ("mnip",))
    return RoomPlan(**{"conditions": found, "seed": 1, **said})


def opened(storage: Storage, people: int = 3, *, started: bool = True, **said) -> str:
    """The code of a room with people in it, which plays."""
    made = said.pop("plan", None) or plan(**said)
    code = rooms.open_room(storage, made, LEADER).code
    for number in range(1, people + 1):
        rooms.join(rooms.Access(storage, code, visitor(number)))
    if started:
        rooms.start(rooms.Access(storage, code, LEADER))
    return code


def at(storage: Storage, code: str, person: int) -> SeatedTable:
    """Somebody's table."""
    return rooms.seat_at(rooms.Access(storage, code, visitor(person)), person)


def sits(storage: Storage, code: str, agent: str, table: int = 1) -> int:
    """Who sits in a seat."""
    number = rooms.load_room(rooms.Access(storage, code)).table(table).seats[agent].person
    assert number is not None
    return number


def act_of(table: SeatedTable, *, verdict: int | None = None, words: str = "Why?") -> dict:
    """A legal move of somebody whose turn it is; a verdict where it has to be one."""
    view = table.seen.view
    legal = view.legal
    act = {"seat": table.agent, "round": view.round, "mark": "m"}
    if legal.may_decide and (verdict is not None or legal.last_turn):
        return {**act, "messages": {}, "decision": 1 if verdict is None else verdict}
    return {**act, "messages": dict.fromkeys(legal.channels, words)}


def may_act(table: SeatedTable) -> bool:
    """Is it their turn?"""
    seen = table.seen
    return seen is not None and bool(seen.view.legal.channels or seen.view.legal.may_decide)


def play_out(storage: Storage, code: str, *, verdict: int | None = None) -> None:
    """Let everybody play until nobody is to move."""
    moved = True
    while moved:
        moved = False
        for person in rooms.load_room(rooms.Access(storage, code)).here:
            if person.visitor is None or person.seat is None:
                continue
            table = at(storage, code, person.number)
            if not table.over and not table.replaced and may_act(table):
                assert table.play(act_of(table, verdict=verdict)) is None
                moved = True


def watch_mark(storage: Storage, code: str, watcher: rooms.Watcher) -> str:
    """All that a window is shown, page and line together, as text that can be compared."""
    return json.dumps(rooms.view_for(rooms.room_of(rooms.Access(storage, code)), watcher).to_dict())
