"""Downloads of a protocol's page: pictures, files, Python, notebooks."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import streamlit as st

from explorer import notebook
from explorer.choice import OWN
from explorer.files import csv_bytes
from explorer.pictures import (
    View,
    can_convert,
    grid_data,
    sequence_mermaid,
    shown_picture,
)
from explorer.ui.layout import part
from explorer.ui.protocols.choice import ShownProtocol
from explorer.ui.text import offer_file, small
from explorer.ui.widgets import copy_link, offer_notebook
from nip_core.language import Specification, toml_text
from nip_core.registry import published_document, published_names

# By name: the file's ending, and whether it needs a converter.
PICTURES = (
    ("SVG", "svg", False),
    ("PDF", "pdf", True),
    ("PNG", "png", True),
    ("TikZ", "tex", False),
)


def cells_csv(spec: Specification, seed: int | None = None) -> bytes:
    """Return the cells of the grid, one a line."""
    return csv_bytes(grid_data(spec, seed))


def document_json(spec: Specification) -> str:
    """Return the specification as a document, which the page and the library can open."""
    return json.dumps(spec.to_dict(), indent=1, ensure_ascii=False)


def document_toml(spec: Specification) -> str:
    """Return the specification as a document for people, in the style of the published files."""
    return toml_text(spec.to_dict())


def schedule_python(protocols: list[ShownProtocol], view: View, selected: int | None) -> str:
    """Return Python that draws what the page shows, one protocol or two; it runs as it stands.

    A protocol of one's own is read from the file that is offered beside it. Without a selected
    column, none is framed.
    """
    names = ("spec",) if len(protocols) == 1 else ("left", "right")
    seeds = [protocol.seed for protocol in protocols]
    imported = {protocol.choice.python()[0] for protocol in protocols}
    own = any(protocol.choice.name == OWN for protocol in protocols)
    drawers = "caption, picture" if len(names) == 1 else "compare_picture, differences"
    framed = "" if selected is None or view == "visibility" else f", selected={selected}"
    lines = [
        *(["from pathlib import Path", ""] if own else []),
        f"from explorer.pictures import {drawers}",
        *sorted(imported),
        "",
    ]
    for name, protocol in zip(names, protocols, strict=True):
        if protocol.choice.name == OWN:
            lines.append(f'text = Path("{_file_name(protocol)}.json").read_text("utf-8")')
        lines.append(f"{name} = {protocol.choice.python()[1]}")
    if len(names) == 2:
        chosen = f", seeds=({seeds[0]}, {seeds[1]})" if seeds != [None, None] else ""
        both = f"left, right{chosen}"
        lines += [
            f"print(differences({both}).to_string())",
            f'compare_picture({both}{framed}).save("schedules.svg")',
        ]
    else:
        chance = "" if seeds[0] is None else f", seed={seeds[0]}"
        members = ", members=True" if protocols[0].members else ""
        lines += [
            f"print(caption(spec{chance}))",
            f'picture(spec, "{view}"{framed}{chance}{members}).save("{view}.svg")',
        ]
    return "\n".join(lines) + "\n"


def offer_export(protocols: list[ShownProtocol], view: View, selected: int) -> None:
    """Show the menu of downloads."""
    part(_menu)(protocols, view, selected)


def _menu(protocols: list[ShownProtocol], view: View, selected: int) -> None:
    menu = st.popover("Export", key="export", on_change="rerun")
    if not menu.open:
        return
    with menu:
        copy_link()
        framed = _offer_pictures(protocols, view, selected)
        for place, protocol in enumerate(protocols):
            small(f"What is in it{f': {protocol.name}' if len(protocols) > 1 else ''}")
            with st.container(horizontal=True):
                _files(protocols, place, view, selected)
        if any(protocol.choice.name in published_names() for protocol in protocols):
            small(
                "TOML is the file as it comes with the program; JSON has the settings of this page."
            )
        small("The Python that draws it")
        st.code(schedule_python(protocols, view, framed), language="python")


def _offer_pictures(protocols: list[ShownProtocol], view: View, selected: int) -> int | None:
    """Offer the picture in each format; return the column that is framed in it, if any."""
    small("The picture")
    label = "With the selected turn framed"
    framed = selected if view != "visibility" and st.checkbox(label, key="framed") else None
    stem = f"{'-'.join(map(_file_name, protocols))}-{view}"
    with st.container(horizontal=True):
        for name, ending, extra in PICTURES:
            if not extra or can_convert():
                make = partial(_picture, protocols, view, framed, ending)
                offer_file(name, make, f"{stem}.{ending}", key=f"picture {ending}")
    return framed


def _files(protocols: list[ShownProtocol], place: int, view: View, selected: int) -> None:
    protocol = protocols[place]
    spec, seed, name = protocol.spec, protocol.seed, protocol.choice.name
    stem = _file_name(protocol) + (f"-{place + 1}" if place else "")
    for kind, make, ending in (
        *(
            (("TOML", partial(published_document, name), "toml"),)
            if name in published_names()
            else (("TOML", partial(document_toml, spec), "toml"),)
        ),
        ("JSON", partial(document_json, spec), "json"),
        ("CSV", partial(cells_csv, spec, seed), "csv"),
        ("Mermaid", partial(sequence_mermaid, spec, seed), "mmd"),
    ):
        offer_file(kind, make, f"{stem}.{ending}", key=f"{ending} {place}")
    make = partial(_notebook, protocols, place, view, selected)
    offer_notebook(make, stem, key=f"ipynb {place}")


def _notebook(protocols: list[ShownProtocol], place: int, view: View, selected: int) -> Any:
    protocol, others = protocols[place], [p for n, p in enumerate(protocols) if n != place]
    return notebook.schedule_notebook(
        protocol.choice.protocol,
        (protocol.seed, others[0].seed) if others else protocol.seed,
        selected,
        compare=others[0].choice.protocol if others else None,
        view=view,
    )


def _file_name(protocol: ShownProtocol) -> str:
    """Return the protocol's name without characters that do not belong into a file name."""
    return re.sub(r"[^\w-]+", "-", protocol.spec.name)


def _picture(
    protocols: list[ShownProtocol], view: View, selected: int | None, ending: str
) -> bytes:
    drawn = shown_picture([protocol.shown for protocol in protocols], view, selected=selected)
    return drawn.written(f".{ending}")
