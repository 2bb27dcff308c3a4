"""The picture of how well a judge does in several cases: a row for each, on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from explorer.pictures.chart_style import mixed
from explorer.pictures.drawing import Box, LegendEntry, Line, Shape, Text
from explorer.pictures.plot import COLUMNS, Chart, around, on_scale, round_places, sign
from explorer.pictures.signs import seat_colours
from explorer.pictures.tokens import AgentStyle
from nip_core.displays import displayed, with_minus

__all__ = ["Case", "CaseMark", "draw_cases", "draw_sweep"]

ROW, TRACK, AXIS, EDGE = 54.0, 34.0, 30.0, 14
MARK, SIZE = 13.0, 12.0
# Marks whose places are closer than this share of the scale have their words in one.
CLOSE = 0.09
Kind = Literal["dot", "ring"]


@displayed
@dataclass(frozen=True, slots=True)
class CaseMark:
    """A number in a case: a dot or a ring, with an interval unless it is exact."""

    kind: Kind
    value: float
    interval: tuple[float, float] | None = None


@displayed
@dataclass(frozen=True, slots=True)
class Case:
    """A row: its name, a note, and its numbers; without any, the note says why."""

    name: str
    note: str
    marks: tuple[CaseMark, ...]


def draw_cases(
    title: str,
    cases: Sequence[Case],
    look: AgentStyle,
    keys: Sequence[tuple[Kind, str]],
    *,
    percent: bool,
) -> Chart:
    """Draw cases on one scale; `keys` says what each kind of mark stands for."""
    values = [mark.value for case in cases for mark in case.marks]
    low, high = (0.0, 1.0) if percent else around(values or [0.0, 1.0])
    shapes = [
        shape
        for number, case in enumerate(cases)
        for shape in _row(case, number * ROW, look.label, (low, high), percent=percent)
    ]
    bottom = len(cases) * ROW
    places = [0, 0.25, 0.5, 0.75, 1.0] if percent else round_places(low, high)
    for place in places:
        at: dict[str, Any] = {"anchor": "middle", "column": _at(place, (low, high))}
        shapes.append(
            Text(0, bottom + 14, _words(place, percent=percent, whole=True), "quiet", 11, **at)
        )
    names = dict(keys)
    words = "; ".join(
        f"{case.name}: "
        + (
            ", ".join(f"{_words(m.value, percent=percent)} {names[m.kind]}" for m in case.marks)
            or case.note
        )
        for case in cases
    )
    legend = [LegendEntry(sign(look.label, mark=kind), name) for kind, name in keys]
    drawing = on_scale(shapes, EDGE, bottom + AXIS - 8, seat_colours([look]), legend)
    return Chart(title, f"{words}.", drawing)


def _at(value: float, axis: tuple[float, float]) -> float:
    low, high = axis
    return (COLUMNS - 4) * (value - low) / (high - low)


def _words(value: float, *, percent: bool, whole: bool = False) -> str:
    if percent:
        return f"{100 * value:.0f}%" if whole else f"{100 * value:.1f}%"
    return with_minus(f"{value:.4g}" if whole else f"{value:.3f}")


def _row(
    case: Case, top: float, colour: str, axis: tuple[float, float], *, percent: bool
) -> Iterator[Shape]:
    yield Text(0, top + 13, case.name, "text", SIZE + 1, bold=True)
    track = top + TRACK
    yield Line(0, track, 0, track, "lane", 4, column=0, to_column=COLUMNS - 4)
    if case.note:
        end: dict[str, Any] = {"anchor": "end", "column": COLUMNS}
        yield Text(0, top + 13, case.note, "quiet", SIZE, **end)
    places = [_at(mark.value, axis) for mark in case.marks]
    for mark, x in zip(case.marks, places, strict=True):
        if mark.interval is not None:
            low, high = (_at(end, axis) for end in mark.interval)
            yield Line(0, track, 0, track, colour, 4, column=low, to_column=high)
        half = MARK / 2
        place: dict[str, Any] = {"radius": half, "column": x}
        fill, stroke = (colour, "paper") if mark.kind == "dot" else ("paper", colour)
        yield Box(-half, track - half, MARK, MARK, fill, stroke, line=2, **place)
    near = len(places) == 2 and abs(places[0] - places[1]) < 100 * CLOSE
    for mark, x in zip(case.marks[: 1 if near else 2], places, strict=False):
        said = _words(mark.value, percent=percent)
        if near and case.marks[1].value != mark.value:
            said += f", {_words(case.marks[1].value, percent=percent)}"
        left = x > 88
        beside: dict[str, Any] = {"anchor": "end" if left else "start", "column": x, "bold": True}
        yield Text(-11 if left else 11, track + 4, said, "text", SIZE, **beside)


# -- sweeps --------------------------------------------------------------------------------------

CELL, SIDE = 40.0, 46


def draw_sweep(
    title: str,
    axes: tuple[str, str],
    places: Sequence[float],
    values: Mapping[tuple[float, float], float | None],
    look: AgentStyle,
    *,
    percent: bool,
) -> Chart:
    """Draw a number for each pair of two chances: a cell that is darker the larger it is."""
    known = [value for value in values.values() if value is not None]
    low, high = (0.0, 1.0) if percent else (min(known, default=0.0), max(known, default=1.0))
    colours = seat_colours([look])
    paper = colours["paper"]
    shapes: list[Shape] = [Text(2, 12, axes[1], "quiet", 11)]
    wide = (COLUMNS - 4) / len(places)
    for row, y in enumerate(reversed(places)):
        top = 22 + row * CELL
        shapes.append(
            Text(SIDE - 8 - EDGE, top + CELL / 2 + 4, f"{y:.0%}", "quiet", 11, anchor="end")
        )
        for column, x in enumerate(places):
            value = values.get((x, y))
            share = 0.0 if value is None or high == low else (value - low) / (high - low)
            name = f"sweep {round(20 * share)}"
            shades = (
                mixed(own, ground, 0.9 * share)
                for own, ground in zip((look.light, look.dark), paper, strict=True)
            )
            colours[name] = cast("tuple[str, str]", tuple(shades))
            place: dict[str, Any] = {"column": column * wide, "span": wide, "radius": 3}
            shapes.append(Box(SIDE - EDGE + 1, top + 1, -2, CELL - 2, name, "lane", **place))
            if value is not None:
                middle: dict[str, Any] = {"anchor": "middle", "column": (column + 0.5) * wide}
                ink = f"on {look.label}" if share > 0.6 else "text"
                said = _words(value, percent=percent)
                shapes.append(Text(SIDE - EDGE, top + CELL / 2 + 4, said, ink, 11, **middle))
    bottom = 22 + len(places) * CELL
    for column, x in enumerate(places):
        middle = {"anchor": "middle", "column": (column + 0.5) * wide}
        shapes.append(Text(SIDE - EDGE, bottom + 14, f"{x:.0%}", "quiet", 11, **middle))
    middle = {"anchor": "middle", "column": COLUMNS / 2}
    shapes.append(Text(0, bottom + 30, axes[0], "quiet", 11, **middle))
    drawing = on_scale(shapes, EDGE, bottom + 38, colours)
    ends = [_words(each(known), percent=percent) for each in (min, max)] if known else []
    return Chart(title, f"{title}: {' to '.join(ends)}." if ends else title, drawing)
