"""Lessons to take alone or with a class."""

from explorer.ui.learn import show_page

show_page()
