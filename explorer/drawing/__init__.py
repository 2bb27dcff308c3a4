"""A protocol that a person draws: its document and history, what a window shows of it, its values.

The picture of a protocol is its editor. What a person does there is a gesture of
:mod:`nip_core.editing`, so that the protocol is legal at all times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.drawing.drawing import (
        DRAWING as DRAWING,
        Drawing as Drawing,
        drawing_of as drawing_of,
        drawing_topic as drawing_topic,
        is_drawing as is_drawing,
    )
    from explorer.drawing.screen import drawing_screen as drawing_screen
    from explorer.drawing.walls import WALL as WALL, Wall as Wall

__all__, __getattr__, __dir__ = exported(__name__)
