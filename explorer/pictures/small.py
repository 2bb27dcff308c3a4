"""Small pictures: a schedule, a graph, bars, dots with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from explorer.pictures.bars import miniature
from explorer.pictures.drawing import Box, Line, Plain, flat
from explorer.pictures.entrance import specified
from explorer.pictures.picture import Picture, moved
from explorer.pictures.tokens import PAGE, Theme
from nip_core.language import Specification
from nip_core.registry import AnyProtocol

# Pixels.
WIDE, HIGH = 144.0, 60.0
DOT, STROKE, TURNS, WIDEST = 9.0, 1.5, 8, 30.0
GAP, TALLEST = 3.0, 9.0


def small_schedule(protocol: AnyProtocol | Specification, theme: Theme = "light") -> Picture:
    """Return the first turns of a protocol's schedule."""
    spec = specified(protocol)
    drawn = miniature(spec, turns=TURNS)
    high = max(HIGH, drawn.height)
    shapes = flat(drawn, min(WIDEST, WIDE / drawn.columns), theme)
    placed = tuple(moved(shape, 0, (high - drawn.height) / 2) for shape in shapes)
    return Picture(f"The schedule of {spec.name}", "", placed, WIDE, high)


def small_graph(
    title: str,
    edges: Sequence[tuple[int, int]],
    places: Mapping[int, tuple[float, float]],
    theme: Theme = "light",
) -> Picture:
    """Return a graph whose nodes have coordinates from 0 to 1."""
    page = PAGE[theme]
    side = HIGH - DOT - 2
    at = {n: (DOT / 2 + 1 + 1.5 * side * x, DOT / 2 + 1 + side * y) for n, (x, y) in places.items()}
    shapes: list[Plain] = [Line(*at[a], *at[b], page.quiet, STROKE) for a, b in edges]
    shapes += [
        Box(x - DOT / 2, y - DOT / 2, DOT, DOT, page.paper, page.text, DOT / 2, STROKE)
        for x, y in at.values()
    ]
    return Picture(title, f"{len(at)} nodes, {len(edges)} edges.", tuple(shapes), WIDE, HIGH)


def small_bars(
    title: str, words: str, bars: Iterable[tuple[str, float]], theme: Theme = "light"
) -> Picture:
    """Return bars side by side with the names of their series; every other one is pale."""
    page, found = PAGE[theme], list(bars)
    series = list(dict.fromkeys(name for name, _ in found))
    low = min(0.0, *(value for _, value in found))
    scale = (HIGH - 2) / ((max(0.0, *(value for _, value in found)) - low) or 1)
    step, zero = WIDE / len(found), HIGH - 1 + low * scale
    shapes: list[Plain] = []
    for place, (name, value) in enumerate(found):
        top, tall = zero - max(value, 0.0) * scale, max(1.0, abs(value) * scale)
        colour = page.quiet if series.index(name) % 2 else page.text
        shapes.append(Box(place * step, top, step - min(GAP, step / 4), tall, colour, radius=1))
    shapes.append(Line(0, zero, WIDE, zero, page.text))
    return Picture(title, words, tuple(shapes), WIDE, HIGH)


def small_dots(
    title: str,
    words: str,
    rates: Sequence[tuple[float, float | None, float | None]],
    theme: Theme = "light",
) -> Picture:
    """Return shares with their intervals below each other, with a line at one half."""
    page = PAGE[theme]
    step = min(TALLEST, HIGH / max(1, len(rates)))
    wide, high, dot = WIDE - DOT, step * len(rates), max(2.0, min(DOT, step) - 3)
    shapes: list[Plain] = [
        Line(DOT / 2 + wide / 2, 0, DOT / 2 + wide / 2, high, page.line, dashed=True)
    ]
    for place, (value, low, high_end) in enumerate(rates):
        y, x = (place + 0.5) * step, DOT / 2 + wide * value
        if low is not None and high_end is not None:
            ends = DOT / 2 + wide * low, DOT / 2 + wide * high_end
            shapes.append(Line(ends[0], y, ends[1], y, page.quiet, STROKE))
        shapes.append(Box(x - dot / 2, y - dot / 2, dot, dot, page.text, radius=dot / 2))
    return Picture(title, words, tuple(shapes), WIDE, max(1.0, high))
