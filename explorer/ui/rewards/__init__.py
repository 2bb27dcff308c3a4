"""The Rewards page."""

from explorer.ui.rewards.page import show_page

__all__ = ["show_page"]
