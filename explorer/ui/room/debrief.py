"""What came of the tables of a room."""

from __future__ import annotations

from explorer.ui.header import header

__all__ = ["show_debrief"]


def show_debrief(code: str) -> None:
    """Show the room's result, as far as the facilitator shows it."""
    header("Result")
