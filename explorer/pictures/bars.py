"""Grids as bars: a miniature of who acts when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from explorer.pictures.drawing import Box, Drawing, Row, Shape
from explorer.pictures.model import ProtocolGrid, grid_of
from explorer.pictures.rows import MADE, Cell, section_of
from explorer.pictures.signs import diamond, seat_colours
from nip_core.language import Specification
from nip_core.registry import AnyProtocol

TOP, BAR, STEP, SMALL_GAP, MARK = 3.0, 5, 7, 4, 9
Bar = tuple[str, str | None]
"""The colours of a bar and of its edge."""


def miniature(
    protocol: AnyProtocol | Specification | ProtocolGrid, *, turns: int | None = None
) -> Drawing:
    """Return a grid as bars: a lane for each seat on a channel, and for each choice.

    Marks below them show the turns of rounds in which a seat may decide. The first `turns` are
    drawn, by default all.
    """
    grid = protocol if isinstance(protocol, ProtocolGrid) else grid_of(protocol)
    at = grid.turns[:turns]
    groups: list[list[list[Bar]]] = []
    marks: list[Bar | None] = [None] * len(at)
    lively = [row for row in grid.rows if row.kind != "part" and not row.is_blind]
    for (kind, _), group in groupby(lively, key=section_of):
        bars: list[list[Bar]] = []
        for row in group:
            cells, label = [row.cells[place] for place in at], grid.looks[row.who].label
            if kind == "verdict":
                own = [_mark_of(cell, label) for cell in cells]
                marks = [mark or before for mark, before in zip(own, marks, strict=True)]
            elif kind == "channel" or any(cell.state in MADE for cell in cells):
                known = {id(cell): _bar_of(cell, label) for cell in cells}
                bars.append([known[id(cell)] for cell in cells])
        groups.append(bars)
    return _draw_bars(groups, len(at), seat_colours(grid.looks.values()), marks)


def _mark_of(cell: Cell, label: str) -> Bar | None:
    if cell.state != "decides":
        return None
    return (label if cell.chance == 1 else f"thin {label}"), label


def _bar_of(cell: Cell, label: str) -> Bar:
    if cell.state == "may speak":
        # A bar of a possible message has an edge, which is visible even if the bar is tiny.
        return f"thin {label}", label
    if cell.pale and cell.state == "speaks":
        return f"pale {label}", None
    return (label if cell.state in ("speaks", *MADE) else "lane"), None


def _mark(mark: Bar | None) -> tuple[Shape, ...]:
    if mark is None:
        return ()
    fill, stroke = mark
    return (diamond(0, MARK / 2, 2.5, fill=fill, stroke=stroke, column=0.5),)


def _draw_bars(
    groups: Iterable[Sequence[Sequence[Bar]]],
    columns: int,
    colours: dict[str, tuple[str, str]],
    marks: Sequence[Bar | None],
) -> Drawing:
    """Return lanes of bars in groups below each other, and marks below them."""
    shapes: list[Shape] = []
    codes: dict[Bar, str] = {}
    y = TOP
    for group in groups:
        for bars in group:
            for bar in dict.fromkeys(bars):
                codes.setdefault(bar, chr(ord("a") + len(codes)))
            shapes.append(Row(y, STEP, "".join(map(codes.__getitem__, bars))))
            y += STEP
        y += SMALL_GAP if group else 0
    bottom = max(y - SMALL_GAP, TOP + STEP)
    symbols: dict[str, tuple[Shape, ...]] = {
        code: (Box(0.75, 0, -1.5, BAR, fill, stroke, 2, 1, span=1),)
        for (fill, stroke), code in codes.items()
    }
    if any(marks):
        signs = {mark: chr(ord("A") + at) for at, mark in enumerate(dict.fromkeys(marks))}
        symbols |= {code: _mark(mark) for mark, code in signs.items()}
        shapes.append(Row(bottom, MARK, "".join(map(signs.__getitem__, marks))))
        bottom += MARK
    return Drawing(
        shapes=tuple(shapes),
        left=0,
        slim=0,
        columns=columns,
        least=0.5,
        most=40,
        height=bottom,
        colours=colours,
        symbols=symbols,
        bands=((TOP, bottom - TOP - (STEP - BAR)),),
    )
