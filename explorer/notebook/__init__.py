"""The explorer in notebooks: what the app does on a page is done in a cell, without a server.

:func:`show_schedule`, :func:`play`, :func:`rewards`, :func:`read` and :func:`show_rollouts` give
what shows itself at the end of a cell, in JupyterLab, VS Code, Colab and marimo: live with the
extra ``notebook`` (anywidget), as a still picture without it and wherever a notebook is only looked
at. What goes into a notebook's file while a game goes on is the view of the seat at the screen, and
nothing else. The other names make notebooks of pages of the app.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import loader

if TYPE_CHECKING:
    from explorer.notebook.document import (
        notebook_bytes,
        notebook_document,
        rewards_notebook,
        schedule_notebook,
    )
    from explorer.notebook.episodes import (
        lesson_notebook,
        study_notebook,
        transcript_notebook,
        view_notebook,
    )
    from explorer.notebook.playing import PlayDisplay, play
    from explorer.notebook.reading import ReadDisplay, RolloutsDisplay, read, show_rollouts
    from explorer.notebook.replay_file import replay_html, save_replay
    from explorer.notebook.schedule import ScheduleDisplay, show_schedule
    from explorer.notebook.worth import RewardsDisplay, rewards
    from explorer.pictures import side_by_side

__all__ = [
    "PlayDisplay",
    "ReadDisplay",
    "RewardsDisplay",
    "RolloutsDisplay",
    "ScheduleDisplay",
    "lesson_notebook",
    "notebook_bytes",
    "notebook_document",
    "play",
    "read",
    "replay_html",
    "rewards",
    "rewards_notebook",
    "save_replay",
    "schedule_notebook",
    "show_rollouts",
    "show_schedule",
    "side_by_side",
    "study_notebook",
    "transcript_notebook",
    "view_notebook",
]

__getattr__ = loader(__name__)


def __dir__() -> list[str]:
    return __all__
