"""The schedule of a protocol: who speaks when, who reads it, when a decision counts."""

from explorer.ui import schedule

schedule.show_page()
