"""A part of the page that hears when what it shows has changed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.ui.components.front import front_component

__all__ = ["heard", "known_marks", "show_news"]

_component = front_component("news", "line")
MOST = 64  # characters of a mark; what is longer comes from no server of ours


def show_news(
    address: str | None, mark: str, *, key: str, on_news: Callable[[], None] | None = None
) -> None:
    """Run this part of the page again whenever something that it shows has changed.

    It shows nothing, but that the connection is lost. Put it into the fragment that shows what may
    change.

    Parameters
    ----------
    address : str, optional
        Where the server tells of it; see :mod:`explorer.news`. Without it, nothing is heard.
    mark : str
        Of what is shown now, from the same.
    key : str
    on_news : callable, optional
        Called before that part of the page runs again.
    """
    if address is not None:
        data = {"address": address, "known": known_marks(key, mark)}
        _component(data=data, key=key, on_news_change=lambda: heard(key, on_news))


def known_marks(key: str, mark: str) -> list[str | None]:
    """The marks that a front needs not tell any more.

    The browser asks until what it has heard of comes back: as what is shown, or as what it told,
    since by then there may be something newer.
    """
    return [mark, st.session_state.get(_told(key))]


def heard(key: str, on_news: Callable[[], None] | None = None) -> None:
    """Take up what a front that was put on the page under a key has heard."""
    # What comes late may be meant for a page that shows something else by now.
    new = st.session_state.get(key, {}).get("news")
    if isinstance(new, str) and len(new) <= MOST:
        st.session_state[_told(key)] = new
        if on_news is not None:
            on_news()


def _told(key: str) -> str:
    return f"{key}-told"
