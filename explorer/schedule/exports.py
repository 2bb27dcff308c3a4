"""What can be taken away from the Schedule page: data, pictures, and the Python that makes them."""

from __future__ import annotations

import json
from typing import Literal

from explorer.csv_files import csv_bytes
from explorer.figures import grid_data
from explorer.figures.frames import records
from explorer.python_code import parameters_python
from nip_core.parameters import HyperParameters
from nip_core.spec import ProtocolSpec

__all__ = [
    "FigureKind",
    "cells_csv",
    "cells_json",
    "schedule_python",
]

FigureKind = Literal["Grid", "Round", "Sequence"]


def cells_csv(spec: ProtocolSpec, seed: int | None = None) -> bytes:
    """The cells of the grid, one a line."""
    return csv_bytes(grid_data(spec, seed))


def cells_json(spec: ProtocolSpec, seed: int | None = None) -> bytes:
    """The specification, the seed, and the cells of the grid."""
    cells = records(grid_data(spec, seed))
    document = {"protocol": spec.to_dict(), "seed": seed, "cells": cells}
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8")


def schedule_python(
    protocols: list[tuple[HyperParameters, int | None]], view: FigureKind, selected: int
) -> str:
    """Python that makes what the page shows; it runs as it stands.

    Parameters
    ----------
    protocols : list of (parameters, seed)
        One protocol, or two that are compared.
    view : {"Grid", "Round", "Sequence"}
    selected : int
        The selected round.
    """
    if len(protocols) == 2:
        (left, seed), (right, other) = protocols
        both = f"left, right{f', seeds=({seed}, {other})' if (seed, other) != (None, None) else ''}"
        return _lines(
            "from explorer.figures import compare_figure, differences",
            "from nip_core import HyperParameters, protocol_spec",
            "",
            f"left = protocol_spec({parameters_python(left)})",
            f"right = protocol_spec({parameters_python(right)})",
            f"print(differences({both}).to_string())",
            f"compare_figure({both}, selected={selected}).show()",
        )
    ((parameters, seed),) = protocols
    chance = "" if seed is None else f", seed={seed}"
    figure = {
        "Grid": f"grid_figure(spec, selected={selected}{chance})",
        "Round": f"round_figure(spec, {selected}{chance})",
        "Sequence": f"sequence_figure(spec, selected={selected}{chance})",
    }[view]
    return _lines(
        f"from explorer.figures import caption, {figure.partition('(')[0]}",
        "from nip_core import HyperParameters, protocol_spec",
        "",
        f"spec = protocol_spec({parameters_python(parameters)})",
        f"print(caption(spec{chance}))",
        f"{figure}.show()",
    )


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
