"""The page of the floor: one component sends, one listens, and one shows a number."""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2 import component

from benchmarks.rooms_floor import bump, numbers

NOTHING = "export default function () {}"
show = component("floor_push", html="<p></p>", js=NOTHING)
hear = component("floor_updates", html="<p></p>", js=NOTHING)


@st.fragment
def shown() -> None:
    """Show the number, and add to it."""
    group = st.query_params["group"]

    def said() -> None:
        bump(group)

    address = {"address": f"/push?group={group}", "known": [str(numbers[group])]}
    hear(data=[address], key="updates", on_update_change=lambda: None)
    show(data=[numbers[group]], key="push", on_said_change=said)


shown()
