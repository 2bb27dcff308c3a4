"""The schedule grid as a drawing: a lane for every channel and agent, and one for decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any

from explorer.figures.lanes import Lane, State
from explorer.figures.palette import AgentStyle, agent_styles
from explorer.pictures import typeface
from explorer.pictures.drawing import Drawing, Key, page_colours
from explorer.pictures.seats import BADGE, NAME, diamond, head, middle, seat_colours
from explorer.pictures.shapes import Box, Line, Numbers, Row, Shape, Text, Use
from nip_core.displays import displayed
from nip_core.spec import ProtocolSpec

__all__ = ["GridPart", "Meaning", "draw_grids"]

# Pixels. A lane in which nothing can ever happen is a thin one.
LANE, STRUCK, HEADING, AXIS, GAP, TITLE = 26, 14, 24, 22, 8, 28
NARROWEST, WIDEST = 16, 136
LETTER, SMALL = 11, 11
CODES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@displayed
@dataclass(frozen=True, slots=True)
class GridPart:
    """One protocol's grid.

    Parameters
    ----------
    spec : ProtocolSpec
    lanes : sequence of Lane
        From :func:`~explorer.figures.lanes`, or with differences marked.
    title : str
        Above it; none if it is empty.
    """

    spec: ProtocolSpec
    lanes: Sequence[Lane]
    title: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class Meaning:
    """What a symbol of a cell stands for."""

    look: AgentStyle
    state: State
    chance: float
    differs: bool


def draw_grids(parts: Sequence[GridPart]) -> tuple[Drawing, dict[str, Meaning]]:
    """Grids below each other, on one axis of rounds, and what the codes of cells mean."""
    drawing = _Grids(parts)
    return drawing.finished(), drawing.meanings


class _Grids:
    """Grids while they are drawn."""

    def __init__(self, parts: Sequence[GridPart]) -> None:
        self.parts = parts
        self.looks = [agent_styles(part.spec) for part in parts]
        self.shapes: list[Shape] = []
        self.symbols: dict[str, tuple[Shape, ...]] = {}
        self.bands: list[tuple[float, float]] = []
        self.meanings: dict[str, Meaning] = {}
        self._codes: dict[Meaning, str] = {}
        self._heads: dict[tuple[str, str, bool, bool], str] = {}

    def finished(self) -> Drawing:
        """Everything."""
        names = [look.name for looks in self.looks for look in looks.values()]
        # Whole pixels, so that edges are sharp.
        left = BADGE + 22 + ceil(max(typeface.width(name, NAME) for name in [*names, "Decide"]))
        y = 0.0
        for part, looks in zip(self.parts, self.looks, strict=True):
            y = self._part(part, looks, y) + GAP
        states: set[State | str] = {meaning.state for meaning in self.meanings.values()}
        if any(lane.differs for part in self.parts for lane in part.lanes):
            states.add("differs")
        colours = page_colours()
        for looks in self.looks:
            colours |= seat_colours(looks.values())
        return Drawing(
            shapes=tuple(self.shapes),
            left=left,
            slim=BADGE + 8,
            columns=max(part.spec.max_message_rounds for part in self.parts),
            least=NARROWEST,
            most=WIDEST,
            height=y,
            colours=colours,
            symbols=self.symbols,
            bands=tuple(self.bands),
            keys=tuple(key for state, key in KEYS.items() if state in states),
        )

    def _part(self, part: GridPart, looks: dict[str, AgentStyle], y: float) -> float:
        spec = part.spec
        if part.title:
            self.shapes.append(Text(2, y + 18, part.title, "text", 14, bold=True))
            y += TITLE
        rounds = spec.max_message_rounds
        self.shapes.append(Numbers(middle(y + AXIS / 2, SMALL), rounds, "text", SMALL))
        y += AXIS
        for channel, own in groupby(part.lanes, key=lambda lane: lane.channel):
            if channel:
                self._heading(part, looks, channel, y + HEADING / 2)
                y += HEADING
            top = y
            for lane in own:
                y = self._lane(lane, looks[lane.agent], y)
            self.bands.append((top, y - top))
            y += GAP
        return y - GAP + 4

    def _heading(
        self, part: GridPart, looks: dict[str, AgentStyle], channel: str, y: float
    ) -> None:
        viewers = part.spec.channel(channel).viewers
        named = [look for name, look in looks.items() if name in viewers]
        title = part.spec.channel_title(channel)
        self.shapes.append(Text(2, middle(y, NAME), title, "text", NAME, bold=True))
        after = 14 + typeface.width(title, NAME, bold=True)
        line = middle(y, SMALL)
        read = f"read by {', '.join(look.name for look in named) or 'nobody'}"
        self.shapes.append(Text(after, line, read, "quiet", SMALL))

    def _lane(self, lane: Lane, look: AgentStyle, top: float) -> float:
        high = STRUCK if lane.is_blind else LANE
        self.shapes.append(Use(self._head(lane, look, high), top))
        if lane.is_blind:
            y = top + high / 2
            across: dict[str, Any] = {"column": 0, "to_column": len(lane.states)}
            self.shapes.append(Line(0, y, 0, y, "line", **across))
        differs = lane.differs or (False,) * len(lane.states)
        cells = list(zip(lane.states, lane.chances, differs, strict=True))
        codes = {cell: self._code(Meaning(look, *cell)) for cell in dict.fromkeys(cells)}
        self.shapes.append(Row(top, high, "".join(map(codes.__getitem__, cells))))
        return top + high

    def _head(self, lane: Lane, look: AgentStyle, high: float) -> str:
        name = look.name if lane.channel else ""
        key = (look.label, name, lane.is_blind, lane.odd)
        if key not in self._heads:
            self._heads[key] = f"head {len(self._heads)}"
            drawn = head(look, high, name=name, struck=lane.is_blind, odd=lane.odd)
            self.symbols[self._heads[key]] = drawn
        return self._heads[key]

    def _code(self, meaning: Meaning) -> str:
        code = self._codes.get(meaning)
        if code is None:
            # Letters, and beyond them whatever else one character can be.
            number = len(self._codes)
            code = CODES[number] if number < len(CODES) else chr(0x100 + number)
            self._codes[meaning], self.meanings[code] = code, meaning
            self.symbols[code] = tuple(_cell(meaning))
        return code


def _cell(meaning: Meaning) -> list[Shape]:
    """A cell of a lane."""
    look, state, chance = meaning.look, meaning.state, meaning.chance
    if state == "blind":
        return []
    place = (1, 1, -2, LANE - 2)
    shapes: list[Shape] = []
    words: dict[str, Any] = {
        "size": LETTER,
        "bold": True,
        "anchor": "middle",
        "column": 0.5,
        "room": -3,
    }
    line = middle(LANE / 2, LETTER)
    if state == "speaks":
        shapes.append(Box(*place, fill=look.label, radius=3, span=1))
        shapes.append(Text(0, line, look.label, f"on {look.label}", **words))
    elif state == "may speak":
        dots: dict[str, Any] = {
            "stroke": look.label,
            "radius": 3,
            "line": 1.5,
            "dashed": True,
            "span": 1,
        }
        shapes.append(Box(*place, fill=f"thin {look.label}", **dots))
        text = f"{look.label} {chance:.0%}"
        shapes.append(Text(0, line, text, "text", short=look.label, **words))
    else:
        shapes.append(Box(*place, fill="lane", radius=2, span=1))
    if state in ("counts", "may decide"):
        sure = state == "counts" and chance == 1
        fill = look.label if sure else None
        style: dict[str, Any] = {"stroke": look.label, "dashed": chance < 1, "column": 0.5}
        shapes.append(diamond(0, LANE / 2, 5.5, fill=fill, **style))
    if meaning.differs:
        shapes.append(Box(*place, stroke="accent", radius=3, line=2, span=1))
    return shapes


def _sign(*shapes: Shape, words: str) -> Key:
    return Key(shapes, words)


SIGN = (0, -7, 18, 14)
KEYS: dict[str, Key] = {
    "speaks": _sign(Box(*SIGN, fill="text", radius=3), words="speaks"),
    "may speak": _sign(
        Box(*SIGN, stroke="text", radius=3, line=1.5, dashed=True), words="may speak"
    ),
    "reads": _sign(Box(*SIGN, fill="lane", stroke="line", radius=2, line=0.5), words="only reads"),
    "blind": _sign(Line(0, 0, 18, 0, "line"), words="cannot see the channel"),
    "counts": _sign(diamond(9, 0, 6, fill="text", stroke="text"), words="may decide"),
    "may decide": _sign(diamond(9, 0, 6, fill=None, stroke="text"), words="too early to count"),
    "differs": _sign(Box(*SIGN, stroke="accent", radius=3, line=2), words="differs"),
}
