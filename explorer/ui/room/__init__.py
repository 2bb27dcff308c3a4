"""The Room page: many people at tables of their own, or in one lesson together."""

from __future__ import annotations

from explorer.ui.room.page import show_page

__all__ = ["show_page"]
