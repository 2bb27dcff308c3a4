"""The schedule grid as a drawing, at full size and as a miniature."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any, Generic, TypeVar

from explorer.pictures import typeface
from explorer.pictures.chart_style import mixed
from explorer.pictures.drawing import (
    Box,
    Drawing,
    LegendEntry,
    Line,
    Numbers,
    Polygon,
    Row,
    Shape,
    Text,
    Use,
    page_colours,
)
from explorer.pictures.lanes import Lane, State, lanes
from explorer.pictures.tokens import PAGE, AgentStyle, agent_styles
from nip_core.displays import displayed
from nip_core.registry import AnyProtocol, protocol_spec
from nip_core.spec import ProtocolSpec

BADGE, NAME, LETTER = 26, 12, 11


def seat_colours(looks: Iterable[AgentStyle]) -> dict[str, tuple[str, str]]:
    """Return seats' colours by badge, with those of text on them and their pale tints."""
    colours: dict[str, tuple[str, str]] = {}
    for look in looks:
        own = (look.light, look.dark)
        papers = (PAGE["light"].paper, PAGE["dark"].paper)
        colours[look.label] = own
        colours[f"on {look.label}"] = (look.ink("light"), look.ink("dark"))
        colours[f"thin {look.label}"] = (
            mixed(own[0], papers[0], 0.3),
            mixed(own[1], papers[1], 0.3),
        )
    return colours


def middle(y: float, size: float) -> float:
    """Return the baseline of letters that are centred at a height."""
    return y + typeface.CAP * size


def head(
    look: AgentStyle, high: float, *, name: str = "", struck: bool = False, odd: bool = False
) -> tuple[Shape, ...]:
    """Return the head of a lane: a badge and a name, or only a badge in the lane of decisions."""
    y, badge = high / 2, 12 if struck else 18
    fill = None if struck else look.label
    stroke = "accent" if odd else look.label if struck else None
    box = Box(2, y - badge / 2, BADGE, badge, fill, stroke, radius=4, line=2 if odd else 1)
    ink = "text" if struck else f"on {look.label}"
    size = 9 if struck else LETTER
    x = 2 + BADGE / 2
    sign: Shape = (
        Text(x, middle(y, size), look.label, ink, size, bold=not struck, anchor="middle")
        if name
        else diamond(x, y, 5, fill=ink)
    )
    size = 11 if struck else NAME
    colour = "quiet" if struck else "text"
    bold = odd or not name
    label = Text(BADGE + 10, middle(y, size), name or "Decide", colour, size, bold=bold, wide=True)
    return box, sign, label


def diamond(
    x: float,
    y: float,
    size: float,
    *,
    fill: str | None,
    stroke: str | None = None,
    dashed: bool = False,
    column: float | None = None,
) -> Polygon:
    """Return the sign of a decision."""
    points = ((x, y - size), (x + size, y), (x, y + size), (x - size, y))
    return Polygon(points, fill, stroke, 1.5, dashed, column)


# Pixels. A lane in which nothing can happen is thin.
LANE, STRUCK, HEADING, AXIS, GAP, TITLE = 26, 14, 24, 22, 8, 28
NARROWEST, WIDEST = 16, 136
GRID_LETTER, SMALL = 11, 11
CODES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@displayed
@dataclass(frozen=True, slots=True)
class GridPart:
    """One protocol's grid."""

    spec: ProtocolSpec
    lanes: Sequence[Lane]  # from `lanes`, or with differences marked
    title: str = ""  # the title above it; may be empty


@displayed
@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a cell's symbol."""

    look: AgentStyle
    state: State
    chance: float
    differs: bool


def draw_grids(parts: Sequence[GridPart]) -> tuple[Drawing, dict[str, Meaning]]:
    """Return grids below each other on one axis of rounds, and the meanings of cells' codes."""
    drawing = _Grids(parts)
    return drawing.finished(), drawing.meanings


M = TypeVar("M", bound=Hashable)


class GridBuilder(Generic[M]):
    """Collects the shapes of a grid; cells with the same meaning share a symbol."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self.symbols: dict[str, tuple[Shape, ...]] = {}
        self.bands: list[tuple[float, float]] = []
        self.meanings: dict[str, M] = {}
        self._codes: dict[M, str] = {}
        self._heads: dict[Hashable, str] = {}

    def code(self, meaning: M, drawn: Callable[[M], Iterable[Shape]]) -> str:
        """Return the code of a cell."""
        code = self._codes.get(meaning)
        if code is None:
            # Letters first, then any other characters.
            number = len(self._codes)
            code = CODES[number] if number < len(CODES) else chr(0x100 + number)
            self._codes[meaning], self.meanings[code] = code, meaning
            self.symbols[code] = tuple(drawn(meaning))
        return code

    def head(self, key: Hashable, drawn: Callable[[], tuple[Shape, ...]]) -> str:
        """Return the symbol of a row's head."""
        if key not in self._heads:
            self._heads[key] = f"head {len(self._heads)}"
            self.symbols[self._heads[key]] = drawn()
        return self._heads[key]

    def heading(self, title: str, note: str, y: float) -> None:
        """Write a title centred at a height, and a note beside it."""
        self.shapes.append(Text(2, middle(y, NAME), title, "text", NAME, bold=True))
        after = 14 + typeface.width(title, NAME, bold=True)
        self.shapes.append(Text(after, middle(y, SMALL), note, "quiet", SMALL))


class _Grids(GridBuilder[Meaning]):
    """Draws grids."""

    def __init__(self, parts: Sequence[GridPart]) -> None:
        super().__init__()
        self.parts = parts
        self.looks = [agent_styles(part.spec) for part in parts]

    def finished(self) -> Drawing:
        """Return the drawing."""
        names = [look.name for looks in self.looks for look in looks.values()]
        # Whole pixels give sharp edges.
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
                self._channel(part, looks, channel, y + HEADING / 2)
                y += HEADING
            top = y
            for lane in own:
                y = self._lane(lane, looks[lane.agent], y)
            self.bands.append((top, y - top))
            y += GAP
        return y - GAP + 4

    def _channel(
        self, part: GridPart, looks: dict[str, AgentStyle], channel: str, y: float
    ) -> None:
        viewers = part.spec.channel(channel).viewers
        named = [look.name for name, look in looks.items() if name in viewers]
        read = f"read by {', '.join(named) or 'nobody'}"
        self.heading(part.spec.channel_title(channel), read, y)

    def _lane(self, lane: Lane, look: AgentStyle, top: float) -> float:
        high = STRUCK if lane.is_blind else LANE
        name = look.name if lane.channel else ""
        key = (look.label, name, lane.is_blind, lane.odd)
        symbol = self.head(
            key, lambda: head(look, high, name=name, struck=lane.is_blind, odd=lane.odd)
        )
        self.shapes.append(Use(symbol, top))
        if lane.is_blind:
            y = top + high / 2
            across: dict[str, Any] = {"column": 0, "to_column": len(lane.states)}
            self.shapes.append(Line(0, y, 0, y, "line", **across))
        differs = lane.differs or (False,) * len(lane.states)
        cells = list(zip(lane.states, lane.chances, differs, strict=True))
        codes = {cell: self.code(Meaning(look, *cell), _cell) for cell in dict.fromkeys(cells)}
        self.shapes.append(Row(top, high, "".join(map(codes.__getitem__, cells))))
        return top + high


def _cell(meaning: Meaning) -> list[Shape]:
    """Return a cell of a lane."""
    look, state, chance = meaning.look, meaning.state, meaning.chance
    if state == "blind":
        return []
    place = (1, 1, -2, LANE - 2)
    shapes: list[Shape] = []
    words: dict[str, Any] = {
        "size": GRID_LETTER,
        "bold": True,
        "anchor": "middle",
        "column": 0.5,
        "room": -3,
    }
    line = middle(LANE / 2, GRID_LETTER)
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


SIGN = (0, -7, 18, 14)
KEYS: dict[str, LegendEntry] = {
    "speaks": LegendEntry((Box(*SIGN, fill="text", radius=3),), "speaks"),
    "may speak": LegendEntry(
        (Box(*SIGN, stroke="text", radius=3, line=1.5, dashed=True),), "may speak"
    ),
    "reads": LegendEntry(
        (Box(*SIGN, fill="lane", stroke="line", radius=2, line=0.5),), "only reads"
    ),
    "blind": LegendEntry((Line(0, 0, 18, 0, "line"),), "cannot see the channel"),
    "counts": LegendEntry((diamond(9, 0, 6, fill="text", stroke="text"),), "may decide"),
    "may decide": LegendEntry((diamond(9, 0, 6, fill=None, stroke="text"),), "too early to count"),
    "differs": LegendEntry((Box(*SIGN, stroke="accent", radius=3, line=2),), "differs"),
}


TOP, BAR, STEP, SMALL_GAP, MARK = 3.0, 5, 7, 4, 9
Bar = tuple[str, str | None]
"""The colours of a bar and of its edge."""


def miniature(
    spec: AnyProtocol, *, rounds: int | None = None, own: Sequence[Lane] | None = None
) -> Drawing:
    """Return a grid as bars, a lane below the other, with gaps between channels.

    Marks below them show the rounds in which a verdict counts. The first `rounds` are drawn, by
    default all. All seeds of an episode are equally likely, unless `own` lanes are given.
    """
    spec = protocol_spec(spec)
    looks = agent_styles(spec)
    count = min(spec.max_message_rounds, rounds or spec.max_message_rounds)
    own = lanes(spec) if own is None else own
    groups: list[list[list[Bar]]] = []
    for channel, group in groupby(own, key=lambda lane: lane.channel):
        seen = [lane for lane in group if channel and not lane.is_blind]
        groups.append([[_bar(looks[e.agent].label, c) for c in e.chances[:count]] for e in seen])
    marks: list[Bar | None] = [None] * count
    for lane in own:
        for at, (state, chance) in enumerate(zip(lane.states, lane.chances, strict=True)):
            if state == "counts" and at < count:
                label = looks[lane.agent].label
                marks[at] = (label if chance == 1 else f"thin {label}"), label
    return draw_bars(groups, count, page_colours() | seat_colours(looks.values()), marks)


def _bar(label: str, chance: float) -> Bar:
    if chance in (0, 1):
        return (label if chance else "lane"), None
    # A bar of a possible message has an edge, which is visible even if the bar is tiny.
    return f"thin {label}", label


def _mark(mark: Bar | None) -> tuple[Shape, ...]:
    if mark is None:
        return ()
    fill, stroke = mark
    return (diamond(0, MARK / 2, 2.5, fill=fill, stroke=stroke, column=0.5),)


def draw_bars(
    groups: Iterable[Sequence[Sequence[Bar]]],
    columns: int,
    colours: dict[str, tuple[str, str]],
    marks: Sequence[Bar | None] = (),
) -> Drawing:
    """Return lanes of bars in groups below each other, and marks below them."""
    shapes: list[Shape] = []
    codes: dict[Bar, str] = {}
    y = TOP
    for group in groups:
        for bars in group:
            row = (codes.setdefault(bar, chr(ord("a") + len(codes))) for bar in bars)
            shapes.append(Row(y, STEP, "".join(row)))
            y += STEP
        y += SMALL_GAP if group else 0
    bottom = max(y - SMALL_GAP, TOP + STEP)
    symbols: dict[str, tuple[Shape, ...]] = {
        code: (Box(0.75, 0, -1.5, BAR, fill, stroke, 2, 1, span=1),)
        for (fill, stroke), code in codes.items()
    }
    if any(marks):
        signs = {mark: chr(ord("A") + at) for at, mark in enumerate(dict.fromkeys(marks))}
        symbols |= {code: _mark(mark) for mark, code in signs.items()}
        shapes.append(Row(bottom, MARK, "".join(map(signs.__getitem__, marks))))
        bottom += MARK
    return Drawing(
        shapes=tuple(shapes),
        left=0,
        slim=0,
        columns=columns,
        least=0.5,
        most=40,
        height=bottom,
        colours=colours,
        symbols=symbols,
        bands=((TOP, bottom - TOP - (STEP - BAR)),),
    )
