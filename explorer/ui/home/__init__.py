"""The first page: what this is, and the doors into it."""

from explorer.ui.home.page import show_page

__all__ = ["show_page"]
