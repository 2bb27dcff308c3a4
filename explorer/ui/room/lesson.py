"""A lesson that a room takes together."""

from __future__ import annotations

from explorer.ui.header import header

__all__ = ["show_lesson"]


def show_lesson(code: str, person: int) -> None:
    """Show the lesson to a person of the room."""
    header("Lesson")
