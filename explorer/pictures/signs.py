"""Signs of seats and of their decisions, in grids, sequences and charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import cos, pi, sin
from typing import Any

from explorer.pictures import typeface
from explorer.pictures.chart_style import mixed
from explorer.pictures.drawing import Box, Line, Polygon, Shape, Text, page_colours
from explorer.pictures.tokens import BY_TASK, PAGE, AgentStyle

BADGE, NAME, LETTER, SMALL = 26, 12, 11, 11
# Of a disc that is a polygon.
CORNERS = 32


def seat_colours(looks: Iterable[AgentStyle]) -> dict[str, tuple[str, str]]:
    """Return the page's colours, and those of seats by badge: of letters, pale and paler ones."""
    colours = page_colours()
    papers = (PAGE["light"].paper, PAGE["dark"].paper)
    for look in looks:
        colours[look.label] = (look.light, look.dark)
        colours[f"on {look.label}"] = (look.ink("light"), look.ink("dark"))
        for name, share in (("pale", 0.45), ("thin", 0.3)):
            pale = (mixed(look.light, papers[0], share), mixed(look.dark, papers[1], share))
            colours[f"{name} {look.label}"] = pale
    return colours


def middle(y: float, size: float) -> float:
    """Return the baseline of letters that are centred at a height."""
    return y + typeface.CAP * size


def head(
    look: AgentStyle, high: float, *, name: str = "", struck: bool = False, odd: bool = False
) -> tuple[Shape, ...]:
    """Return the head of a seat's row: a badge and a name, or only a badge for its verdict."""
    y, badge = high / 2, 12 if struck else 18
    fill = None if struck else look.label
    stroke = "accent" if odd else look.label if struck else None
    stack = _stack(look, y, badge, stroke=look.label if struck else None)
    box = Box(2, y - badge / 2, BADGE, badge, fill, stroke, radius=4, line=2 if odd else 1)
    ink = "text" if struck else f"on {look.label}"
    size = 9 if struck else LETTER
    x = 2 + BADGE / 2
    sign: Shape = (
        Text(x, middle(y, size), look.label, ink, size, bold=not struck, anchor="middle")
        if name
        else diamond(x, y, 5, fill=ink)
    )
    size = 11 if struck else NAME
    colour = "quiet" if struck else "text"
    bold = odd or not name
    label = Text(BADGE + 10, middle(y, size), name or "Decide", colour, size, bold=bold, wide=True)
    return *stack, box, sign, label


def _stack(
    look: AgentStyle, y: float, high: float, *, stroke: str | None = None
) -> tuple[Shape, ...]:
    """Return what lies behind the badge of a family that is drawn as one."""
    if look.many == 1:
        return ()
    fill = None if stroke else f"pale {look.label}"
    return (Box(5, y - high / 2 - 3, BADGE, high, fill, stroke, radius=4),)


def badge(look: AgentStyle, y: float, *, odd: bool = False) -> Iterator[Shape]:
    """Yield the badge of a choice's maker, centred at a height."""
    yield from _stack(look, y, 18)
    frame: dict[str, Any] = {"stroke": "accent", "line": 2} if odd else {}
    yield Box(2, y - 9, BADGE, 18, look.label, radius=4, **frame)
    if look.label == BY_TASK:
        # The task's sign: a sheet with lines.
        yield Box(10, y - 6, 10, 12, f"on {BY_TASK}", radius=1)
        for line in (-3, 0, 3):
            yield Line(12, y + line, 18, y + line, BY_TASK, 1)
    else:
        style: dict[str, Any] = {"bold": True, "anchor": "middle"}
        yield Text(2 + BADGE / 2, middle(y, SMALL), look.label, f"on {look.label}", SMALL, **style)


def diamond(
    x: float,
    y: float,
    size: float,
    *,
    fill: str | None,
    stroke: str | None = None,
    dashed: bool = False,
    column: float | None = None,
) -> Polygon:
    """Return the sign of a decision."""
    points = ((x, y - size), (x + size, y), (x, y + size), (x - size, y))
    return Polygon(points, fill, stroke, 1.5, dashed, column)


def disc(
    x: float, y: float, radius: float, *, fill: str | None, column: float | None = None
) -> Polygon:
    """Return a disc as a polygon."""
    angles = [2 * pi * corner / CORNERS for corner in range(CORNERS)]
    points = ((x + radius * cos(angle), y + radius * sin(angle)) for angle in angles)
    return Polygon(tuple((round(a, 2), round(b, 2)) for a, b in points), fill, column=column)


def triangle(
    x: float, y: float, size: float, *, fill: str | None, column: float | None = None
) -> Polygon:
    """Return the sign of a value that the rules work out."""
    return Polygon(((x, y - size), (x + size, y + size), (x - size, y + size)), fill, column=column)
