"""Take a seat in an episode."""

from explorer.ui.play import show_page

show_page()
