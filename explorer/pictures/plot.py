"""Charts as shapes: two axes with titles, and lines, bars and marks between them.

A chart is a list of shapes like every other picture, so it looks the same in the browser,
notebooks, SVG and PDF.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, Literal

from explorer.languages import decimal, number_with_unit
from explorer.pictures import typeface
from explorer.pictures.chart_style import room_around
from explorer.pictures.drawing import (
    Box,
    Drawing,
    LegendEntry,
    Line,
    Plain,
    Shape,
    Text,
    page_colours,
)
from explorer.pictures.picture import Picture, check_theme, on_paper
from explorer.pictures.tokens import PAGE, Theme
from nip_core.displays import displayed, with_minus

COLUMNS, LAST = 100, 96  # leaves room for a label beside the last position
LEFT, TOP, BOTTOM, SIZE = 46.0, 26.0, 38.0, 11.0
WIDE_NAMES = 4  # so many names fit beside one another
Mark = Literal["dot", "ring", "square"]
# The size of a mark in pixels.
MARK = 9.0


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with its title and a description."""

    title: str
    words: str  # a description of what it shows
    drawing: Drawing

    def __repr__(self) -> str:
        return f"Chart({self.title!r})"

    def picture(self, theme: Theme = "light") -> Picture:
        """Return it as a picture for SVG, PDF, TikZ and PNG."""
        return on_paper(self.drawing, self.title, self.words, None, theme)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data for the browser; see ``explorer/front/chart.js``."""
        return {"title": self.title, "words": self.words, "drawing": self.drawing.to_plain()}

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.picture()._repr_mimebundle_()


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale."""

    title: str
    low: float
    high: float
    whole: bool = False  # whether its numbers are whole, such as rounds
    percent: bool = False  # whether its numbers are shares
    powers: bool = False  # whether it is logarithmic, with base 10
    # The names of groups shown instead of numbers: the first group is from 0 to 1, and so on.
    names: tuple[str, ...] = ()

    def ticks(self) -> list[float]:
        """Return round numbers on the axis, or the middles of its groups."""
        if self.names:
            return [place + 0.5 for place in range(len(self.names))]
        return round_places(self.low, self.high, whole=self.whole or self.powers)

    def words(self, value: float) -> str:
        """Return the label of a number."""
        if self.names:
            return self.names[int(value)]
        number = decimal(f"{100 * value if self.percent else value:.10g}")
        text = number_with_unit(number, "%") if self.percent else number
        if self.powers:
            text = f"{10**value:,.0f}"
        return with_minus(text)


def round_places(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Return about five round numbers between two ends."""
    rough = max((high - low) / 5, 1e-300)
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough * 0.999)
    step = max(1.0, step) if whole else step
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def around(values: Sequence[float], *, zero: bool = True) -> tuple[float, float]:
    """Return the ends of a scale that shows some values, and 0 if wanted."""
    found = [*values, *([0.0] if zero else [])]
    low, high = min(found), max(found)
    room = room_around(low, high, 0.1)
    return (low - room if low < 0 or not zero else low), high + (room if high > 0 else 0.0)


def two_decimals(value: float) -> str:
    """Return a number with two decimals, and 0 without a sign."""
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else with_minus(text)


def sign(colour: str, *, mark: Mark | None = None, dashed: bool = False) -> tuple[Shape, ...]:
    """Return the legend's sign of a line or a mark."""
    if mark is None:
        return (Line(1, 0, 17, 0, colour, 2, dashed=dashed),)
    return (_mark(9, 0, colour, mark),)


def _mark(x: float, y: float, colour: str, mark: Mark, column: float | None = None) -> Box:
    half = MARK / 2
    place: dict[str, Any] = {"radius": 0 if mark == "square" else half, "column": column}
    if mark == "ring":
        return Box(x - half, y - half, MARK, MARK, "paper", colour, line=2, **place)
    return Box(x - half, y - half, MARK, MARK, colour, **place)


class Plot:
    """Two axes, to which lines, bars and marks are added; the upright one is `high` pixels long.

    `colours` are used in addition to the page's.
    """

    def __init__(
        self,
        across: Axis,
        up: Axis,
        *,
        high: float = 190,
        colours: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self._across, self._up, self._high = across, up, high
        self._colours = {**page_colours(), **(colours or {})}
        self._shapes: list[Shape] = []
        self._keys: list[LegendEntry] = []
        self._below = 0.0  # the height of further lines of names below the axis
        self._frame()

    def column(self, value: float) -> float:
        """Return the horizontal position of a number, in columns."""
        span = self._across.high - self._across.low or 1.0
        return LAST * (value - self._across.low) / span

    def height(self, value: float) -> float:
        """Return the vertical position of a number in pixels."""
        span = self._up.high - self._up.low or 1.0
        return TOP + self._high * (1 - (value - self._up.low) / span)

    def _frame(self) -> None:
        base = TOP + self._high
        self._text(2, 12, self._up.title, "quiet")
        for tick in self._up.ticks():
            y = self.height(tick)
            style = "line" if tick == 0 else "lane"
            self._shapes.append(Line(0, y, 0, y, style, column=0, to_column=LAST))
            self._text(LEFT - 8, y + 4, self._up.words(tick), "quiet", anchor="end")
        ticks = self._across.ticks()
        for tick in ticks:
            x = self.column(tick)
            self._shapes.append(Line(0, base, 0, base + 4, "line", column=x, to_column=x))
            words = self._across.words(tick)
            # Beside one another, many names of two parts are too wide for a phone.
            lines = words.split(", ") if self._across.names and len(ticks) > WIDE_NAMES else [words]
            self._below = max(self._below, (len(lines) - 1) * (SIZE + 2))
            for n, line in enumerate(lines):
                at: dict[str, Any] = {"anchor": "middle", "column": x}
                self._text(0, base + SIZE + 6 + n * (SIZE + 2), line, "quiet", **at)
        self._shapes.append(Line(0, base, 0, base, "line", column=0, to_column=LAST))
        middle: dict[str, Any] = {"anchor": "middle", "column": LAST / 2}
        self._text(0, base + BOTTOM + self._below - 4, self._across.title, "quiet", **middle)

    def _text(self, x: float, y: float, words: str, colour: str, **style: Any) -> None:
        self._shapes.append(Text(x, y, words, colour, SIZE, **style))

    def line(
        self,
        points: Sequence[tuple[float, float]],
        colour: str,
        *,
        dashed: bool = False,
        thin: bool = False,
    ) -> None:
        """Draw straight lines from point to point."""
        for (x, y), (to_x, to_y) in pairwise(points):
            ends: dict[str, Any] = {"column": self.column(x), "to_column": self.column(to_x)}
            y, to_y = self.height(y), self.height(to_y)
            self._shapes.append(
                Line(0, y, 0, to_y, colour, 1 if thin else 2, dashed=dashed, **ends)
            )

    def rule(self, x: float) -> None:
        """Draw a vertical dashed line."""
        at: dict[str, Any] = {"column": self.column(x), "to_column": self.column(x)}
        self._shapes.append(Line(0, TOP, 0, TOP + self._high, "line", dashed=True, **at))

    def mark(self, x: float, y: float, colour: str, mark: Mark = "dot") -> None:
        """Draw a mark at a point."""
        self._shapes.append(_mark(0, self.height(y), colour, mark, self.column(x)))

    def bar(
        self,
        across: tuple[float, float],
        up: tuple[float, float],
        colour: str,
        *,
        outlined: bool = False,
    ) -> None:
        """Draw a bar between two numbers of each axis."""
        left, right = map(self.column, across)
        foot, top = map(self.height, up)
        rim: dict[str, Any] = {"stroke": "text"} if outlined else {}
        span: dict[str, Any] = {"column": left, "span": right - left}
        self._shapes.append(Box(0, top, 0, foot - top, colour, **rim, **span))

    def interval(self, x: float, low: float, high: float, colour: str) -> None:
        """Draw a vertical line between two numbers."""
        at: dict[str, Any] = {"column": self.column(x), "to_column": self.column(x)}
        self._shapes.append(Line(0, self.height(low), 0, self.height(high), colour, **at))

    def label(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: Literal["start", "middle", "end"] = "middle",
    ) -> None:
        """Write above a point."""
        self._text(0, self.height(y) - 8, words, "text", anchor=anchor, column=self.column(x))

    def label_in(self, x: float, y: float, words: str, colour: str) -> None:
        """Write at a point, inside a bar."""
        self._text(0, self.height(y) + 4, words, colour, anchor="middle", column=self.column(x))

    def key(self, shapes: tuple[Shape, ...], words: str) -> None:
        """Add an entry to the legend."""
        self._keys.append(LegendEntry(shapes, words))

    def drawing(self) -> Drawing:
        """Return the drawing."""
        high = TOP + self._high + BOTTOM + self._below
        return on_scale(self._shapes, LEFT, high, self._colours, self._keys)


def on_scale(
    shapes: Iterable[Shape],
    edge: float,
    height: float,
    colours: Mapping[str, tuple[str, str]],
    keys: Iterable[LegendEntry] = (),
) -> Drawing:
    """Return a drawing on one scale, as wide as there is place; `edge` is left of the scale."""
    return Drawing(
        tuple(shapes),
        left=edge,
        slim=edge,
        columns=COLUMNS,
        least=1,
        most=9,
        height=height,
        colours=colours,
        keys=tuple(keys),
    )


# -- dots with intervals, as on the Studies page, for papers ---------------------------------------

ROW, PLOT, EDGE, TICKS, WORDS = 22.0, 320.0, 12.0, 34.0, 12.0
DOT = 7.0


@displayed
@dataclass(frozen=True, slots=True)
class Dot:
    """A group's number with its interval."""

    group: str
    # From 0 to 1.
    value: float | None
    low: float | None
    high: float | None


def intervals_picture(
    title: str,
    dots: Sequence[Dot],
    *,
    span: tuple[float, float] = (0, 1),
    figures: str = ".0%",
    theme: Theme = "light",
) -> Picture:
    """Return shares with their intervals, the groups below each other.

    `title` says what is measured, `span` where the axis begins and ends, and `figures` how its
    numbers are written.
    """
    check_theme(theme)
    page = PAGE[theme]
    left = EDGE + max((typeface.width(dot.group, WORDS) for dot in dots), default=0.0) + 12
    bottom = EDGE + ROW * len(dots)
    width, height = left + PLOT + EDGE + 8, bottom + TICKS + EDGE
    shapes: list[Plain] = [Box(0, 0, width, height, fill=page.paper)]
    first, last = span

    def at(value: float) -> float:
        return left + PLOT * (min(max(value, first), last) - first) / (last - first)

    for tick in range(6):
        value = first + (last - first) * tick / 5
        x = at(value)
        shapes.append(Line(x, EDGE, x, bottom, page.line, 0.5))
        shapes.append(Text(x, bottom + 15, f"{value:{figures}}", page.quiet, 11, anchor="middle"))
    middle = left + PLOT / 2
    shapes.append(Text(middle, bottom + 32, title, page.text, WORDS, anchor="middle"))
    for place, dot in enumerate(dots):
        y = EDGE + ROW * (place + 0.5)
        shapes.append(Text(left - 12, y + 4, dot.group, page.text, WORDS, anchor="end"))
        if dot.low is not None and dot.high is not None:
            ends = at(dot.low), at(dot.high)
            shapes.append(Line(ends[0], y, ends[1], y, page.text, 1.5))
        if dot.value is not None:
            x = at(dot.value) - DOT / 2
            shapes.append(Box(x, y - DOT / 2, DOT, DOT, fill=page.text, radius=DOT / 2))
    words = "; ".join(
        f"{dot.group}: {dot.value:{figures}}" for dot in dots if dot.value is not None
    )
    dark: tuple[Plain, ...] = ()
    if theme == "light":
        other = intervals_picture(title, dots, span=span, figures=figures, theme="dark")
        dark = other.shapes
    return Picture(title, words, tuple(shapes), width, height, dark)
