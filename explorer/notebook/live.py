"""What shows itself in a notebook: live where there are widgets, and still in any case."""

from __future__ import annotations

import functools
import json
import threading
import time
from html import escape
from pathlib import Path
from typing import Any, ClassVar, cast
from uuid import uuid4

from explorer.front import script, style
from explorer.notebook.reactive import in_marimo, run_readers
from explorer.tokens import PAGE, css_variables
from nip_core.displays import PLAIN

__all__ = ["Display", "as_object", "load_anywidget"]

INSTALL = "pip install 'nip-explorer[notebook]'"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
HERE = Path(__file__).parent
# Seconds in which a browser paints what is live.
PAINTED = 0.12
# The app's letters: family, weight and file.
LETTERS = (
    ("Inter", "100 900", "inter"),
    ("Newsreader", "200 800", "newsreader"),
    ("Plex Mono", "400", "plex-mono"),
    ("Plex Mono", "600", "plex-mono-bold"),
)
# What fronts ask of a host by Streamlit's names, and a table's height, for a notebook has none.
AROUND = """
--st-text-color: var(--nip-text); --st-secondary-background-color: var(--nip-lane);
--st-border-color: var(--nip-border); --st-font: var(--nip-ui); --st-heading-font: var(--nip-book);
--st-code-font: var(--nip-code); --nip-table-height: 620px;
"""
# A card on the notebook's page. What a phone's whole window is to the app is this card here.
CARD = """
.nip-front { background: var(--nip-paper); border: 1px solid var(--nip-border); border-radius: 10px;
overflow: hidden; font: 400 15px/1.45 var(--nip-ui); color: var(--nip-text); }
.nip-front:has(> .stage) { padding: 0.8rem 1rem; }
.nip-silent { margin: 0 0 6px; padding: 0.5rem 0.8rem; border-radius: 8px; border: 1px solid
var(--nip-border); background: var(--nip-lane); color: var(--nip-text);
font: 400 14px/1.4 var(--nip-ui); }
.table.reached .problem { position: absolute; inset: 0; }
.table.reached .reach { position: absolute; }
"""


class Display:
    """Something that shows itself at the end of a cell, and may be acted upon there.

    Whatever is in :meth:`data`, :meth:`html` and :meth:`text` goes into the notebook's file.
    """

    front: ClassVar[str]
    styles: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        # Read with what it belongs to, and not while somebody waits for a first display.
        _module(cls.front, cls.styles)

    def __init__(self) -> None:
        self._widget: Any = None
        # Names the still form on its page, which the live one hides.
        self._still = f"nip-still-{uuid4().hex}"
        self._shown = False
        self._thread = threading.get_ident()
        # In a thread of one's own marimo does not know where it is.
        self._in_marimo = in_marimo()

    def text(self) -> str:
        """What it is, in a few lines."""
        raise NotImplementedError

    def html(self) -> str:
        """As it is now, for whoever only looks: no script, nothing to be fetched."""
        raise NotImplementedError

    def data(self) -> dict[str, Any]:
        """As it is now, for the browser."""
        raise NotImplementedError

    def hear(self, event: str, value: Any) -> None:
        """Take what a browser has sent, which may be anything."""
        raise NotImplementedError

    def widget(self) -> Any:
        """The same as an anywidget.

        Raises
        ------
        ImportError
            Without anywidget, with what to install.
        """
        if self._widget is None:
            made = _widget_class(self.front, self.styles)
            self._widget = made(data=self.data(), still=self._still)
            self._widget.on_msg(self._take)
        return self._widget

    def refresh(self) -> None:
        """Show in all outputs how it is now."""
        if self._widget is not None:
            self._widget.data = self.data()
            if self._in_marimo and threading.get_ident() != self._thread:
                # A thread can run no cells; what the browser says, it says to the kernel.
                self._widget.send({"echo": True})
        if self._shown:
            self._publish_still(self._bundle(), update=True)

    def _take(self, _: Any, content: Any, __: Any) -> None:
        said = as_object(content)
        event = said.get("event")
        if event == "letters":
            faces, files = _letters()
            self._widget.send({"letters": faces}, files)
            return
        try:
            if isinstance(event, str) and event != "echo":
                self.hear(event, said.get("value"))
        finally:
            self._widget.send({"heard": True})
            if self._in_marimo:
                run_readers(self)

    def _bundle(self, words: str = "") -> dict[str, Any]:
        return {"text/plain": self.text(), "text/html": self.html() + words}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        left_out = include is not None and WIDGET_VIEW not in include
        if left_out or (exclude is not None and WIDGET_VIEW in exclude):
            return self._bundle()
        try:
            view = self._view()
        except ImportError as error:
            return self._bundle(_sentence(error))
        return {**self._bundle(), WIDGET_VIEW: view}

    def _ipython_display_(self) -> None:
        # Two outputs, so that the still one is there when there is no kernel for the live one. What
        # is looked at comes first: a page that takes in the still form meanwhile paints it later.
        try:
            view = self._view()
        except ImportError as error:
            self._publish_still(self._bundle(_sentence(error)))
            return
        _publish({WIDGET_VIEW: view, "text/plain": ""})
        self._shown = True
        bundle = self._bundle()
        if _is_watched():
            time.sleep(PAINTED)
        self._publish_still(bundle)

    def _view(self) -> dict[str, Any]:
        return {"version_major": 2, "version_minor": 0, "model_id": self.widget().model_id}

    def _publish_still(self, bundle: dict[str, Any], *, update: bool = False) -> None:
        named = f'<div class="nip-still {self._still} {PLAIN}">{bundle["text/html"]}</div>'
        _publish({**bundle, "text/html": named}, self._still, update=update)


def _sentence(error: ImportError) -> str:
    return f"<p><small>{escape(str(error))}</small></p>"


@functools.cache
def _letters() -> tuple[list[dict[str, str]], list[bytes]]:
    """What the app's letters are called, and their files."""
    faces = [{"family": family, "weight": weight} for family, weight, _ in LETTERS]
    folder = HERE.parent / "static"
    return faces, [(folder / f"{name}.woff2").read_bytes() for *_, name in LETTERS]


def as_object(value: Any) -> dict[str, Any]:
    """What a browser has sent as an object; an empty one if it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _is_watched() -> bool:
    """Does somebody sit at the notebook? Whoever only runs it takes no input, and does not wait."""
    from IPython.core import getipython

    kernel = getattr(cast("Any", getipython).get_ipython(), "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False))


def _publish(bundle: dict[str, Any], name: str | None = None, *, update: bool = False) -> None:
    from IPython import display

    publish = cast("Any", display).publish_display_data
    publish(bundle, transient=None if name is None else {"display_id": name}, update=update)


def load_anywidget() -> Any:
    """The module anywidget.

    Raises
    ------
    ImportError
        With what to install.
    """
    try:
        import anywidget
    except ImportError as error:
        raise ImportError(
            f"This is a still picture. To act on it here, install anywidget ({INSTALL}) and run "
            "the cell again."
        ) from error
    return anywidget


@functools.cache
def _widget_class(front: str, styles: tuple[str, ...]) -> Any:
    """The anywidget of a front."""
    anywidget = load_anywidget()
    import traitlets

    traits = {
        "_esm": _module(front, styles),
        # All that is kept of it in a notebook's file, beside what every visitor's browser gets.
        "data": traitlets.Dict().tag(sync=True),
        "still": traitlets.Unicode().tag(sync=True),
    }
    return type(f"{front.capitalize()}Widget", (anywidget.AnyWidget,), traits)


@functools.cache
def _module(front: str, styles: tuple[str, ...]) -> str:
    """A front, its style and what makes an anywidget of it, as one ES module."""
    sheet = f":host {{ display: block; {css_variables()} {AROUND} }}\n{style(*styles)}\n{CARD}"
    paper = [PAGE["light"].paper, PAGE["dark"].paper]
    host = (HERE / "host.js").read_text("utf-8")
    known = {"STYLE": sheet, "PAPER": paper}
    facts = "\n".join(f"const {name} = {json.dumps(value)};" for name, value in known.items())
    return "\n".join((script(front), facts, host))
