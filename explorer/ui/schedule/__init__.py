"""The Schedule page: choosing a protocol, its picture, its facts, and what can be taken away."""

from explorer.ui.schedule.page import show_page

__all__ = ["show_page"]
