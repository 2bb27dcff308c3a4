"""Spectators: only browsers that came by the facilitator's link may watch a running table.

A spectator could tell the players what another seat sees. Browsers that have a seat are refused,
but a player's second device cannot be recognised. So the live view is not open to everybody who
knows the code: the facilitator hands out a link, sees how many browsers have used it, and the
players are informed.
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

# Keys in a room's state: the hash of the link's key, and the browsers that have used it.
KEY, WATCH = "watch_key", SPECTATORS
MOST_SPECTATORS = 200
WRONG_LINK = (
    "This link to watch does not work, or does not work any more. Ask whoever leads the room for "
    "the present one."
)


def is_watched(room: Room) -> bool:
    """Return whether there is a link by which spectators see a seat's view during play."""
    return room.plan.gallery == "seat" and bool(room.state.get(KEY))


def lookers_on(room: Room) -> int:
    """Return how many browsers have used the present link to watch."""
    return len(room.state.get(WATCH, ()))


def may_watch_live(room: Room, visitor: str) -> bool:
    """Return whether this browser may see the seat's view before the truth is revealed."""
    if room.plan.gallery != "seat" or any(p.seat for p in room.persons_of(visitor)):
        return False
    return room.leads(visitor) or visitor in room.state.get(WATCH, ())


def watch_link(storage: Storage, code: str, *, by: str) -> str:
    """Make a new link for spectators; the previous one becomes invalid.

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
    """Let nobody watch any more before the truth is revealed.

    Raises
    ------
    NotLeaderError
    """
    with leading(storage, code, by) as (change, room):
        set_state(change, room, **{KEY: None, WATCH: None})


def watch(storage: Storage, code: str, key: str, visitor: str) -> None:
    """Let a browser with the link watch.

    Raises
    ------
    NotNowError
        If the link is wrong or no longer valid.
    RoomError
        If this browser has joined the room.
    """
    # Read without locking first, so that a flood of wrong links does not block changes.
    try:
        _check_link(load_room(storage, code), key, visitor)
    except (NoSuchRoomError, RoomClosedError):
        # The answer to a wrong link is always the same, so that it reveals no existing codes.
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
    """Return the spectators except one browser; None if there are no others."""
    return [each for each in room.state.get(WATCH, ()) if each != visitor] or None
