"""The Home page."""

from __future__ import annotations

import streamlit as st

from explorer.address import is_schedule_link
from explorer.ui.links import link, page_address, page_file

__all__ = ["show_page"]

DOORS = (
    ("schedule", "See", "Who speaks when, who reads what, when a verdict counts."),
    ("play", "Play", "Be the verifier, or the liar."),
    ("learn", "Learn and teach", "Nine lessons that begin with something to do."),
    ("rewards", "Measure", "What a seat is worth, exactly."),
)


def show_page() -> None:
    """Show the doors; a link from when the schedule was the first page goes on to it."""
    query = st.query_params.to_dict()
    if is_schedule_link(query):
        st.switch_page(page_file("schedule"), query_params=query)
    st.title("Can you trust an expert you cannot check?", anchor=False)
    st.write("A weak verifier questions strong provers who may lie, and decides.")
    for page, title, about in DOORS:
        st.html(f"{link(page_address(page, {}), title, button=True)} {about}")
