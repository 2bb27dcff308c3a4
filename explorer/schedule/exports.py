"""What can be taken away from the Schedule page: data, pictures, and the Python that makes them."""

from __future__ import annotations

import json

from explorer.csv_files import csv_bytes
from explorer.figures import grid_data
from explorer.figures.frames import records
from explorer.python_code import parameters_python
from nip_core.parameters import HyperParameters
from nip_core.spec import ProtocolSpec

__all__ = [
    "cells_csv",
    "cells_json",
    "schedule_python",
]


def cells_csv(spec: ProtocolSpec, seed: int | None = None) -> bytes:
    """The cells of the grid, one a line."""
    return csv_bytes(grid_data(spec, seed))


def cells_json(spec: ProtocolSpec, seed: int | None = None) -> bytes:
    """The specification, the seed, and the cells of the grid."""
    cells = records(grid_data(spec, seed))
    document = {"protocol": spec.to_dict(), "seed": seed, "cells": cells}
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8")


def schedule_python(
    protocols: list[tuple[HyperParameters, int | None]], view: str, selected: int
) -> str:
    """Python that draws what the page shows; it runs as it stands.

    Parameters
    ----------
    protocols : list of (parameters, seed)
        One protocol, or two that are compared.
    view : {"grid", "sequence", "visibility"}
    selected : int
        The selected round, from 0.
    """
    if len(protocols) == 2:
        (left, seed), (right, other) = protocols
        both = f"left, right{f', seeds=({seed}, {other})' if (seed, other) != (None, None) else ''}"
        return _lines(
            "from explorer.figures import differences",
            "from explorer.pictures import compare_picture",
            "from nip_core import HyperParameters, protocol_spec",
            "",
            f"left = protocol_spec({parameters_python(left)})",
            f"right = protocol_spec({parameters_python(right)})",
            f"print(differences({both}).to_string())",
            f'compare_picture({both}, selected={selected}).save("schedules.svg")',
        )
    ((parameters, seed),) = protocols
    chance = "" if seed is None else f", seed={seed}"
    framed = "" if view == "visibility" else f", selected={selected}"
    return _lines(
        "from explorer.figures import caption",
        "from explorer.pictures import picture",
        "from nip_core import HyperParameters, protocol_spec",
        "",
        f"spec = protocol_spec({parameters_python(parameters)})",
        f"print(caption(spec{chance}))",
        f'picture(spec, "{view}"{framed}{chance}).save("{view}.svg")',
    )


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
