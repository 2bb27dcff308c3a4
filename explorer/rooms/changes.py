"""Transactions that change a room."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from explorer.rooms.errors import MovedOnError, NoSuchRoomError, NotLeaderError, RoomClosedError
from explorer.rooms.events import event_of
from explorer.rooms.room import Access, Room, read_code
from explorer.storage import RoomChange, room_topic, stamp


def now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


def in_seconds(seconds: float) -> str:
    """Return the time this many seconds from now, as it is stored."""
    return stamp(now() + timedelta(seconds=seconds))


def seconds_until(time: str) -> float:
    """Return how many seconds are left until a stored time; 0 if it has passed."""
    return max(0.0, (datetime.fromisoformat(time) - now()).total_seconds())


@contextmanager
def changing(at: Access | Room, *, even_closed: bool = False) -> Generator[tuple[RoomChange, Room]]:
    """Open a change of a room; its state cannot change otherwise until the end of the block."""
    code, cache = read_code(at.code), at.storage.cache
    known: Room | None = cache.last(room_topic(code))
    with at.storage.rooms.changing(code, None if known is None else known.rows) as change:
        if change is None:
            raise NoSuchRoomError
        room = known
        if room is None or not room.rows.are_at(change.number, change.rows.room["version"]):
            room = Room(change.rows.copy(), at.storage)
        if room.phase == "closed" and not even_closed:
            raise RoomClosedError
        yield change, room
    if change.changed:
        cache.keep(room_topic(code), Room(change.rows.sorted(), at.storage))


@contextmanager
def leading(
    access: Access, *, even_closed: bool = False, table: int | None = None, agent: str = ""
) -> Generator[tuple[RoomChange, Room]]:
    """Open a change of a room by a browser that must lead it.

    If the command is about one table, or one seat of it, commands about others do not matter to it.
    """
    with changing(access, even_closed=even_closed) as (change, room):
        if not room.leads(access.visitor):
            raise NotLeaderError
        check_position(change, access.since, table, agent)
        yield change, room


def check_position(
    change: RoomChange,
    since: int | None,
    table: int | None = None,
    agent: str = "",
    person: int | None = None,
) -> None:
    """Refuse a command if, since the position that it is based on, another one came first.

    Who plays a seat matters to commands about this seat, and to those of the `person`.
    """
    for event in () if since is None else map(event_of, reversed(change.since(since))):
        where, seat = getattr(event, "table", None), getattr(event, "agent", None)
        here = where is None or table in (None, where)
        own = person is not None and getattr(event, "person", None) == person
        if event.steers and (own or (here and seat in (None, agent))):
            raise MovedOnError(event.steers)
