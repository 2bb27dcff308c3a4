"""What each seat of a protocol is worth, exactly."""

from explorer.ui.rewards.page import show_page

show_page()
