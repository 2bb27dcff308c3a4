"""The table as a component, the seat of a person in a room, and the window's connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.rooms import with_clock
from explorer.ui.fronts import front_component

_updates = front_component("updates", "connection")
MOST = 64  # characters of a mark; our server sends no longer ones


def run_on_changes(address: str, mark: str, *, key: str) -> None:
    """Run this part of the page again whenever something that it shows has changed.

    It shows nothing, except a message while the connection is lost. Call it in the fragment that
    shows what may change. The address of the feed, and the mark of what is shown now, are from
    :mod:`explorer.server.windows`.
    """
    data = {"address": address, "known": _known_marks(key, mark)}
    _updates(data=data, key=key, update=partial(_note_mark, key))


def _known_marks(key: str, mark: str) -> list[str | None]:
    """Return the marks that a front need not report any more.

    The browser repeats its report until it gets the mark back: either as the mark of the shown
    content or, if newer content has arrived, as the mark that it reported.
    """
    return [mark, st.session_state.get(f"{key}-reported")]


def _note_mark(key: str, new: object) -> None:
    """Keep the mark that a front has reported. A browser may send anything."""
    if isinstance(new, str) and len(new) <= MOST:
        st.session_state[f"{key}-reported"] = new


BEGINNING: dict[str, object] = {
    "id": 0, "parent": None, "round": 0, "speakers": [], "over": False, "verdict": None,
}  # fmt: skip
NO_VARIATIONS: dict[str, object] = {"here": 0, "nodes": [BEGINNING]}

_table = front_component("table", "miniature", "table", "lines", "review")


def fill_window() -> None:
    """Let the table fill the window, below the containers of the page that stand above it.

    These containers are a row of controls (``table-bar``, or ``room-bar``, whose first part takes
    all free space), ``table-above``, and ``seat-beside`` at the right end of the top row.
    """
    st.html(Path(__file__).with_suffix(".css"))


def show_table(
    shown: Mapping[str, object],
    *,
    episode: str,
    key: str,
    tree: Mapping[str, object] | None = None,
    on_act: Callable[[Any], None] | None = None,
) -> None:
    """Put a table that is read, and not played, on the page.

    Parameters
    ----------
    shown : dict
        What the seat may see, from :func:`~explorer.play.screen`.
    tree : dict, optional
        The variations of the episode, from :func:`~explorer.play.tree`; without it, one cannot go
        back.
    on_act : callable
        Takes a position to go to: ``goto``. It comes from a browser, so it may be anything.
    """
    around = {
        "episode": episode,
        "tree": NO_VARIATIONS if tree is None else tree,
        "keep": None,
        "thinking": None,
        "note": shown.get("note"),
        "draft": None,
        "error": None,
    }
    events = {} if on_act is None else {"act": on_act}
    _table(data={**shown, **around}, key=key, **events)


_seat = front_component(
    *("seat", "miniature", "table", "desk", "lines", "review", "unset", "now", "connection"),
    "seat",
)


def show_own_seat(
    seat: dict[str, object],
    *,
    address: str,
    mark: str,
    key: str,
    draft: dict[str, object] | None = None,
) -> None:
    """Show a person's seat; this part of the page reruns when the page around it has changed.

    Parameters
    ----------
    seat : dict
        The screen as it is now, from :func:`~explorer.rooms.seat_screen` or
        :func:`~explorer.play.table_screen`.
    address, mark : str
        Of the window's connection, and of what the page draws around the seat.
    draft : dict, optional
        Texts that are put into the boxes once: a ``mark``, and ``messages`` by channel.
    """
    data = {
        "address": address,
        "known": _known_marks(key, mark),
        "seat": with_clock(seat),
        "draft": draft,
    }
    _seat(data=data, key=key, update=partial(_note_mark, key))
