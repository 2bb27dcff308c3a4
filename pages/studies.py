"""Many episodes under stated conditions: start, watch, compare and read them."""

from explorer.ui.studies.page import show_page

show_page()
