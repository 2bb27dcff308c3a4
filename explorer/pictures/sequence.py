"""The sequence diagram as shapes: who writes to whom, time running down."""

from __future__ import annotations

from itertools import groupby

from explorer.figures.palette import AgentStyle, Theme, agent_styles
from explorer.figures.sequence import Event, events_of
from explorer.figures.style import PAGE, Page
from explorer.pictures import typeface
from explorer.pictures.shapes import Box, Line, Polygon, Shape, Text
from nip_core.spec import ProtocolSpec, shown_round

__all__ = ["draw_sequence"]

STEP, HEAD, MARGIN, NAME, SMALL = 28, 34, 34, 12, 11


def draw_sequence(
    spec: ProtocolSpec, theme: Theme, seed: int | None, selected: int | None
) -> tuple[list[Shape], float, float]:
    """A lifeline for each agent, an arrow for each message that may be written."""
    events = list(events_of(spec, seed))
    apart = _apart(spec, events)
    # What is said of a decision stands to the left of the verifier's line.
    decisions = [e for e in events if e.kind == "decision"]
    said = max((typeface.width(e.decision, SMALL) + 20 for e in decisions), default=0)
    room = max(said - spec.agent_index(spec.verifier) * apart, apart / 2)
    drawing = _Sequence(spec, theme, MARGIN + room, apart)
    y: float = HEAD
    for number, group in groupby(events, key=lambda event: event.round):
        y = drawing.round(number, list(group), y, lit=number == selected)
    return drawing.finished(y), drawing.width, y + 8


def _apart(spec: ProtocolSpec, events: list[Event]) -> float:
    """How far lifelines stand from each other: what is written between two has room."""
    names = max(typeface.width(spec.seat_name(name), NAME) for name in spec.agent_names) + 46
    said = (typeface.width(_words(spec, event), SMALL) + 30 for event in events)
    return max(120.0, names, *said) if events else max(120.0, names)


def _words(spec: ProtocolSpec, event: Event) -> str:
    """What stands at a message's arrow."""
    return spec.channel_title(event.channel) + event.chance if event.channel else ""


class _Sequence:
    """A diagram while it is drawn."""

    def __init__(self, spec: ProtocolSpec, theme: Theme, left: float, apart: float) -> None:
        self.spec = spec
        self.theme: Theme = theme
        self.page, self.looks = PAGE[theme], agent_styles(spec)
        looks = self.looks
        self.places = {name: left + place * apart for place, name in enumerate(looks)}
        self.apart = apart
        self.width = left + apart * max(len(looks) - 0.5, 1) + 4
        self.grounds: list[Shape] = []
        self.shapes: list[Shape] = []

    def round(self, number: int, events: list[Event], top: float, *, lit: bool) -> float:
        """Draw a round; where the next one begins."""
        high = STEP * len(events) + 12
        if number % 2 == 0:
            self.grounds.append(Box(0, top, self.width, high, fill=self.page.lane))
        if lit:
            frame = (0.75, top + 0.75, self.width - 1.5, high - 1.5)
            self.shapes.append(Box(*frame, stroke=self.page.text, radius=5, line=1.5))
        self.shapes.append(
            Text(10, top + 18, str(shown_round(number)), self.page.quiet, NAME, bold=True)
        )
        for place, event in enumerate(events, start=1):
            self._event(event, top + STEP * place)
        return top + high

    def _event(self, event: Event, y: float) -> None:
        colour, x = self.looks[event.agent].fill(self.theme), self.places[event.agent]
        if event.kind == "decision":
            points = ((x, y - 13), (x + 7, y - 6), (x, y + 1), (x - 7, y - 6))
            self.shapes.append(Polygon(points, colour if event.counts else None, colour, 1.5))
            line = y - 6 + typeface.CAP * SMALL
            text = Text(x - 13, line, event.decision, self.page.quiet, SMALL, anchor="end")
            self.shapes.append(text)
            return
        ends = [self.places[reader] for reader in event.readers]
        if ends:
            low, high = min([x, *ends]), max([x, *ends])
            self.shapes.append(Line(low, y, high, y, colour, 1.5, dashed=event.private))
        for end in ends:
            back = 8 if end < x else -8
            points = ((end, y), (end + back, y - 4), (end + back, y + 4))
            self.shapes.append(Polygon(points, fill=colour))
        # Above the first stretch of the line, where it crosses nobody's. What nobody reads has no
        # line, and stands where there is room.
        first = x == min(self.places.values())
        aside = x + (self.apart if first else -self.apart)
        nearest = min(ends, key=lambda end: abs(end - x), default=aside)
        middle = x + self.apart / 2 * (1 if nearest > x else -1)
        words = _words(self.spec, event)
        self.shapes.append(Text(middle, y - 4, words, self.page.text, SMALL, anchor="middle"))

    def finished(self, bottom: float) -> list[Shape]:
        """Everything, with the lifelines beneath the arrows and the names above."""
        lines: list[Shape] = []
        heads: list[Shape] = []
        for name, look in self.looks.items():
            x = self.places[name]
            lines.append(Line(x, HEAD, x, bottom, self.page.line))
            heads += _head(look, x, self.theme, self.page)
        return [*self.grounds, *lines, *self.shapes, *heads]


def _head(look: AgentStyle, x: float, theme: Theme, page: Page) -> list[Shape]:
    letter, name = f"{look.label} ", look.name
    wide = typeface.width(letter, NAME, bold=True) + typeface.width(name, NAME)
    left, line = x - wide / 2, 15 + typeface.CAP * NAME
    ink = look.ink(theme)
    after = left + typeface.width(letter, NAME, bold=True)
    return [
        Box(left - 8, 4, wide + 16, 22, fill=look.fill(theme), stroke=page.paper, radius=5),
        Text(left, line, letter, ink, NAME, bold=True),
        Text(after, line, name, ink, NAME),
    ]
