"""The schedule of a protocol: who speaks when, who reads it, when a decision counts."""

from explorer.ui.schedule import show_page

show_page()
