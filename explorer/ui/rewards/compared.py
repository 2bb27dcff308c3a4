"""All protocols in one table: what does each buy? With the story, and sweeps of two sliders."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.choice import ProtocolChoice
from explorer.pictures import draw_sweep, seat_styles
from explorer.rewards import PLACES, Swept, kept_rows, kept_story, main_seat, rows_csv
from explorer.ui.fronts import show_chart
from explorer.ui.rewards.computing import computed
from explorer.ui.rewards.panel import of_picture, waiting
from explorer.ui.rewards.wit import CHANCES
from explorer.ui.tables import offer_rows
from explorer.ui.text import dropdown, escaped, offer_file, small
from nip_core.language import Specification

SWEEP = "explorer.rewards.comparing:sweep"
COLUMNS = {
    "random": "by chance",
    "honest": "honest experts",
    "reply": "best reply",
    "together": "all together",
    "gain": "gain",
    "trusting": "trusting judge, honest",
    "deceived": "trusting judge, best reply",
}


def show_compared() -> None:
    """Show what each protocol buys, as sentences and as a table that can be sorted."""
    # Imported here, since no other view needs tables of pandas.
    import pandas as pd

    st.markdown("##### What researchers can check")
    for sentence, holds in kept_story():
        st.markdown(f"- {escaped(sentence if holds else f'(No longer true.) {sentence}')}")
    st.markdown("##### All protocols")
    small(
        "Shares are of right verdicts; where there is no verdict, the defender's mean pay. "
        "Evidence has its default: the true side has some in 80% of cases, the false side in 40%, "
        "and the judge alone is right in 60%. A click on a heading sorts."
    )
    rows: list[dict[str, Any]] = [
        {
            "protocol": row.title,
            "family": row.family,
            "measure": row.measure,
            **{title: getattr(row, name) for name, title in COLUMNS.items()},
            "missing": row.missing,
        }
        for row in kept_rows()
    ]
    offer_rows(pd.DataFrame(rows), digits=3)
    with st.container(horizontal=True):
        offer_file("Table (CSV)", lambda: rows_csv(rows), "protocols.csv", type="tertiary")


def show_sweep(
    choice: ProtocolChoice, spec: Specification, evidence: tuple[tuple[str, Any], ...]
) -> None:
    """Show how two chances change a protocol's worth."""
    st.markdown(f"##### Two assumptions at a time: {escaped(choice.title)}")
    labels = {name: label for name, (label, _) in CHANCES.items()}
    with st.container(horizontal=True):
        across = dropdown("Across", labels, "shows", key="rewards-across", width=260)
        others = {name: label for name, label in labels.items() if name != across}
        up = dropdown(
            "Upwards",
            others,
            "fakes" if across != "fakes" else "shows",
            key="rewards-up",
            width=260,
        )
        which = dropdown("Shown", ("best reply", "honest experts"), key="rewards-which", width=200)
    whole = computed("sweep", SWEEP, spec, across, up, evidence)
    found: Swept | None = whole.result
    if found is None:
        waiting(whole)
        return
    index = ("honest experts", "best reply").index(which)
    values = {at: pair[index] for at, pair in found.values.items()}
    look = seat_styles(spec)[main_seat(spec)]
    title, axes = f"{found.measure}, {which}", (labels[across], labels[up])
    is_share = found.measure == "verdict right"
    chart = draw_sweep(title, axes, PLACES, values, look, percent=is_share)
    show_chart(chart, "rewards-sweep-chart")
    if not whole.done:
        small("More cells follow.")
    with st.container(horizontal=True):
        for ending, make in of_picture(chart.picture).items():
            name = f"{choice.name}-sweep.{ending}"
            offer_file(f"Picture ({ending.upper()})", make, name, type="tertiary")
