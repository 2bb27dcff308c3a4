"""Interactive drawings of lessons in a notebook, with numbers that the engine has computed."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

from explorer.lessons import playable
from explorer.notebook.live import Display
from nip_core.displays import line


class DrawingDisplay(Display):
    """A drawing of a lesson; see :func:`drawing`."""

    front = "touch_two_rooms"
    styles = ("touch", "touch_two_rooms")

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._data = playable(name).data()

    def __repr__(self) -> str:
        return line(self, self.name, playable(self.name).TITLE)

    def text(self) -> str:
        """Return the title, and in which programs the drawing is interactive."""
        return f"{playable(self.name).TITLE}: a drawing to play with, where widgets work."

    def html(self) -> str:
        """Return the same as HTML."""
        return f"<p>{escape(self.text())}</p>"

    def data(self) -> dict[str, object]:
        """Return what the engine has computed for the drawing."""
        return self._data

    def receive(self, event: str, value: Any) -> None:
        """Ignore messages: everything happens in the browser."""


@cache
def _display_class(front: str) -> type[DrawingDisplay]:
    """Return the display class of a drawing; all of these classes have the same name."""
    return type("DrawingDisplay", (DrawingDisplay,), {"front": front, "styles": ("touch", front)})


def drawing(name: str) -> DrawingDisplay:
    """Return an interactive drawing of the lessons, shown at the end of a cell.

    Parameters
    ----------
    name : str
        Its name, such as ``"two_rooms"`` or ``"marks"``; an unknown one is refused with the list.

    Raises
    ------
    LessonError
        If there is no such drawing.

    Examples
    --------
    >>> drawing("marks")
    DrawingDisplay(marks, Make the mark worthless)
    """
    return _display_class(playable(name).FRONT)(name)
