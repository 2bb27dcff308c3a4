"""What can be taken away: files, Python, and a link."""

from __future__ import annotations

import json
import re
from functools import partial

import streamlit as st

from explorer.figures import Theme, round_figure, sequence_mermaid
from explorer.figures.files import figure_html
from explorer.pictures import can_convert, compare_picture, picture
from explorer.schedule.exports import FigureKind, cells_csv, cells_json, schedule_python
from explorer.ui.components.copy_link import copy_link
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.schedule.walk import VIEWS, selected_round
from explorer.ui.text import escaped, small
from explorer.ui.theme import theme

__all__ = ["offer_export"]

# By name: the ending, the type, and whether it takes a converter.
PICTURES = (
    ("SVG", "svg", "image/svg+xml", False),
    ("PDF", "pdf", "application/pdf", True),
    ("PNG", "png", "image/png", True),
    ("TikZ", "tex", "application/x-tex", False),
)


def offer_export(protocols: list[ShownProtocol]) -> None:
    """Show the button for the link, and the Export menu."""
    copy_link()
    st.fragment(_menu)(protocols)


def _menu(protocols: list[ShownProtocol]) -> None:
    menu = st.popover("Export", key="export", on_change="rerun")
    if not menu.open:
        return
    view: FigureKind = st.session_state.get("view", VIEWS[0])
    selected = selected_round(protocols)
    with menu:
        small("The picture")
        _pictures(protocols, view, selected)
        for place, protocol in enumerate(protocols):
            small(f"What is in it{f': {escaped(protocol.name)}' if len(protocols) > 1 else ''}")
            with st.container(horizontal=True):
                _files(protocol, place)
        small("The Python that makes it")
        python = schedule_python([(s.parameters, s.seed) for s in protocols], view, selected)
        st.code(python, language="python")


def _files(protocol: ShownProtocol, place: int) -> None:
    spec, seed = protocol.spec, protocol.seed
    stem = _file_name(protocol) + (f"-{place + 1}" if place else "")
    for kind, make, ending, mime in (
        ("CSV", partial(cells_csv, spec, seed), "csv", "text/csv"),
        ("JSON", partial(cells_json, spec, seed), "json", "application/json"),
        ("Mermaid", partial(sequence_mermaid, spec, seed), "mmd", "text/plain"),
        ("Notebook", partial(_notebook, protocol), "ipynb", "application/x-ipynb+json"),
    ):
        st.download_button(
            kind,
            make,
            file_name=f"{stem}.{ending}",
            mime=mime,
            on_click="ignore",
            key=f"{ending} {place}",
        )


def _notebook(protocol: ShownProtocol) -> bytes:
    # Loading what makes notebooks takes a moment that only whoever wants one should wait.
    from explorer.notebook import schedule_notebook

    document = schedule_notebook(protocol.spec, protocol.seed, selected_round([protocol]))
    return json.dumps(document, indent=1).encode("utf-8")


def _file_name(protocol: ShownProtocol) -> str:
    """The protocol's name, without what a file's name should not hold."""
    return re.sub(r"[^\w-]+", "-", protocol.spec.name)


def _pictures(protocols: list[ShownProtocol], view: FigureKind, selected: int) -> None:
    """Buttons for the picture in view. The state of one round is not for paper."""
    stem = f"{'-'.join(map(_file_name, protocols))}-{view.lower()}"
    if view == "Round" and len(protocols) == 1:
        st.download_button(
            "Picture (HTML)",
            partial(_round_html, protocols[0], selected, theme()),
            file_name=f"{stem}.html",
            mime="text/html",
            on_click="ignore",
            key="html",
        )
        return
    framed = st.checkbox("With the selected round framed", key="framed")
    with st.container(horizontal=True):
        for name, ending, mime, extra in PICTURES:
            if extra and not can_convert():
                continue
            st.download_button(
                escaped(name),
                partial(_picture, protocols, view, selected if framed else None, ending),
                file_name=f"{stem}.{ending}",
                mime=mime,
                on_click="ignore",
                key=f"picture {ending}",
            )


def _round_html(protocol: ShownProtocol, selected: int, look: Theme) -> bytes:
    return figure_html(round_figure(protocol.spec, selected, seed=protocol.seed, theme=look))


def _picture(
    protocols: list[ShownProtocol], view: FigureKind, selected: int | None, ending: str
) -> bytes:
    if len(protocols) == 2:
        left, right = protocols
        seeds = (left.seed, right.seed)
        drawn = compare_picture(left.spec, right.spec, seeds=seeds, selected=selected)
    else:
        (protocol,) = protocols
        kind = "grid" if view == "Grid" else "sequence"
        drawn = picture(protocol.spec, kind, seed=protocol.seed, selected=selected)
    return drawn.written(f".{ending}")
