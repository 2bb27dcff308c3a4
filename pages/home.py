"""What this is, and the doors into it."""

from explorer.ui.home import show_page

show_page()
