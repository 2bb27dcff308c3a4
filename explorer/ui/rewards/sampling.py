"""A sample on its way to the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from explorer.pictures.reward_charts import convergence_figure
from explorer.rewards import Valuation, sample_table, sampled
from explorer.ui.layout import theme
from explorer.ui.rewards.names import for_people, show_named
from explorer.ui.rewards.views import show_distribution
from explorer.ui.tables import show_figure, table_below
from explorer.ui.text import small
from nip_core.handler import ProtocolHandler
from nip_core.values import ExactValues

__all__ = ["asked_sample", "show_sample"]

if TYPE_CHECKING:
    from nip_core.values import Sample

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WITH_LOGITS = SIZES[:2]
KEPT = "rewards-sample"


def asked_sample(valuation: Valuation) -> dict[str, int]:
    """The seed and the episodes of what was sampled, if anything was."""
    kept = st.session_state.get(KEPT, {})
    found = kept.get("sample") if kept.get("asked") == valuation else None
    return {} if found is None else {"seed": kept["seed"], "episodes": found.episodes}


def show_sample(valuation: Valuation, handler: ProtocolHandler, values: ExactValues) -> None:
    """Play episodes through the protocol's own step, and watch their means."""
    kept: dict[str, Any] = st.session_state.get(KEPT, {})
    if kept.get("asked") != valuation:
        kept = {"asked": valuation, "steps": [], "sample": None}
        st.session_state[KEPT] = kept
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = int(st.number_input("Seed", 0, 2**31 - 1, 0, key="rewards-seed", width=150))
        sizes = WITH_LOGITS if handler.spec.is_zero_knowledge else SIZES
        most = st.selectbox(
            "Episodes",
            sizes,
            index=len(sizes) - 2,
            format_func=lambda size: f"{size:,}",
            key="rewards-episodes",
            width=150,
        )
        begin = st.button("Sample", type="primary", key="rewards-begin")
        # A click on any control ends the run; what was played until then is kept.
        stop = st.container()
    if begin:
        with stop:
            st.button("Stop", key="rewards-stop")
        _run(valuation, handler, values, kept, seed, most)
        st.rerun()
    found = kept["sample"]
    if found is None:
        small("Nothing has been sampled for these settings yet.")
        return
    small(f"{found.episodes:,} episodes, each step of them by the protocol's own rules.")
    steps = _convergence(handler, values, kept, "convergence")
    small(
        "Points: means so far, with 95% intervals that hold however rare the largest losses are "
        "(they come from betting against every other mean). Dashed: exact means. Rates have "
        "Wilson's 95% intervals."
    )
    table_below(
        for_people(steps, handler.spec), "The sample's means on the way", "convergence-table"
    )
    show_named(
        sample_table(handler, values, found), handler.spec, "The sample beside the exact values"
    )
    show_distribution(handler, values, [], found)


def _convergence(
    handler: ProtocolHandler, values: ExactValues, kept: dict[str, Any], key: str
) -> pd.DataFrame:
    """The picture of a sample on its way, and its data."""
    steps = pd.DataFrame(kept["steps"])
    exact = {agent: values.mean(agent) for agent in handler.spec.agent_names}
    figure = convergence_figure(handler.spec, steps, exact, theme=theme())
    show_figure(figure, "How the sample's means come near to the exact means", key)
    return steps


def _run(
    valuation: Valuation,
    handler: ProtocolHandler,
    values: ExactValues,
    kept: dict[str, Any],
    seed: int,
    most: int,
) -> None:
    """Sample in chunks that double; whatever was finished is kept."""
    kept["steps"], kept["sample"] = [], None
    model = valuation.model(handler)
    bar, picture = st.progress(0.0, "Sampling"), st.empty()
    for whole in sampled(handler, model, most, seed):
        kept["sample"], kept["seed"] = whole, seed
        kept["steps"] += [_step(whole, agent) for agent in handler.spec.agent_names]
        bar.progress(min(1.0, whole.episodes / most), f"{whole.episodes:,d} episodes")
        with picture:
            _convergence(handler, values, kept, f"convergence at {whole.episodes}")
    bar.empty()
    picture.empty()


def _step(found: Sample, agent: str) -> dict[str, Any]:
    low, high = found.mean_interval(agent)
    return {
        "seat": agent,
        "episodes": found.episodes,
        "mean": found.mean(agent),
        "low": low,
        "high": high,
    }
