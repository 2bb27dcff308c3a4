"""The pictures, each with its facts as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from explorer.pictures import worth_picture
from explorer.pictures.reward_charts import (
    distribution_data,
    distribution_figure,
    endings_data,
    endings_figure,
    sweep_figure,
)
from explorer.rewards import (
    CHANCES,
    QUANTILES,
    Valuation,
    current_value,
    is_flat,
    recorded_rewards,
    sweepable,
    swept_values,
    telling,
)
from explorer.ui.layout import theme
from explorer.ui.rewards.bound import choice_from_link
from explorer.ui.rewards.names import for_people
from explorer.ui.rewards.paper import offer_files
from explorer.ui.tables import show_figure, table_below
from explorer.ui.text import alert, escaped, small
from nip_core.handler import ProtocolHandler
from nip_core.play import Episode
from nip_core.values import ExactValues, mid_point

if TYPE_CHECKING:
    from nip_core.values import Sample

__all__ = ["show_distribution", "show_endings", "show_sweep"]


def show_distribution(
    handler: ProtocolHandler,
    values: ExactValues,
    episodes: list[Episode],
    sample: Sample | None = None,
) -> None:
    """The distribution of each seat's reward."""
    points = {agent: mid_point(handler, values, agent) for agent in handler.spec.agent_names}
    recorded = recorded_rewards(episodes)
    show_figure(
        distribution_figure(values, points, sample=sample, recorded=recorded, theme=theme()),
        "The distribution of each seat's episode reward",
        "distribution",
    )
    marks = "Solid line: exact mean. Dashed line: mid-point estimate."
    if len(recorded):
        marks += " Crosses: recorded episodes."
    if sample is not None:
        marks += " Diamonds or dots: sampled, with 95% intervals."
    errors = [values.distribution(agent).error for agent in handler.spec.agent_names]
    if max(errors):
        marks += f" Each bar of a similarity is off by at most {max(errors):.1g}."
    small(marks)
    if sample is None and not len(recorded):
        offer_files(lambda: worth_picture(values, points), "distribution")
    table_below(
        for_people(distribution_data(values), handler.spec),
        "The distribution of rewards",
        "distribution-table",
    )


def show_endings(values: ExactValues) -> None:
    """When episodes end, and how."""
    if values.similarity is not None:
        small("When the verifier's part ends; the episode lasts until both verifiers are done.")
    show_figure(endings_figure(values, theme=theme()), "When episodes end, by verdict", "endings")
    table_below(for_people(endings_data(values), values.spec), "When episodes end", "endings-table")


def show_sweep(valuation: Valuation, handler: ProtocolHandler) -> None:
    """How values move along a parameter."""
    names = sweepable(valuation, handler)
    labels = {name: _label(name) for name in names}
    asked = choice_from_link("along", labels, "parameter to go along")
    name = st.selectbox(
        "Along",
        names,
        index=names.index(asked or telling(valuation, names)),
        format_func=_label,
        key="along",
        width=320,
    )
    # A bound control would write what the screen calls it.
    if st.query_params.get("along") != name:
        st.query_params["along"] = name
    points = swept_values(valuation, name)
    if points.empty:
        alert("info", "No value of this parameter makes a protocol.")
        return
    show_figure(
        sweep_figure(
            handler.spec, points, _label(name), current_value(valuation, name), theme=theme()
        ),
        f"Values along {_label(name)}",
        "swept_values",
    )
    low, high = (f"{100 * share:.0f}%" for share in QUANTILES)
    small(
        f"Lines: exact means. Bands: from the {low} to the {high} quantile of an episode's reward."
    )
    if is_flat(points.groupby("seat")["mean"].agg(list)):
        small("No seat's mean depends on this parameter here.")
    named = for_people(points, handler.spec)
    named = named.rename(columns={"low": f"{low} quantile", "high": f"{high} quantile"})
    table_below(named, f"Values along {escaped(name)}", "sweep-table")


def _label(name: str) -> str:
    return CHANCES[name][0] if name in CHANCES else name.replace("_", " ").capitalize()
