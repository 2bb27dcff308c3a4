"""A room for tests, and people who make moves in it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.play import StoredTable
from explorer.rooms import Room, RoomCondition, RoomPlan, SeatedTable
from explorer.storage import Storage
from nip_core.parameters import HyperParameters

LEADER = "f" * 32


def visitor(number: int) -> str:
    """Return a browser's visitor."""
    return f"{number:032x}"


def protocol(name: str = "mnip", rounds: int = 4) -> HyperParameters:
    """Return the parameters of a short protocol."""
    group = {"max_message_rounds": rounds, "min_message_rounds": 1}
    return HyperParameters(interaction_protocol=name, **{f"{name}_protocol": group})


def plan(*names: str, **said) -> RoomPlan:
    """Return a plan with a condition for each protocol."""
    found = tuple(
        RoomCondition(name, ProtocolChoice.of(protocol(name))) for name in names or ("mnip",)
    )
    return RoomPlan(**{"conditions": found, "seed": 1, **said})


def opened(storage: Storage, people: int = 3, *, started: bool = True, **said) -> str:
    """Open a room with people in it, and start it; return its code."""
    made = said.pop("plan", None) or plan(**said)
    code = rooms.open_room(storage, made, LEADER).code
    for number in range(1, people + 1):
        rooms.join(rooms.Access(storage, code, visitor(number)))
    if started:
        rooms.start(rooms.Access(storage, code, LEADER))
    return code


def leads(act: Callable[..., object], *given: object) -> Callable[[Storage, str], object]:
    """Return a command of the facilitator, to be given in a room."""
    return lambda storage, code: act(rooms.Access(storage, code, LEADER), *given)


def lead_board(room: Room) -> list[dict]:
    """The state of the tables for the facilitator."""
    return rooms.board(room, frozenset(room.storage.presence.there(room.number)))


def at(storage: Storage, code: str, person: int) -> SeatedTable:
    """Return a person's table."""
    return rooms.seat_at(rooms.Access(storage, code, visitor(person)), person)


def sits(storage: Storage, code: str, agent: str, table: int = 1) -> int:
    """Return who sits in a seat."""
    number = rooms.load_room(rooms.Access(storage, code)).table(table).seats[agent].person
    assert number is not None
    return number


def act_of(table: SeatedTable, *, verdict: int | None = None, words: str = "Why?") -> dict:
    """Return a legal move of the person whose turn it is; a verdict in the last turn."""
    view = table.seen.view
    legal = view.legal
    act = {"seat": table.agent, "round": view.round, "mark": "m"}
    if legal.may_decide and (verdict is not None or legal.last_turn):
        return {**act, "messages": {}, "decision": 1 if verdict is None else verdict}
    return {**act, "messages": dict.fromkeys(legal.channels, words)}


@contextmanager
def no_bot_answers() -> Iterator[None]:
    """Let people's moves be the last thing that happens, as if bots failed or the process ended."""
    with (
        patch.object(StoredTable, "play_with_answers", lambda table, move, **_: table.play(move)),
        patch.object(rooms.tables, "carry_table_on"),
    ):
        yield


def may_act(table: SeatedTable) -> bool:
    """Return whether it is the person's turn."""
    seen = table.seen
    return seen is not None and bool(seen.view.legal.channels or seen.view.legal.may_decide)


def play_out(storage: Storage, code: str, *, verdict: int | None = None) -> None:
    """Let people move until nobody has to."""
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
    """Return all that a window is shown, by its page and its connection, as comparable text."""
    return json.dumps(rooms.view_for(rooms.room_of(rooms.Access(storage, code)), watcher).to_dict())
