"""Buttons of pages that updates run again: no click is lost, and no refusal is swallowed.

A run of a page is broken off where it is when an update asks for another one. A click that is read
only where its button is drawn is lost with it. So buttons act before the page is drawn
(:func:`act_button`), with the values that the fields have in the session's state. What takes
seconds cannot: the page would say nothing meanwhile. Such a click is kept until it is done
(:func:`ask_button`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, MutableMapping
from contextlib import contextmanager
from typing import Any, Literal, cast

import streamlit as st

from explorer.play import StoredTable
from explorer.storage import StorageError
from explorer.ui.text import alert, escaped
from nip_core.errors import NipError

# The key in the session's state for why the last action was refused.
REFUSED = "refused"
# For how long a page shows what it has to say once: the run that draws it first may be broken off
# by an update, and the next one draws the page anew.
SHOWN_SECONDS = 10


def act_button(
    label: str,
    act: Callable[[], object],
    *,
    key: str,
    kind: Literal["primary", "secondary"] = "secondary",
    disabled: bool = False,
) -> None:
    """Show a button that acts before the page is drawn again.

    `act` reads fields of the page by their keys in the session's state: what it got when it was
    drawn may be older. A refusal is shown by the next `show_refusal`.
    """
    st.button(escaped(label), key=key, type=kind, disabled=disabled, on_click=attempt, args=(act,))


def table_button(
    label: str,
    act: Callable[[StoredTable], object] | Callable[[StoredTable, Any], object],
    table: StoredTable,
    *,
    key: str,
    fields: Callable[[], object] | None = None,
    kind: Literal["primary", "secondary"] = "secondary",
    disabled: bool = False,
) -> None:
    """Show a button like `act_button`, which acts at a table as it is when it is pressed.

    With `fields`, which reads fields of the page, `act` gets their values, too. They are read
    before anything else: whatever reads the session's state may break a run off.
    """

    def acts() -> None:
        values = () if fields is None else (fields(),)
        cast("Callable[..., object]", act)(StoredTable(table.storage, table.id), *values)

    act_button(label, acts, key=key, kind=kind, disabled=disabled)


def attempt(act: Callable[[], object]) -> None:
    """Act, and keep the reason of a refusal for the next `show_refusal`."""
    try:
        act()
    except StorageError as error:
        keep_refusal(error.for_people)
    except NipError as error:
        keep_refusal(str(error))
    else:
        forget_refusal()


def keep_refusal(why: str) -> None:
    """Keep the reason of a refusal for the next `show_refusal`."""
    st.session_state[REFUSED] = SaidOnce(why)


def forget_refusal() -> None:
    """After an action, forget a refusal that was said before it."""
    if not is_refused():
        st.session_state.pop(REFUSED, None)


def show_refusal() -> None:
    """Show why the last action was refused."""
    if refused := said_once(st.session_state, REFUSED):
        alert("warning", refused)


# -- what is said once -----------------------------------------------------------------------------


class SaidOnce:
    """What a page says once: for `SHOWN_SECONDS`, in each run."""

    def __init__(self, what: Any) -> None:
        self.what = what
        self.since: float | None = None


def said_once(kept: MutableMapping[Any, Any], key: object) -> Any:
    """Return what is kept to be said once and is to be drawn now; None if there is nothing.

    Parameters
    ----------
    kept : mutable mapping
        The session's state, or a part of it. What has been said is removed.
    key : object
    """
    once = kept.get(key)
    if once is None:
        return None
    now = time.monotonic()
    if once.since is None:
        once.since = now
    if now - once.since > SHOWN_SECONDS:
        del kept[key]
        return None
    return once.what


def is_refused() -> bool:
    """Return whether an action was refused, and no run has said so yet."""
    once = st.session_state.get(REFUSED)
    return once is not None and once.since is None


# -- what takes seconds ----------------------------------------------------------------------------


class Click:
    """A click that asks for something slow, until that is done."""

    done = False

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def once(self) -> Generator[bool]:
        """Say whether this run does what was asked for, or another one has done it.

        Streamlit begins the next run while the one that it breaks off still waits for an answer.
        The next run waits for it, too. What is done meanwhile must not access the session's state.
        """
        with self._lock:
            try:
                yield not self.done
            finally:
                self.done = True


def ask_button(label: str, *, key: str) -> Click | None:
    """Show a button; return the click that is not done yet, if there is one."""
    state_key = f"{key}-asked"
    st.button(escaped(label), key=key, on_click=_ask, args=(state_key,))
    click = st.session_state.get(state_key)
    return None if click is None or click.done else click


def _ask(state_key: str) -> None:
    st.session_state[state_key] = Click()
