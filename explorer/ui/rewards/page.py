"""The Rewards page: what each seat is worth, exactly."""

from __future__ import annotations

import streamlit as st

from explorer.rewards.answers import components_table, in_short, seats_table
from explorer.ui.rewards.choose import choose, recorded_episodes
from explorer.ui.rewards.clever import show_clever
from explorer.ui.rewards.sampling import show_sample
from explorer.ui.rewards.take import offer_export
from explorer.ui.rewards.views import show_distribution, show_endings, show_sweep
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped
from nip_core.errors import NipError

__all__ = ["show_page"]

VIEWS = ("Distribution", "When it ends", "Sweep", "Sample", "Clever play")


def show_page() -> None:
    """Ask and answer."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("What is a seat worth?", anchor=False)
        tools = st.container(horizontal=True, vertical_alignment="center", width=260)
    question = choose()
    if question is None:
        return
    # Values need tensors, which the page does without for as long as it can.
    from nip_core.values import exact_values

    try:
        handler = question.handler()
        values = exact_values(handler, question.model(handler))
    except NipError as error:
        alert("warning", str(error))
        return
    with tools:
        offer_export(question, values)
    st.markdown(f"**{escaped(in_short(values))}**")
    wide_table(seats_table(handler, values), "What each seat is worth")
    view = st.segmented_control(
        "View",
        VIEWS,
        default=VIEWS[0],
        key="show",
        bind="query-params",
        label_visibility="collapsed",
    )
    if view == "When it ends":
        show_endings(values)
    elif view == "Sweep":
        show_sweep(question, handler)
    elif view == "Sample":
        show_sample(question, handler, values)
    elif view == "Clever play":
        show_clever(question, handler)
    else:
        show_distribution(handler, values, recorded_episodes(handler.spec.name))
    with st.expander("What the means are made of", on_change="rerun", key="parts") as parts:
        if parts.open:
            wide_table(components_table(handler, values), "Components of the means")
