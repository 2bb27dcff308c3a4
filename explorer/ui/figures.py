"""Figures on a page, and their facts as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from explorer.csv_files import csv_bytes
from explorer.ui.tables import wide_table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["show_figure", "table_below"]


def show_figure(figure: Figure, alt: str, key: str) -> None:
    """Show a figure that has its own theme; a button on it downloads it as SVG."""
    config = {
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "svg", "filename": key.replace(" ", "-")},
    }
    st.plotly_chart(figure, alt=alt, key=key, theme=None, config=config)


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
