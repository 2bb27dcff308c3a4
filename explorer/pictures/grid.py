"""Grids as drawings: of one protocol, of two below each other, and as a miniature."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any, NamedTuple

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
from explorer.pictures.model import MADE, Cell, GridRow, ProtocolGrid, grid_of
from explorer.pictures.tokens import BY_TASK, PAGE, AgentStyle
from nip_core.displays import capitalized, displayed
from nip_core.language import Specification
from nip_core.registry import AnyProtocol

BADGE, NAME, LETTER = 26, 12, 11
# Pixels. A channel's row in which nothing can happen is thin.
LANE, STRUCK, HEADING, AXIS, GAP, TITLE = 26, 14, 24, 22, 8, 28
GRID_LETTER, SMALL, WIDEST = 11, 11, 136
# A choice's row, notes, the gap between stages, and the heads of stages.
CHOICE, NOTE, APART = 36, 10, 4
STAGE, BRACKET, NUMBERS = 33, 10, 20
# The widest head of a row; the narrowest columns, below stages' names and else.
SIDE, NARROW, NARROWEST, MANY = 190, 40, 16, 30
SENTENCE, MOST_SENTENCES, PAPER = 16, 8, 700
CODES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
GONE = " "  # the code of a cell in a column that only the other protocol has


def seat_colours(looks: Iterable[AgentStyle]) -> dict[str, tuple[str, str]]:
    """Return the page's colours, and those of seats by badge: of letters, pale and paler ones."""
    colours = page_colours()
    papers = (PAGE["light"].paper, PAGE["dark"].paper)
    for look in looks:
        colours[look.label] = (look.light, look.dark)
        colours[f"on {look.label}"] = (look.ink("light"), look.ink("dark"))
        for name, share in (("pale", 0.45), ("thin", 0.3)):
            pale = (mixed(look.light, papers[0], share), mixed(look.dark, papers[1], share))
            colours[f"{name} {look.label}"] = pale
    return colours


def middle(y: float, size: float) -> float:
    """Return the baseline of letters that are centred at a height."""
    return y + typeface.CAP * size


def head(
    look: AgentStyle, high: float, *, name: str = "", struck: bool = False, odd: bool = False
) -> tuple[Shape, ...]:
    """Return the head of a seat's row: a badge and a name, or only a badge for its verdict."""
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


def badge(look: AgentStyle, y: float, *, odd: bool = False) -> Iterator[Shape]:
    """Yield the badge of a choice's maker, centred at a height."""
    frame: dict[str, Any] = {"stroke": "accent", "line": 2} if odd else {}
    yield Box(2, y - 9, BADGE, 18, look.label, radius=4, **frame)
    if look.label == BY_TASK:
        # The task's sign: a sheet with lines.
        yield Box(10, y - 6, 10, 12, f"on {BY_TASK}", radius=1)
        for line in (-3, 0, 3):
            yield Line(12, y + line, 18, y + line, BY_TASK, 1)
    else:
        style: dict[str, Any] = {"bold": True, "anchor": "middle"}
        yield Text(2 + BADGE / 2, middle(y, SMALL), look.label, f"on {look.label}", SMALL, **style)


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


# -- grids -----------------------------------------------------------------------------------------


@displayed
@dataclass(frozen=True, slots=True)
class GridPart:
    """One protocol's grid, alone or in a comparison.

    Parameters
    ----------
    grid : ProtocolGrid
    rows : tuple of GridRow
        Those that are drawn.
    title : str
        The title above it; may be empty.
    places : tuple of int or None
        For each column of the drawing the own column; None if only the other protocol has it.
    differs : tuple of tuple of bool
        In a comparison: for each row, whether something else happens in each own column.
    odd : tuple of bool
        In a comparison: for each row, whether the other protocol lacks it, or the seat sees the
        channel in only one of them.
    """

    grid: ProtocolGrid
    rows: tuple[GridRow, ...]
    title: str = ""
    places: tuple[int | None, ...] = ()
    differs: tuple[tuple[bool, ...], ...] = ()
    odd: tuple[bool, ...] = ()


def part_of(grid: ProtocolGrid) -> GridPart:
    """Return the whole grid of a protocol that is compared with none."""
    return GridPart(grid, grid.rows, "", tuple(range(len(grid.columns))))


class Meaning(NamedTuple):
    """The meaning of a cell's symbol."""

    look: AgentStyle | None
    kind: str
    cell: Cell
    differs: bool
    begins: bool  # whether it is the first of its stage, or the last one
    ends: bool
    inside: bool  # whether it belongs to a turn
    high: float
    # For each seat its badge if it sees the cell, else an empty text; None if all see it always.
    strips: tuple[str, ...] | None


def draw_grids(parts: Sequence[GridPart]) -> tuple[Drawing, dict[str, Meaning]]:
    """Return grids below each other with common columns, and the meanings of cells' codes."""
    drawing = _Grids(parts)
    return drawing.finished(), drawing.meanings


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Return a sentence broken into lines of a limited width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and typeface.width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _shortened(text: str, size: float, room: float) -> str:
    if typeface.width(text, size) <= room:
        return text
    while text and typeface.width(f"{text}…", size) > room:
        text = text[:-1]
    return f"{text.rstrip(' ,')}…"


def _section(row: GridRow) -> tuple[str, str]:
    """Return the section of a row: a channel, the parts, the verdicts, or the choices."""
    return row.kind, row.of if row.kind == "channel" else ""


class _Grids:
    """Draws grids; cells with the same meaning share a symbol."""

    def __init__(self, parts: Sequence[GridPart]) -> None:
        self.parts = parts
        self.shapes: list[Shape] = []
        self.symbols: dict[str, tuple[Shape, ...]] = {GONE: ()}
        self.bands: list[tuple[float, float]] = []
        self.meanings: dict[str, Meaning] = {}
        self.shown: set[str] = set()
        self._codes: dict[Meaning, str] = {}
        self._edges: list[tuple[bool, bool, bool]] = []
        self._heads: dict[Hashable, str] = {}

    def finished(self) -> Drawing:
        """Return the drawing."""
        y = 0.0
        for part in self.parts:
            y = self._part(part, y)
        grids = [part.grid for part in self.parts]
        staged = [part for part in self.parts if part.grid.has_stages]
        sides = [self._side(part, row) for part in self.parts for row in part.rows]
        slim = [
            self._side(part, row, notes=False)
            for part in staged
            for row in part.rows
            if row.kind in ("part", "choice")
        ]
        colours: dict[str, tuple[str, str]] = {}
        for grid in grids:
            colours |= seat_colours(grid.looks.values())
        columns = len(self.parts[0].places)
        few = bool(staged) and columns <= MANY
        return Drawing(
            shapes=tuple(self.shapes),
            # Whole pixels give sharp edges.
            left=ceil(max(sides, default=BADGE + 10)) + 12,
            slim=ceil(max(slim, default=BADGE)) + 8,
            columns=columns,
            least=NARROW if few else NARROWEST,
            most=WIDEST,
            height=y,
            colours=colours,
            symbols={name: own for name, own in self.symbols.items() if name != GONE or self.gaps},
            bands=tuple(self.bands),
            keys=tuple(key for state, key in KEYS.items() if state in self.shown),
        )

    @property
    def gaps(self) -> bool:
        """Whether only one of two protocols has some column."""
        return any(None in part.places for part in self.parts)

    def _side(self, part: GridPart, row: GridRow, *, notes: bool = True) -> float:
        """Return the width of a row's head."""
        start = BADGE + 10 if row.who else 2
        title = typeface.width(_shortened(row.title, NAME, SIDE), NAME)
        note = typeface.width(_shortened(row.note, NOTE, SIDE), NOTE) if notes else 0
        return start + (title + 8 + note if row.kind == "part" else max(title, note))

    def _code(self, meaning: Meaning) -> str:
        code = self._codes.get(meaning)
        if code is None:
            # Letters first, then any other characters.
            number = len(self._codes)
            code = CODES[number] if number < len(CODES) else chr(0x100 + number)
            self._codes[meaning], self.meanings[code] = code, meaning
            self.symbols[code] = tuple(_cell(meaning))
            self._remember(meaning)
        return code

    def _remember(self, meaning: Meaning) -> None:
        cell = meaning.cell
        self.shown.add(cell.state)
        if cell.pale and cell.state != "none":
            self.shown.add("pale")
        if cell.seats is not None:
            self.shown.add("seats")
        elif cell.state == "sees":
            self.shown.add("everybody")
        if meaning.differs:
            self.shown.add("differs")

    def _head(self, key: Hashable, drawn: Callable[[], tuple[Shape, ...]]) -> str:
        """Return the symbol of a row's head."""
        if key not in self._heads:
            self._heads[key] = f"head {len(self._heads)}"
            self.symbols[self._heads[key]] = drawn()
        return self._heads[key]

    def _heading(self, title: str, note: str, y: float) -> None:
        """Write a title centred at a height, and a note beside it."""
        self.shapes.append(Text(2, middle(y, NAME), title, "text", NAME, bold=True))
        after = 14 + typeface.width(title, NAME, bold=True)
        self.shapes.append(Text(after, middle(y, SMALL), note, "quiet", SMALL))

    # -- one protocol --------------------------------------------------------------------------

    def _part(self, part: GridPart, y: float) -> float:
        if part.title:
            self.shapes.append(Text(2, y + 18, part.title, "text", 14, bold=True))
            y += TITLE
        top, first = y, len(self.bands)
        self._edges = _edges(part.grid)
        y = self._stages(part, y) if part.grid.has_stages else self._numbers(part, y, AXIS)
        rows = [*enumerate(part.rows)]
        for (kind, _), group in groupby(rows, key=lambda pair: _section(pair[1])):
            y = self._rows(part, kind, [*group], y)
        self._exits(part, top, self.bands[first:])
        if part.title or part.grid.rounds is not None:
            return y + 4
        return self._sentences(part.grid, y)

    def _numbers(self, part: GridPart, y: float, high: float) -> float:
        count = len(part.grid.columns)
        if part.grid.rounds is not None and part.places[:count] == tuple(range(count)):
            self.shapes.append(Numbers(middle(y + high / 2, SMALL), count, "text", SMALL))
            return y + high
        for at, own in enumerate(part.places):
            if own is not None:
                column = part.grid.columns[own]
                style: dict[str, Any] = {"anchor": "middle", "column": at + 0.5, "room": -4}
                colour = "text" if column.stage is not None else "quiet"
                line = middle(y + high / 2, SMALL)
                self.shapes.append(Text(0, line, column.label, colour, SMALL, **style))
        return y + high

    def _stages(self, part: GridPart, y: float) -> float:
        """Draw names and brackets of stages, and numbers of turns."""
        grid = part.grid
        shown = {own: at for at, own in enumerate(part.places) if own is not None}
        for number, stage in enumerate(grid.spec.stages):
            columns = grid.stages[number]
            first, after = shown[columns[0]], shown[columns[-1]] + 1
            style: dict[str, Any] = {"anchor": "middle", "column": (first + after) / 2}
            style |= {"span": after - first, "room": -4}
            times, short = grid.bracket(number)
            name = capitalized(grid.spec.title_of(stage.name))
            self.shapes.append(Text(0, y + 13, name, "text", SMALL, bold=True, **style))
            if times:
                self.shapes.append(Text(0, y + 26, times, "quiet", NOTE, short=short, **style))
            self._bracket(y, first, after, bool(times))
        return self._numbers(part, y + STAGE + BRACKET, NUMBERS)

    def _bracket(self, y: float, first: int, after: int, repeats: bool) -> None:
        line, high = (2.0, STAGE + BRACKET) if repeats else (1.0, STAGE + BRACKET - 2)
        colour = "text" if repeats else "line"
        left, right = float(first), float(after)
        inset, top = APART + 1, y + STAGE + 1
        for x, column in ((inset, left), (-inset, right)):
            ends: dict[str, Any] = {"column": column, "to_column": column}
            self.shapes.append(Line(x, top, x, y + high, colour, line, **ends))
        across: dict[str, Any] = {"column": left, "to_column": right}
        edge = line / 2
        self.shapes.append(Line(inset - edge, top, edge - inset, top, colour, line, **across))
        if repeats:
            # Play goes back to the first turn of the stage.
            tip = y + STAGE + BRACKET + 4.0
            points = ((inset, tip), (inset - 4.5, tip - 7), (inset + 4.5, tip - 7))
            self.shapes.append(Polygon(points, fill="text", column=left))
            self.shown.add("repeats")

    # -- rows ----------------------------------------------------------------------------------

    def _rows(self, part: GridPart, kind: str, rows: list[tuple[int, GridRow]], y: float) -> float:
        grid = part.grid
        if kind != "verdict":
            title, note = {"part": "Task", "choice": "Choices"}.get(kind, ""), ""
            if kind == "part":
                note = "who sees which part"
            elif kind == "channel":
                of = rows[0][1].of
                title, note = grid.spec.channel_title(of), grid.readers(of)
            self._heading(title, note, y + HEADING / 2)
            y += HEADING
        top = y
        for number, row in rows:
            y = self._row(part, number, row, y)
        self.bands.append((top, y - top))
        return y + GAP

    def _row(self, part: GridPart, number: int, row: GridRow, top: float) -> float:
        grid, odd = part.grid, bool(part.odd) and part.odd[number]
        high = _height(grid, row)
        look = grid.looks[row.who] if row.who else None
        of = row.of if row.kind in ("part", "choice") else ""
        key = (row.kind, of, row.title, row.note, look and look.label, row.is_blind, odd)
        symbol = self._head(key, lambda: tuple(_row_head(row, look, high, odd)))
        self.shapes.append(Use(symbol, top))
        if row.is_blind:
            y, last = top + high / 2, grid.turns[-1]
            begin, end = part.places.index(grid.turns[0]), part.places.index(last) + 1
            across: dict[str, Any] = {"column": begin, "to_column": end}
            self.shapes.append(Line(0, y, 0, y, "line", **across))
            self.shown.add("blind")
        differs = part.differs[number] if part.differs else (False,) * len(row.cells)
        made: dict[object, str] = {}
        codes: list[str] = []
        for own in part.places:
            if own is None:
                codes.append(GONE)
                continue
            cell, edge, other = row.cells[own], self._edges[own], differs[own]
            short = (id(cell), other, edge)
            code = made.get(short)
            if code is None:
                strips = self._strips(grid, cell)
                code = self._code(Meaning(look, row.kind, cell, other, *edge, high, strips))
                made[short] = code
            codes.append(code)
        self.shapes.append(Row(top, high, "".join(codes)))
        return top + high

    def _strips(self, grid: ProtocolGrid, cell: Cell) -> tuple[str, ...] | None:
        if cell.seats is None:
            return None
        return tuple(
            grid.looks[seat].label if seat in cell.seats else "" for seat in grid.spec.seat_names
        )

    # -- exits -----------------------------------------------------------------------------------

    def _exits(self, part: GridPart, top: float, bands: Sequence[tuple[float, float]]) -> None:
        for at, own in enumerate(part.places):
            if own is None or own not in part.grid.exits_at:
                continue
            style: dict[str, Any] = {"column": at + 1, "to_column": at + 1}
            numbers = (top + STAGE + BRACKET + 2, NUMBERS - 2)
            for begin, high in (numbers, *bands):
                line = Line(0, begin, 0, begin + high, "text", 1.5, dashed=True, **style)
                self.shapes.append(line)
            self.shown.add("leaves")

    def _sentences(self, grid: ProtocolGrid, y: float) -> float:
        lines = list(grid.sentences[:MOST_SENTENCES])
        more = len(grid.sentences) - MOST_SENTENCES
        if more > 0:
            lines.append(f"And {more:,} more conditions, which the table of turns lists.")
        for text in lines:
            for place, part in enumerate(wrapped(text, SMALL, PAPER)):
                x = 14 if place else 2
                line = middle(y + SENTENCE / 2, SMALL)
                self.shapes.append(Text(x, line, part, "text", SMALL, wide=True))
                y += SENTENCE
        return y


def _edges(grid: ProtocolGrid) -> list[tuple[bool, bool, bool]]:
    """Return for each column whether it is the first and the last of its stage, and a turn."""
    if not grid.has_stages:
        return [(False, False, True)] * len(grid.columns)
    begins = {columns[0] for columns in grid.stages}
    ends = {columns[-1] for columns in grid.stages}
    return [(at in begins, at in ends, at in grid.turns) for at in range(len(grid.columns))]


def _height(grid: ProtocolGrid, row: GridRow) -> float:
    if row.kind == "part":
        return max(LANE, 6 + 3 * len(grid.spec.seats))
    return CHOICE if row.kind == "choice" else STRUCK if row.is_blind else LANE


def _row_head(row: GridRow, look: AgentStyle | None, high: float, odd: bool) -> Iterator[Shape]:
    """Yield the head of a row."""
    title = _shortened(row.title, NAME, SIDE)
    note = _shortened(row.note, NOTE, SIDE)
    if look is None:
        yield Text(2, middle(high / 2, NAME), title, "text", NAME, bold=odd)
        after = 10 + typeface.width(title, NAME, bold=odd)
        if note:
            yield Text(after, middle(high / 2, NOTE), note, "quiet", NOTE, wide=True)
        return
    if row.kind != "choice":
        name = "" if row.kind == "verdict" else title
        yield from head(look, high, name=name, struck=row.is_blind, odd=odd)
        return
    yield from badge(look, high / 2, odd=odd)
    yield Text(BADGE + 10, high / 2 - 2, title, "text", NAME, bold=odd)
    yield Text(BADGE + 10, high / 2 + 11, note, "quiet", NOTE, wide=True)


# -- cells -----------------------------------------------------------------------------------------


def _place(what: Meaning) -> tuple[float, float]:
    """Return the left edge of a cell, and how much narrower than its column it is."""
    left = 1 + (APART if what.begins else 0)
    return left, -left - 1 - (APART if what.ends else 0)


def _cell(what: Meaning) -> Iterator[Shape]:
    """Yield a cell of a row."""
    cell, look, high = what.cell, what.look, what.high
    left, less = _place(what)
    # The middle of the cell, which differs from that of its column.
    off = left + less / 2
    if cell.state == "blind":
        if high > STRUCK:
            yield Line(left, high / 2, left + less, high / 2, "line", column=0, to_column=1)
    elif look is not None and cell.state in ("speaks", "may speak"):
        yield from _writing(cell, look, left, less, high)
    else:
        if what.inside:
            yield Box(left, 1, less, high - 2, "lane", radius=2, span=1)
        if what.kind == "part":
            yield from _strips(what)
        elif look is not None and what.kind == "verdict":
            yield from _verdict(cell, look, off, high / 2)
        elif look is not None and what.kind == "choice":
            yield from _sign(cell, look, off, high / 2 - (2 if cell.seats else 0))
            yield from _segments(what)
    if what.differs:
        yield Box(left, 1, less, high - 2, stroke="accent", radius=3, line=2, span=1)


def _writing(
    cell: Cell, look: AgentStyle, left: float, less: float, high: float
) -> Iterator[Shape]:
    maybe = cell.state == "may speak"
    fill = f"{'thin ' if maybe else 'pale ' if cell.pale else ''}{look.label}"
    dots: dict[str, Any] = {"stroke": look.label, "line": 1.5, "dashed": True} if maybe else {}
    yield Box(left, 1, less, high - 2, fill, radius=3, span=1, **dots)
    words, short = look.label, ""
    if cell.percent:
        words, short = f"{look.label} {cell.percent}", look.label
    ink = "text" if maybe or cell.pale else f"on {look.label}"
    style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": 0.5, "short": short}
    line = middle(high / 2, GRID_LETTER)
    yield Text(left + less / 2, line, words, ink, GRID_LETTER, **style, room=less - 1)


def _verdict(cell: Cell, look: AgentStyle, x: float, y: float) -> Iterator[Shape]:
    if cell.state in ("decides", "early"):
        fill = look.label if cell.state == "decides" and cell.chance == 1 else None
        dashed = cell.chance != 1
        yield diamond(x, y, 5.5, fill=fill, stroke=look.label, dashed=dashed, column=0.5)


def _sign(cell: Cell, look: AgentStyle, x: float, y: float) -> Iterator[Shape]:
    """Yield the sign of a choice that is made."""
    colour = f"pale {look.label}" if cell.pale else look.label
    if cell.state == "drawn":
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": 0.5}
        yield Text(x, middle(y, 16), "?", colour, 16, **style)
    elif cell.state == "steers":
        yield diamond(x, y, 7, fill=colour, column=0.5)
    elif cell.state == "noted":
        yield Box(x - 5.5, y - 5.5, 11, 11, colour, radius=5.5, column=0.5)


def _strips(what: Meaning) -> Iterator[Shape]:
    """Yield a strip in the colour of each seat that sees a part, at separate heights."""
    left, less = _place(what)
    high = what.high
    if what.cell.state != "sees":
        return
    if what.strips is None:
        yield Box(left, high / 2 - 3, less, 6, "line", radius=1.5, span=1)
        return
    count = len(what.strips)
    step = (high - 6) / max(3, count)
    for place, label in enumerate(what.strips):
        top = 3 + (place + max(0, 3 - count) / 2) * step
        if label:
            yield Box(left, top, less, step - min(1.5, step / 3), label, radius=1, span=1)


def _segments(what: Meaning) -> Iterator[Shape]:
    """Yield the seats that see a choice, side by side, if not all do."""
    if what.strips is None:
        return
    left, less = _place(what)
    count = len(what.strips)
    for place, label in enumerate(what.strips):
        # Rounded as for the browser.
        x, wide = round(left + 3 + place * (less - 6) / count, 2), round((less - 6) / count - 1, 2)
        across: dict[str, Any] = {"column": round(place / count, 2), "span": round(1 / count, 2)}
        # Seats that do not see it have an empty position.
        if label:
            yield Box(x, what.high - 6.5, wide, 4, label, radius=1, **across)
        else:
            yield Box(x, what.high - 5, wide, 1, "line", **across)


SIGN = (0, -7, 18, 14)
KEYS: dict[str, LegendEntry] = {
    "everybody": LegendEntry((Box(0, -3, 18, 6, "line", radius=1.5),), "everybody sees it"),
    "seats": LegendEntry(
        (Box(0, -5, 18, 4, "text", radius=1), Box(0, 1, 18, 4, "quiet", radius=1)), "who sees it"
    ),
    "speaks": LegendEntry((Box(*SIGN, fill="text", radius=3),), "speaks"),
    "may speak": LegendEntry(
        (Box(*SIGN, stroke="text", radius=3, line=1.5, dashed=True),), "may speak"
    ),
    "pale": LegendEntry((Box(*SIGN, fill="line", radius=3),), "if play gets there"),
    "reads": LegendEntry(
        (Box(*SIGN, fill="lane", stroke="line", radius=2, line=0.5),), "only reads"
    ),
    "blind": LegendEntry((Line(0, 0, 18, 0, "line"),), "cannot see the channel"),
    "decides": LegendEntry((diamond(9, 0, 6, fill="text", stroke="text"),), "may decide"),
    "early": LegendEntry((diamond(9, 0, 6, fill=None, stroke="text"),), "cannot decide yet"),
    "steers": LegendEntry((diamond(9, 0, 7, fill="text"),), "decides where play goes"),
    "noted": LegendEntry((Box(3.5, -5.5, 11, 11, "text", radius=5.5),), "is noted"),
    "drawn": LegendEntry(
        (Text(9, middle(0, 16), "?", "text", 16, bold=True, anchor="middle"),), "chance"
    ),
    "leaves": LegendEntry((Line(9, -8, 9, 8, "text", 1.5, dashed=True),), "play may leave"),
    "repeats": LegendEntry(
        (
            Line(5, -6, 18, -6, "text", 2),
            Line(5, -6, 5, 1, "text", 2),
            Polygon(((5, 7), (0.5, 0), (9.5, 0)), fill="text"),
        ),
        "repeated",
    ),
    "differs": LegendEntry((Box(*SIGN, stroke="accent", radius=3, line=2),), "differs"),
}


# -- miniatures ------------------------------------------------------------------------------------

TOP, BAR, STEP, SMALL_GAP, MARK = 3.0, 5, 7, 4, 9
Bar = tuple[str, str | None]
"""The colours of a bar and of its edge."""


def miniature(
    protocol: AnyProtocol | Specification | ProtocolGrid, *, turns: int | None = None
) -> Drawing:
    """Return a grid as bars: a lane for each seat on a channel, and for each choice.

    Marks below them show the turns of rounds in which a seat may decide. The first `turns` are
    drawn, by default all.
    """
    grid = protocol if isinstance(protocol, ProtocolGrid) else grid_of(protocol)
    at = grid.turns[:turns]
    groups: list[list[list[Bar]]] = []
    marks: list[Bar | None] = [None] * len(at)
    lively = [row for row in grid.rows if row.kind != "part" and not row.is_blind]
    for (kind, _), group in groupby(lively, key=_section):
        bars: list[list[Bar]] = []
        for row in group:
            cells, label = [row.cells[place] for place in at], grid.looks[row.who].label
            if kind == "verdict":
                own = [_mark_of(cell, label) for cell in cells]
                marks = [mark or before for mark, before in zip(own, marks, strict=True)]
            elif kind == "channel" or any(cell.state in MADE for cell in cells):
                known = {id(cell): _bar_of(cell, label) for cell in cells}
                bars.append([known[id(cell)] for cell in cells])
        groups.append(bars)
    return _draw_bars(groups, len(at), seat_colours(grid.looks.values()), marks)


def _mark_of(cell: Cell, label: str) -> Bar | None:
    if cell.state != "decides":
        return None
    return (label if cell.chance == 1 else f"thin {label}"), label


def _bar_of(cell: Cell, label: str) -> Bar:
    if cell.state == "may speak":
        # A bar of a possible message has an edge, which is visible even if the bar is tiny.
        return f"thin {label}", label
    if cell.pale and cell.state == "speaks":
        return f"pale {label}", None
    return (label if cell.state in ("speaks", *MADE) else "lane"), None


def _mark(mark: Bar | None) -> tuple[Shape, ...]:
    if mark is None:
        return ()
    fill, stroke = mark
    return (diamond(0, MARK / 2, 2.5, fill=fill, stroke=stroke, column=0.5),)


def _draw_bars(
    groups: Iterable[Sequence[Sequence[Bar]]],
    columns: int,
    colours: dict[str, tuple[str, str]],
    marks: Sequence[Bar | None],
) -> Drawing:
    """Return lanes of bars in groups below each other, and marks below them."""
    shapes: list[Shape] = []
    codes: dict[Bar, str] = {}
    y = TOP
    for group in groups:
        for bars in group:
            for bar in dict.fromkeys(bars):
                codes.setdefault(bar, chr(ord("a") + len(codes)))
            shapes.append(Row(y, STEP, "".join(map(codes.__getitem__, bars))))
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
