"""Who looks on while a room is played: only browsers that the facilitator's link to watch was for.

Whoever sees what a seat sees could tell it to the others at its table. A browser that has a seat is
refused, but nobody can tell a second device of a player's from a guest's: so the live view is not
for everybody who knows the code, the facilitator hands its link out and sees how many browsers have
come by it, and those who play are told.
"""

from __future__ import annotations

import secrets

from explorer.rooms.changes import changing, leading, set_state
from explorer.rooms.errors import NoSuchRoomError, NotNowError, RoomClosedError, RoomError
from explorer.rooms.room import SPECTATORS, Room, load_room
from explorer.storage import Storage, hashed_key

__all__ = [
    "end_watching",
    "is_watched",
    "lookers_on",
    "may_watch_live",
    "watch",
    "watch_link",
    "without_spectator",
]

# Entries of a room's state: the hash of the link's key, and who has come by it.
KEY, WATCH = "watch_key", SPECTATORS
MOST_SPECTATORS = 200
WRONG_LINK = (
    "This link to watch does not work, or does not work any more. Ask whoever leads the room for "
    "the present one."
)


def is_watched(room: Room) -> bool:
    """Is there a link by which spectators see a seat's view while it is played?"""
    return room.plan.gallery == "seat" and bool(room.state.get(KEY))


def lookers_on(room: Room) -> int:
    """How many browsers have come by the present link to watch."""
    return len(room.state.get(WATCH, ()))


def may_watch_live(room: Room, visitor: str) -> bool:
    """May this browser see what the seat sees, before the truth is told?"""
    if room.plan.gallery != "seat" or any(p.seat for p in room.persons_of(visitor)):
        return False
    return room.leads(visitor) or visitor in room.state.get(WATCH, ())


def watch_link(storage: Storage, code: str, *, by: str) -> str:
    """Make a key by which spectators see one seat's view; who came by an older one sees no more.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    key = secrets.token_urlsafe(16)
    with leading(storage, code, by) as (change, room):
        if room.plan.gallery != "seat":
            raise NotNowError("This room shows spectators nothing before the end.")
        set_state(change, room, **{KEY: hashed_key(key), WATCH: None})
    return key


def end_watching(storage: Storage, code: str, *, by: str) -> None:
    """Let nobody look on any more before the truth is told.

    Raises
    ------
    NotLeaderError
    """
    with leading(storage, code, by) as (change, room):
        set_state(change, room, **{KEY: None, WATCH: None})


def watch(storage: Storage, code: str, key: str, visitor: str) -> None:
    """Let a browser look on that has the link.

    Raises
    ------
    NotNowError
        If the link is not, or no longer, the right one.
    RoomError
        If this browser has joined the room.
    """
    # Read first: wrong links, however many come, make nobody wait who changes the room.
    try:
        _check_link(load_room(storage, code), key, visitor)
    except (NoSuchRoomError, RoomClosedError):
        # Short codes cannot be tried by links: a wrong one is told the same in any case.
        raise NotNowError(WRONG_LINK) from None
    with changing(storage, code) as (change, room):
        there = list(room.state.get(WATCH, ()))
        if may_watch_live(room, visitor):
            return
        _check_link(room, key, visitor)
        if room.persons_of(visitor):
            raise RoomError(
                "You have joined this room, and spectators see more than a participant may. You "
                "can look at all tables once the truth is told."
            )
        if len(there) >= MOST_SPECTATORS:
            raise RoomError("Too many look on already. Ask whoever leads the room for a new link.")
        set_state(change, room, **{WATCH: [*there, visitor]})


def _check_link(room: Room, key: str, visitor: str) -> None:
    known = room.state.get(KEY)
    right = bool(known) and secrets.compare_digest(hashed_key(key), known)
    if not right and not may_watch_live(room, visitor):
        raise NotNowError(WRONG_LINK)


def without_spectator(room: Room, visitor: str) -> list[str] | None:
    """Who looks on but one browser; None if that is nobody."""
    return [each for each in room.state.get(WATCH, ()) if each != visitor] or None
