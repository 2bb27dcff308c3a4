"""What spectators see."""

from __future__ import annotations

from explorer.ui.header import header

__all__ = ["show_gallery"]


def show_gallery(code: str) -> None:
    """Show the room to whoever only looks."""
    header("Room")
