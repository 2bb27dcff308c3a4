"""The Play page: which table, which seat, and what cannot be played by hand."""

from __future__ import annotations

import streamlit as st

from explorer.address import from_query, to_query
from explorer.storage import NoSuchEpisodeError, StorageError
from explorer.ui.database import storage
from explorer.ui.layout import header
from explorer.ui.links import link, page_address, show_links
from explorer.ui.play.start import DEFAULT_PROTOCOL, show_start
from explorer.ui.play.table import show_game
from explorer.ui.text import alert, escaped
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_title

__all__ = ["is_by_hand", "show_page", "show_why_not"]

LESSON = "zero_knowledge"


def is_by_hand(parameters: HyperParameters) -> bool:
    """Can people play a protocol, in words?"""
    return not parameters.protocol_common.zero_knowledge


def show_why_not(parameters: HyperParameters) -> None:
    """Say why a zero-knowledge variant is not played here, and lead to where it is at home."""
    query = to_query(parameters)
    header("This one is not played by hand")
    title = escaped(protocol_title(parameters.interaction_protocol))
    st.write(
        f"{title} with zero knowledge pays its simulator for how close the **logits** of its "
        "messages come to the adversarial verifier's: numbers from a network, of which people's "
        "words have none. So a game of words could be played, and not paid."
    )
    show_links(
        link(page_address("learn", {"lesson": LESSON}), "The lesson", button=True),
        link(page_address("schedule", query), "Its schedule", button=True),
        link(page_address("rewards", query), "Its rewards", button=True),
    )
    if st.button("Play it without zero knowledge", type="primary", key="play-plain"):
        plain = parameters.replace(protocol_common={"zero_knowledge": False})
        st.query_params.from_dict(to_query(plain))
        st.rerun()


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
