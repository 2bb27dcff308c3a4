"""A person's own part of a room."""

from __future__ import annotations

from explorer.ui.header import header

__all__ = ["show_person"]


def show_person(code: str) -> None:
    """Show a person what is theirs: the way in, their seat, or the lesson."""
    header("Room")
