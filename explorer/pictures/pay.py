"""The picture of what each seat is paid: how often each amount, the mean and the mid-point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isclose
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from explorer.pictures.chart_style import Bar, axis_around, bars_of, plain, style_layout
from explorer.pictures.drawing import Anchor, Box, Drawing, LegendEntry, Line, Plain, Shape, Text
from explorer.pictures.picture import Picture, moved, on_paper
from explorer.pictures.plot import COLUMNS, on_scale, round_places
from explorer.pictures.signs import diamond, head, seat_colours
from explorer.pictures.tokens import PAGE, AgentStyle, Theme, seat_styles
from nip_core.displays import displayed, with_minus
from nip_core.language import Specification

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["PayChart", "PayPanel", "draw_pay", "pay_data", "pay_figure", "pay_picture"]

# Pixels: the head of a panel, its bars with their labels, the amounts below, the marks' row, a gap.
HEAD, HIGH, AMOUNTS, MARKS, GAP = 24, 92, 18, 19, 14
PANEL = HEAD + HIGH + AMOUNTS + MARKS + GAP
LABEL = 20  # above the tallest bar
EDGE = 8
MOST_LABELLED = 8  # the most bars with labels
SIZE = 12
# The mean's line: from above the base to below it.
ABOVE, BELOW, DIAMOND = 56, 12, 6
# Words of marks stay this share of the width away from the edges; amounts nearer to an edge than
# NEAR begin or end there.
INWARDS, NEAR = 0.33, 0.15
# More amounts than these have no words.
MOST_WORDED = 4
# If a common scale leaves a seat a smaller share than this, each seat has its own scale.
LEAST_SHARE = 0.1


@displayed
@dataclass(frozen=True, slots=True)
class PayPanel:
    """What is shown of one seat.

    Parameters
    ----------
    seat : str
    values, chances : sequence of float
        The amounts, in order, and how likely each is.
    mean : float
    interval : tuple of float, optional
        An interval for the mean, unless it is exact.
    mid_point : float, optional
    words : mapping of float to str
        What amounts are paid for, in a word or two.
    """

    seat: str
    values: Sequence[float]
    chances: Sequence[float]
    mean: float
    interval: tuple[float, float] | None = None
    mid_point: float | None = None
    words: Mapping[float, str] = field(default_factory=dict[float, str])

    @property
    def marks(self) -> str:
        """The mean and the mid-point, in words."""
        name = "exact mean" if self.interval is None else "mean"
        mean = f"{name} {three_decimals(self.mean)}"
        if self.interval is not None:
            low, high = map(three_decimals, self.interval)
            mean = f"{mean} ({low} to {high})"
        if self.mid_point is None:
            return mean
        if self.interval is None and isclose(self.mean, self.mid_point, abs_tol=1e-12):
            return f"{name} and mid-point {three_decimals(self.mean)}"
        return f"{mean} · mid-point {three_decimals(self.mid_point)}"


class Amount(NamedTuple):
    """An amount below an axis: its place, the part of the words that is there, and the words."""

    place: float
    anchor: Anchor
    words: str


@displayed
@dataclass(frozen=True)
class PayChart:
    """The panels of a protocol's seats.

    All have the same scale, unless one of them would then be too small.
    """

    spec: Specification
    panels: tuple[PayPanel, ...]

    @cached_property
    def styles(self) -> Mapping[str, AgentStyle]:
        """The seats' names and colours."""
        return seat_styles(self.spec)

    @cached_property
    def axes(self) -> Mapping[str, tuple[float, float]]:
        """The scale of each seat."""
        found = {
            p.seat: [*p.values, p.mean, *([] if p.mid_point is None else [p.mid_point])]
            for p in self.panels
        }
        axes = {seat: axis_around(own) for seat, own in found.items()}
        low, high = axis_around(place for own in found.values() for place in own)
        if all(LEAST_SHARE * (high - low) <= end - start for start, end in axes.values()):
            return dict.fromkeys(found, (low, high))
        return axes

    @cached_property
    def bars(self) -> Mapping[str, list[Bar]]:
        """The bars of each seat."""
        return {p.seat: bars_of(p.values, p.chances, self.axes[p.seat]) for p in self.panels}

    def amounts(self, panel: PayPanel) -> list[Amount]:
        """Return the amounts that are written below a seat's axis."""
        bars, (low, high) = self.bars[panel.seat], self.axes[panel.seat]
        if len(bars) > MOST_LABELLED or any(bar.low != bar.high for bar in bars):
            places = round_places(low, high)
            return [Amount(place, "middle", with_minus(f"{place:.4g}")) for place in places]
        words = panel.words if len(bars) <= MOST_WORDED else dict[float, str]()
        found: list[Amount] = []
        for bar in bars:
            share = (bar.middle - low) / (high - low)
            side = "start" if share < NEAR else "end" if share > 1 - NEAR else "middle"
            place = {"start": bar.left, "end": bar.right, "middle": bar.middle}[side]
            found.append(Amount(place, side, _amount(bar.low, words)))
        return found

    def middle(self, panel: PayPanel) -> float:
        """Return where the words of a seat's marks are, as a share of the axis."""
        low, high = self.axes[panel.seat]
        return min(max((panel.mean - low) / (high - low), INWARDS), 1 - INWARDS)

    @property
    def words(self) -> str:
        """The means, as a sentence."""
        means = ", ".join(
            f"{self.styles[p.seat].name} {three_decimals(p.mean)}" for p in self.panels
        )
        return f"How often each amount is paid to each seat. Means: {means}."


def three_decimals(value: float) -> str:
    """Return a number with three decimals, and 0 without a sign."""
    text = f"{value:.3f}"
    return "0.000" if text == "-0.000" else with_minus(text)


def _amount(value: float, words: Mapping[float, str]) -> str:
    said = next((word for paid, word in words.items() if isclose(paid, value, abs_tol=1e-9)), "")
    return f"{with_minus(f'{value:+.4g}') if value else '0'} {said}".strip()


def pay_data(chart: PayChart) -> list[dict[str, object]]:
    """Return a row for each amount that a seat may be paid, with how likely it is."""
    return [
        {"seat": panel.seat, "paid": value, "chance": chance}
        for panel in chart.panels
        for value, chance in zip(panel.values, panel.chances, strict=True)
    ]


# -- as shapes -----------------------------------------------------------------------------------


def pay_picture(
    chart: PayChart, theme: Theme = "light", *, width: float | None = None, keys: bool = True
) -> Picture:
    """Return the picture with a background, with about this width, and with a legend or none."""
    widest = None if width is None else (width - 2 * EDGE) / COLUMNS
    title, drawn = "What each seat is paid", draw_pay(chart)
    drawn = drawn if keys else replace(drawn, keys=())
    return on_paper(drawn, title, chart.words, None, theme, widest=widest)


def draw_pay(chart: PayChart) -> Drawing:
    """Return a panel for each seat: bars, mean and mid-point."""
    shapes = [s for n, p in enumerate(chart.panels) for s in _panel(chart, p, n * PANEL)]
    line: tuple[Shape, ...] = (Line(9, -7, 9, 7, "text", 2.5),)
    has_mid = any(panel.mid_point is not None for panel in chart.panels)
    keys = [LegendEntry(line, "mean")]
    if has_mid:
        keys.append(LegendEntry((_diamond(9, 0, None),), "mid-point estimate"))
    colours = seat_colours(chart.styles.values())
    return on_scale(shapes, EDGE, len(chart.panels) * PANEL - GAP, colours, keys)


def _diamond(x: float, y: float, column: float | None) -> Plain:
    return diamond(x, y, DIAMOND, fill="paper", stroke="text", column=column)


def _panel(chart: PayChart, panel: PayPanel, top: float) -> Iterator[Shape]:
    look, (low, high) = chart.styles[panel.seat], chart.axes[panel.seat]
    base, bars = top + HEAD + HIGH, chart.bars[panel.seat]
    most = max((bar.chance for bar in bars), default=1.0)

    def at(value: float) -> float:
        return COLUMNS * (value - low) / (high - low)

    for shape in cast("tuple[Plain, ...]", head(look, HEAD - 4, name=look.name)):
        shown = replace(shape, wide=False) if isinstance(shape, Text) else shape
        yield moved(shown, 0, top)
    for bar in bars:
        tall = (HIGH - LABEL) * bar.chance / most
        left, right = at(bar.left), at(bar.right)
        place: dict[str, Any] = {"column": left, "span": right - left, "radius": 2}
        yield Box(0, base - tall, 0, tall, look.label, **place)
        if len(bars) <= MOST_LABELLED and bar.chance >= 0.0005:
            middle: dict[str, Any] = {"anchor": "middle", "column": at(bar.middle), "bold": True}
            yield Text(0, base - tall - 5, f"{bar.chance:.1%}", "text", SIZE, **middle)
    yield Line(0, base, 0, base, "line", column=0, to_column=COLUMNS)
    for paid in chart.amounts(panel):
        column = at(paid.place)
        yield Text(0, base + 15, paid.words, "quiet", SIZE, anchor=paid.anchor, column=column)
    x = at(panel.mean)
    yield Line(0, base - ABOVE, 0, base + BELOW, "text", 2.5, column=x, to_column=x)
    if panel.mid_point is not None:
        yield _diamond(0, base, at(panel.mid_point))
    words: dict[str, Any] = {
        "anchor": "middle",
        "column": COLUMNS * chart.middle(panel),
        "bold": True,
    }
    yield Text(0, base + AMOUNTS + 15, panel.marks, "text", SIZE, **words)


# -- as a figure of plotly ---------------------------------------------------------------------


def pay_figure(chart: PayChart, theme: Theme = "light") -> Figure:
    """Return the same as a figure of plotly, whose bars say their exact chances when hovered."""
    from plotly.graph_objects import Figure

    page = PAGE[theme]
    height = len(chart.panels) * PANEL - GAP
    traces: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for number, panel in enumerate(chart.panels):
        end = str(number + 1) if number else ""
        base = height - number * PANEL - HEAD - HIGH
        most = max((bar.chance for bar in chart.bars[panel.seat]), default=1.0)
        pixel = most / (HIGH - LABEL)  # on the vertical scale
        axis = {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": ""}
        line = {"showline": True, "linecolor": page.line}
        places = list(chart.axes[panel.seat])
        axes[f"xaxis{end}"] = {**axis, **line, "range": places, "anchor": f"y{end}"}
        axes[f"yaxis{end}"] = {
            **axis,
            "anchor": f"x{end}",
            "domain": [base / height, (base + HIGH) / height],
            "range": [0, HIGH * pixel],
            "visible": False,
            "fixedrange": True,
        }
        of = {"xaxis": f"x{end}", "yaxis": f"y{end}", "cliponaxis": False}
        traces += [of | trace for trace in _traces(chart, panel, theme, pixel)]
        notes += _notes(chart, panel, theme, (base, height), f"x{end}")
    layout = {
        **style_layout(theme),
        "paper_bgcolor": page.sheet,
        "plot_bgcolor": page.sheet,
        "height": height + 8,
        "margin": {"l": EDGE, "r": EDGE, "t": 4, "b": 4},
        "annotations": notes,
    }
    return Figure({"data": traces, "layout": layout | axes})


def _traces(
    chart: PayChart, panel: PayPanel, theme: Theme, pixel: float
) -> Iterator[dict[str, Any]]:
    """Yield a seat's bars, the line of its mean and the diamond of its mid-point."""
    page, bars, look = PAGE[theme], chart.bars[panel.seat], chart.styles[panel.seat]
    labelled = len(bars) <= MOST_LABELLED
    yield {
        "type": "bar",
        "x": [bar.middle for bar in bars],
        "y": [bar.chance for bar in bars],
        "width": [bar.right - bar.left for bar in bars],
        "marker": {"color": look.fill(theme), "line": {"width": 0}, "cornerradius": 2},
        "text": [f"<b>{bar.chance:.1%}</b>" for bar in bars] if labelled else None,
        "textposition": "outside" if labelled else "none",
        "textfont": {"size": SIZE, "color": page.text},
        "customdata": [_range(bar) for bar in bars],
        "hovertemplate": "%{customdata}: %{y:.4%}<extra></extra>",
    }
    yield {
        "type": "scatter",
        "x": [panel.mean, panel.mean],
        "y": [-BELOW * pixel, ABOVE * pixel],
        "mode": "lines",
        "line": {"color": page.text, "width": 2.5},
        "hovertemplate": "mean: %{x:.6g}<extra></extra>",
    }
    if panel.mid_point is not None:
        look_of = {"symbol": "diamond", "size": 2 * DIAMOND, "color": page.sheet}
        yield {
            "type": "scatter",
            "x": [panel.mid_point],
            "y": [0],
            "mode": "markers",
            "marker": {**look_of, "line": {"color": page.text, "width": 2}},
            "hovertemplate": "mid-point: %{x:.6g}<extra></extra>",
        }


def _notes(
    chart: PayChart, panel: PayPanel, theme: Theme, at: tuple[float, float], axis: str
) -> Iterator[dict[str, Any]]:
    """Yield a seat's badge and name, its amounts, and the words of its marks."""
    look, page, (base, height) = chart.styles[panel.seat], PAGE[theme], at
    paper: dict[str, Any] = {"yref": "paper", "showarrow": False, "yanchor": "middle"}
    top: dict[str, Any] = {"xref": "paper", "y": (base + HIGH + HEAD / 2 + 2) / height, "x": 0}
    badge = {"bgcolor": look.fill(theme), "borderpad": 3, "width": 22}
    ink = {"color": look.ink(theme), "size": 11}
    yield {**paper, **top, **badge, "text": f"<b>{plain(look.label)}</b>", "xanchor": "left"} | {
        "font": ink
    }
    name = {"text": f"<b>{plain(look.name)}</b>", "xshift": 36, "font": {"size": 13}}
    yield {**paper, **top, **name, "xanchor": "left"}
    anchors = {"start": "left", "middle": "center", "end": "right"}
    for place, anchor, words in chart.amounts(panel):
        below = {"xref": axis, "x": place, "xanchor": anchors[anchor], "y": (base - 11) / height}
        yield {**paper, **below, "text": plain(words), "font": {"size": SIZE, "color": page.quiet}}
    marks = {"xref": "paper", "x": chart.middle(panel), "xanchor": "center"}
    where = {"y": (base - AMOUNTS - 11) / height, "text": f"<b>{panel.marks}</b>"}
    yield {**paper, **marks, **where, "font": {"size": SIZE}}


def _range(bar: Bar) -> str:
    """Return the range of amounts of a bar, in words."""
    return f"{bar.low:.10g}" if bar.low == bar.high else f"{bar.low:.10g} to {bar.high:.10g}"
