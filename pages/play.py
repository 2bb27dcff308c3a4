"""Take a seat in an episode."""

from explorer.ui.play.page import show_page

show_page()
