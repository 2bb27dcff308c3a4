"""Charts of values: lines that experiments draw, and what a side can promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from explorer.languages import percent_of
from explorer.pictures.drawing import Box
from explorer.pictures.plot import Axis, Chart, Plot, around, sign, two_decimals
from explorer.pictures.signs import seat_colours
from explorer.pictures.tokens import AgentStyle

Points = Sequence[tuple[float, float]]
SERIES = ("accent", "text", "quiet")
MANY = 8  # of more bars, numbers are as short as possible, to fit on a phone


def draw_series(
    title: str,
    words: str,
    rows: Sequence[tuple[Any, str, float]],
    axes: tuple[str, str],
    *,
    form: Literal["lines", "bars", "stacked"] = "lines",
    percent: bool = False,
) -> Chart:
    """Draw up to three series of numbers, given in order as place, series and number.

    `words` say what a reader should notice. With the form "lines", places are numbers, and a series
    is a line. Otherwise they are names, and a series is bars beside those of others, or on top of
    them. With `percent`, the numbers are shares.
    """
    series = [*dict.fromkeys(name for _, name, _ in rows)]
    places = [*dict.fromkeys(place for place, _, _ in rows)]
    sums = [sum(y for x, _, y in rows if x == place) for place in places]
    heights = sums if form == "stacked" else [y for _, _, y in rows]
    low, high = (0.0, 1.0) if percent else around(heights)
    up = Axis(axes[1], low, high, percent=percent)
    if form == "lines":
        plot = Plot(Axis(axes[0], min(places), max(places)), up)
    else:
        names = tuple(map(str, places))
        plot = Plot(Axis(axes[0], 0, len(places), names=names), up)
    wide = 0.6 / (1 if form == "stacked" else len(series))
    ends = dict.fromkeys(places, 0.0)
    for number, (name, colour) in enumerate(zip(series, SERIES, strict=False)):
        points = [(x, y) for x, of, y in rows if of == name]
        if form == "lines":
            plot.line(points, colour, dashed=number == 1, thin=number == 2)
            plot.key(sign(colour, dashed=number == 1), name)
            continue
        for x, y in points:
            left = places.index(x) + 0.2 + (0 if form == "stacked" else wide * number)
            foot = ends[x] if form == "stacked" else 0.0
            # Filled, hollow or pale, so that they can be distinguished without colours too.
            fill = ("accent", "paper", "lane")[number]
            up_to = min(foot, foot + y), max(foot, foot + y)
            plot.bar((left, left + wide * 0.94), up_to, fill, outlined=True)
            ends[x] += y
            shown = percent_of(y) if percent else two_decimals(y)
            if len(rows) > MANY and not percent:
                shown = shown.rstrip("0").rstrip(".")
            if form == "bars":
                plot.label(left + wide * 0.47, max(y, 0.0), shown)
            # A low bar in a stack has no room for its number.
            elif y > 0.08 * (high - low):
                colour = "paper" if fill == "accent" else "text"
                plot.label_in(left + wide * 0.47, foot + y / 2, shown, colour)
        plot.key((Box(2, -6, 13, 12, ("accent", "paper", "lane")[number], stroke="text"),), name)
    return Chart(title, words, plot.drawing())


def draw_promise(
    title: str,
    words: str,
    axes: tuple[str, str],
    curves: Mapping[str, Points],
    look: AgentStyle,
    *,
    now: str,
    point: tuple[float, float],
    keys: tuple[str, str] = ("", ""),
    coin: bool = False,
) -> Chart:
    """Draw curves between two shares, and a point on one of them.

    Parameters
    ----------
    title, words : str
    axes : tuple of str
        The titles of the axes, of which the upright one comes second.
    curves : mapping of str to sequence of points
        Their names stand at their upper ends.
    look : AgentStyle
        The seat whose plans they are.
    now : str
        The curve with the point; the others are pale.
    point : tuple of float
    keys : tuple of str
        What the curve and the other curves are.
    coin : bool
        Whether to draw what a coin can do.
    """
    across, up = (Axis(name, 0, 1, percent=True) for name in axes)
    plot = Plot(across, up, high=300, colours=seat_colours([look]))
    if coin:
        plot.line([(0, 0), (1, 1)], "quiet", dashed=True, thin=True)
        plot.key(sign("quiet", dashed=True), "a coin: no check at all")
    for name, points in curves.items():
        if name != now:
            plot.line(points, "line")
    plot.line(curves[now], look.label)
    if len(curves) > 1:
        for name, points in curves.items():
            x, y = max(points, key=lambda each: (each[1], each[0]))
            plot.label(x, y, name)
    x, y = point
    plot.line([(x, 0), (x, y)], "text", dashed=True, thin=True)
    plot.line([(0, y), (x, y)], "text", dashed=True, thin=True)
    plot.mark(x, y, look.label)
    plot.key(sign(look.label), keys[0])
    if len(curves) > 1:
        plot.key(sign("line"), keys[1])
    return Chart(title, words, plot.drawing())
