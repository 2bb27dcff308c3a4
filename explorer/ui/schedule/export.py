"""What can be taken away: files, Python, and a link."""

from __future__ import annotations

import re
from functools import partial
from typing import cast

import streamlit as st

from explorer.figures import sequence_mermaid
from explorer.pictures import View, can_convert, compare_picture, picture
from explorer.schedule.exports import cells_csv, cells_json, schedule_python
from explorer.ui.components.copy_link import copy_link
from explorer.ui.parts import part
from explorer.ui.schedule.rounds import selected_round
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.text import escaped, small

__all__ = ["offer_export"]

# By name: the ending, the type, and whether it takes a converter.
PICTURES = (
    ("SVG", "svg", "image/svg+xml", False),
    ("PDF", "pdf", "application/pdf", True),
    ("PNG", "png", "image/png", True),
    ("TikZ", "tex", "application/x-tex", False),
)


def offer_export(protocols: list[ShownProtocol], view: str) -> None:
    """Show the menu of what can be taken away."""
    part(_menu)(protocols, view)


def _menu(protocols: list[ShownProtocol], view: str) -> None:
    menu = st.popover("Export", key="export", on_change="rerun")
    if not menu.open:
        return
    selected = selected_round(protocols)
    with menu:
        copy_link()
        small("The picture")
        _pictures(protocols, view, selected)
        for place, protocol in enumerate(protocols):
            small(f"What is in it{f': {protocol.name}' if len(protocols) > 1 else ''}")
            with st.container(horizontal=True):
                _files(protocols, place, view)
        small("The Python that draws it")
        python = schedule_python([(s.parameters, s.seed) for s in protocols], view, selected)
        st.code(python, language="python")


def _files(protocols: list[ShownProtocol], place: int, view: str) -> None:
    protocol = protocols[place]
    spec, seed = protocol.spec, protocol.seed
    stem = _file_name(protocol) + (f"-{place + 1}" if place else "")
    for kind, make, ending, mime in (
        ("CSV", partial(cells_csv, spec, seed), "csv", "text/csv"),
        ("JSON", partial(cells_json, spec, seed), "json", "application/json"),
        ("Mermaid", partial(sequence_mermaid, spec, seed), "mmd", "text/plain"),
        (
            "Open as notebook",
            partial(_notebook, protocols, place, view),
            "ipynb",
            "application/x-ipynb+json",
        ),
    ):
        st.download_button(
            kind,
            make,
            file_name=f"{stem}.{ending}",
            mime=mime,
            on_click="ignore",
            key=f"{ending} {place}",
        )


def _notebook(protocols: list[ShownProtocol], place: int, view: str) -> bytes:
    # Loading what makes notebooks takes a moment that only whoever wants one should wait.
    from explorer.notebook.document import written
    from explorer.notebook.exports import schedule_notebook

    protocol, others = protocols[place], [p for n, p in enumerate(protocols) if n != place]
    return written(
        schedule_notebook(
            protocol.parameters,
            (protocol.seed, others[0].seed) if others else protocol.seed,
            selected_round([protocol]),
            compare=others[0].parameters if others else None,
            view=cast("View", view),
        )
    )


def _file_name(protocol: ShownProtocol) -> str:
    """The protocol's name, without what a file's name should not hold."""
    return re.sub(r"[^\w-]+", "-", protocol.spec.name)


def _pictures(protocols: list[ShownProtocol], view: str, selected: int) -> None:
    stem = f"{'-'.join(map(_file_name, protocols))}-{view}"
    framed = view != "visibility" and st.checkbox("With the selected round framed", key="framed")
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


def _picture(protocols: list[ShownProtocol], view: str, selected: int | None, ending: str) -> bytes:
    if len(protocols) == 2:
        left, right = protocols
        seeds = (left.seed, right.seed)
        drawn = compare_picture(left.spec, right.spec, seeds=seeds, selected=selected)
    else:
        (protocol,) = protocols
        drawn = picture(protocol.spec, cast("View", view), seed=protocol.seed, selected=selected)
    return drawn.written(f".{ending}")
