"""A part of the page that hears when what it shows has changed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.ui.components.front import front_component

__all__ = ["show_news"]

_component = front_component("news")
MOST = 64  # characters of a mark; what is longer comes from no server of ours


def show_news(
    address: str, mark: str, *, key: str, on_news: Callable[[], None] | None = None
) -> None:
    """Run this part of the page again whenever something that it shows has changed.

    It shows nothing, but that the connection is lost. Put it into the fragment that shows what may
    change.

    Parameters
    ----------
    address : str
        Where the server tells of it; see :mod:`explorer.news`.
    mark : str
        Of what is shown now, from the same.
    key : str
    on_news : callable, optional
        Called before that part of the page runs again.
    """
    told = f"{key}-told"

    def heard() -> None:
        # What comes late may be meant for a page that shows something else by now.
        new = st.session_state.get(key, {}).get("news")
        if isinstance(new, str) and len(new) <= MOST:
            st.session_state[told] = new
            if on_news is not None:
                on_news()

    # The browser asks until what it has heard of comes back: as what is shown, or as what it told,
    # since by then there may be something newer.
    known = [mark, st.session_state.get(told)]
    _component(data={"address": address, "known": known}, key=key, on_news_change=heard)
