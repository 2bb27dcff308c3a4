"""One change of a room at a time: by anybody, by somebody who has joined, or by a leader."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from explorer.rooms.codes import read_code
from explorer.rooms.errors import NoSuchRoomError, NotLeaderError, RoomClosedError
from explorer.rooms.room import Room
from explorer.storage import RoomChange, Storage, stamp

__all__ = ["changing", "in_seconds", "leading", "now", "seconds_until", "set_state"]


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def in_seconds(seconds: float) -> str:
    """The time in so many seconds, as it is stored."""
    return stamp(now() + timedelta(seconds=seconds))


def seconds_until(time: str) -> float:
    """How many seconds are left until a stored time; none if it is over."""
    return max(0.0, (datetime.fromisoformat(time) - now()).total_seconds())


@contextmanager
def changing(
    storage: Storage, code: str, *, even_closed: bool = False
) -> Generator[tuple[RoomChange, Room]]:
    """A change of a room, which is as it is now until the end of the block.

    Raises
    ------
    NoSuchRoomError, RoomClosedError
    """
    with storage.rooms.changing(read_code(code)) as change:
        if change is None:
            raise NoSuchRoomError
        room = Room(change.rows)
        if room.phase == "closed" and not even_closed:
            raise RoomClosedError
        yield change, room


@contextmanager
def leading(
    storage: Storage, code: str, by: str, *, even_closed: bool = False
) -> Generator[tuple[RoomChange, Room]]:
    """A change of a room by who may lead it.

    Raises
    ------
    NotLeaderError
    """
    with changing(storage, code, even_closed=even_closed) as (change, room):
        if not room.leads(by):
            raise NotLeaderError
        yield change, room


def set_state(change: RoomChange, room: Room, **values: Any) -> None:
    """Change some of what else changes in a room; None takes an entry away."""
    state = {**room.state, **values}
    kept = {name: value for name, value in state.items() if value is not None}
    change.set_room(state=json.dumps(kept, allow_nan=False))
