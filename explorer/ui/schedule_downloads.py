"""Downloads of the Schedule page: files, Python, notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import streamlit as st

from explorer import notebook
from explorer.files import csv_bytes, parameters_python
from explorer.pictures import (
    View,
    can_convert,
    compare_picture,
    grid_data,
    picture,
    records,
    sequence_mermaid,
)
from explorer.ui.layout import part
from explorer.ui.schedule_choice import ShownProtocol, selected_round
from explorer.ui.text import escaped, offer_file, small
from explorer.ui.widgets import copy_link, offer_notebook
from nip_core.parameters import HyperParameters
from nip_core.spec import ProtocolSpec


def cells_csv(spec: ProtocolSpec, seed: int | None = None) -> bytes:
    """Return the cells of the grid, one a line."""
    return csv_bytes(grid_data(spec, seed))


def cells_json(spec: ProtocolSpec, seed: int | None = None) -> bytes:
    """Return the specification, the seed, and the cells of the grid."""
    cells = records(grid_data(spec, seed))
    document = {"protocol": spec.to_dict(), "seed": seed, "cells": cells}
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8")


def schedule_python(
    protocols: list[tuple[HyperParameters, int | None]], view: str, selected: int | None
) -> str:
    """Return Python that draws what the page shows, one protocol or two; it runs as it stands.

    Without a selected round, no round is framed.
    """
    framed = "" if selected is None or view == "visibility" else f", selected={selected}"
    if len(protocols) == 2:
        (left, seed), (right, other) = protocols
        both = f"left, right{f', seeds=({seed}, {other})' if (seed, other) != (None, None) else ''}"
        return _lines(
            "from explorer.pictures import differences",
            "from explorer.pictures import compare_picture",
            "from nip_core import HyperParameters, protocol_spec",
            "",
            f"left = protocol_spec({parameters_python(left)})",
            f"right = protocol_spec({parameters_python(right)})",
            f"print(differences({both}).to_string())",
            f'compare_picture({both}{framed}).save("schedules.svg")',
        )
    ((parameters, seed),) = protocols
    chance = "" if seed is None else f", seed={seed}"
    return _lines(
        "from explorer.pictures import caption",
        "from explorer.pictures import picture",
        "from nip_core import HyperParameters, protocol_spec",
        "",
        f"spec = protocol_spec({parameters_python(parameters)})",
        f"print(caption(spec{chance}))",
        f'picture(spec, "{view}"{framed}{chance}).save("{view}.svg")',
    )


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


# How a remark on a protocol begins.
TONES = {"warning": "Warning", "note": "Note"}
# By name: the file's ending, and whether it needs a converter.
PICTURES = (
    ("SVG", "svg", False),
    ("PDF", "pdf", True),
    ("PNG", "png", True),
    ("TikZ", "tex", False),
)


def offer_export(protocols: list[ShownProtocol], view: str) -> None:
    """Show the menu of downloads."""
    part(_menu)(protocols, view)


def _menu(protocols: list[ShownProtocol], view: str) -> None:
    menu = st.popover("Export", key="export", on_change="rerun")
    if not menu.open:
        return
    selected = selected_round(protocols)
    with menu:
        copy_link()
        stem = "-".join(map(_file_name, protocols))
        framed = offer_pictures(stem, view, selected, "round", partial(_picture, protocols, view))
        for place, protocol in enumerate(protocols):
            small(f"What is in it{f': {protocol.name}' if len(protocols) > 1 else ''}")
            with st.container(horizontal=True):
                _files(protocols, place, view)
        small("The Python that draws it")
        python = schedule_python([(s.choice.parameters, s.seed) for s in protocols], view, framed)
        st.code(python, language="python")


def _files(protocols: list[ShownProtocol], place: int, view: str) -> None:
    protocol = protocols[place]
    spec, seed = protocol.spec, protocol.seed
    stem = _file_name(protocol) + (f"-{place + 1}" if place else "")
    for kind, make, ending in (
        ("CSV", partial(cells_csv, spec, seed), "csv"),
        ("JSON", partial(cells_json, spec, seed), "json"),
        ("Mermaid", partial(sequence_mermaid, spec, seed), "mmd"),
    ):
        offer_file(kind, make, f"{stem}.{ending}", key=f"{ending} {place}")
    offer_notebook(partial(_notebook, protocols, place, view), stem, key=f"ipynb {place}")


def _notebook(protocols: list[ShownProtocol], place: int, view: str) -> Any:
    protocol, others = protocols[place], [p for n, p in enumerate(protocols) if n != place]
    return notebook.schedule_notebook(
        protocol.choice.parameters,
        (protocol.seed, others[0].seed) if others else protocol.seed,
        selected_round([protocol]),
        compare=others[0].choice.parameters if others else None,
        view=cast("View", view),
    )


def _file_name(protocol: ShownProtocol) -> str:
    """Return the protocol's name without characters that do not belong into a file name."""
    return re.sub(r"[^\w-]+", "-", protocol.spec.name)


def offer_pictures(
    stem: str, view: str, selected: int, unit: str, make: Callable[[int | None, str], bytes]
) -> int | None:
    """Offer the picture in each format; return the round or turn that is framed in it, if any.

    `make` returns a file, for what is framed and the file's ending. `unit` says what `selected` is:
    a round or a turn.
    """
    small("The picture")
    label = f"With the selected {escaped(unit)} framed"
    framed = selected if view != "visibility" and st.checkbox(label, key="framed") else None
    with st.container(horizontal=True):
        for name, ending, extra in PICTURES:
            if not extra or can_convert():
                file = f"{stem}-{view}.{ending}"
                offer_file(name, partial(make, framed, ending), file, key=f"picture {ending}")
    return framed


def _picture(protocols: list[ShownProtocol], view: str, selected: int | None, ending: str) -> bytes:
    if len(protocols) == 2:
        left, right = protocols
        seeds = (left.seed, right.seed)
        drawn = compare_picture(left.spec, right.spec, seeds=seeds, selected=selected)
    else:
        (protocol,) = protocols
        drawn = picture(protocol.spec, cast("View", view), seed=protocol.seed, selected=selected)
    return drawn.written(f".{ending}")
