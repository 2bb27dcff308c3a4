"""What a picture is made of: a list of boxes, lines, filled outlines and texts, in pixels.

Every way to write a picture down (SVG, TikZ) knows these and nothing of protocols.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

__all__ = ["Anchor", "Box", "Line", "Polygon", "Shape", "Text"]

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, from its upper left corner.

    Parameters
    ----------
    x, y, width, height : float
    fill, stroke : str, optional
        Colours, ``#rrggbb``.
    radius : float
        Of the corners.
    line : float
        How thick the stroke is.
    dashed : bool
    """

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    radius: float = 0
    line: float = 1
    dashed: bool = False

    def moved(self, x: float, y: float) -> Self:
        """The same elsewhere."""
        return replace(self, x=self.x + x, y=self.y + y)


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line."""

    x: float
    y: float
    to_x: float
    to_y: float
    stroke: str
    line: float = 1
    dashed: bool = False

    def moved(self, x: float, y: float) -> Self:
        """The same elsewhere."""
        return replace(self, x=self.x + x, y=self.y + y, to_x=self.to_x + x, to_y=self.to_y + y)


@dataclass(frozen=True, slots=True)
class Polygon:
    """An outline of straight lines, closed."""

    points: tuple[tuple[float, float], ...]
    fill: str | None = None
    stroke: str | None = None
    line: float = 1
    dashed: bool = False

    def moved(self, x: float, y: float) -> Self:
        """The same elsewhere."""
        return replace(self, points=tuple((a + x, b + y) for a, b in self.points))


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, which stands on `y`.

    Parameters
    ----------
    x, y : float
    text : str
    fill : str
    size : float
    bold : bool
    anchor : {"start", "middle", "end"}
        Which part of it `x` is.
    """

    x: float
    y: float
    text: str
    fill: str
    size: float = 12
    bold: bool = False
    anchor: Anchor = "start"

    def moved(self, x: float, y: float) -> Self:
        """The same elsewhere."""
        return replace(self, x=self.x + x, y=self.y + y)


Shape = Box | Line | Polygon | Text
