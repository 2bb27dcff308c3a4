"""What can be taken away: files, Python, and a link."""

from __future__ import annotations

import json
import re
from functools import partial

import streamlit as st

from explorer.figures import (
    Theme,
    compare_figure,
    grid_figure,
    round_figure,
    sequence_figure,
    sequence_mermaid,
)
from explorer.figures.files import figure_html
from explorer.schedule.exports import View, cells_csv, cells_json, schedule_python
from explorer.ui.components.copy_link import copy_link
from explorer.ui.schedule.shown import Side
from explorer.ui.schedule.walk import VIEWS, selected_round
from explorer.ui.text import escaped, small
from explorer.ui.theme import theme

__all__ = ["offer_export"]


def offer_export(sides: list[Side]) -> None:
    """Show the button for the link, and the Export menu."""
    copy_link()
    st.fragment(_menu)(sides)


def _menu(sides: list[Side]) -> None:
    menu = st.popover("Export", key="export", on_change="rerun")
    if not menu.open:
        return
    view: View = st.session_state.get("view", VIEWS[0])
    selected = selected_round(sides)
    with menu:
        for place, side in enumerate(sides):
            _files(side, place, numbered=len(sides) > 1)
        st.download_button(
            "Picture (HTML)",
            partial(_picture, sides, view, selected, theme()),
            file_name=f"{'-'.join(_file_name(side) for side in sides)}-{view.lower()}.html",
            mime="text/html",
            on_click="ignore",
            key="html",
        )
        small("Show the Python")
        python = schedule_python([(s.parameters, s.seed) for s in sides], view, selected)
        st.code(python, language="python")


def _files(side: Side, place: int, *, numbered: bool) -> None:
    spec, seed = side.spec, side.seed
    which = f" of {escaped(spec.name)}" if numbered else ""
    stem = _file_name(side) + (f"-{place + 1}" if numbered else "")
    for kind, make, ending, mime in (
        ("Data (CSV)", partial(cells_csv, spec, seed), "csv", "text/csv"),
        ("Data (JSON)", partial(cells_json, spec, seed), "json", "application/json"),
        ("Sequence (Mermaid)", partial(sequence_mermaid, spec, seed), "mmd", "text/plain"),
        ("Open as notebook", partial(_notebook, side), "ipynb", "application/x-ipynb+json"),
    ):
        st.download_button(
            f"{kind}{which}",
            make,
            file_name=f"{stem}.{ending}",
            mime=mime,
            on_click="ignore",
            key=f"{ending} {place}",
        )


def _notebook(side: Side) -> bytes:
    # Loading what makes notebooks takes a moment that only whoever wants one should wait.
    from explorer.notebook import schedule_notebook

    document = schedule_notebook(side.spec, side.seed, selected_round([side]))
    return json.dumps(document, indent=1).encode("utf-8")


def _file_name(side: Side) -> str:
    """The protocol's name, without what a file's name should not hold."""
    return re.sub(r"[^\w-]+", "-", side.spec.name)


def _picture(sides: list[Side], view: View, selected: int, look: Theme) -> bytes:
    if len(sides) == 2:
        left, right = sides
        seeds = (left.seed, right.seed)
        figure = compare_figure(left.spec, right.spec, seeds=seeds, theme=look, selected=selected)
        return figure_html(figure)
    (side,) = sides
    if view == "Round":
        return figure_html(round_figure(side.spec, selected, seed=side.seed, theme=look))
    draw = grid_figure if view == "Grid" else sequence_figure
    return figure_html(draw(side.spec, seed=side.seed, theme=look, selected=selected))
