"""Displays in a notebook: interactive where widgets work, as HTML elsewhere."""

from __future__ import annotations

import functools
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Self, cast
from uuid import uuid4
from weakref import WeakSet

from explorer.front import AROUND, LETTERS, script, style
from explorer.pictures import PAGE, css_variables
from explorer.play import sent_object
from explorer.project import install_extra
from nip_core.displays import PLAIN

Keys = tuple[str | int, ...]


def changes(old: Any, new: Any, path: Keys = ()) -> Iterator[list[Any]]:
    """Yield the changes from an old to a new value, for ``explorer/notebook/host.js``.

    ``[path, value]`` sets a value, and ``[path]`` removes what is there. In lists, ``"length"`` can
    be set too.
    """
    if old is new:
        return
    if _is_object(old) and _is_object(new):
        before, after = cast("Mapping[str, Any]", old), cast("Mapping[str, Any]", new)
        for name in before.keys() - after.keys():
            yield [[*path, name]]
        for name, value in after.items():
            if name in before:
                yield from changes(before[name], value, (*path, name))
            else:
                yield [[*path, name], value]
    elif _is_list(old) and _is_list(new):
        first, second = cast("Sequence[Any]", old), cast("Sequence[Any]", new)
        for place, (one, other) in enumerate(zip(first, second, strict=False)):
            yield from changes(one, other, (*path, place))
        if len(second) < len(first):
            yield [[*path, "length"], len(second)]
        for place in range(len(first), len(second)):
            yield [[*path, place], second[place]]
    elif type(old) is not type(new) or old != new:
        yield [[*path], new]


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def in_notebook() -> bool:
    """Return whether a cell of Jupyter, IPython or marimo runs this code."""
    shell = cast("Any", sys.modules.get("IPython"))
    return in_marimo() or (shell is not None and shell.get_ipython() is not None)


def in_marimo() -> bool:
    """Return whether marimo runs this code."""
    marimo = cast("Any", sys.modules.get("marimo"))
    return marimo is not None and bool(marimo.running_in_notebook())


def run_readers(value: Any) -> None:
    """Have marimo rerun all cells that use a changed value of another cell.

    The cells are found through variables that refer to the value. It need not be an object of
    marimo: marimo's setter of a state reports a change and accepts any value.
    """
    import marimo

    _, setter = cast("Any", marimo).state(None)
    # The cell that made the value is not rerun.
    value.allow_self_loops = False
    type(setter)(value)(None)


WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
HERE = Path(__file__).parent
# While a cell runs, updates take at most 1 / SHARE of the time.
SHARE = 6
# Seconds without an event after which the still form is updated.
SETTLED = 1.5
# A card on the notebook's page. Parts that fill a phone's window in the app fill this card here.
CARD = """
.nip-front { background: var(--nip-paper); border: 1px solid var(--nip-border); border-radius: 10px;
overflow: hidden; font: 400 15px/1.45 var(--nip-ui); color: var(--nip-text); }
.nip-front:has(> .stage) { padding: 0.8rem 1rem; }
.nip-silent { margin: 0 0 6px; padding: 0.5rem 0.8rem; border-radius: 8px; border: 1px solid
var(--nip-border); background: var(--nip-lane); color: var(--nip-text);
font: 400 14px/1.4 var(--nip-ui); }
"""


class Display:
    """Shows itself at the end of a cell, and can be used there.

    The results of :meth:`data`, :meth:`html` and :meth:`text` are saved in the notebook's file.
    """

    front: ClassVar[str]
    styles: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        # Read when the class is created, so that the first display appears sooner. In a browser,
        # the page has it already.
        if sys.platform != "emscripten":
            _module(cls.front, cls.styles)

    def __init__(self) -> None:
        self._widget: Any = None
        # The id of the still form on the page, which the interactive form hides.
        self._still = f"nip-still-{uuid4().hex}"
        self._shown = False
        self._thread = threading.get_ident()
        # Read now, since marimo cannot find its context in another thread.
        self._in_marimo = in_marimo()
        self._is_stale = False
        self._next = 0.0
        self._listeners: list[Callable[[Self], object]] = []
        self._bundle_shown: dict[str, object] = {}
        self._settling: threading.Timer | None = None

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Return the lock that protects the data while they are read."""
        return nullcontext()

    def on_change(self, call: Callable[[Self], object]) -> Callable[[Self], object]:
        """Call a function with this display whenever it has changed; usable as a decorator.

        If the change was made from Python, an error of the function is raised there; if it was made
        on the screen, it is shown there. :meth:`off_change` removes the function.
        """
        self._listeners.append(call)
        return call

    def off_change(self, call: Callable[[Self], object]) -> None:
        """Stop calling a function; see :meth:`on_change`."""
        self._listeners.remove(call)

    def text(self) -> str:
        """Return the display as a few lines of text."""
        raise NotImplementedError

    def html(self) -> str:
        """Return the present state as HTML without scripts and external resources."""
        raise NotImplementedError

    def data(self) -> dict[str, object]:
        """Return the present state for the browser."""
        raise NotImplementedError

    def receive(self, event: str, value: Any) -> None:
        """Handle a message from a browser, which may be anything."""
        raise NotImplementedError

    def widget(self) -> Any:
        """Return the display as an anywidget; an ImportError says what to install."""
        if self._widget is None:
            made = _widget_class(self.front, self.styles)
            self._widget = made(data=self.data(), still=self._still)
            self._widget.on_msg(self._take)
        self.flush(settle=True)
        return self._widget

    def refresh(self) -> None:
        """Refresh all outputs, and call the functions of :meth:`on_change`."""
        self._is_stale = True
        elsewhere = threading.get_ident() != self._thread
        # A cell may change it a thousand times, so intermediate states are skipped.
        if elsewhere or self._in_marimo or time.monotonic() >= self._next:
            self.flush(settle=elsewhere)
        else:
            _stale.add(self)
        for call in tuple(self._listeners):
            call(self)

    def flush(self, *, settle: bool = False) -> None:
        """Show changes now; the still form may wait until a pause in the changes."""
        if not self._is_stale:
            return
        start = time.monotonic()
        self._is_stale = False
        _stale.discard(self)
        with self.lock:
            if self._widget is not None:
                self._send(self.data())
        if self._shown:
            self._settle() if settle else self._update_still()
        end = time.monotonic()
        self._next = end + (SHARE - 1) * (end - start)

    def _send(self, data: Mapping[str, object]) -> None:
        """Bring the browser's data up to date."""
        widget = self._widget
        if self._in_marimo:
            widget.data = data
            if threading.get_ident() != self._thread:
                # Only the kernel can run cells, so the browser is asked to send it a message.
                widget.send({"echo": True})
            return
        made = [*changes(widget.data, data)]
        # A newly opened page gets all of the data; an open one gets the differences.
        widget._trait_values["data"] = data
        if made:
            widget._send({"method": "custom", "content": {"patch": made}})

    def _settle(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
        self._settling = threading.Timer(SETTLED, self._update_still)
        self._settling.daemon = True
        self._settling.start()

    def _update_still(self) -> None:
        with self.lock:
            bundle = self._bundle()
        if bundle != self._bundle_shown:
            self._bundle_shown = bundle
            self._publish_still(bundle, update=True)

    def _take(self, _: Any, content: Any, __: Any) -> None:
        message = sent_object(content)
        event = message.get("event")
        if event == "letters":
            faces, files = _letters()
            self._widget.send({"letters": faces}, files)
            return
        try:
            if isinstance(event, str) and event != "echo":
                self.receive(event, message.get("value"))
        finally:
            self.flush(settle=True)
            self._widget.send({"heard": True})
            if self._in_marimo:
                run_readers(self)

    def _bundle(self, words: str = "") -> dict[str, object]:
        return {"text/plain": self.text(), "text/html": self.html() + words}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, object]:
        left_out = include is not None and WIDGET_VIEW not in include
        if left_out or (exclude is not None and WIDGET_VIEW in exclude):
            return self._bundle()
        try:
            view = self._view()
        except ImportError as error:
            return self._bundle(_sentence(error))
        return {**self._bundle(), WIDGET_VIEW: view}

    def _ipython_display_(self) -> None:
        # Two outputs, so that the still form is shown if there is no kernel for the interactive
        # one. The interactive one comes first, so that it is painted first.
        try:
            view = self._view()
        except ImportError as error:
            self._publish_still(self._bundle(_sentence(error)))
            return
        _publish({WIDGET_VIEW: view, "text/plain": ""})
        self._shown = True
        self._bundle_shown = self._bundle()
        self._publish_still(self._bundle_shown)
        _flush_after_cells()

    def _view(self) -> dict[str, object]:
        return {"version_major": 2, "version_minor": 0, "model_id": self.widget().model_id}

    def _publish_still(self, bundle: Mapping[str, object], *, update: bool = False) -> None:
        named = f'<div class="nip-still {self._still} {PLAIN}">{bundle["text/html"]}</div>'
        _publish({**bundle, "text/html": named}, self._still, update=update)


# The controls that ``explorer/front/controls.js`` draws.


def button(name: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a button for the browser."""
    return {"kind": "button", "name": name, "text": text, **more}


def choice(name: str, label: str, value: str, options: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return a select box for the browser, with options of a value and a text."""
    return {"kind": "choice", "name": name, "label": label, "value": value, "options": options}


def slider(
    name: str, label: str, value: float, low: int, high: int, step: float = 1
) -> dict[str, object]:
    """Return a slider for the browser."""
    limits = {"low": low, "high": high, "step": step}
    return {"kind": "range", "name": name, "label": label, "value": value, **limits}


def _sentence(error: ImportError) -> str:
    return f"<p><small>{escape(str(error))}</small></p>"


@functools.cache
def _letters() -> tuple[list[dict[str, str]], list[bytes]]:
    """Return the names of the app's fonts, and their files."""
    faces = [{"family": family, "weight": weight} for family, weight, _ in LETTERS]
    folder = HERE.parent / "static"
    return faces, [(folder / f"{name}.woff2").read_bytes() for *_, name in LETTERS]


# Displays that changed while a cell ran, and whose changes are not shown yet.
_stale: WeakSet[Display] = WeakSet()


@functools.cache
def _flush_after_cells() -> None:
    """Have the kernel show changes at the end of every cell."""
    from IPython.core import getipython

    shell = cast("Any", getipython).get_ipython()
    if shell is not None:
        shell.events.register("post_execute", _flush_all)


def _flush_all() -> None:
    for display in tuple(_stale):
        display.flush()


def _publish(
    bundle: Mapping[str, object], name: str | None = None, *, update: bool = False
) -> None:
    from IPython import display

    publish = cast("Any", display).publish_display_data
    publish(bundle, transient=None if name is None else {"display_id": name}, update=update)


def load_anywidget() -> Any:
    """Return the module anywidget; an ImportError says what to install."""
    try:
        import anywidget
    except ImportError as error:
        raise ImportError(
            "This is a still picture. To act on it here, install anywidget "
            f"({install_extra('notebook')}) and run the cell again."
        ) from error
    return anywidget


@functools.cache
def _widget_class(front: str, styles: tuple[str, ...]) -> Any:
    """Return the anywidget of a front."""
    anywidget = load_anywidget()
    import traitlets

    traits = {
        "_esm": _module(front, styles),
        # The only traits that are saved in a notebook's file.
        "data": traitlets.Dict().tag(sync=True),
        "still": traitlets.Unicode().tag(sync=True),
    }
    return type(f"{front.capitalize()}Widget", (anywidget.AnyWidget,), traits)


@functools.cache
def _module(front: str, styles: tuple[str, ...]) -> str:
    """Return a front, its style and the code that makes it an anywidget, as one ES module."""
    sheet = f":host {{ display: block; {css_variables()} {AROUND} }}\n{style(*styles)}\n{CARD}"
    paper = [PAGE["light"].paper, PAGE["dark"].paper]
    host = (HERE / "host.js").read_text("utf-8")
    known = {"STYLE": sheet, "PAPER": paper}
    facts = "\n".join(f"const {name} = {json.dumps(value)};" for name, value in known.items())
    return "\n".join((script(front), facts, host))
