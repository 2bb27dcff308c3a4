"""Tables that every reader can read."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from explorer.ui.text import escaped

__all__ = ["plain_table", "wide_table"]


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


WIDE = """<style>
.nip-wide { overflow-x: auto; margin-bottom: 0.8rem; }
.nip-wide:focus-visible { outline: 2px solid currentColor; }
.nip-wide table { border-collapse: collapse; width: 100%; }
.nip-wide th, .nip-wide td {
  text-align: left; padding: 0.3rem 0.9rem 0.3rem 0; vertical-align: top;
  border-bottom: 1px solid var(--st-border-color, #8884); font-variant-numeric: tabular-nums;
}
.nip-wide th { white-space: nowrap; }
.nip-wide td:last-child { min-width: 9rem; }
</style>"""


def wide_table(frame: pd.DataFrame, alt: str) -> None:
    """Show a table that scrolls sideways on a narrow screen, with the keyboard too.

    The parameters are those of :func:`plain_table`; numbers have six digits that count.
    """

    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    shown = (
        frame.astype(object)
        .where(frame.notna(), "")
        .map(lambda cell: f"{cell:.6g}" if isinstance(cell, float) else str(cell))
    )
    head = row([str(name) for name in frame.columns], "th")
    body = "".join(row(list(cells), "td") for cells in shown.itertuples(index=False))
    st.html(
        f'{WIDE}<div class="nip-wide" tabindex="0" role="region" aria-label="{escape(alt)}">'
        f"<table><thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )
