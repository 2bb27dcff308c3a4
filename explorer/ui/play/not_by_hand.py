"""Protocols that nobody can play by hand, and what one can do with them instead."""

from __future__ import annotations

import streamlit as st

from explorer.address import to_query
from explorer.ui.header import header
from explorer.ui.links import link, page_address, show_links
from explorer.ui.text import escaped
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_title

__all__ = ["is_by_hand", "show_why_not"]

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
