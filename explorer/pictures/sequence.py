"""The sequence diagram and the table of readers as drawings."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from explorer.pictures import typeface
from explorer.pictures.drawing import Box, Drawing, Line, Polygon, Shape, Text, Use, page_colours
from explorer.pictures.grid import BADGE, NAME, diamond, head, middle, seat_colours
from explorer.pictures.lanes import Event, events_of
from explorer.pictures.tokens import AgentStyle, agent_styles
from nip_core.spec import ProtocolSpec, shown_round

__all__ = ["draw_sequence", "draw_visibility"]

STEP, HEAD, MARGIN, SMALL, WIDEST, ARROW = 28, 34, 34, 11, 280, 24
SHRUNK = 0.62


def draw_sequence(spec: ProtocolSpec, seed: int | None = None) -> Drawing:
    """A lifeline for each seat, an arrow for each message that may be written."""
    drawing = _Sequence(spec)
    y: float = HEAD
    for number, group in groupby(events_of(spec, seed), key=lambda event: event.round):
        y = drawing.round(number, list(group), y)
    return drawing.finished(y)


def _said(spec: ProtocolSpec) -> list[str]:
    """What may stand at arrows, at its longest."""
    return [f"{spec.channel_title(name)} (50%)" for name in spec.channel_names]


class _Sequence:
    """A diagram while it is drawn."""

    def __init__(self, spec: ProtocolSpec) -> None:
        self.spec, self.looks = spec, agent_styles(spec)
        self.count = len(self.looks)
        self.least = max(
            96.0,
            *(
                typeface.width(f"{look.label} ", NAME, bold=True)
                + typeface.width(look.name, NAME)
                + 26
                for look in self.looks.values()
            ),
            # Small letters are the least that words at an arrow may come to.
            *(ARROW + SHRUNK * typeface.width(words, SMALL) for words in _said(spec)),
        )
        self.grounds: list[Shape] = []
        self.shapes: list[Shape] = []
        self.rounds: list[tuple[float, float]] = []

    def round(self, number: int, events: list[Event], top: float) -> float:
        """Draw a round; where the next one begins."""
        # Rounds in which nobody acts take no room.
        self.rounds += [(top, 0)] * (number - len(self.rounds))
        high = STEP * len(events) + 12
        if number % 2 == 0:
            ground = Box(-MARGIN, top, MARGIN, high, fill="lane", column=0, span=self.count)
            self.grounds.append(ground)
        text = str(shown_round(number))
        self.shapes.append(Text(10, top + 18, text, "quiet", NAME, bold=True))
        for place, event in enumerate(events, start=1):
            self._event(event, top + STEP * place)
        self.rounds.append((top, high))
        return top + high

    def _event(self, event: Event, y: float) -> None:
        colour, own = self.looks[event.agent].label, self.spec.agent_index(event.agent)
        x = own + 0.5
        if event.kind == "decision":
            fill = colour if event.counts else None
            self.shapes.append(diamond(0, y - 6, 7, fill=fill, stroke=colour, column=x))
            line = middle(y - 6, SMALL)
            # Beside the sign, where there is room: to the left, but for the first seat.
            side: dict[str, Any] = (
                {"x": 13, "anchor": "start"} if own == 0 else {"x": -13, "anchor": "end"}
            )
            text = Text(
                **side, y=line, text=event.decision, fill="quiet", size=SMALL, column=x, room=-18
            )
            self.shapes.append(text)
            return
        ends = [self.spec.agent_index(reader) for reader in event.readers]
        if ends:
            low, high = min([own, *ends]) + 0.5, max([own, *ends]) + 0.5
            dashed = event.private
            line = Line(0, y, 0, y, colour, 1.5, dashed, column=low, to_column=high)
            self.shapes.append(line)
        for end in ends:
            back = 8 if end < own else -8
            points = ((0.0, y), (back, y - 4.0), (back, y + 4.0))
            self.shapes.append(Polygon(points, fill=colour, column=end + 0.5))
        # Above the first stretch of the line, where it crosses nobody's. What nobody reads has no
        # line, and stands where there is room.
        aside = own + (1 if own == 0 else -1)
        nearest = min(ends, key=lambda end: abs(end - own), default=aside)
        between = x + (0.5 if nearest > own else -0.5)
        words = self.spec.channel_title(event.channel) + event.chance
        style: dict[str, Any] = {"column": between, "room": -ARROW, "anchor": "middle"}
        self.shapes.append(Text(0, y - 4, words, "text", SMALL, **style))

    def finished(self, bottom: float) -> Drawing:
        """Everything, with the lifelines beneath the arrows and the names above."""
        lines: list[Shape] = []
        heads: list[Shape] = []
        for place, look in enumerate(self.looks.values()):
            x = place + 0.5
            lines.append(Line(0, HEAD, 0, bottom, "line", column=x, to_column=x))
            heads += _head(look, x)
        self.rounds += [(bottom, 0)] * (self.spec.max_message_rounds - len(self.rounds))
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


def _head(look: AgentStyle, column: float) -> list[Shape]:
    letter, name = f"{look.label} ", look.name
    first = typeface.width(letter, NAME, bold=True)
    wide = first + typeface.width(name, NAME)
    line, ink = middle(15, NAME), f"on {look.label}"
    box = Box(-wide / 2 - 8, 4, wide + 16, 22, look.label, "paper", radius=5, column=column)
    return [
        box,
        Text(-wide / 2, line, letter, ink, NAME, bold=True, column=column),
        Text(-wide / 2 + first, line, name, ink, NAME, column=column),
    ]


ROW, TABLE_HEAD, GAP, WIDEST_TABLE = 32, 28, 6, 200


def draw_visibility(spec: ProtocolSpec) -> Drawing:
    """A row for each seat, a column for each channel: its badge where it sees the channel."""
    looks = agent_styles(spec)
    titles = [spec.channel_title(name) for name in spec.channel_names]
    names = max(typeface.width(look.name, NAME) for look in looks.values())
    symbols: dict[str, tuple[Shape, ...]] = {}
    shapes: list[Shape] = []
    for x, title in enumerate(titles):
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": x + 0.5, "room": -8}
        shapes.append(Text(0, 18, title, "text", NAME, **style))
    for y, look in enumerate(looks.values()):
        top = TABLE_HEAD + y * ROW
        symbols[look.label] = head(look, ROW, name=look.name)
        shapes.append(Use(look.label, top))
        line = middle(top + ROW / 2, NAME)
        for x, channel in enumerate(spec.channel_names):
            sees = spec.can_see(look.agent, channel)
            place = (GAP / 2, top + GAP / 2, -GAP, ROW - GAP)
            fill = look.label if sees else "lane"
            shapes.append(Box(*place, fill, radius=4, column=x, span=1))
            ink = f"on {look.label}" if sees else "quiet"
            text = "reads" if sees else "–"
            style = {"bold": sees, "anchor": "middle", "column": x + 0.5}
            shapes.append(Text(0, line, text, ink, NAME, **style))
    return Drawing(
        shapes=tuple(shapes),
        left=BADGE + 22 + names,
        slim=BADGE + 8,
        columns=len(titles),
        least=max(64.0, *(16 + typeface.width(title, NAME, bold=True) for title in titles)),
        most=WIDEST_TABLE,
        height=TABLE_HEAD + ROW * len(looks),
        colours=page_colours() | seat_colours(looks.values()),
        symbols=symbols,
    )
