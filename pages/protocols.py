"""All protocols, and each one: who speaks when, who reads it, and when a decision counts."""

from explorer.ui.protocols.page import show_page

show_page()
