"""Parts that the page's views share: values from links, tables with labels, and chart files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from explorer.pictures import Chart, Picture, can_convert
from explorer.ui.fronts import show_chart
from explorer.ui.text import offer_file
from nip_core.language import Specification
from nip_core.spec import shown_round

if TYPE_CHECKING:
    import pandas as pd


def for_people(table: pd.DataFrame, spec: Specification) -> pd.DataFrame:
    """Return a table with the screen's labels in place of technical names."""
    changed = table.copy()
    if "seat" in changed:
        changed["seat"] = changed["seat"].map(spec.seat_name)
    if "round" in changed:
        changed["round"] = changed["round"].map(shown_round)
    if "verdict" in changed:
        changed["verdict"] = changed["verdict"].map(spec.title_of)
    return changed.rename(columns={"round": "turn"})


def offer_files(picture: Callable[[], Picture], name: str) -> None:
    """Offer a picture, made when it is downloaded: as SVG and, where possible, as PDF."""
    with st.container(horizontal=True, gap="small"):
        for ending in ("svg", "pdf") if can_convert() else ("svg",):
            offer_file(
                f"Chart ({ending.upper()})",
                lambda ending=ending: picture().written(f".{ending}"),
                f"{name}.{ending}",
                key=f"rewards-{name}-{ending}",
                type="tertiary",
            )


def show_with_files(chart: Chart, name: str) -> None:
    """Show a chart, and offer it as files."""
    show_chart(chart, f"rewards-{name}-chart")
    offer_files(chart.picture, name)
