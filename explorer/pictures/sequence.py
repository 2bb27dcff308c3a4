"""Drawings of the sequence diagram and the table of readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

from explorer.pictures import typeface
from explorer.pictures.drawing import Box, Drawing, Line, Polygon, Shape, Text, Use, page_colours
from explorer.pictures.grid import BADGE, NAME, diamond, head, middle, seat_colours
from explorer.pictures.lanes import Event, events_of
from explorer.pictures.tokens import AgentStyle, agent_styles
from nip_core.budget import PICTURES, spend
from nip_core.spec import ProtocolSpec, shown_round

STEP, HEAD, MARGIN, SMALL, WIDEST, ARROW = 28, 34, 34, 11, 280, 24
SHRUNK = 0.62
WAY, WIDEST_LEAST = 20, 150
# Of work, for each shape of a message or a choice.
STEPS_OF_SHAPE = 20


Sign = Literal["message", "counts", "early", "steers", "noted", "drawn"]


class Mark(NamedTuple):
    """A message or a choice on a lifeline."""

    who: str
    sign: Sign
    words: str
    readers: tuple[str, ...] = ()
    private: bool = False


class Band(NamedTuple):
    """A round of the diagram: its label, a heading above it, marks, and exits below it."""

    label: str
    marks: Sequence[Mark]
    heading: str = ""
    ways: Sequence[str] = ()


def draw_sequence(spec: ProtocolSpec, seed: int | None = None) -> Drawing:
    """Return a lifeline for each seat, and an arrow for each possible message."""
    # The longest possible labels of arrows.
    said = [f"{spec.channel_title(name)} (50%)" for name in spec.channel_names]
    drawing = _Sequence(agent_styles(spec), said)
    y: float = HEAD
    for number, group in groupby(events_of(spec, seed), key=lambda event: event.round):
        marks = [_mark(spec, event) for event in group]
        y = drawing.band(number, Band(str(shown_round(number)), marks), y)
    return drawing.finished(y, spec.max_message_rounds)


def _mark(spec: ProtocolSpec, event: Event) -> Mark:
    if event.kind == "decision":
        return Mark(event.agent, "counts" if event.counts else "early", event.decision)
    words = spec.channel_title(event.channel) + event.chance
    return Mark(event.agent, "message", words, event.readers, event.private)


def draw_bands(looks: Mapping[str, AgentStyle], bands: Sequence[Band]) -> Drawing:
    """Return a lifeline for each actor, and the bands below each other."""
    said = [mark.words for band in bands for mark in band.marks]
    drawing = _Sequence(looks, said, most=WIDEST_LEAST)
    y: float = HEAD
    for number, band in enumerate(bands):
        y = drawing.band(number, band, y)
    return drawing.finished(y, len(bands))


class _Sequence:
    """Draws a diagram."""

    def __init__(
        self, looks: Mapping[str, AgentStyle], said: Sequence[str], most: float | None = None
    ) -> None:
        self.looks = looks
        self.places = {name: place for place, name in enumerate(looks)}
        self.count = len(looks)
        # The smallest font size of labels at arrows.
        words = [ARROW + SHRUNK * typeface.width(text, SMALL) for text in said]
        self.least = max(
            96.0,
            *(
                typeface.width(f"{look.label} ", NAME, bold=True)
                + typeface.width(look.name, NAME)
                + 26
                for look in looks.values()
            ),
            *(wide if most is None else min(wide, most) for wide in words),
        )
        self.grounds: list[Shape] = []
        self.shapes: list[Shape] = []
        self.rounds: list[tuple[float, float]] = []

    def band(self, number: int, band: Band, top: float) -> float:
        """Draw a round; return the top of the next one."""
        # Silent rounds take no room.
        self.rounds += [(top, 0)] * (number - len(self.rounds))
        head = STEP - 8 if band.heading else 0
        high = head + STEP * len(band.marks) + 12 + WAY * len(band.ways)
        if not band.marks and not band.ways:
            high += STEP - 12
        if number % 2 == 0:
            ground = Box(-MARGIN, top, MARGIN, high, fill="lane", column=0, span=self.count)
            self.grounds.append(ground)
        paper = "lane" if number % 2 == 0 else "paper"
        if band.heading:
            self._beside(band.heading, top + 16, paper, bold=True)
        self.shapes.append(Text(10, top + head + 18, band.label, "quiet", NAME, bold=True))
        for place, mark in enumerate(band.marks, start=1):
            self._marked(mark, top + head + STEP * place)
        for place, way in enumerate(band.ways):
            y = top + high - WAY * (len(band.ways) - place)
            line: dict[str, Any] = {"dashed": True, "column": 0, "to_column": self.count}
            self.shapes.append(Line(10 - MARGIN, y, 0, y, "text", 1.5, **line))
            self._beside(way, y + 14, paper)
        self.rounds.append((top, high))
        return top + high

    def _beside(self, words: str, y: float, paper: str, *, bold: bool = False) -> None:
        """Write a line of text over lifelines, which are interrupted there."""
        wide = typeface.width(words, SMALL, bold=bold)
        self.shapes.append(Box(7, y - 10, wide + 6, 13, paper))
        self.shapes.append(Text(10, y, words, "text", SMALL, bold=bold))

    def _marked(self, mark: Mark, y: float) -> None:
        spend(STEPS_OF_SHAPE * (2 + len(mark.readers)), PICTURES, "a message of {}", mark.who)
        colour, own = self.looks[mark.who].label, self.places[mark.who]
        x = own + 0.5
        if mark.sign != "message":
            self.shapes.append(_sign(mark.sign, colour, y - 6, x))
            line = middle(y - 6, SMALL)
            # Beside the sign: at the left, except for the first seat.
            side: dict[str, Any] = (
                {"x": 13, "anchor": "start"} if own == 0 else {"x": -13, "anchor": "end"}
            )
            text = Text(
                **side, y=line, text=mark.words, fill="quiet", size=SMALL, column=x, room=-18
            )
            self.shapes.append(text)
            return
        ends = [self.places[reader] for reader in mark.readers]
        if ends:
            low, high = min([own, *ends]) + 0.5, max([own, *ends]) + 0.5
            dashed = mark.private
            line = Line(0, y, 0, y, colour, 1.5, dashed, column=low, to_column=high)
            self.shapes.append(line)
        for end in ends:
            back = 8 if end < own else -8
            points = ((0.0, y), (back, y - 4.0), (back, y + 4.0))
            self.shapes.append(Polygon(points, fill=colour, column=end + 0.5))
        # Above the first part of the arrow, where it crosses no lifeline. A message without readers
        # has no arrow, and its label stands where there is room.
        aside = own + (1 if own == 0 else -1)
        nearest = min(ends, key=lambda end: abs(end - own), default=aside)
        between = x + (0.5 if nearest > own else -0.5)
        style: dict[str, Any] = {"column": between, "room": -ARROW, "anchor": "middle"}
        self.shapes.append(Text(0, y - 4, mark.words, "text", SMALL, **style))

    def finished(self, bottom: float, rounds: int) -> Drawing:
        """Return the drawing, with lifelines beneath the arrows and names above."""
        lines: list[Shape] = []
        heads: list[Shape] = []
        for place, look in enumerate(self.looks.values()):
            x = place + 0.5
            lines.append(Line(0, HEAD, 0, bottom, "line", column=x, to_column=x))
            heads += _head(look, x)
        self.rounds += [(bottom, 0)] * (rounds - len(self.rounds))
        return Drawing(
            shapes=(*self.grounds, *lines, *self.shapes, *heads),
            left=MARGIN,
            slim=MARGIN,
            columns=self.count,
            least=self.least,
            most=WIDEST,
            height=bottom + 8,
            colours=page_colours() | seat_colours(self.looks.values()),
            rounds=tuple(self.rounds),
        )


def _sign(sign: Sign, colour: str, y: float, column: float) -> Shape:
    if sign == "noted":
        return Box(-5.5, y - 5.5, 11, 11, colour, radius=5.5, column=column)
    if sign == "drawn":
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": column}
        return Text(0, middle(y, 16), "?", colour, 16, **style)
    fill = None if sign == "early" else colour
    return diamond(0, y, 7, fill=fill, stroke=colour, column=column)


def _head(look: AgentStyle, column: float) -> list[Shape]:
    # The task has a sign instead of a letter.
    letter = "" if look.label == look.agent else f"{look.label} "
    name = look.name
    first = typeface.width(letter, NAME, bold=True)
    wide = first + typeface.width(name, NAME)
    line, ink = middle(15, NAME), f"on {look.label}"
    box = Box(-wide / 2 - 8, 4, wide + 16, 22, look.label, "paper", radius=5, column=column)
    written = [Text(-wide / 2, line, letter, ink, NAME, bold=True, column=column)] if letter else []
    return [box, *written, Text(-wide / 2 + first, line, name, ink, NAME, column=column)]


ROW, TABLE_HEAD, GAP, WIDEST_TABLE = 32, 28, 6, 200


def draw_visibility(spec: ProtocolSpec) -> Drawing:
    """Return a table of seats and channels with badges where a seat sees a channel."""
    looks = agent_styles(spec)
    rows = [
        (
            look.label,
            head(look, ROW, name=look.name),
            [
                (look.label, "reads") if spec.can_see(look.agent, channel) else ("", "–")
                for channel in spec.channel_names
            ],
        )
        for look in looks.values()
    ]
    names = max(typeface.width(look.name, NAME) for look in looks.values())
    titles = [spec.channel_title(name) for name in spec.channel_names]
    colours = page_colours() | seat_colours(looks.values())
    return draw_table(titles, rows, colours, left=BADGE + 22 + names, slim=BADGE + 8)


TableRow = tuple[str, tuple[Shape, ...], Sequence[tuple[str, str]]]


def draw_table(
    titles: Sequence[str],
    rows: Sequence[TableRow],
    colours: Mapping[str, tuple[str, str]],
    *,
    left: float,
    slim: float,
) -> Drawing:
    """Return a table from each row's name, head, and (colour, words) of its cells."""
    symbols: dict[str, tuple[Shape, ...]] = {}
    shapes: list[Shape] = []
    for x, title in enumerate(titles):
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": x + 0.5, "room": -8}
        shapes.append(Text(0, 18, title, "text", NAME, **style))
    for y, (name, beside, cells) in enumerate(rows):
        top = TABLE_HEAD + y * ROW
        symbols[name] = beside
        shapes.append(Use(name, top))
        line = middle(top + ROW / 2, NAME)
        for x, (colour, words) in enumerate(cells):
            place = (GAP / 2, top + GAP / 2, -GAP, ROW - GAP)
            shapes.append(Box(*place, colour or "lane", radius=4, column=x, span=1))
            ink = f"on {colour}" if colour else "quiet"
            style = {"bold": bool(colour), "anchor": "middle", "column": x + 0.5, "room": -8}
            shapes.append(Text(0, line, words, ink, NAME, **style))
    return Drawing(
        shapes=tuple(shapes),
        left=left,
        slim=slim,
        columns=len(titles),
        least=max(64.0, *(16 + typeface.width(title, NAME, bold=True) for title in titles)),
        most=WIDEST_TABLE,
        height=TABLE_HEAD + ROW * len(rows),
        colours=colours,
        symbols=symbols,
    )
