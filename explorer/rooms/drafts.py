"""Whose drafts are kept with a room."""

from __future__ import annotations

from explorer.rooms.room import Room

__all__ = ["drafts_of"]


def drafts_of(room: Room, person: int) -> str:
    """The owner of what somebody has begun in a room, such as a game of a lesson."""
    return f"room:{room.number}:person:{person}"
