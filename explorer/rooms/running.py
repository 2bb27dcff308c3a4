"""What the facilitator does while a room is played."""

from __future__ import annotations

from explorer.rooms.changes import in_seconds, leading, seconds_until, set_state
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.room import Room, RoomTable
from explorer.rooms.tables import carry_on
from explorer.storage import RoomChange, Storage

__all__ = ["end", "extend", "pause", "resume", "reveal"]

MOST_EXTRA = 3600


def pause(storage: Storage, code: str, table: int | None = None, *, by: str) -> None:
    """Stop a table, or all; what was left of the rounds is left when they go on.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    with leading(storage, code, by) as (change, room):
        if room.phase not in ("running", "paused"):
            raise NotNowError("There is nothing to pause: the room is not running.")
        for each in _some(room, table):
            if each.phase == "running":
                left = None if each.deadline is None else seconds_until(each.deadline)
                change.set_table(room.turn, each.number, phase="paused", deadline=None, left=left)
        if table is None and room.phase == "running":
            change.set_room(phase="paused")


def resume(storage: Storage, code: str, table: int | None = None, *, by: str) -> None:
    """Let a table, or all, go on.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    with leading(storage, code, by) as (change, room):
        if room.phase not in ("running", "paused"):
            raise NotNowError("There is nothing to go on with: the room is not running.")
        for each in _some(room, table):
            if each.phase == "paused":
                deadline = None if each.left is None else in_seconds(each.left)
                change.set_table(
                    room.turn, each.number, phase="running", deadline=deadline, left=None
                )
        if room.phase == "paused":
            change.set_room(phase="running")
    carry_on(storage, code)


def extend(
    storage: Storage, code: str, table: int | None = None, seconds: int = 60, *, by: str
) -> None:
    """Give the present round of a table, or of all, more time.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    if not 1 <= seconds <= MOST_EXTRA:
        raise RoomError(f"A round can be made longer by 1 to {MOST_EXTRA} seconds.")
    with leading(storage, code, by) as (change, room):
        some = [t for t in _some(room, table) if t.deadline is not None or t.left is not None]
        if not some:
            raise NotNowError("No round with a time limit is being played.")
        for each in some:
            if each.left is not None:
                change.set_table(room.turn, each.number, left=each.left + seconds)
            elif each.deadline is not None:
                more = in_seconds(seconds_until(each.deadline) + seconds)
                change.set_table(room.turn, each.number, deadline=more)


def end(storage: Storage, code: str, table: int | None = None, *, by: str) -> None:
    """End a table, or all and the present task with them. What was played stays as it is.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    with leading(storage, code, by) as (change, room):
        if room.phase not in ("running", "paused"):
            raise NotNowError("There is nothing to end: the room is not running.")
        _end(change, room, _some(room, table))
        if table is None:
            change.set_room(phase="ended")


def reveal(storage: Storage, code: str, *, by: str) -> None:
    """Tell the truth: everybody may look at the episodes that are over.

    Raises
    ------
    NotLeaderError, NotNowError
        While a table goes on.
    """
    with leading(storage, code, by) as (change, room):
        if room.phase == "gathering":
            raise NotNowError("Start the room first.")
        if any(table.phase != "over" for table in room.tables):
            raise NotNowError("Some tables still play. Wait for them, or end the task first.")
        change.set_room(phase="revealed")
        set_state(change, room, revealed=room.turn)
        change.unseal()


def _some(room: Room, number: int | None) -> list[RoomTable]:
    tables = [table for table in room.tables if number in (None, table.number)]
    if number is not None and not tables:
        raise NotNowError(f"There is no table {number}.")
    return tables


def _end(change: RoomChange, room: Room, tables: list[RoomTable]) -> None:
    for table in tables:
        if table.phase != "over":
            change.set_table(room.turn, table.number, phase="over", deadline=None, left=None)
