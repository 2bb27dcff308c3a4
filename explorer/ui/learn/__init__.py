"""The Learn section."""

from explorer.ui.learn.page import show_page

__all__ = ["show_page"]
