"""A protocol that is drawn in a notebook: the editor of the Draw page, whose result is Python's."""

from __future__ import annotations

import secrets
from collections import deque
from contextlib import AbstractContextManager
from html import escape
from typing import Any

from explorer.drawing import Drawing, drawing_screen
from explorer.notebook.live import Display
from explorer.pictures import Theme, caption, picture
from explorer.play import sent_object
from nip_core.displays import brief, line
from nip_core.editing import Draft, History
from nip_core.language import Specification
from nip_core.registry import AnyProtocol, specification

MOST_ANSWERS = 20


def draw(protocol: AnyProtocol | Specification = "nip") -> DrawDisplay:
    """Return a display in which a protocol can be changed, as on the Draw page.

    Parameters
    ----------
    protocol : str, Specification, or anything else that identifies a protocol
        What the drawing begins with; it does not change itself.

    Returns
    -------
    DrawDisplay
        Shows itself at the end of a cell. Its ``spec`` is the protocol as it is drawn now.

    Examples
    --------
    >>> drawn = draw("mnip")
    >>> drawn.do("repeat", stage=0, times=3)
    'repeat “part 1” 3 times'
    >>> drawn.spec.times(0)
    3
    """
    return DrawDisplay(Drawing(secrets.token_hex(6), (Draft.of(specification(protocol)), "")))


class DrawDisplay(Display):
    """Shows a protocol to be changed; see :func:`draw`."""

    front = "draw"
    styles = ("draw", "connection")

    def __init__(self, drawing: Drawing) -> None:
        super().__init__()
        self._drawing = drawing
        self._answers: deque[dict[str, Any]] = deque(maxlen=MOST_ANSWERS)

    def __repr__(self) -> str:
        return line(self, brief(self.spec.name))

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Return the lock of the drawing."""
        return self._drawing.lock

    @property
    def spec(self) -> Specification:
        """The protocol as it is drawn now."""
        return self._drawing.draft.spec

    @property
    def history(self) -> History:
        """How it was drawn; ``history.drafts()`` are all protocols on the way."""
        return self._drawing.history

    def do(self, gesture: str, **arguments: Any) -> str:
        """Make a gesture of :mod:`nip_core.editing` from Python; return what it did, in words.

        Raises
        ------
        EditError
            If it is refused, with the reason.
        """
        words = self._drawing.make(gesture, arguments)
        self.refresh()
        return words

    def svg(self, theme: Theme = "light") -> str:
        """Return the protocol as a picture for paper and slides."""
        return picture(self.spec, theme=theme).svg()

    def data(self) -> dict[str, object]:
        """Return the data for the browser; see ``explorer/front/draw.js``."""
        # Without the app there are no pages to link to.
        screen: dict[str, Any] = {**drawing_screen(self._drawing), "links": {}}
        return {"address": "", "screen": screen, "answers": [*self._answers], "protocols": []}

    def receive(self, event: str, value: Any) -> None:
        """Do what a person did in the browser."""
        if event == "ask":
            request = sent_object(value)
            refused = self._drawing.act(request)
            self._answers.append({"mark": str(request.get("mark"))[:64], "refused": refused})
        elif event != "look":
            return
        self.refresh()

    def text(self) -> str:
        """Return the protocol in words."""
        return caption(self.spec)

    def html(self) -> str:
        """Return the still picture and its description in words."""
        drawn = picture(self.spec)
        return f"{drawn.html()}<p>{escape(drawn.description)}</p>"
