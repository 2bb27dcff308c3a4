"""Grids as drawings: of one protocol, or of two below each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any

from explorer.pictures import typeface
from explorer.pictures.cells import APART, KEYS, STRUCK, Meaning, draw_cell
from explorer.pictures.drawing import (
    Drawing,
    Line,
    Numbers,
    Polygon,
    Row,
    Shape,
    Text,
    Use,
)
from explorer.pictures.model import ProtocolGrid
from explorer.pictures.rows import Cell, GridRow, section_of
from explorer.pictures.signs import (
    BADGE,
    NAME,
    SMALL,
    badge,
    head,
    middle,
    seat_colours,
)
from explorer.pictures.tokens import AgentStyle
from nip_core.budget import PICTURES, spend
from nip_core.displays import capitalized, displayed

# Pixels.
LANE, HEADING, AXIS, GAP, TITLE, WIDEST = 26, 24, 22, 8, 28, 136
# A choice's row, notes, and the heads of stages.
CHOICE, NOTE = 36, 10
STAGE, BRACKET, NUMBERS = 33, 10, 20
# The widest head of a row; the narrowest columns, below stages' names and else.
SIDE, NARROW, NARROWEST, MANY = 190, 40, 16, 30
SENTENCE, MOST_SENTENCES, PAPER = 16, 8, 700
CODES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
GONE = " "  # the code of a cell in a column that only the other protocol has


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
        # The top and the bottom of each channel's rows in the present part.
        self._channels: dict[str, tuple[float, float]] = {}
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
            if row.kind in ("part", "choice", "value")
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
            self.symbols[code] = tuple(draw_cell(meaning))
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
        for (kind, _), group in groupby(rows, key=lambda pair: section_of(pair[1])):
            y = self._rows(part, kind, [*group], y)
        self._exits(part, top, self.bands[first:])
        self._copies(part)
        if part.title or part.grid.rounds is not None:
            return y + 4
        return self._sentences(part, y)

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
            title = {"part": "Task", "choice": "Choices", "value": "Values"}.get(kind, "")
            note = "worked out by the rules" if kind == "value" else ""
            if kind == "part":
                note = "who sees which part"
            elif kind == "channel":
                of = rows[0][1].of
                title, note = grid.channel_title(of), grid.readers(of)
            self._heading(title, note, y + HEADING / 2)
            y += HEADING
        top = y
        for number, row in rows:
            y = self._row(part, number, row, y)
        self.bands.append((top, y - top))
        if kind == "channel":
            self._channels[rows[0][1].of] = (top, y)
        return y + GAP

    def _row(self, part: GridPart, number: int, row: GridRow, top: float) -> float:
        grid, odd = part.grid, bool(part.odd) and part.odd[number]
        high = _height(grid, row)
        look = grid.looks[row.who] if row.who else None
        of = row.of if row.kind in ("part", "choice", "value") else ""
        key = (row.kind, of, row.title, row.note, look and look.label, row.is_blind, odd)
        if look is not None and look.many > 1:
            self.shown.add("family")
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
            grid.looks[seat].label if seat in cell.seats else "" for seat in grid.folding.seats
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

    def _copies(self, part: GridPart) -> None:
        """Draw an arrow for each copy, from the rows of a channel to those of another one."""
        for at, own in enumerate(part.places):
            if own is None:
                continue
            first = part.grid.folding.first
            named = (
                (first(source), first(target), not part.grid.always_copies(text))
                for target, text in part.grid.copies(part.grid.columns[own])
                for source in part.grid.copied_from(text)
            )
            # Both ends of a copy may belong to one family.
            arrows = [
                (source, target, maybe)
                for source, target, maybe in dict.fromkeys(named)
                if source != target and {source, target} <= self._channels.keys()
            ]
            spend(10 * len(arrows), PICTURES, "turn {}", part.grid.columns[own].label)
            for number, (source, target, maybe) in enumerate(arrows):
                begin, end = self._channels[source], self._channels[target]
                down = begin[0] < end[0]
                start, tip = (begin[1] - 4, end[0] + 3) if down else (begin[0] + 4, end[1] - 3)
                x, back = -6.0 - 7 * number, -7 if down else 7
                ends: dict[str, Any] = {"column": at + 1, "to_column": at + 1}
                self.shapes.append(Line(x, start, x, tip + back, "text", 1.5, maybe, **ends))
                points = ((x, tip), (x - 4, tip + back), (x + 4, tip + back))
                self.shapes.append(Polygon(points, fill="text", column=at + 1))
                self.shown.add("copies")

    def _sentences(self, part: GridPart, y: float) -> float:
        values = [row for row in part.rows if row.kind == "value"]
        # What does not fit beside the value's row.
        cut = [
            sentence
            for row, sentence in zip(values, part.grid.definitions, strict=True)
            if _shortened(row.note, NOTE, SIDE) != row.note
        ]
        lines = [*cut, *part.grid.sentences]
        more = len(lines) - MOST_SENTENCES
        del lines[MOST_SENTENCES:]
        if more > 0:
            lines.append(f"And {more:,} more conditions, which the table of turns lists.")
        for text in lines:
            for place, piece in enumerate(wrapped(text, SMALL, PAPER)):
                x = 14 if place else 2
                line = middle(y + SENTENCE / 2, SMALL)
                self.shapes.append(Text(x, line, piece, "text", SMALL, wide=True))
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
        return max(LANE, 6 + 3 * len(grid.folding.seats))
    return CHOICE if row.kind in ("choice", "value") else STRUCK if row.is_blind else LANE


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
    if row.kind not in ("choice", "value"):
        name = "" if row.kind == "verdict" else title
        yield from head(look, high, name=name, struck=row.is_blind, odd=odd)
        return
    yield from badge(look, high / 2, odd=odd)
    yield Text(BADGE + 10, high / 2 - 2, title, "text", NAME, bold=odd)
    yield Text(BADGE + 10, high / 2 + 11, note, "quiet", NOTE, wide=True)
