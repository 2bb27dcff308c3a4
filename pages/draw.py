"""Draw your own protocol: its picture is its editor."""

from explorer.ui.draw import show_page

show_page()
