"""One round of the schedule, large: who speaks on which channel, and to whom it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from explorer.figures.frames import records, rows_where
from explorer.figures.grid import grid_data
from explorer.figures.palette import Theme, agent_styles
from explorer.figures.style import PAGE, box, lay_out, mixed, plain
from explorer.figures.turns import others
from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["round_data", "round_figure"]

ROW = 56  # pixels
# Where the arrows of a channel's speakers run, beside the letters, in parts of a cell.
TRACKS = (0.3, -0.3, 0.4, -0.4, 0.2, -0.2)


def round_data(spec: ProtocolSpec, round_id: int, seed: int | None = None) -> pd.DataFrame:
    """The rows of :func:`~explorer.figures.grid.grid_data` for one round."""
    cells = grid_data(spec, seed)
    return rows_where(cells, "round", round_id).reset_index(drop=True)


def round_figure(
    spec: ProtocolSpec, round_id: int, *, seed: int | None = None, theme: Theme = "light"
) -> Figure:
    """The agents and the channels of a round, with arrows from speakers to readers.

    A struck cell is a channel that the agent cannot see; a faint one speaks only by chance.
    """
    import plotly.graph_objects as go

    page, styles = PAGE[theme], agent_styles(spec)
    columns = {name: x for x, name in enumerate([*spec.channel_names, ""])}
    rows = {name: y for y, name in enumerate(spec.agent_names)}
    cells = records(round_data(spec, round_id, seed))
    speaking: dict[str, int] = {}
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for cell in cells:
        channel, agent, chance = cell["channel"], cell["agent"], cell["probability"]
        x, y, look = columns[channel], rows[agent], styles[agent]
        fill, ink = look.fill(theme), look.ink(theme)
        if cell["state"] == "blind":
            stroke = {"width": 1, "color": page.line}
            line = {"type": "line", "y0": y + 0.42, "y1": y - 0.42, "line": stroke}
            shapes.append({**box(x, y), **line})
            continue
        if not chance:
            shapes.append({**box(x, y), "fillcolor": page.lane})
            continue
        if chance < 1:
            stroke = {"width": 2, "color": fill, "dash": "dot"}
            ground = mixed(fill, page.paper, 0.2 + 0.4 * chance)
            shapes.append({**box(x, y), "line": stroke, "fillcolor": ground})
            ink = page.text
        else:
            shapes.append({**box(x, y), "fillcolor": fill})
        note = {"x": x, "y": y, "text": _text(cell), "showarrow": False}
        notes.append({**note, "font": {"size": 15, "color": ink}})
        if channel:
            track = TRACKS[speaking.setdefault(channel, 0) % len(TRACKS)]
            speaking[channel] += 1
            readers = (rows[reader] for reader in others(spec, agent, channel))
            notes += (_arrow(x + track, y, reader, fill) for reader in readers)
    # Without a trace plotly draws no axes.
    figure = go.Figure(go.Scatter(x=[], y=[]))
    lay_out(
        figure,
        theme,
        shapes=shapes,
        annotations=notes,
        height=ROW * len(rows) + 60,
        margin={"l": 20, "r": 10, "t": 30, "b": 10},
        xaxis={
            "range": [-0.55, len(columns) - 0.45],
            "side": "top",
            "tickvals": list(columns.values()),
            "ticktext": [plain(name).replace("_", "_<br>") or "<b>decide</b>" for name in columns],
            "ticks": "",
            "automargin": True,
        },
        yaxis={
            "range": [len(rows) - 0.45, -0.55],
            "tickvals": list(rows.values()),
            "ticktext": [f"{plain(name)} <b>{styles[name].label}</b>" for name in rows],
            "ticks": "",
            "automargin": True,
        },
    )
    return figure


def _text(cell: dict[str, Any]) -> str:
    mark = {"counts": "◆", "may decide": "◇"}.get(cell["state"]) or cell["label"]
    chance = cell["probability"]
    return f"<b>{mark}</b>" + ("" if chance == 1 else f"<br>{chance:.0%}")


def _arrow(x: float, start: float, end: float, colour: str) -> dict[str, Any]:
    place = {"x": x, "y": end, "ax": x, "ay": start, "axref": "x", "ayref": "y", "text": ""}
    return {**place, "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": colour}
