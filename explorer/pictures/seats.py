"""What drawings share about seats: their colours, and the head of a lane."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.figures.palette import AgentStyle
from explorer.figures.style import mixed
from explorer.pictures import typeface
from explorer.pictures.shapes import Box, Polygon, Shape, Text
from explorer.tokens import PAGE

__all__ = ["BADGE", "NAME", "diamond", "head", "middle", "seat_colours"]

BADGE, NAME, LETTER = 26, 12, 11


def seat_colours(looks: Iterable[AgentStyle]) -> dict[str, tuple[str, str]]:
    """By badge: the seats' colours, what is written on them, and them laid on thinly."""
    colours: dict[str, tuple[str, str]] = {}
    for look in looks:
        own = (look.light, look.dark)
        papers = (PAGE["light"].paper, PAGE["dark"].paper)
        colours[look.label] = own
        colours[f"on {look.label}"] = (look.ink("light"), look.ink("dark"))
        colours[f"thin {look.label}"] = (
            mixed(own[0], papers[0], 0.3),
            mixed(own[1], papers[1], 0.3),
        )
    return colours


def middle(y: float, size: float) -> float:
    """The line on which letters stand whose middle is at a height."""
    return y + typeface.CAP * size


def head(
    look: AgentStyle, high: float, *, name: str = "", struck: bool = False, odd: bool = False
) -> tuple[Shape, ...]:
    """The head of a lane of a height: a badge and a name; without a name, it is for decisions."""
    y, badge = high / 2, 12 if struck else 18
    fill = None if struck else look.label
    stroke = "accent" if odd else look.label if struck else None
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
    told = Text(BADGE + 10, middle(y, size), name or "Decide", colour, size, bold=bold, wide=True)
    return box, sign, told


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
    """The sign of a decision."""
    points = ((x, y - size), (x + size, y), (x, y + size), (x - size, y))
    return Polygon(points, fill, stroke, 1.5, dashed, column)
