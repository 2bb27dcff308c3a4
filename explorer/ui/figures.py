"""Figures on a page, and their facts as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from explorer.csv_files import csv_bytes
from explorer.ui.tables import wide_table
from explorer.ui.theme import theme

if TYPE_CHECKING:
    from plotly.graph_objects import Figure
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["ground", "show_figure", "table_below"]


def show_figure(figure: Figure, alt: str, key: str) -> None:
    """Show a figure that has its own theme; a button on it downloads it as SVG."""
    config = {
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "svg", "filename": key.replace(" ", "-")},
    }
    with ground(key):
        st.plotly_chart(figure, alt=alt, key=key, theme=None, config=config)


def ground(key: str) -> DeltaGenerator:
    """Where a figure stands: a dark one is turned light on paper (``explorer/ui/shell.css``)."""
    return st.container(key=f"nip-{theme()}-figure-{key}")


def table_below(table: pd.DataFrame, about: str, key: str, file_name: str | None = None) -> None:
    """The facts of a figure, folded, and on request as a file."""
    folded = st.expander("As a table", on_change="rerun", key=key)
    with folded:
        if not folded.open:
            return
        wide_table(table, about)
        if file_name is not None:
            st.download_button(
                "Data (CSV)",
                csv_bytes(table),
                file_name=file_name,
                mime="text/csv",
                on_click="ignore",
                key=f"file-{key}",
            )
