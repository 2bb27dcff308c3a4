"""What a picture is made of, one list for the browser, SVG and TikZ.

A place is pixels and columns: ``x + column * (width of a column)``, so that whoever draws chooses
only how wide a column is, for a phone, a projector or paper. What has no column stands still while
columns scroll. :func:`~explorer.pictures.drawing.flat` gives the plain shapes of some width, and
``explorer/front/drawing.js`` does the same in the browser.

Colours are names in a drawing's table of colours, until a drawing is flat; then ``#rrggbb``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Anchor", "Box", "Line", "Numbers", "Plain", "Polygon", "Row", "Shape", "Text", "Use"]

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, from its upper left corner.

    Parameters
    ----------
    x, y, width, height : float
    fill, stroke : str, optional
        Colours.
    radius : float
        Of the corners.
    line : float
        How thick the stroke is.
    dashed : bool
    column, span : float, optional
        The columns that are added to `x` and to `width`.
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
    column: float | None = None
    span: float = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line; `column` and `to_column` are added to `x` and `to_x`."""

    x: float
    y: float
    to_x: float
    to_y: float
    stroke: str
    line: float = 1
    dashed: bool = False
    column: float | None = None
    to_column: float = 0


@dataclass(frozen=True, slots=True)
class Polygon:
    """An outline of straight lines, closed."""

    points: tuple[tuple[float, float], ...]
    fill: str | None = None
    stroke: str | None = None
    line: float = 1
    dashed: bool = False
    column: float | None = None


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
    column : float, optional
    room : float, optional
        How wide it may be, added to a column's width; it gets smaller if need be.
    short : str
        What is written instead where there is less room.
    wide : bool
        Is it left out where names have no room, on a phone?
    """

    x: float
    y: float
    text: str
    fill: str
    size: float = 12
    bold: bool = False
    anchor: Anchor = "start"
    column: float | None = None
    room: float | None = None
    short: str = ""
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Use:
    """A symbol of the drawing, at a height."""

    symbol: str
    y: float
    column: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """Symbols of the drawing side by side, one a column: a lane of cells as a string of codes.

    Parameters
    ----------
    y, height : float
        Of the lane, in which the pointer finds its cells.
    codes : str
        A symbol's name for each column.
    """

    y: float
    height: float
    codes: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of columns, from 1: as many as have room, and the selected one in any case."""

    y: float
    count: int
    fill: str
    size: float


Plain = Box | Line | Polygon | Text
Shape = Plain | Use | Row | Numbers
