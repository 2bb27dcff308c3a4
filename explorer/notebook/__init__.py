"""The explorer in Jupyter: displays that work without a server, and pages as notebooks."""

from __future__ import annotations

from explorer.notebook.displays import ScheduleDisplay, show_schedule
from explorer.notebook.document import notebook_document
from explorer.notebook.exports import rewards_notebook, schedule_notebook, view_notebook
from explorer.notebook.playing import PlayDisplay, play

__all__ = [
    "PlayDisplay",
    "ScheduleDisplay",
    "notebook_document",
    "play",
    "rewards_notebook",
    "schedule_notebook",
    "show_schedule",
    "view_notebook",
]
