"""Thirty people who are not there, so that a facilitator can see what a room is like."""

from __future__ import annotations

from explorer.rooms.changes import leading
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.joining import MOST_PEOPLE, add_person
from explorer.storage import Storage

__all__ = ["rehearse"]

MOST = 60


def rehearse(storage: Storage, code: str, people: int = 30, *, by: str) -> None:
    """Let bots join a rehearsal; they play at the pace of people once it has started.

    Raises
    ------
    NotLeaderError
    NotNowError
        If the room is no rehearsal, or has started.
    """
    if not 1 <= people <= MOST:
        raise RoomError(f"Between 1 and {MOST} bots can join.")
    with leading(storage, code, by) as (change, room):
        if not room.plan.rehearsal:
            raise NotNowError("Bots join rehearsals only. Make a room to rehearse.")
        if room.phase != "gathering":
            raise NotNowError("The rehearsal has started already.")
        already = len(room.people)
        if already + people > MOST_PEOPLE:
            raise NotNowError("There is no place for so many.")
        for number in range(already + 1, already + people + 1):
            add_person(change, number, None)
