"""Join a room full of people, or lead one."""

from explorer.ui.room.page import show_page

show_page()
