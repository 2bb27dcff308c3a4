"""Dots with intervals for papers: what the Studies page shows, as shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.pictures.chart_style import PAGE
from explorer.pictures.drawing import Box, Line, Plain, Text
from explorer.pictures.picture import Picture, check_theme
from explorer.pictures.tokens import Theme
from explorer.pictures.typeface import width as text_width
from nip_core.displays import displayed

__all__ = ["Dot", "intervals_picture"]

ROW, PLOT, EDGE, TICKS, SIZE = 22.0, 320.0, 12.0, 34.0, 12.0
DOT = 7.0


@displayed
@dataclass(frozen=True, slots=True)
class Dot:
    """A number of a group.

    Parameters
    ----------
    group : str
    value, low, high : float, optional
        From 0 to 1.
    """

    group: str
    value: float | None
    low: float | None
    high: float | None


def intervals_picture(title: str, dots: Sequence[Dot], *, theme: Theme = "light") -> Picture:
    """Shares with their intervals, the groups below each other.

    Parameters
    ----------
    title : str
        What is measured.
    dots : sequence of Dot
    theme : {"light", "dark"}
    """
    check_theme(theme)
    page = PAGE[theme]
    left = EDGE + max((text_width(dot.group, SIZE) for dot in dots), default=0.0) + 12
    bottom = EDGE + ROW * len(dots)
    width, height = left + PLOT + EDGE + 8, bottom + TICKS + EDGE
    shapes: list[Plain] = [Box(0, 0, width, height, fill=page.paper)]
    for tick in range(0, 101, 20):
        x = left + PLOT * tick / 100
        shapes.append(Line(x, EDGE, x, bottom, page.line, 0.5))
        shapes.append(Text(x, bottom + 15, f"{tick}%", page.quiet, 11, anchor="middle"))
    middle = left + PLOT / 2
    shapes.append(Text(middle, bottom + 32, title, page.text, SIZE, anchor="middle"))
    for place, dot in enumerate(dots):
        y = EDGE + ROW * (place + 0.5)
        shapes.append(Text(left - 12, y + 4, dot.group, page.text, SIZE, anchor="end"))
        if dot.low is not None and dot.high is not None:
            ends = left + PLOT * dot.low, left + PLOT * dot.high
            shapes.append(Line(ends[0], y, ends[1], y, page.text, 1.5))
        if dot.value is not None:
            x = left + PLOT * dot.value - DOT / 2
            shapes.append(Box(x, y - DOT / 2, DOT, DOT, fill=page.text, radius=DOT / 2))
    told = "; ".join(f"{dot.group}: {dot.value:.0%}" for dot in dots if dot.value is not None)
    dark = intervals_picture(title, dots, theme="dark").shapes if theme == "light" else ()
    return Picture(title, told, tuple(shapes), width, height, dark)
