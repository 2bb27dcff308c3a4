"""Take part in a study with people, by its link."""

from explorer.ui.take_part import show_page

show_page()
