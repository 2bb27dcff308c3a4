"""A picture as a list of shapes, independent of its width, theme and selected round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, cast

from explorer.pictures import typeface
from explorer.pictures.tokens import PAGE, Theme
from nip_core.budget import PICTURES, spend
from nip_core.displays import displayed
from nip_core.spec import shown_round

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    radius: float = 0  # of the corners
    line: float = 1  # the width of the edge
    dashed: bool = False
    # Numbers of columns that are added to `x` and to `width`.
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
    """A closed outline of straight lines."""

    points: tuple[tuple[float, float], ...]
    fill: str | None = None
    stroke: str | None = None
    line: float = 1
    dashed: bool = False
    column: float | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text with its baseline at `y`."""

    x: float
    y: float
    text: str
    fill: str
    size: float = 12
    bold: bool = False
    anchor: Anchor = "start"  # the part of the text that is at `x`
    column: float | None = None
    # The largest width, in addition to the columns that it spans; the text shrinks to fit.
    room: float | None = None
    short: str = ""  # a shorter text for less room
    wide: bool = False  # whether it is left out on narrow screens without names
    span: float = 1  # the columns that are added to `room`


@dataclass(frozen=True, slots=True)
class Use:
    """A symbol of the drawing, in a row."""

    symbol: str
    y: float
    column: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A lane of symbols, one for each column, as a string of codes."""

    # For finding the cell under the pointer.
    y: float
    height: float
    codes: str  # a symbol's name for each column


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of columns, from 1: as many as fit, and always the selected one."""

    y: float
    count: int
    fill: str
    size: float


# Of work, for each shape that is placed on paper and written into a file.
STEPS_OF_SHAPE = 12

Plain = Box | Line | Polygon | Text
Shape = Plain | Use | Row | Numbers


SMALLEST = 6.5  # the smallest font size; texts that would need a smaller one are left out
# From the first width of a column on, every column is numbered; below, only some are.
NUMBERED = ((24.0, 1), (9.0, 5), (4.5, 10), (0.0, 25))


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of the legend: a sign, 18 pixels wide around a line at 0, and its meaning."""

    shapes: tuple[Shape, ...]
    words: str


@displayed
@dataclass(frozen=True, slots=True)
class Drawing:
    """A list of shapes, and the measures needed to draw it at any width."""

    shapes: tuple[Shape, ...]  # the first at the bottom
    # The left edge of the columns, with names and without.
    left: float
    slim: float
    columns: int
    # The least and the largest width of a column.
    least: float
    most: float
    height: float
    colours: Mapping[str, tuple[str, str]]  # each colour by name, for a light and a dark page
    # Shapes that occur more than once, by a short name.
    symbols: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict[str, tuple[Shape, ...]])
    # If rounds are columns: the tops and heights of the frames around the selected one.
    bands: tuple[tuple[float, float], ...] = ()
    # If rounds are below each other: the top and the height of each.
    rounds: tuple[tuple[float, float], ...] = ()
    keys: tuple[LegendEntry, ...] = ()  # the legend

    def to_plain(self) -> dict[str, Any]:
        """Return plain data for the browser; a shape is its kind and its fields in order."""
        within = [shape for own in self.symbols.values() for shape in own]
        used = {"text", *_used([*self.shapes, *within])}
        used |= {name for key in self.keys for name in _used(key.shapes)}
        return {
            "shapes": list(map(_plain, self.shapes)),
            "left": self.left,
            "slim": self.slim,
            "columns": self.columns,
            "least": self.least,
            "most": self.most,
            "height": self.height,
            "colours": {name: list(self.colours[name]) for name in sorted(used)},
            "symbols": {name: list(map(_plain, own)) for name, own in self.symbols.items()},
            "bands": [list(band) for band in self.bands],
            "rounds": [list(place) for place in self.rounds],
            "keys": [[list(map(_plain, key.shapes)), key.words] for key in self.keys],
        }


def page_colours() -> dict[str, tuple[str, str]]:
    """Return the page's colours, which every drawing has."""
    names = ("paper", "text", "quiet", "line", "lane", "accent")
    return {name: (getattr(PAGE["light"], name), getattr(PAGE["dark"], name)) for name in names}


def selection(drawing: Drawing, selected: int) -> list[Box]:
    """Return the frame around a round. It surrounds lanes only, so that it crosses no text."""
    if drawing.rounds:
        top, high = drawing.rounds[selected]
        place = (0.75 - drawing.left, top + 0.75, drawing.left - 1.5, high - 1.5)
        style: dict[str, Any] = {"stroke": "text", "radius": 5, "line": 1.5}
        return [Box(*place, **style, column=0, span=drawing.columns)]
    style = {"stroke": "text", "radius": 4, "line": 2}
    return [
        Box(-1, top - 1, 2, high + 2, **style, column=selected, span=1)
        for top, high in drawing.bands
    ]


def flat(drawing: Drawing, column: float, theme: Theme, selected: int | None = None) -> list[Plain]:
    """Return the shapes in pixels and colours for a column width and a selected round."""
    flattening = _Flattening(drawing, column, theme, selected)
    shapes: list[Shape] = [*drawing.shapes]
    if selected is not None:
        shapes += selection(drawing, selected)
    found: list[Plain] = []
    for shape in shapes:
        placed = [*flattening.of(shape)]
        spend(STEPS_OF_SHAPE * len(placed), PICTURES)
        found += placed
    return found


@dataclass(frozen=True)
class _Flattening:
    drawing: Drawing
    column: float
    theme: Theme
    selected: int | None

    def of(self, shape: Shape, x: float | None = None, y: float = 0) -> Iterator[Plain]:
        """Yield a shape, or the shapes within it, moved to `x` and `y`."""
        match shape:
            case Use():
                at = 0.0 if shape.column is None else self._at(shape.column)
                yield from self._symbol(shape.symbol, at, shape.y)
            case Row():
                for number, code in enumerate(shape.codes):
                    yield from self._symbol(code, self._at(number), shape.y)
            case Numbers():
                yield from self._numbers(shape)
            case _:
                yield from self._plain(shape, x, y)

    def _symbol(self, name: str, x: float, y: float) -> Iterator[Plain]:
        for shape in self.drawing.symbols[name]:
            yield from self.of(shape, x, y)

    def _at(self, column: float) -> float:
        return self.drawing.left + column * self.column

    def _plain(self, shape: Plain, x: float | None, y: float) -> Iterator[Plain]:
        if x is None:
            across = 0.0 if shape.column is None else self._at(shape.column)
        else:
            across = x + (shape.column or 0) * self.column
        colours = {
            name: self._colour(colour)
            for name in ("fill", "stroke")
            if (colour := getattr(shape, name, None)) is not None
        }
        match shape:
            case Box():
                place: dict[str, Any] = {"x": shape.x + across, "y": shape.y + y}
                wide = max(0.5, shape.width + shape.span * self.column)
                yield replace(shape, **place, width=wide, column=None, span=0, **colours)
            case Line():
                far = shape.to_x + across
                if shape.column is not None:
                    far += (shape.to_column - shape.column) * self.column
                place = {"x": shape.x + across, "y": shape.y + y}
                end: dict[str, Any] = {"to_x": far, "to_y": shape.to_y + y}
                yield replace(shape, **place, **end, column=None, to_column=0, **colours)
            case Polygon():
                points = tuple((a + across, b + y) for a, b in shape.points)
                yield replace(shape, points=points, column=None, **colours)
            case Text():
                yield from self._text(replace(shape, x=shape.x + across, y=shape.y + y, **colours))

    def _text(self, text: Text) -> Iterator[Text]:
        words, size = text.text, text.size
        if text.room is not None:
            room = text.room + text.span * self.column
            if text.short and typeface.width(words, size, bold=text.bold) > room:
                words = text.short
            while size > SMALLEST and typeface.width(words, size, bold=text.bold) > room:
                size -= 0.5
            if typeface.width(words, size, bold=text.bold) > room:
                return
        plain: dict[str, Any] = {
            "column": None,
            "room": None,
            "short": "",
            "wide": False,
            "span": 1,
        }
        yield replace(text, text=words, size=size, **plain)

    def _numbers(self, numbers: Numbers) -> Iterator[Text]:
        every = next(step for width, step in NUMBERED if self.column >= width)
        fill = self._colour(numbers.fill)
        for place in range(numbers.count):
            bold = place == self.selected
            near = self.selected is not None and abs(place - self.selected) * self.column < 24
            if bold or (shown_round(place) % every == 0 and not near):
                text = str(shown_round(place))
                x = self._at(place + 0.5)
                yield Text(x, numbers.y, text, fill, numbers.size, bold=bold, anchor="middle")

    def _colour(self, name: str) -> str:
        return self.drawing.colours[name][self.theme == "dark"]


def _plain(shape: Shape) -> list[Any]:
    """Return the kind of a shape and its fields in order, without defaults at the end."""
    own = fields(shape)
    values = [_short(getattr(shape, each.name)) for each in own]
    while own[len(values) - 1].default == values[-1]:
        values.pop()
    return [type(shape).__name__, *values]


def _short(value: Any) -> Any:
    if isinstance(value, float):
        rounded = round(value, 2)
        return int(rounded) if rounded.is_integer() else rounded
    if isinstance(value, tuple):
        return [_short(item) for item in cast("Sequence[Any]", value)]
    return value


def _used(shapes: Iterable[Shape]) -> set[str]:
    """Return the names of the colours in shapes."""
    found = (getattr(shape, name, None) for shape in shapes for name in ("fill", "stroke"))
    return {name for name in found if name}
