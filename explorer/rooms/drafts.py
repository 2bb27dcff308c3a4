"""What somebody has begun in a room: whose it is here, and by what their browser knows it."""

from __future__ import annotations

from hashlib import blake2b

from explorer.rooms.room import Room

__all__ = ["drafts_of", "place_in_browser", "places_in_browser"]


def drafts_of(room: Room, person: int) -> str:
    """The owner of what somebody has begun in a room, such as a game of a lesson."""
    return f"room:{room.number}:person:{person}"


def place_in_browser(code: str, person: int, episode_id: str | None, agent: str) -> str:
    """What the browser calls a person's seat. By the episode's own id it could be asked for."""
    said = f"{code}/{person}/{episode_id}/{agent}"
    return blake2b(said.encode(), digest_size=8).hexdigest()


def places_in_browser(room: Room, person: int) -> list[str]:
    """By what a browser keeps what somebody has typed at the tables of a room, of all tasks.

    They may have had any seat there: who sat where is forgotten with them.
    """
    return [
        place_in_browser(room.code, person, table.episode_id, agent)
        for table in room.everything
        if table.episode_id is not None
        for agent in table.seats
    ]
