"""The explorer in notebooks: pages of the app as displays in cells, without a server.

:func:`show_schedule`, :func:`play`, :func:`rewards`, :func:`draw`, :func:`read` and
:func:`show_rollouts` return displays for the end of a cell in JupyterLab, VS Code, Colab and
marimo. With the extra ``notebook`` (anywidget) they are interactive; without it, and wherever no
kernel runs, they are still pictures. While a game goes on, a notebook's file contains only the view
of the seat at the screen. The other functions turn pages of the app into notebooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.notebook.document import (
        notebook_bytes as notebook_bytes,
        notebook_document as notebook_document,
        rewards_notebook as rewards_notebook,
        schedule_notebook as schedule_notebook,
    )
    from explorer.notebook.draw_widget import (
        DrawDisplay as DrawDisplay,
        draw as draw,
    )
    from explorer.notebook.drawings import (
        DrawingDisplay as DrawingDisplay,
        drawing as drawing,
    )
    from explorer.notebook.episodes import (
        lesson_notebook as lesson_notebook,
        study_notebook as study_notebook,
        transcript_notebook as transcript_notebook,
        view_notebook as view_notebook,
    )
    from explorer.notebook.playing import (
        PlayDisplay as PlayDisplay,
        play as play,
    )
    from explorer.notebook.reading import (
        ReadDisplay as ReadDisplay,
        RolloutsDisplay as RolloutsDisplay,
        read as read,
        show_rollouts as show_rollouts,
    )
    from explorer.notebook.replay_file import (
        replay_html as replay_html,
        save_replay as save_replay,
    )
    from explorer.notebook.schedule import (
        ScheduleDisplay as ScheduleDisplay,
        show_schedule as show_schedule,
    )
    from explorer.notebook.worth import (
        RewardsDisplay as RewardsDisplay,
        rewards as rewards,
    )
    from explorer.pictures import side_by_side as side_by_side

__all__, __getattr__, __dir__ = exported(__name__)
