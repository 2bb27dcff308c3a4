"""Cells of a grid: what each looks like, and the legend that explains it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from explorer.pictures.drawing import Box, LegendEntry, Line, Polygon, Shape, Text
from explorer.pictures.rows import Cell
from explorer.pictures.signs import diamond, disc, middle, triangle
from explorer.pictures.tokens import AgentStyle

GRID_LETTER = 11
# Pixels: the height of a row in which nothing can happen, and the gap between stages.
STRUCK, APART = 14, 4


class Meaning(NamedTuple):
    """The meaning of a cell's symbol."""

    look: AgentStyle | None
    kind: str
    cell: Cell
    differs: bool
    begins: bool  # whether it is the first of its stage, or the last one
    ends: bool
    inside: bool  # whether it belongs to a turn
    high: float
    # For each seat its badge if it sees the cell, else an empty text; None if all see it always.
    strips: tuple[str, ...] | None


def _place(what: Meaning) -> tuple[float, float]:
    """Return the left edge of a cell, and how much narrower than its column it is."""
    left = 1 + (APART if what.begins else 0)
    return left, -left - 1 - (APART if what.ends else 0)


def draw_cell(what: Meaning) -> Iterator[Shape]:
    """Yield a cell of a row."""
    cell, look, high = what.cell, what.look, what.high
    left, less = _place(what)
    # The middle of the cell, which differs from that of its column.
    off = left + less / 2
    if cell.state == "blind":
        if high > STRUCK:
            yield Line(left, high / 2, left + less, high / 2, "line", column=0, to_column=1)
    elif look is not None and cell.state in ("speaks", "may speak"):
        yield from _writing(cell, look, left, less, high)
    else:
        if what.inside:
            yield Box(left, 1, less, high - 2, "lane", radius=2, span=1)
        if what.kind == "part":
            yield from _strips(what)
        elif look is not None and what.kind == "verdict":
            yield from _verdict(cell, look, off, high / 2)
        elif look is not None and what.kind == "choice":
            yield from _sign(cell, look, off, high / 2 - (2 if cell.seats else 0))
            yield from _segments(what)
        elif what.kind == "value":
            if cell.state == "worked out":
                yield from _slices(what, off, high / 2 - (2 if cell.seats else 0))
            yield from _segments(what)
    if what.differs:
        yield Box(left, 1, less, high - 2, stroke="accent", radius=3, line=2, span=1)


def _writing(
    cell: Cell, look: AgentStyle, left: float, less: float, high: float
) -> Iterator[Shape]:
    maybe = cell.state == "may speak"
    fill = f"{'thin ' if maybe else 'pale ' if cell.pale else ''}{look.label}"
    dots: dict[str, Any] = {"stroke": look.label, "line": 1.5, "dashed": True} if maybe else {}
    yield Box(left, 1, less, high - 2, fill, radius=3, span=1, **dots)
    words, short = look.label, ""
    if cell.percent:
        words, short = f"{look.label} {cell.percent}", look.label
    ink = "text" if maybe or cell.pale else f"on {look.label}"
    style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": 0.5, "short": short}
    line = middle(high / 2, GRID_LETTER)
    yield Text(left + less / 2, line, words, ink, GRID_LETTER, **style, room=less - 1)


def _verdict(cell: Cell, look: AgentStyle, x: float, y: float) -> Iterator[Shape]:
    if cell.state in ("decides", "early"):
        fill = look.label if cell.state == "decides" and cell.chance == 1 else None
        dashed = cell.chance != 1
        yield diamond(x, y, 5.5, fill=fill, stroke=look.label, dashed=dashed, column=0.5)


def _sign(cell: Cell, look: AgentStyle, x: float, y: float) -> Iterator[Shape]:
    """Yield the sign of a choice that is made."""
    colour = f"pale {look.label}" if cell.pale else look.label
    if cell.state == "drawn":
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": 0.5}
        yield Text(x, middle(y, 16), "?", colour, 16, **style)
    elif cell.state == "steers":
        if look.many > 1:
            yield diamond(x + 4, y - 2, 7, fill=f"thin {look.label}", column=0.5)
        yield diamond(x, y, 7, fill=colour, column=0.5)
    elif cell.state == "noted":
        if look.many > 1:
            # Polygons keep their order in the browser, where boxes of one colour are drawn at once.
            yield disc(x + 4, y - 2, 5.5, fill=f"thin {look.label}", column=0.5)
            yield disc(x, y, 5.5, fill=colour, column=0.5)
            return
        yield Box(x - 5.5, y - 5.5, 11, 11, colour, radius=5.5, column=0.5)


def _slices(what: Meaning, x: float, y: float) -> Iterator[Shape]:
    """Yield the triangle of a value, with a slice in the colour of each seat that sees it."""
    pale = what.cell.pale
    seen = [f"{'pale ' if pale else ''}{label}" for label in what.strips or () if label]
    colours = seen or ["line" if pale else "text" if what.strips is None else "quiet"]
    for place, colour in enumerate(colours):
        ends = [12 * at / len(colours) - 6 for at in (place, place + 1)]
        tops = [*ends, *([0.0] if ends[0] < 0 < ends[1] else [])]
        corners = ((ends[0], 0.0), *((at, 2 * abs(at) - 12) for at in sorted(tops)), (ends[1], 0.0))
        points = tuple((round(x + at, 2), round(y + 6 + up, 2)) for at, up in corners)
        yield Polygon(tuple(dict.fromkeys(points)), colour, column=0.5)


def _strips(what: Meaning) -> Iterator[Shape]:
    """Yield a strip in the colour of each seat that sees a part, at separate heights."""
    left, less = _place(what)
    high = what.high
    if what.cell.state != "sees":
        return
    if what.strips is None:
        yield Box(left, high / 2 - 3, less, 6, "line", radius=1.5, span=1)
        return
    count = len(what.strips)
    step = (high - 6) / max(3, count)
    for place, label in enumerate(what.strips):
        top = 3 + (place + max(0, 3 - count) / 2) * step
        if label:
            yield Box(left, top, less, step - min(1.5, step / 3), label, radius=1, span=1)


def _segments(what: Meaning) -> Iterator[Shape]:
    """Yield the seats that see a choice, side by side, if not all do."""
    if what.strips is None:
        return
    left, less = _place(what)
    count = len(what.strips)
    for place, label in enumerate(what.strips):
        # Rounded as for the browser.
        x, wide = round(left + 3 + place * (less - 6) / count, 2), round((less - 6) / count - 1, 2)
        across: dict[str, Any] = {"column": round(place / count, 2), "span": round(1 / count, 2)}
        # Seats that do not see it have an empty position.
        if label:
            yield Box(x, what.high - 6.5, wide, 4, label, radius=1, **across)
        else:
            yield Box(x, what.high - 5, wide, 1, "line", **across)


SIGN = (0, -7, 18, 14)
KEYS: dict[str, LegendEntry] = {
    "family": LegendEntry(
        (Box(3, -7, 15, 11, "line", radius=3), Box(0, -4, 15, 11, "text", radius=3)),
        "several alike",
    ),
    "everybody": LegendEntry((Box(0, -3, 18, 6, "line", radius=1.5),), "everybody sees it"),
    "seats": LegendEntry(
        (Box(0, -5, 18, 4, "text", radius=1), Box(0, 1, 18, 4, "quiet", radius=1)), "who sees it"
    ),
    "speaks": LegendEntry((Box(*SIGN, fill="text", radius=3),), "speaks"),
    "may speak": LegendEntry(
        (Box(*SIGN, stroke="text", radius=3, line=1.5, dashed=True),), "may speak"
    ),
    "pale": LegendEntry((Box(*SIGN, fill="line", radius=3),), "if play gets there"),
    "reads": LegendEntry(
        (Box(*SIGN, fill="lane", stroke="line", radius=2, line=0.5),), "only reads"
    ),
    "blind": LegendEntry((Line(0, 0, 18, 0, "line"),), "cannot see the channel"),
    "decides": LegendEntry((diamond(9, 0, 6, fill="text", stroke="text"),), "may decide"),
    "early": LegendEntry((diamond(9, 0, 6, fill=None, stroke="text"),), "cannot decide yet"),
    "steers": LegendEntry((diamond(9, 0, 7, fill="text"),), "decides where play goes"),
    "noted": LegendEntry((Box(3.5, -5.5, 11, 11, "text", radius=5.5),), "is noted"),
    "drawn": LegendEntry(
        (Text(9, middle(0, 16), "?", "text", 16, bold=True, anchor="middle"),), "chance"
    ),
    "worked out": LegendEntry((triangle(9, 0, 6, fill="text"),), "value changes"),
    "copies": LegendEntry(
        (
            Line(9, -8, 9, 3, "text", 1.5),
            Polygon(((9, 8), (5, 1), (13, 1)), fill="text"),
        ),
        "message is copied",
    ),
    "leaves": LegendEntry((Line(9, -8, 9, 8, "text", 1.5, dashed=True),), "play may leave"),
    "repeats": LegendEntry(
        (
            Line(5, -6, 18, -6, "text", 2),
            Line(5, -6, 5, 1, "text", 2),
            Polygon(((5, 7), (0.5, 0), (9.5, 0)), fill="text"),
        ),
        "repeated",
    ),
    "differs": LegendEntry((Box(*SIGN, stroke="accent", radius=3, line=2),), "differs"),
}
