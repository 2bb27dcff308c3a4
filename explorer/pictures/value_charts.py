"""Charts of a protocol's values: three verifiers, frontier, rounds, prior, exploitability.

Each function takes computed data and returns a chart: a drawing with a description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from explorer.pictures.drawing import Box, Drawing, LegendEntry, Line, Shape, Text
from explorer.pictures.plot import Axis, Chart, Mark, Plot, around, sign, two_decimals
from explorer.pictures.signs import seat_colours
from explorer.pictures.tokens import seat_styles
from nip_core.language import Specification

Points = Sequence[tuple[float, float]]
# The heights of a row and of a bar, and the font size, in pixels.
ROW, BAR, SIZE = 46.0, 16.0, 12.0
COLUMNS, LAST = 100, 88


def _look(spec: Specification) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return the name of the verifier's colour, and the colours for the drawing."""
    styles = seat_styles(spec)
    style = styles[spec.roles.deciders[0]]
    return style.label, seat_colours([style])


def _scale(low: float, high: float) -> Callable[[float], float]:
    """Return a function that gives the horizontal position of a number, in columns."""
    return lambda value: LAST * (value - low) / (high - low)


def _zero(column: float, top: float, bottom: float) -> Line:
    return Line(0, top, 0, bottom, "line", column=column, to_column=column)


def _bars(
    shapes: list[Shape],
    bottom: float,
    colours: dict[str, tuple[str, str]],
    keys: Sequence[LegendEntry] = (),
) -> Drawing:
    """Return a drawing of horizontal bars, whose last one ends at a height."""
    return Drawing(
        tuple(shapes),
        left=2,
        slim=2,
        columns=COLUMNS,
        least=1,
        most=9,
        height=bottom + 20,
        colours=colours,
        keys=tuple(keys),
    )


def draw_three(spec: Specification, rows: Sequence[tuple[str, float]]) -> Chart:
    """Draw what some verifiers earn (name and mean reward), as bars with a common scale."""
    own, colours = _look(spec)
    low, high = around([value for _, value in rows])
    at = _scale(low, max(high, low + 1e-9))
    zero, shapes = at(0.0), list[Shape]()
    bottom = ROW * len(rows)
    for place, (name, value) in enumerate(rows):
        top = ROW * place
        shapes.append(_zero(zero, top + 19, top + 41))
        shapes.append(Text(2, top + 15, name, "text", SIZE, bold=True))
        left, right = sorted((zero, at(value)))
        span: dict[str, Any] = {"column": left, "span": right - left}
        shapes.append(Box(0, top + 22, 0, BAR, own, radius=2, **span))
        place_of: dict[str, Any] = {"anchor": "start", "column": max(right, zero)}
        shapes.append(Text(6, top + 22 + BAR - 3.5, two_decimals(value), "text", SIZE, **place_of))
    title = "Mean reward of the verifier in an episode"
    shapes.append(Text(2, bottom + 14, title, "quiet", 11))
    words = "; ".join(f"{name}: {two_decimals(value)}" for name, value in rows)
    drawn = _bars(shapes, bottom, colours)
    return Chart("What three verifiers earn", f"{words}.", drawn)


def draw_frontier(
    spec: Specification,
    corners: Points,
    point: tuple[float, float],
    *,
    best: tuple[float, float] | None = None,
    plays: tuple[float, float] | None = None,
    is_exact: bool = True,
) -> Chart:
    """Draw the frontier of completeness and soundness error, with a chosen point on it.

    A point is a pair of soundness error and completeness: the `corners` of the frontier, the chosen
    `point`, the commitment that earns most (`best`), and the verifier as it `plays` in the
    valuation. A frontier that is not exact is a lower bound.
    """
    own, colours = _look(spec)
    across = Axis("Soundness error: how often a false claim is accepted", 0, 1, percent=True)
    up = Axis("Completeness: how often a true claim is accepted", 0, 1, percent=True)
    plot = Plot(across, up, high=250, colours=colours)
    plot.line([(0, 0), (1, 1)], "quiet", dashed=True, thin=True)
    plot.line(corners, own)
    if plays is not None:
        plot.mark(*plays, "text", "square")
    if best is not None:
        plot.mark(*best, own, "ring")
    plot.mark(*point, own)
    error, complete = point
    # These lines show the point's values on the axes.
    plot.line([(error, 0), (error, complete)], own, dashed=True, thin=True)
    plot.line([(0, complete), (error, complete)], own, dashed=True, thin=True)
    plot.key(sign(own), "the best there is" if is_exact else "the best there is, at least")
    plot.key(sign(own, mark="dot"), "the point chosen")
    if best is not None:
        earns = "the commitment that earns most" if is_exact else "the best commitment found"
        plot.key(sign(own, mark="ring"), earns)
    if plays is not None:
        plot.key(sign("text", mark="square"), "the verifier as chosen above")
    plot.key(sign("quiet", dashed=True), "a coin")
    said = f"With a soundness error of {error:.1%}, completeness is at most {complete:.1%}."
    if not is_exact:
        said = (
            f"With a soundness error of {error:.1%}, completeness can be at least {complete:.1%}."
        )
    return Chart("Completeness and soundness error", said, plot.drawing())


# Lines can be distinguished without colours too.
LOOKS: tuple[tuple[str, Mark, bool], ...] = (
    ("own", "dot", False),
    ("text", "square", False),
    ("quiet", "ring", True),
    ("text", "ring", False),
)


def draw_curves(
    spec: Specification,
    curves: Sequence[tuple[str, Points]],
    across: str,
    *,
    title: str,
    whole: bool = False,
    percent: bool = False,
    now: float | None = None,
) -> Chart:
    """Draw what the verifier earns, as up to four named lines over a parameter.

    `across` is the parameter's title, and `now` its present value. It is a `whole` number (of
    rounds), a share (`percent`), or any number.
    """
    own, colours = _look(spec)
    places = [x for _, points in curves for x, _ in points]
    low, high = around([y for _, points in curves for _, y in points])
    edge = 0.5 if whole else 0.0
    axis = Axis(across, min(places) - edge, max(places) + edge, whole=whole, percent=percent)
    plot = Plot(axis, Axis("Mean reward of the verifier", low, high), colours=colours)
    if now is not None and axis.low <= now <= axis.high:
        plot.rule(now)
        plot.key(sign("line", dashed=True), "now")
    taken: list[float] = []
    for (name, points), (colour, mark, dashed) in zip(curves, LOOKS, strict=False):
        colour = own if colour == "own" else colour
        plot.line(points, colour, dashed=dashed)
        if whole:
            for x, y in points:
                plot.mark(x, y, colour, mark)
        plot.key(sign(colour, mark=mark if whole else None, dashed=dashed), name)
        x, y = points[-1]
        # Lines that end at the same height share a label.
        if all(abs(plot.height(y) - other) > SIZE for other in taken):
            taken.append(plot.height(y))
            plot.label(x, y, two_decimals(y), anchor="end" if not whole else "middle")
    ends = ", ".join(f"{two_decimals(points[-1][1])} ({name})" for name, points in curves)
    return Chart(title, f"At the right edge: {ends}.", plot.drawing())


SERIES = ("accent", "text", "quiet")


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
            shown = f"{y:.0%}" if percent else two_decimals(y)
            if form == "bars":
                plot.label(left + wide * 0.47, max(y, 0.0), shown)
            # A low bar in a stack has no room for its number.
            elif y > 0.08 * (high - low):
                colour = "paper" if fill == "accent" else "text"
                plot.label_in(left + wide * 0.47, foot + y / 2, shown, colour)
        plot.key((Box(2, -6, 13, 12, ("accent", "paper", "lane")[number], stroke="text"),), name)
    return Chart(title, words, plot.drawing())


def draw_exploitability(
    spec: Specification, rows: Mapping[str, tuple[float, float, float, float]]
) -> Chart:
    """Draw the values of strategies against provers that know them, beside the best possible.

    A row has a strategy's value if the prover maximises its own reward, and if it minimises the
    verifier's; then the values of the best strategies against both.
    """
    own, colours = _look(spec)
    at = _scale(*around([value for row in rows.values() for value in row]))
    shapes: list[Shape] = []
    zero, high_row = at(0.0), 70.0
    bottom = high_row * len(rows)
    for place, (name, (replied, worst, best_reply, safe)) in enumerate(rows.items()):
        top = high_row * place
        shapes.append(_zero(zero, top + 19, top + 59))
        shapes.append(Text(2, top + 15, name, "text", SIZE, bold=True))
        for number, (value, best) in enumerate(((replied, best_reply), (worst, safe))):
            y = top + 22 + 20 * number
            left, right = sorted((zero, at(value)))
            paint: dict[str, Any] = {"fill": own} if number == 0 else {"stroke": own, "line": 2}
            inset = 0 if number == 0 else 1
            span: dict[str, Any] = {"column": left, "span": right - left}
            shapes.append(Box(0, y + inset, 0, 14 - 2 * inset, **paint, radius=2, **span))
            mark: dict[str, Any] = {"column": at(best), "to_column": at(best)}
            shapes.append(Line(0, y - 2, 0, y + 16, "text", 2, **mark))
            far: dict[str, Any] = {"anchor": "start", "column": max(right, zero, at(best))}
            shapes.append(Text(7, y + 11.5, two_decimals(value), "text", 11, **far))
    shapes.append(Text(2, bottom + 14, "Mean reward of the verifier", "quiet", 11))
    keys = [
        LegendEntry((Box(2, -5, 14, 10, own, radius=2),), "the prover replies best for itself"),
        LegendEntry(
            (Box(3, -4, 12, 8, None, own, radius=2, line=2),), "the prover harms the verifier"
        ),
        LegendEntry((Line(9, -7, 9, 7, "text", 2),), "the most that any strategy has"),
    ]
    summary = "; ".join(
        f"{name}: {two_decimals(row[0])} and {two_decimals(row[1])}" for name, row in rows.items()
    )
    drawn = _bars(shapes, bottom, colours, keys)
    return Chart("What strategies give away to a prover that knows them", f"{summary}.", drawn)
