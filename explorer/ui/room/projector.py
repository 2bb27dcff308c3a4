"""What the whole room sees."""

from __future__ import annotations

from explorer.ui.header import header

__all__ = ["show_projector"]


def show_projector(code: str) -> None:
    """Show the room to all who are in it."""
    header("Room")
