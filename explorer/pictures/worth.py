"""The picture of each seat's exact distribution of rewards, as shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import TYPE_CHECKING, Any, cast

from explorer.pictures.chart_style import (
    MEAN,
    MID_POINT,
    Bar,
    FoundShare,
    bars_of,
    common_axes,
    marks_of,
    recorded_shares,
    sampled_shares,
)
from explorer.pictures.drawing import (
    Box,
    Drawing,
    LegendEntry,
    Line,
    Plain,
    Polygon,
    Shape,
    Text,
)
from explorer.pictures.picture import Picture, moved, on_paper
from explorer.pictures.signs import diamond, head, seat_colours
from explorer.pictures.tokens import AgentStyle, Theme, seat_styles
from nip_core.displays import with_minus

if TYPE_CHECKING:
    from nip_core.values import ExactValues, MidPoint, Sample


# Pixels: the head of a panel, its bars, the numbers below them, and the gap between panels.
HEAD, HIGH, TICKS, GAP = 22, 64, 18, 12
COLUMNS, EDGE = 100, 6
MOST_LABELLED = 8  # the most bars that are labelled with their probability
SIZE = 11


def worth_picture(
    values: ExactValues,
    points: Mapping[str, MidPoint],
    *,
    sample: Sample | None = None,
    recorded: Mapping[str, Sequence[float]] | None = None,
    theme: Theme = "light",
) -> Picture:
    """Return the picture with a width and a background.

    A sample is drawn as diamonds with 95% intervals, or as dots where rewards are not single
    values. Each seat's rewards in `recorded` episodes are drawn as crosses.
    """
    means = ", ".join(
        f"{values.spec.seat_name(a)} {values.mean(a):.4g}" for a in values.spec.agent_names
    )
    words = f"The exact distribution of each seat's episode reward. Means: {means}."
    drawing = draw_worth(values, points, sample=sample, recorded=recorded)
    return on_paper(drawing, "What the seats are worth", words, None, theme)


def draw_worth(
    values: ExactValues,
    points: Mapping[str, MidPoint],
    *,
    sample: Sample | None = None,
    recorded: Mapping[str, Sequence[float]] | None = None,
) -> Drawing:
    """Return a panel for each seat: bars, mean and mid-point, and sampled or recorded shares.

    Seats may have no mid-point.

    All have the same scale, unless one of them would then be too small.
    """
    styles = seat_styles(values.spec)
    seats = values.spec.agent_names
    laws = {agent: values.distribution(agent) for agent in seats}
    got = {agent: list((recorded or {}).get(agent, ())) for agent in seats}
    marks = {agent: marks_of(values, points, agent) for agent in seats}
    axes = common_axes(laws, marks, sample, got)
    shapes: list[Shape] = []
    for number, agent in enumerate(seats):
        top = number * (HEAD + HIGH + TICKS + GAP)
        bars = bars_of(laws[agent], axes[agent])
        drawn = [] if sample is None else sampled_shares(agent, sample, bars)
        played = recorded_shares(got[agent], bars) if got[agent] else []
        scale = _Scale(*axes[agent])
        most = max(*(bar.chance for bar in bars), *(each.high for each in (*drawn, *played)), 0.0)
        # Numbers on bars would overlap marks.
        numbers = len(bars) <= MOST_LABELLED and not drawn and not played
        shapes += _panel(styles[agent], bars, marks[agent], scale, top, most, numbers=numbers)
        base = top + HEAD + HIGH
        shapes += [s for each in drawn for s in _sampled(each, scale, base, (HIGH - 14) / most)]
        shapes += [s for each in played for s in _played(each, scale, base, (HIGH - 14) / most)]
    height = len(seats) * (HEAD + HIGH + TICKS + GAP) - GAP
    line: tuple[Shape, ...] = (Line(1, 0, 17, 0, "text", 2),)
    dashed: tuple[Shape, ...] = (Line(1, 0, 17, 0, "quiet", 2, dashed=True),)
    return Drawing(
        tuple(shapes),
        left=EDGE,
        slim=EDGE,
        columns=COLUMNS,
        least=1,
        most=9,
        height=height,
        colours=seat_colours(styles.values()),
        keys=(
            LegendEntry(line, "exact mean"),
            LegendEntry(dashed, "mid-point estimate"),
            *([] if sample is None else [LegendEntry((_diamond(9, 0, None),), "sampled")]),
            *([LegendEntry(_cross(9, 0, None), "recorded")] if any(got.values()) else []),
        ),
    )


def _diamond(x: float, y: float, column: float | None) -> Polygon:
    return diamond(x, y, 4, fill="paper", stroke="text", column=column)


def _cross(x: float, y: float, column: float | None) -> tuple[Shape, ...]:
    ends = ((-4, -4, 4, 4), (-4, 4, 4, -4))
    at: dict[str, Any] = {} if column is None else {"column": column, "to_column": column}
    return tuple(Line(x + a, y + b, x + c, y + d, "accent", 1.5, **at) for a, b, c, d in ends)


def _sampled(found: FoundShare, scale: _Scale, base: float, unit: float) -> tuple[Shape, ...]:
    """Return a diamond with its interval, or a dot if there is none."""
    x, y = scale.at(found.at), base - unit * found.share
    if found.low == found.high:
        return (Polygon(((-1, y - 1), (1, y - 1), (1, y + 1), (-1, y + 1)), "text", column=x),)
    low, high = base - unit * found.low, base - unit * found.high
    span = Line(0, low, 0, high, "text", 1.5, column=x, to_column=x)
    return span, _diamond(0, y, x)


def _played(found: FoundShare, scale: _Scale, base: float, unit: float) -> tuple[Shape, ...]:
    return _cross(0, base - unit * found.share, scale.at(found.at))


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the position of a value, in columns."""
        return COLUMNS * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Return about six round numbers on the axis."""
        rough = (self.high - self.low) / 6
        unit = 10 ** floor(log10(rough))
        step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough)
        first = floor(self.low / step) + 1
        found = (float(f"{step * place:.12g}") for place in range(first, first + 12))
        return [value for value in found if value < self.high]


def _panel(
    look: AgentStyle,
    bars: list[Bar],
    marks: Mapping[str, float],
    scale: _Scale,
    top: float,
    most: float,
    *,
    numbers: bool,
) -> list[Shape]:
    base = top + HEAD + HIGH
    name = cast("tuple[Plain, ...]", head(look, HEAD - 4, name=look.name))
    shapes: list[Shape] = [
        moved(replace(shape, wide=False) if isinstance(shape, Text) else shape, 0, top)
        for shape in name
    ]
    for tick in scale.ticks():
        x = scale.at(tick)
        shapes.append(Line(0, top + HEAD, 0, base, "lane", column=x, to_column=x))
        words = with_minus(f"{tick:g}")
        shapes.append(Text(0, base + SIZE + 3, words, "quiet", SIZE, anchor="middle", column=x))
    for bar in bars:
        high = (HIGH - 14) * bar.chance / most
        left, right = scale.at(bar.left), scale.at(bar.right)
        shapes.append(Box(0, base - high, 0, high, look.label, column=left, span=right - left))
        if numbers and bar.chance >= 0.0005:
            at, words = scale.at(bar.middle), f"{bar.chance:.1%}"
            shapes.append(Text(0, base - high - 4, words, "text", 10, anchor="middle", column=at))
    shapes.append(Line(0, base, 0, base, "line", column=0, to_column=COLUMNS))
    for name, colour, dashed in ((MID_POINT, "quiet", True), (MEAN, "text", False)):
        if name not in marks:
            continue
        x = scale.at(marks[name])
        style: dict[str, Any] = {"dashed": dashed, "line": 2}
        shapes.append(Line(0, top + HEAD - 2, 0, base, colour, column=x, to_column=x, **style))
    return shapes
