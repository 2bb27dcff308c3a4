"""The Transcripts page: the list of episodes, or one of them."""

from __future__ import annotations

import streamlit as st

from explorer.storage import NoSuchEpisodeError, StorageError
from explorer.ui.database import storage
from explorer.ui.text import alert
from explorer.ui.transcript_list import show_list
from explorer.ui.transcript_reader import show_transcript

__all__ = ["show_page"]


def show_page() -> None:
    """Show what the address asks for."""
    episode_id = st.query_params.get("episode")
    try:
        if episode_id is None:
            show_list(storage())
        else:
            show_transcript(storage(), episode_id)
    except NoSuchEpisodeError:
        alert("warning", "There is no such transcript here. It may have been deleted.")
        if st.button("All transcripts", type="primary"):
            st.query_params.clear()
            st.rerun()
    except StorageError as error:
        alert("error", str(error))
        st.button("Try again", type="primary")
