"""Many episodes under stated conditions: started, watched, compared and read."""

from explorer.ui.studies.page import show_page

show_page()
