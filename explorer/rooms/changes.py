"""Transactions that change a room."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from explorer.rooms.errors import MovedOnError, NoSuchRoomError, NotLeaderError, RoomClosedError
from explorer.rooms.events import event_of
from explorer.rooms.room import Room, keep_room, kept_room, read_code
from explorer.storage import RoomChange, Storage, stamp

__all__ = [
    "changing",
    "in_seconds",
    "leading",
    "now",
    "seconds_until",
]


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
def changing(
    storage: Storage, code: str, *, even_closed: bool = False
) -> Generator[tuple[RoomChange, Room]]:
    """Open a change of a room; its state cannot change otherwise until the end of the block."""
    code = read_code(code)
    known = kept_room(storage, code)
    with storage.rooms.changing(code, None if known is None else known.rows) as change:
        if change is None:
            raise NoSuchRoomError
        room = known
        if room is None or not room.rows.are_at(change.number, change.rows.room["version"]):
            room = Room(change.rows.copy())
        if room.phase == "closed" and not even_closed:
            raise RoomClosedError
        yield change, room
    if change.changed:
        keep_room(storage, Room(change.rows.sorted()))


@contextmanager
def leading(
    storage: Storage,
    code: str,
    visitor: str,
    *,
    even_closed: bool = False,
    since: int | None = None,
    table: int | None = None,
) -> Generator[tuple[RoomChange, Room]]:
    """Open a change of a room by a browser that must lead it.

    Parameters
    ----------
    since : int, optional
        The position of the log that the facilitator's page showed. Of two commands that are based
        on the same position, the second is refused.
    table : int, optional
        The only table that the command is about: commands about others do not matter.

    Raises
    ------
    MovedOnError
        Says what another command has done since that position.
    """
    with changing(storage, code, even_closed=even_closed) as (change, room):
        if not room.leads(visitor):
            raise NotLeaderError
        if since is not None:
            _check_position(change, since, table)
        yield change, room


def _check_position(change: RoomChange, since: int, table: int | None) -> None:
    for event in map(event_of, reversed(change.since(since))):
        where = getattr(event, "table", None)
        if event.steers and (where is None or table in (None, where)):
            raise MovedOnError(event.steers)
