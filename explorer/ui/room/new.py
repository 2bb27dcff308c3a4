"""Where a room is made."""

from __future__ import annotations

from explorer.ui.header import header

__all__ = ["show_new"]


def show_new(lesson: str | None) -> None:
    """Offer to make a room; for a lesson, if its name is given."""
    header("New room")
