"""The facilitator's view of a room."""

from __future__ import annotations

from explorer.ui.header import header

__all__ = ["show_lead"]


def show_lead(code: str) -> None:
    """Show the room to whoever may lead it."""
    header("Room")
