"""What seats are worth, as shapes: the exact distribution of each seat's reward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, log10
from typing import TYPE_CHECKING, Any, cast

from explorer.figures.palette import AgentStyle, agent_styles
from explorer.pictures.drawing import Drawing, Key, page_colours
from explorer.pictures.picture import Picture, moved, on_paper
from explorer.pictures.seats import head, seat_colours
from explorer.pictures.shapes import Box, Line, Plain, Shape, Text
from explorer.tokens import Theme

if TYPE_CHECKING:
    from nip_core.values import ExactValues, MidPoint

__all__ = ["draw_worth", "worth_picture"]

# Pixels: the head of a panel, its bars, the numbers below them, and what is between two panels.
HEAD, HIGH, TICKS, GAP = 22, 64, 18, 12
COLUMNS, EDGE = 100, 6
MOST_TOLD = 8  # bars with their chance written on them
SIZE = 11


@dataclass(frozen=True, slots=True)
class _Piece:
    low: float
    high: float
    chance: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def worth_picture(
    values: ExactValues, points: Mapping[str, MidPoint], *, theme: Theme = "light"
) -> Picture:
    """The picture on paper.

    Parameters
    ----------
    values : ExactValues
    points : mapping of str to MidPoint
        By seat.
    theme : {"light", "dark"}
    """
    means = ", ".join(f"{values.spec.seat_name(a)} {points[a].mean:.4g}" for a in points)
    words = f"The exact distribution of each seat's episode reward. Means: {means}."
    return on_paper(draw_worth(values, points), "What the seats are worth", words, None, theme)


def draw_worth(values: ExactValues, points: Mapping[str, MidPoint]) -> Drawing:
    """A panel for each seat, with one scale for all: bars, the mean and the mid-point."""
    styles = agent_styles(values.spec)
    pieces = {agent: _pieces(values, agent) for agent in points}
    places = [end for own in pieces.values() for one in own for end in (one.low, one.high)]
    places += [place for found in points.values() for place in (found.mean, found.estimate)]
    scale = _Scale.around(min(places), max(places))
    shapes: list[Shape] = []
    for number, agent in enumerate(points):
        top = number * (HEAD + HIGH + TICKS + GAP)
        shapes += _panel(styles[agent], pieces[agent], points[agent], scale, top)
    height = len(points) * (HEAD + HIGH + TICKS + GAP) - GAP
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
        colours={**page_colours(), **seat_colours(styles.values())},
        keys=(Key(line, "exact mean"), Key(dashed, "mid-point estimate")),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    @classmethod
    def around(cls, low: float, high: float) -> _Scale:
        """With room for bars at both ends."""
        room = 0.07 * (high - low) or 1.0
        return cls(low - room, high + room)

    def at(self, value: float) -> float:
        """The column of a value."""
        return COLUMNS * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round numbers, about six of them."""
        rough = (self.high - self.low) / 6
        unit = 10 ** floor(log10(rough))
        step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough)
        first = floor(self.low / step) + 1
        found = (round(step * place, 10) for place in range(first, first + 12))
        return [value for value in found if value < self.high]


def _pieces(values: ExactValues, agent: str) -> list[_Piece]:
    law = values.distribution(agent)
    single = zip(law.values, law.probabilities, strict=True)
    spread = zip(pairwise(law.edges), law.masses, strict=True)
    return [
        *(_Piece(float(value), float(value), float(chance)) for value, chance in single),
        *(_Piece(float(low), float(high), float(mass)) for (low, high), mass in spread),
    ]


def _panel(
    look: AgentStyle, pieces: list[_Piece], found: MidPoint, scale: _Scale, top: float
) -> list[Shape]:
    base = top + HEAD + HIGH
    most = max(piece.chance for piece in pieces)
    wide = _width(pieces, scale)
    told = len(pieces) <= MOST_TOLD
    name = cast("tuple[Plain, ...]", head(look, HEAD - 4, name=look.name))
    shapes: list[Shape] = [
        moved(replace(shape, wide=False) if isinstance(shape, Text) else shape, 0, top)
        for shape in name
    ]
    for tick in scale.ticks():
        x = scale.at(tick)
        shapes.append(Line(0, top + HEAD, 0, base, "lane", column=x, to_column=x))
        words = f"{tick:g}".replace("-", "−")
        shapes.append(Text(0, base + SIZE + 3, words, "quiet", SIZE, anchor="middle", column=x))
    for piece in pieces:
        high = (HIGH - 14) * piece.chance / most
        left = scale.at(piece.low) - (wide / 2 if piece.low == piece.high else 0)
        span = wide if piece.low == piece.high else scale.at(piece.high) - scale.at(piece.low)
        shapes.append(Box(0, base - high, 0, high, look.label, column=left, span=span))
        if told and piece.chance >= 0.0005:
            at = scale.at(piece.middle)
            words = f"{piece.chance:.1%}"
            shapes.append(Text(0, base - high - 4, words, "text", 10, anchor="middle", column=at))
    shapes.append(Line(0, base, 0, base, "line", column=0, to_column=COLUMNS))
    for place, colour, dashed in ((found.estimate, "quiet", True), (found.mean, "text", False)):
        x = scale.at(place)
        style: dict[str, Any] = {"dashed": dashed, "line": 2}
        shapes.append(Line(0, top + HEAD - 2, 0, base, colour, column=x, to_column=x, **style))
    return shapes


def _width(pieces: list[_Piece], scale: _Scale) -> float:
    """Of a bar of a single value, in columns."""
    places = sorted(scale.at(piece.low) for piece in pieces if piece.low == piece.high)
    gaps = [after - before for before, after in pairwise(places) if after > before]
    return min([5.0, *(0.6 * gap for gap in gaps)])
