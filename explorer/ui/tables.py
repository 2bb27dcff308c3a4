"""Tables and figures with their downloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import streamlit as st

from explorer.files import csv_bytes
from explorer.ui.layout import theme
from explorer.ui.text import in_html, offer_file

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure


def scrolling_table(kind: str, head: str, body: str, alt: str) -> None:
    """Show a table that scrolls sideways on a narrow screen, with the keyboard too.

    `kind` is its class in the style sheet; `head` has the cells of its head and `body` its rows, as
    HTML; `alt` describes it for screen readers.
    """
    st.html(
        f'<div class="{kind}" tabindex="0" role="region" aria-label="{in_html(alt)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def rows_to_choose(frame: pd.DataFrame, key: str, on_choice: Callable[[], None]) -> None:
    """Show a table with selectable rows, whose cells are shown as plain text.

    Its index is not shown. The session has the choice under the key.
    """
    st.dataframe(
        frame,
        hide_index=True,
        on_select=on_choice,
        selection_mode="single-row",
        key=key,
        height=min(36 * (len(frame) + 1) + 2, 420),
    )


def offer_rows(frame: pd.DataFrame, *, digits: int) -> None:
    """Show a table that a person can sort; numbers have so many decimals, missing ones a dash."""
    st.dataframe(frame.round(digits), hide_index=True, placeholder="–")


def wide_table(table: pd.DataFrame | Sequence[Mapping[str, Any]], alt: str) -> None:
    """Show a table, or its rows, which need no pandas, with all text unformatted.

    A table's index is not shown. Numbers are shown with six significant digits, missing values as
    empty cells.
    """

    def row(cells: list[str], tag: str) -> str:
        return "".join(f"<{tag}>{in_html(cell)}</{tag}>" for cell in cells)

    if isinstance(table, Sequence):
        names, rows = list(table[0]) if table else [], table
    else:
        names, rows = list(table.columns), cast("list[dict[str, object]]", table.to_dict("records"))
    head = row([str(name) for name in names], "th")
    body = "".join(
        f"<tr>{row([_shown(cells[name]) for name in names], 'td')}</tr>" for cells in rows
    )
    scrolling_table("nip-wide", head, body, alt)


def _shown(cell: Any) -> str:
    # A missing value is None or NaN, which does not equal itself.
    if cell is None or cell != cell:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def show_figure(figure: Figure, alt: str, key: str, *, zooms: bool = False, **look: Any) -> Any:
    """Show a figure that has its own theme; a button on it downloads it as SVG.

    With `zooms`, other buttons enlarge a part of it. `look` has further arguments of
    :func:`streamlit.plotly_chart`, whose result is returned. In print, ``explorer/ui/shell.css``
    makes the figure's container light.
    """
    config = {
        "displaylogo": False,
        "modeBarButtons": [[*(["zoom2d", "resetScale2d"] if zooms else []), "toImage"]],
        "toImageButtonOptions": {"format": "svg", "filename": key.replace(" ", "-")},
    }
    # The height is reserved, so that nothing moves when the figure is drawn.
    height = cast("float | None", cast("Any", figure).layout.height)
    look = {"config": config, "height": "content" if height is None else round(height), **look}
    with st.container(key=f"nip-{theme()}-figure-{key}"):
        draw = cast("Any", st.plotly_chart)
        return draw(figure, alt=alt, key=key, theme=None, **look)


def table_below(table: pd.DataFrame, about: str, key: str, file_name: str | None = None) -> None:
    """Show the facts of a figure as a folded table, with a download."""
    folded = st.expander("As a table", on_change="rerun", key=key)
    with folded:
        if not folded.open:
            return
        wide_table(table, about)
        if file_name is not None:
            offer_file("Data (CSV)", csv_bytes(table), file_name, key=f"file-{key}")
