"""What a facilitator and people do in a room, as functions that run in the server's process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.rooms.tables import carry_table_on
from explorer.ui import database
from explorer.ui.database import storage
from nip_core.language import Specification
from nip_core.parameters import HyperParameters
from nip_core.tasks import Task

LEADER = "a" * 32
# The code, and the episode's id, of rooms that `nothing_drawn` fixes.
CODE, ID = "BCDFG", "5" * 32


@contextmanager
def nothing_drawn(task: Task | dict[str, Any]) -> Iterator[None]:
    """Fix the next room's code, its task and the id of its episode, so that tests know them."""
    with (
        patch("explorer.rooms.opening.new_code", lambda: CODE),
        patch("explorer.rooms.plan.find_task", lambda *_: task),
        patch("secrets.token_hex", lambda _: ID),
    ):
        yield


def open_room(protocol: str = "nip", **plan: Any) -> tuple[str, str]:
    """Open a room; return its code and the key to lead it."""
    parameters = HyperParameters(interaction_protocol=protocol)
    condition = rooms.RoomCondition("a", ProtocolChoice.of(parameters))
    made = rooms.open_room(storage(), rooms.RoomPlan(conditions=(condition,), **plan), LEADER)
    return made.code, made.key


def open_debate() -> str:
    """Open a room for a debate in which one prover follows the other, and the second is a bot."""
    parameters = HyperParameters(
        interaction_protocol="debate", debate_protocol={"sequential": True, "prover0_first": True}
    )
    condition = rooms.RoomCondition("a", ProtocolChoice.of(parameters))
    plan = rooms.RoomPlan(conditions=(condition,), seats={"prover1": "scripted"})
    return rooms.open_room(storage(), plan, LEADER).code


def join(code: str, visitor: str) -> int:
    """Join a room; return the person's number."""
    return rooms.join(rooms.Access(storage(), code, visitor)).number


def start(code: str) -> None:
    """Start play."""
    rooms.start(rooms.Access(storage(), code, LEADER))


def open_known(task: Task, protocol: str, plan: dict[str, Any]) -> None:
    """Open a room with a fixed code, task and seed."""
    with nothing_drawn(task):
        open_room(protocol, seed=7, **plan)


def open_known_turns(task: dict[str, Any], document: str, plan: dict[str, Any]) -> None:
    """Open such a room with a protocol of version 2, given as TOML."""
    condition = rooms.RoomCondition("a", ProtocolChoice.of(Specification.from_toml(document)))
    made = rooms.RoomPlan(conditions=(condition,), tasks=("known",), seed=7, **plan)
    with nothing_drawn(task):
        rooms.open_room(storage(), made, LEADER)


def start_known(task: Task | dict[str, Any]) -> None:
    """Start play in the room of `open_known`."""
    with nothing_drawn(task):
        start(CODE)


def take_seat(code: str, person: int, visitor: str, agent: str) -> None:
    """Take a seat at the first table."""
    rooms.take_seat(rooms.Access(storage(), code, visitor), person, 1, agent)


def seat(code: str, person: int, visitor: str) -> str:
    """Return the seat of a person."""
    return rooms.seat_at(rooms.Access(storage(), code, visitor), person).agent


def play(code: str, person: int, visitor: str, act: dict[str, Any]) -> Any:
    """Make a move; return why it was refused, or None."""
    return rooms.seat_at(rooms.Access(storage(), code, visitor), person).play(act)


def play_only(code: str, person: int, visitor: str, act: dict[str, Any]) -> Any:
    """Make a move like `play`, after which the table does not go on."""
    with patch("explorer.rooms.tables.carry_table_on"):
        return play(code, person, visitor, act)


def go_on(code: str) -> None:
    """Let the first table go on after a move."""
    carry_table_on(rooms.load_room(rooms.Access(storage(), code)), 1)


def leads(code: str, visitor: str) -> bool:
    """Return whether a browser may lead the room."""
    return rooms.load_room(rooms.Access(storage(), code)).leads(visitor)


def there(code: str) -> dict[str, int]:
    """Return how many windows of each watcher are open."""
    return dict(storage().presence.there(rooms.load_room(rooms.Access(storage(), code)).number))


def said(code: str) -> list[str]:
    """Return all messages stored of a room, table by table."""
    room = rooms.load_room(rooms.Access(storage(), code))
    inside = storage().within(room.number)
    return [
        words
        for table in room.tables
        for node in inside.load(table.episode_id or "").episode.path()[1:]
        for move in node.moves.values()
        for words in move.messages.values()
    ]


def forget_database() -> None:
    """Close the database in use, before its server goes away for good."""
    storage().close()
    database._storage.cache_clear()
