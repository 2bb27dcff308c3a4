"""Lessons that one can do alone or with a class."""

from explorer.ui import learn

learn.show_page()
