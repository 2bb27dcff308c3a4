"""The views of play: charts, each with its facts as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from explorer.pictures import (
    Chart,
    column,
    distribution_data,
    distribution_figure,
    draw_endings,
    draw_sample,
    endings_data,
    rows_where,
    worth_picture,
)
from explorer.rewards import (
    QUANTILES,
    Valuation,
    is_flat,
    parameter_label,
    recorded_rewards,
    sample_steps,
    sample_table,
    sampled,
    sweep_chart,
    sweepable,
    swept_values,
    telling,
)
from explorer.ui.fronts import show_chart
from explorer.ui.layout import address, note_in_address, theme
from explorer.ui.page_link import from_link
from explorer.ui.rewards.parts import (
    for_people,
    offer_files,
    show_with_files,
)
from explorer.ui.tables import show_figure, table_below, wide_table
from explorer.ui.text import alert, dropdown, escaped, small
from nip_core.play import Episode
from nip_core.registry import AnyProtocol
from nip_core.values import ExactValues, judged, mid_points

if TYPE_CHECKING:
    from nip_core.values import Sample


def show_distribution(
    protocol: AnyProtocol,
    values: ExactValues,
    episodes: list[Episode],
    sample: Sample | None = None,
) -> None:
    """Show the distribution of each seat's reward."""
    points = mid_points(protocol, values)
    recorded = recorded_rewards(episodes)
    figure = distribution_figure(values, points, sample=sample, recorded=recorded, theme=theme())
    show_figure(figure, "The distribution of each seat's episode reward", "distribution")
    marks = "Solid line: exact mean." + (" Dashed line: mid-point estimate." if points else "")
    if len(recorded):
        marks += " Crosses: recorded episodes."
    if sample is not None:
        marks += " Diamonds or dots: sampled, with 95% intervals."
    if figure.layout.meta["shared"]:
        marks += " Rewards that are too close to each other share a bar; the table lists each."
    errors = [values.distribution(agent).error for agent in values.spec.agent_names]
    if max(errors):
        marks += f" Each bar of a similarity is off by at most {max(errors):.1g}."
    small(marks)
    played: dict[str, list[float]] = {
        seat: column(rows_where(recorded, "seat", seat), "reward")
        for seat in values.spec.agent_names
    }
    offer_files(
        lambda: worth_picture(values, points, sample=sample, recorded=played), "distribution"
    )
    table_below(
        for_people(distribution_data(values), values.spec),
        "The distribution of rewards",
        "distribution-table",
    )


def show_endings(values: ExactValues) -> None:
    """Show when episodes end, and how."""
    if values.similarity is not None:
        small(
            "Shown is when the verifier stops; the episode goes on until both verifiers are done."
        )
    show_with_files(draw_endings(values), "endings")
    table_below(for_people(endings_data(values), values.spec), "When episodes end", "endings-table")


def show_sweep(valuation: Valuation, protocol: AnyProtocol) -> None:
    """Show how values change along a parameter."""
    names = sweepable(valuation, protocol)
    labels = {name: parameter_label(valuation, name) for name in names}
    # Formerly it was a label.
    former = {label: name for name, label in labels.items()}
    wanted = former.get(address().get("along", "")) or from_link("along", names)
    first = wanted or telling(valuation, names)
    name = dropdown("Along", labels, first, key="along", width=320)
    # Not bound to the address, since binding would write the parameter's label into it. What was
    # not chosen is left out, since writing it would be a step of Back.
    note_in_address("along", name if wanted or name != first else None)
    points = swept_values(valuation, name)
    if points.empty:
        alert("info", "No value of this parameter gives a valid protocol.")
        return
    show_with_files(sweep_chart(valuation, name, points), "sweep")
    low, high = (f"{100 * share:.0f}%" for share in QUANTILES)
    small(f"Thick: exact means. Thin: the {low} and {high} quantiles of an episode's reward.")
    if is_flat(points.groupby("seat")["mean"].agg(list)):
        small("No seat's mean depends on this parameter here.")
    named = for_people(points, judged(protocol).spec)
    named = named.rename(columns={"low": f"{low} quantile", "high": f"{high} quantile"})
    table_below(named, f"Values along {escaped(name)}", "sweep-table")


# -- a sample in progress --------------------------------------------------------------------------

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WITH_LOGITS = SIZES[:2]
KEPT = "rewards-sample"


def asked_sample(valuation: Valuation) -> dict[str, int]:
    """Return the seed and the number of episodes of the sample, if there is one."""
    kept = st.session_state.get(KEPT, {})
    sample = kept.get("sample") if kept.get("asked") == valuation else None
    return {} if sample is None else {"seed": kept["seed"], "episodes": sample.episodes}


def show_sample(valuation: Valuation, protocol: AnyProtocol, values: ExactValues) -> None:
    """Play episodes by the protocol's rules, and show their means."""
    kept: dict[str, Any] = st.session_state.get(KEPT, {})
    if kept.get("asked") != valuation:
        kept = {"asked": valuation, "steps": [], "sample": None}
        st.session_state[KEPT] = kept
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = int(st.number_input("Seed", 0, 2**31 - 1, 0, key="rewards-seed", width=150))
        sizes = WITH_LOGITS if values.similarity is not None else SIZES
        named = {size: f"{size:,}" for size in sizes}
        most = dropdown("Episodes", named, sizes[-2], key="rewards-episodes", width=150)
        begin = st.button("Sample", type="primary", key="rewards-begin")
        # A click on any control ends the run; the episodes played so far are kept.
        stop = st.container()
    if begin:
        with stop:
            st.button("Stop", key="rewards-stop")
        _run(valuation, protocol, values, kept, seed, most)
        st.rerun()
    sample = kept["sample"]
    if sample is None:
        small("Nothing has been sampled for these settings yet.")
        return
    small(f"{sample.episodes:,} episodes, each played by the protocol's own rules.")
    steps: list[Sample] = kept["steps"]
    chart = _show_steps(values, steps, "sample")
    offer_files(chart.picture, "sample")
    small(
        "Points: means so far, with 95% intervals that hold even where large losses are very rare "
        "(they come from bets against every other mean). Dashed: exact means. Rates have Wilson's "
        "95% intervals."
    )
    table_below(
        for_people(sample_steps(steps), values.spec),
        "Sample means as episodes are added",
        "convergence-table",
    )
    compared = sample_table(values, sample)
    wide_table(for_people(compared, values.spec), "The sample beside the exact values")
    show_distribution(protocol, values, [], sample)


def _show_steps(values: ExactValues, steps: Sequence[Sample], name: str) -> Chart:
    """Show how the means of a sample approach the exact means."""
    exact = {agent: values.mean(agent) for agent in values.spec.agent_names}
    chart = draw_sample(values.spec, sample_steps(steps), exact)
    show_chart(chart, f"rewards-{name}-chart")
    return chart


def _run(
    valuation: Valuation,
    protocol: AnyProtocol,
    values: ExactValues,
    kept: dict[str, object],
    seed: int,
    most: int,
) -> None:
    """Sample in chunks of doubling size, and keep every finished chunk."""
    steps: list[Sample] = []
    kept["steps"], kept["sample"] = steps, None
    model = valuation.model(protocol)
    bar, picture = st.progress(0.0, "Sampling"), st.empty()
    for whole in sampled(protocol, model, most, seed):
        kept["sample"], kept["seed"] = whole, seed
        steps.append(whole)
        bar.progress(min(1.0, whole.episodes / most), f"{whole.episodes:,d} episodes")
        with picture:
            _show_steps(values, steps, f"sample-{whole.episodes}")
    bar.empty()
    picture.empty()
