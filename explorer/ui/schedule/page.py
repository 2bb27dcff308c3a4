"""The page from top to bottom: protocols to choose from, settings, the picture, words and facts."""

from __future__ import annotations

import streamlit as st

from explorer.ui.header import header
from explorer.ui.schedule.choose import choose_protocol, choose_settings, pick_view
from explorer.ui.schedule.export import offer_export
from explorer.ui.schedule.facts import show_facts
from explorer.ui.schedule.picture import show_picture
from explorer.ui.schedule.rounds import check_round
from explorer.ui.schedule.words import show_links_on, title_and_line
from explorer.ui.text import alert

__all__ = ["show_page"]


def show_page() -> None:
    """Show the page."""
    # The toggle stands below the strip, whose second protocol depends on it.
    with st.container(key="nip-top"):
        strip = st.container()
        head = st.container()
        controls = st.container(horizontal=True, vertical_alignment="center", key="nip-controls")
    notes = st.container()
    # What the address asks for and there is not.
    problems: list[str] = []
    compare = st.session_state.get("compare", st.query_params.get("compare") == "true")
    with strip:
        name = choose_protocol(problems)
    with controls:
        settings = st.container(key="nip-settings")
        views = st.container(key="nip-views", width="content")
    with settings:
        protocols = choose_settings(problems, name, compare=compare)
    with views, st.container(horizontal=True, vertical_alignment="center", key="nip-chips-end"):
        st.toggle("Compare", key="compare", bind="query-params")
        view = "grid" if compare else pick_view(problems)
    with head:
        actions = header(*title_and_line(protocols))
    with actions:
        if not compare:
            show_links_on(protocols[0])
        offer_export(protocols, view)
    check_round(problems, protocols)
    if problems:
        with notes:
            alert("info", " ".join(problems))
    show_picture(protocols, view)
    show_facts(protocols)
