"""Tables that every reader can read."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer.ui.text import escaped

__all__ = ["plain_table"]


def plain_table(frame: pd.DataFrame, alt: str) -> None:
    """Show a table as HTML, with all text as it stands and nothing for what is missing.

    Parameters
    ----------
    frame : DataFrame
        Without an index that matters.
    alt : str
        What the table is, for those who do not see it.
    """
    shown = frame.astype(object).where(frame.notna(), "").map(str).map(escaped)
    shown.columns = [escaped(str(name)) for name in frame.columns]
    st.table(shown, hide_index=True, alt=alt, border="horizontal")
