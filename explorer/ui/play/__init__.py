"""The Play page: choosing what to play, and the table."""

from __future__ import annotations

from explorer.ui.play.page import show_page

__all__ = ["show_page"]
