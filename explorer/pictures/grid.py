"""The schedule grid as shapes: a lane for every channel and agent, and one for decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any

from explorer.figures.frames import records, rows_between
from explorer.figures.palette import AgentStyle, Theme, agent_styles
from explorer.figures.style import PAGE, Page, mixed
from explorer.pictures import typeface
from explorer.pictures.shapes import Box, Line, Polygon, Shape, Text
from nip_core.spec import ProtocolSpec, shown_round

__all__ = ["GridPart", "draw_grids"]

# Pixels. A lane in which nothing can ever happen is a thin one.
LANE, STRUCK, HEADING, AXIS, GAP, BADGE, KEYS = 24, 13, 24, 22, 10, 26, 30
WIDEST_CELL, NARROWEST_CELL, WIDTH = 56, 16, 720
LETTER, NAME, SMALL = 11, 12, 11


@dataclass(frozen=True, slots=True)
class GridPart:
    """One protocol's grid.

    Parameters
    ----------
    spec : ProtocolSpec
    cells : DataFrame
        From :func:`~explorer.figures.grid_data`, or with differences marked.
    title : str
        Above it; none if it is empty.
    """

    spec: ProtocolSpec
    cells: Any
    title: str = ""

    def lanes(self) -> Iterator[list[dict[str, Any]]]:
        """The cells of each lane."""
        rounds = self.spec.max_message_rounds
        for start in range(0, len(self.cells), rounds):
            yield records(rows_between(self.cells, start, start + rounds))


def draw_grids(
    parts: Sequence[GridPart], theme: Theme, selected: int | None
) -> tuple[list[Shape], float, float]:
    """Grids below each other, on one axis of rounds: the shapes, their width and height."""
    rounds = max(part.spec.max_message_rounds for part in parts)
    names = [look.name for part in parts for look in agent_styles(part.spec).values()]
    # Whole pixels, so that edges are sharp.
    left = BADGE + 20 + ceil(max(typeface.width(name, NAME) for name in [*names, "Decide"]))
    cell = max(NARROWEST_CELL, min(WIDEST_CELL, (WIDTH - left) // rounds))
    shapes: list[Shape] = []
    y = 0.0
    for part in parts:
        drawing = _Drawing(part, PAGE[theme], theme, left, cell)
        y = drawing.draw(y, selected)
        shapes += drawing.shapes
        y += GAP
    width = max(left + cell * rounds + 2, _reach(shapes))
    states = {cell["state"] for part in parts for lane in part.lanes() for cell in lane}
    keys, y = _keys(states, any("differs" in p.cells for p in parts), PAGE[theme], width, y)
    return [*shapes, *keys], width, y


def _reach(shapes: Sequence[Shape]) -> float:
    """How far to the right texts go."""
    texts = (s for s in shapes if isinstance(s, Text) and s.anchor == "start")
    return max((t.x + typeface.width(t.text, t.size, bold=t.bold) for t in texts), default=0.0)


class _Drawing:
    """A part while it is drawn."""

    def __init__(self, part: GridPart, page: Page, theme: Theme, left: float, cell: float) -> None:
        self.part, self.page = part, page
        self.theme: Theme = theme
        self.left, self.cell = left, cell
        self.looks = agent_styles(part.spec)
        self.shapes: list[Shape] = []

    def draw(self, y: float, selected: int | None) -> float:
        """Draw from a height on; where it ends."""
        spec = self.part.spec
        if self.part.title:
            self._text(2, y + 16, self.part.title, size=14, bold=True)
            y += 28
        self._numbers(y + AXIS / 2, selected)
        y += AXIS
        for channel, lanes in groupby(self.part.lanes(), key=lambda lane: lane[0]["channel"]):
            if channel:
                self._heading(channel, spec.channel(channel).viewers, y + HEADING / 2)
                y += HEADING
            top = y
            for lane in lanes:
                y = self._lane(lane, y)
            if selected is not None and 0 <= selected < spec.max_message_rounds:
                # Around the lanes only: it must not cross what is written between them.
                place = (self.left + selected * self.cell - 1, top - 1, self.cell + 2, y - top + 2)
                self.shapes.append(Box(*place, stroke=self.page.text, radius=4, line=2))
            y += GAP
        return y - GAP + 4

    def _numbers(self, middle: float, selected: int | None) -> None:
        every = 1 if self.cell >= 24 else 5
        for number in range(self.part.spec.max_message_rounds):
            near = selected is not None and 0 < abs(number - selected) * self.cell < 24
            if number == selected or (shown_round(number) % every == 0 and not near):
                x = self.left + (number + 0.5) * self.cell
                bold = number == selected
                self._text(
                    x, middle, str(shown_round(number)), size=SMALL, bold=bold, anchor="middle"
                )

    def _heading(self, channel: str, viewers: Sequence[str], middle: float) -> None:
        named = [look.name for name, look in self.looks.items() if name in viewers]
        title = self.part.spec.channel_title(channel)
        self._text(2, middle, title, size=NAME, bold=True)
        after = 12 + typeface.width(title, NAME, bold=True)
        readers = f"read by {', '.join(named) or 'nobody'}"
        self._text(2 + after, middle, readers, size=SMALL, fill=self.page.quiet)

    def _lane(self, lane: list[dict[str, Any]], top: float) -> float:
        first = lane[0]
        look, struck = self.looks[first["agent"]], first["state"] == "blind"
        high = STRUCK if struck else LANE
        middle = top + high / 2
        name = look.name if first["channel"] else "Decide"
        odd = bool(first.get("odd lane"))
        self._badge(look, middle, struck=struck, odd=odd, decides=not first["channel"])
        bold = not first["channel"] or odd
        fill = self.page.quiet if struck else self.page.text
        self._text(BADGE + 10, middle, name, size=SMALL if struck else NAME, bold=bold, fill=fill)
        if struck:
            end = self.left + self.cell * len(lane)
            self.shapes.append(Line(self.left, middle, end, middle, self.page.line))
        else:
            for cell in lane:
                self._cell(cell, look, top)
        return top + high

    def _badge(
        self, look: AgentStyle, middle: float, *, struck: bool, odd: bool, decides: bool
    ) -> None:
        high, fill = (12 if struck else 18), look.fill(self.theme)
        stroke = self.page.accent if odd else fill if struck else None
        box = Box(2, middle - high / 2, BADGE, high, None if struck else fill, stroke, radius=4)
        self.shapes.append(box)
        ink = self.page.text if struck else look.ink(self.theme)
        if decides:
            self.shapes.append(_diamond(2 + BADGE / 2, middle, 5, fill=ink))
            return
        size = 9 if struck else LETTER
        x = 2 + BADGE / 2
        self._text(x, middle, look.label, size=size, bold=not struck, anchor="middle", fill=ink)

    def _cell(self, cell: dict[str, Any], look: AgentStyle, top: float) -> None:
        x, state, chance = self.left + cell["round"] * self.cell, cell["state"], cell["probability"]
        place = (x + 1, top + 1, self.cell - 2, LANE - 2)
        own, ink = look.fill(self.theme), look.ink(self.theme)
        middle, centre = top + LANE / 2, x + self.cell / 2
        if state == "speaks":
            self.shapes.append(Box(*place, fill=own, radius=3))
            self._letter(look.label, centre, middle, ink)
        elif state == "may speak":
            thin = mixed(own, self.page.paper, 0.3)
            self.shapes.append(Box(*place, fill=thin, stroke=own, radius=3, line=1.5, dashed=True))
            wide = self.cell >= 54
            text = f"{look.label} {chance:.0%}" if wide else look.label
            self._letter(text, centre, middle, self.page.text)
        else:
            self.shapes.append(Box(*place, fill=self.page.lane))
        if state in ("counts", "may decide"):
            sure = state == "counts" and chance == 1
            size = min(7, self.cell / 2 - 3)
            self.shapes.append(
                _diamond(
                    *(centre, middle, size),
                    fill=own if sure else None,
                    stroke=own,
                    dashed=chance < 1,
                )
            )
        if cell.get("differs"):
            self.shapes.append(Box(*place, stroke=self.page.accent, radius=3, line=2))

    def _letter(self, text: str, x: float, middle: float, fill: str) -> None:
        size = LETTER
        while size > 6 and typeface.width(text, size, bold=True) > self.cell - 3:
            size -= 0.5
        self._text(x, middle, text, size=size, bold=True, anchor="middle", fill=fill)

    def _text(
        self, x: float, middle: float, text: str, *, size: float, fill: str = "", **style: Any
    ) -> None:
        ink = fill or self.page.text
        self.shapes.append(Text(x, middle + typeface.CAP * size, text, ink, size, **style))


def _diamond(
    x: float,
    y: float,
    size: float,
    *,
    fill: str | None,
    stroke: str | None = None,
    dashed: bool = False,
) -> Polygon:
    points = ((x, y - size), (x + size, y), (x, y + size), (x - size, y))
    return Polygon(points, fill, stroke, 1.5, dashed)


def _keys(
    states: set[str], marked: bool, page: Page, width: float, y: float
) -> tuple[list[Shape], float]:
    """What the signs mean that occur, in as many lines as it takes; and where they end."""
    shapes: list[Shape] = []
    x, middle = 2.0, y + 12
    for state, words in SAYING.items():
        if state not in states and not (state == "differs" and marked):
            continue
        wide = 18 + 6 + typeface.width(words, SMALL)
        if x > 2 and x + wide > width:
            x, middle = 2.0, middle + 18
        shapes += _key(state, x, middle, page)
        shapes.append(Text(x + 24, middle + typeface.CAP * SMALL, words, page.quiet, SMALL))
        x += wide + 16
    return shapes, middle + 14


SAYING = {
    "speaks": "speaks",
    "may speak": "may speak",
    "reads": "only reads",
    "blind": "cannot see the channel",
    "counts": "may decide",
    "may decide": "too early to count",
    "differs": "differs",
}


def _key(state: str, x: float, middle: float, page: Page) -> list[Shape]:
    """The sign of a state, small and without an agent's colour."""
    box = (x, middle - 7, 18, 14)
    match state:
        case "speaks":
            return [Box(*box, fill=page.text, radius=3)]
        case "may speak":
            return [Box(*box, stroke=page.text, radius=3, line=1.5, dashed=True)]
        case "reads":
            return [Box(*box, fill=page.lane, stroke=page.line, radius=2, line=0.5)]
        case "blind":
            return [Line(x, middle, x + 18, middle, page.line)]
        case "differs":
            return [Box(*box, stroke=page.accent, radius=3, line=2)]
        case _:
            fill = page.text if state == "counts" else None
            return [_diamond(x + 9, middle, 6, fill=fill, stroke=page.text)]
