"""The Play page: the start if no episode is chosen, else its table."""

from __future__ import annotations

import streamlit as st

from explorer.address import from_query
from explorer.storage import NoSuchEpisodeError, StorageError
from explorer.ui.database import storage
from explorer.ui.play.not_by_hand import is_by_hand, show_why_not
from explorer.ui.play.start import DEFAULT_PROTOCOL, show_start
from explorer.ui.play.table import show_game
from explorer.ui.text import alert

__all__ = ["show_page"]


def show_page() -> None:
    """Show what the address asks for."""
    episode_id = st.query_params.get("episode")
    try:
        if episode_id is None:
            asked, _ = from_query(st.query_params.to_dict(), DEFAULT_PROTOCOL)
            if is_by_hand(asked):
                show_start(storage())
            else:
                show_why_not(asked)
        else:
            show_game(storage(), episode_id)
    except NoSuchEpisodeError:
        alert(
            "warning",
            "There is no such episode here. The link may be cut off, or it was deleted or played "
            "on another server.",
        )
        if st.button("Start a new one", type="primary"):
            st.query_params.clear()
            st.rerun()
    except StorageError as error:
        alert("error", f"{error} What you have typed is still in this browser.")
        st.button("Try again", type="primary")
