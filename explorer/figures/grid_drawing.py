"""How the grid is drawn with plotly: one heatmap, with lanes in bands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly import subplots

from explorer.figures.frames import records, rows_between
from explorer.figures.palette import AgentStyle, Theme, agent_styles
from explorer.figures.style import PAGE, Page, lay_out, mixed, plain
from nip_core.spec import ProtocolSpec

__all__ = ["draw_grids"]

Cell = dict[str, Any]
Mark = dict[str, Any]  # a shape or an annotation of plotly

LANE, CELL, MARGIN = 26, 18, 150  # pixels
WIDE = 20  # up to so many rounds there is room in a cell for a chance
STRUCK = 0.6  # the height of a lane in which nothing can happen, in lanes
MARKS = {"counts": "◆", "may decide": "◇"}
SAYING = {
    "speaks": "speaks",
    "may speak": "may speak",
    "reads": "only reads",
    "blind": "cannot see the channel",
    "counts": "may decide, and it counts",
    "may decide": "may decide, too early to count",
    "none": "may not decide",
}


@dataclass(frozen=True, slots=True)
class _Lane:
    """A row of the picture, from `top` to `bottom`; one without cells is a band's heading."""

    top: float
    bottom: float
    text: str
    cells: list[Cell] | None = None

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def struck(self) -> bool:
        return self.cells is not None and self.cells[0]["state"] == "blind"


def draw_grids(
    parts: list[tuple[ProtocolSpec, pd.DataFrame]],
    *,
    theme: Theme = "light",
    selected: int | None = None,
) -> go.Figure:
    """Grids below each other; cells whose column ``differs`` is true are ringed."""
    lanes = [list(_lanes(spec, cells)) for spec, cells in parts]
    heights = [own[-1].bottom for own in lanes]
    pixels = LANE * sum(heights) + 80 * len(parts) + 20
    figure = subplots.make_subplots(
        rows=len(parts),
        cols=1,
        row_heights=heights,
        vertical_spacing=80 / pixels if len(parts) > 1 else 0.0,
    )
    shapes: list[Mark] = []
    notes: list[Mark] = []
    for row, (spec, _) in enumerate(parts, start=1):
        own = lanes[row - 1]
        _add_grid(figure, spec, own, theme, row)
        axes = {"xref": f"x{row if row > 1 else ''}", "yref": f"y{row if row > 1 else ''}"}
        shapes += ({**axes, **shape} for shape in _shapes(own, spec, theme, selected))
        title = spec.name if len(parts) > 1 else None
        notes += ({**axes, **note} for note in _notes(own, theme, title))
    rounds = max(spec.max_message_rounds for spec, _ in parts)
    lay_out(
        figure,
        theme,
        shapes=shapes,
        annotations=notes,
        height=int(pixels),
        width=None if rounds <= 40 else MARGIN + CELL * rounds,
        margin={"l": MARGIN, "r": 20, "t": 40, "b": 60},
    )
    return figure


def _lanes(spec: ProtocolSpec, cells: pd.DataFrame) -> Iterator[_Lane]:
    y, band, rounds = 0.0, None, spec.max_message_rounds
    for start in range(0, len(cells), rounds):
        lane = records(rows_between(cells, start, start + rounds))
        channel, agent = lane[0]["channel"], lane[0]["agent"]
        if channel != band:
            band = channel
            readers = ", ".join(spec.channel(channel).viewers) if channel else ""
            text = f"<b>{plain(channel)}</b>, read by {plain(readers) or 'nobody'}"
            height = 1 if channel else 0.4
            yield _Lane(y, y + height, text if channel else "")
            y += height
        height = STRUCK if lane[0]["state"] == "blind" else 1
        yield _Lane(y, y + height, plain(agent) if channel else "<b>decide</b>", lane)
        y += height


def _add_grid(
    figure: go.Figure, spec: ProtocolSpec, lanes: list[_Lane], theme: Theme, row: int
) -> None:
    rounds, styles = spec.max_message_rounds, agent_styles(spec)
    for trace in (
        _ground(lanes, styles, theme, rounds),
        _letters(lanes, styles, theme, wide=rounds <= WIDE),
        _rings(lanes, PAGE[theme].accent),
    ):
        figure.add_trace(trace, row=row, col=1)
    named = [lane for lane in lanes if lane.cells is not None]
    figure.update_yaxes(
        row=row,
        col=1,
        range=[lanes[-1].bottom, 0],
        tickvals=[lane.middle for lane in named],
        ticktext=[lane.text for lane in named],
        ticks="",
    )
    figure.update_xaxes(
        row=row,
        col=1,
        range=[-0.5, rounds - 0.5],
        dtick=1 if rounds <= WIDE else 5,
        title={"text": "round", "font": {"size": 12}},
        ticks="",
    )


def _shapes(
    lanes: list[_Lane], spec: ProtocolSpec, theme: Theme, selected: int | None
) -> Iterator[Mark]:
    """The lines through struck lanes, and the frame of the selected round."""
    page, rounds = PAGE[theme], spec.max_message_rounds
    for lane in lanes:
        if lane.struck:
            line = {"type": "line", "x0": -0.5, "x1": rounds - 0.5, "y0": lane.middle}
            yield {**line, "y1": lane.middle, "line": {"color": page.line, "width": 1}}
    if selected is not None and selected < rounds:
        frame = {"type": "rect", "x0": selected - 0.5, "x1": selected + 0.5, "y0": 0}
        yield {**frame, "y1": lanes[-1].bottom, "line": {"color": page.accent, "width": 2}}


def _notes(lanes: list[_Lane], theme: Theme, title: str | None) -> Iterator[Mark]:
    """The bands' headings, and a title if there is one."""
    left = {"x": -0.5, "xanchor": "left", "showarrow": False}
    for lane in lanes:
        if lane.cells is None:
            font = {"size": 12, "color": PAGE[theme].quiet}
            yield {**left, "y": lane.middle, "text": lane.text, "font": font}
    if title:
        yield {**left, "y": 0, "yshift": 14, "text": f"<b>{plain(title)}</b>"}


def _ground(
    lanes: list[_Lane], styles: dict[str, AgentStyle], theme: Theme, rounds: int
) -> go.Heatmap:
    """The cells' colours, and what is said of each under the pointer."""
    page = PAGE[theme]
    colours: dict[str, int] = {page.paper: 0}
    codes: list[list[int]] = []
    hovers: list[list[str]] = []
    for lane in lanes:
        if lane.cells is None:
            codes.append([0] * rounds)
            hovers.append([""] * rounds)
            continue
        fills = [_fill(cell, styles[cell["agent"]].fill(theme), page) for cell in lane.cells]
        codes.append([colours.setdefault(fill, len(colours)) for fill in fills])
        hovers.append([_hover(cell) for cell in lane.cells])
    return go.Heatmap(
        x=list(range(rounds)),
        y=[lane.top for lane in lanes] + [lanes[-1].bottom],
        z=codes,
        xgap=2,
        ygap=2,
        customdata=hovers,
        hovertemplate="%{customdata}<extra></extra>",
        colorscale=_steps(list(colours)),
        zmin=-0.5,
        zmax=len(colours) - 0.5,
        showscale=False,
    )


def _letters(
    lanes: list[_Lane], styles: dict[str, AgentStyle], theme: Theme, *, wide: bool
) -> go.Scatter:
    """What is written in the cells in which something may happen."""
    written: list[tuple[int, float, str, str]] = []
    for lane in lanes:
        for cell in lane.cells or ():
            if cell["probability"]:
                solid = cell["probability"] == 1 and cell["state"] != "may decide"
                ink = styles[cell["agent"]].ink(theme) if solid else PAGE[theme].text
                written.append((cell["round"], lane.middle, _text(cell, wide=wide), ink))
    x, y, texts, inks = zip(*written, strict=True) if written else ((), (), (), ())
    font = {"size": 11, "color": inks}
    return go.Scatter(x=x, y=y, text=texts, textfont=font, mode="text", hoverinfo="skip")


def _rings(lanes: list[_Lane], colour: str) -> go.Scatter:
    """The outlines of cells that differ, as one line with gaps."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for lane in lanes:
        top, bottom = lane.top + 0.08, lane.bottom - 0.08
        for cell in lane.cells or ():
            if cell.get("differs"):
                left, right = cell["round"] - 0.46, cell["round"] + 0.46
                xs += [left, right, right, left, left, None]
                ys += [top, top, bottom, bottom, top, None]
    line = {"color": colour, "width": 3}
    return go.Scatter(x=xs, y=ys, line=line, mode="lines", hoverinfo="skip")


def _fill(cell: Cell, colour: str, page: Page) -> str:
    if cell["state"] in ("speaks", "may speak", "counts"):
        chance = cell["probability"]
        return colour if chance == 1 else mixed(colour, page.paper, 0.15 + 0.4 * chance)
    return page.paper if cell["state"] == "blind" else page.lane


def _text(cell: Cell, *, wide: bool) -> str:
    """What stands in a cell; the chance only where there is room for it."""
    mark = MARKS.get(cell["state"]) or cell["label"]
    return f"{mark} {cell['probability']:.0%}" if wide and cell["probability"] < 1 else mark


def _hover(cell: Cell) -> str:
    where = f" on {plain(cell['channel'])}" if cell["channel"] else ""
    chance = cell["probability"]
    lines = [
        f"<b>round {cell['round']}: {plain(cell['agent'])}{where}</b>",
        SAYING[cell["state"]] + (f" (probability {chance:.0%})" if 0 < chance < 1 else ""),
        f"messages of others read by then: {cell['seen']}",
    ]
    if cell["state"] in ("speaks", "may speak"):
        lines.append(f"will be read by {plain(cell['readers']) or 'nobody'}")
    return "<br>".join(lines)


def _steps(colours: list[str]) -> list[tuple[float, str]]:
    """A colour scale of plain steps."""
    edges = np.linspace(0, 1, len(colours) + 1).tolist()
    return [(edge, c) for i, c in enumerate(colours) for edge in edges[i : i + 2]]
