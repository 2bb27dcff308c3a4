"""Many episodes under stated conditions: started, watched, compared and read."""

from explorer.ui.studies import show_page

show_page()
