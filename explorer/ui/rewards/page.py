"""The Rewards page: what each seat is worth, exactly."""

from __future__ import annotations

import streamlit as st

from explorer.rewards.seats import in_short, seats
from explorer.rewards.valuation import Valuation
from explorer.ui.header import header
from explorer.ui.rewards.bound import choice_from_link
from explorer.ui.rewards.choose import choose
from explorer.ui.rewards.export import offer_export
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped
from nip_core.errors import NipError
from nip_core.handler import ProtocolHandler
from nip_core.values import ExactValues, exact_values

__all__ = ["show_page"]

VIEWS = ("Distribution", "When it ends", "Sweep", "Sample", "Clever play")


def show_page() -> None:
    """Ask and answer."""
    actions = header("Rewards", "What each seat is worth: its expected reward, computed exactly.")
    valuation = choose()
    if valuation is None:
        return
    try:
        handler = valuation.handler()
        values = exact_values(handler, valuation.model(handler))
    except NipError as error:
        alert("warning", str(error))
        return
    with actions:
        offer_export(valuation, values)
    st.markdown(f"**{escaped(in_short(values))}**")
    named = handler.spec.seat_name
    rows = [{**row, "seat": named(row["seat"])} for row in seats(handler, values)]
    wide_table(rows, "What each seat is worth")
    choice_from_link("show", {view: view for view in VIEWS}, "view")
    view = st.segmented_control(
        "View",
        VIEWS,
        default=VIEWS[0],
        key="show",
        bind="query-params",
        label_visibility="collapsed",
    )
    _show(view, valuation, handler, values)
    with st.expander("What the means consist of", on_change="rerun", key="parts") as parts:
        if parts.open:
            from explorer.rewards.answers import components_table
            from explorer.ui.rewards.names import show_named

            table = components_table(handler, values)
            show_named(table, handler.spec, "Components of the means")


def _show(
    view: str | None, valuation: Valuation, handler: ProtocolHandler, values: ExactValues
) -> None:
    """One of the views. What draws them comes after the numbers, which should not wait for it."""
    from explorer.ui.rewards import clever, recorded, sampling, views

    if view == "When it ends":
        views.show_endings(values)
    elif view == "Sweep":
        views.show_sweep(valuation, handler)
    elif view == "Sample":
        sampling.show_sample(valuation, handler, values)
    elif view == "Clever play":
        clever.show_clever(valuation, handler)
    else:
        episodes = recorded.recorded_episodes(handler.spec.name)
        views.show_distribution(handler, values, episodes)
