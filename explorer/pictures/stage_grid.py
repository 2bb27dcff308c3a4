"""The grid and the miniature of a version 2 protocol as drawings."""

from __future__ import annotations

from collections.abc import Iterator
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
    Polygon,
    Row,
    Shape,
    Text,
    Use,
    page_colours,
)
from explorer.pictures.grid import (
    BADGE,
    GAP,
    HEADING,
    KEYS,
    LANE,
    NAME,
    SIGN,
    SMALL,
    STRUCK,
    WIDEST,
    Bar,
    GridBuilder,
    diamond,
    draw_bars,
    head,
    middle,
    seat_colours,
)
from explorer.pictures.stages import Cell, CellState, StageGrid, StageRow
from explorer.pictures.tokens import BY_TASK, PAGE, AgentStyle
from nip_core.displays import capitalized

# Pixels: a choice's row, the heads of columns, and the gap between stages.
CHOICE, NOTE, APART = 36, 10, 4
STAGE, BRACKET, NUMBERS = 33, 10, 20
SIDE, NARROW, NARROWEST, MANY = 190, 40, 16, 30
MADE: tuple[CellState, ...] = ("steers", "noted", "drawn")
SENTENCE, MOST_SENTENCES, PAPER = 16, 8, 700


class StageMeaning(NamedTuple):
    """The meaning of a cell's symbol."""

    look: AgentStyle | None
    kind: str
    cell: Cell
    begins: bool
    ends: bool
    inside: bool
    high: float
    # For each seat its badge if it sees the cell, else an empty text; None if all see it always.
    strips: tuple[str, ...] | None


def draw_stages(grid: StageGrid) -> tuple[Drawing, dict[str, StageMeaning]]:
    """Return the grid of a protocol of version 2, and the meanings of the codes of cells."""
    drawing = _Stages(grid)
    return drawing.finished(), drawing.meanings


def stage_colours(grid: StageGrid) -> dict[str, tuple[str, str]]:
    """Return the colours of the page and of seats, with paler ones for what may not happen."""
    colours = page_colours() | seat_colours(grid.looks.values())
    papers = (PAGE["light"].paper, PAGE["dark"].paper)
    for look in grid.looks.values():
        pale = (mixed(look.light, papers[0], 0.45), mixed(look.dark, papers[1], 0.45))
        colours[f"pale {look.label}"] = pale
    return colours


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


def section_of(row: StageRow) -> tuple[str, str]:
    """Return the section of a row: a channel, the parts, or the choices."""
    return row.kind, row.of if row.kind == "channel" else ""


class _Stages(GridBuilder[StageMeaning]):
    """Draws a grid."""

    def __init__(self, grid: StageGrid) -> None:
        super().__init__()
        self.grid, self.spec = grid, grid.spec
        self.columns = grid.columns
        self.shown: set[str] = set()

    def finished(self) -> Drawing:
        """Return the drawing and the meanings of cells' codes."""
        y = self._stages()
        for (kind, _), rows in groupby(self.grid.rows, key=section_of):
            y = self._section(kind, list(rows), y)
        self._exits()
        y = self._sentences(y)
        wide = [self._side(row) for row in self.grid.rows]
        named = [self._side(row, notes=False) for row in self.grid.rows if row.kind != "channel"]
        few = len(self.columns) <= MANY
        return Drawing(
            shapes=tuple(self.shapes),
            left=ceil(max([*wide, BADGE + 8])) + 12,
            slim=ceil(max([*named, BADGE])) + 8,
            columns=len(self.columns),
            least=NARROW if few else NARROWEST,
            most=WIDEST,
            height=y,
            colours=stage_colours(self.grid),
            symbols=self.symbols,
            bands=tuple(self.bands),
            keys=tuple(key for state, key in STAGE_KEYS.items() if state in self.shown),
        )

    def _side(self, row: StageRow, *, notes: bool = True) -> float:
        """Return the width of a row's head."""
        start = BADGE + 10 if row.who else 2
        title = typeface.width(_shortened(row.title, NAME, SIDE), NAME)
        note = typeface.width(_shortened(row.note, NOTE, SIDE), NOTE) if notes else 0
        return start + (title + 8 + note if row.kind == "part" else max(title, note))

    # -- above the rows ------------------------------------------------------------------------

    def _stages(self) -> float:
        """Draw names and brackets of stages, and numbers of turns."""
        for number, stage in enumerate(self.spec.stages):
            first, count = self.grid.first[number], len(stage.turns)
            style: dict[str, Any] = {"anchor": "middle", "column": first + count / 2}
            style |= {"span": count, "room": -4}
            times, short = self.grid.bracket(number)
            name = capitalized(self.spec.title_of(stage.name))
            self.shapes.append(Text(0, 13, name, "text", SMALL, bold=True, **style))
            if times:
                self.shapes.append(Text(0, 26, times, "quiet", NOTE, short=short, **style))
            self._bracket(first, count, bool(times))
        y = STAGE + BRACKET
        for at, column in enumerate(self.columns):
            style = {"anchor": "middle", "column": at + 0.5, "room": -4}
            colour = "text" if column.stage is not None else "quiet"
            line = middle(y + NUMBERS / 2, SMALL)
            self.shapes.append(Text(0, line, column.label, colour, SMALL, **style))
        return y + NUMBERS

    def _bracket(self, first: int, count: int, repeats: bool) -> None:
        line, high = (2.0, STAGE + BRACKET) if repeats else (1.0, STAGE + BRACKET - 2)
        colour = "text" if repeats else "line"
        left, right = float(first), float(first + count)
        inset = APART + 1
        for x, column in ((inset, left), (-inset, right)):
            self.shapes.append(
                Line(x, STAGE + 1, x, high, colour, line, column=column, to_column=column)
            )
        across: dict[str, Any] = {"column": left, "to_column": right}
        edge = line / 2
        self.shapes.append(
            Line(inset - edge, STAGE + 1, edge - inset, STAGE + 1, colour, line, **across)
        )
        if repeats:
            # Play goes back to the first turn of the stage.
            tip = STAGE + BRACKET + 4.0
            points = ((inset, tip), (inset - 4.5, tip - 7), (inset + 4.5, tip - 7))
            self.shapes.append(Polygon(points, fill="text", column=left))
            self.shown.add("repeats")

    # -- rows ----------------------------------------------------------------------------------

    def _section(self, kind: str, rows: list[StageRow], y: float) -> float:
        title, note = {
            "part": ("Task", "who sees which part"),
            "channel": (self.spec.channel_title(rows[0].of), "") if kind == "channel" else ("", ""),
            "choice": ("Choices", ""),
        }[kind]
        note = self.grid.readers(rows[0].of) if kind == "channel" else note
        self.heading(title, note, y + HEADING / 2)
        y += HEADING
        top = y
        for row in rows:
            y = self._row(row, y)
        self.bands.append((top, y - top))
        return y + GAP

    def _row(self, row: StageRow, top: float) -> float:
        high = self._height(row)
        look = self.grid.looks[row.who] if row.who else None
        key = (row.kind, row.of if row.kind != "channel" else "", row.who, row.is_blind)
        symbol = self.head(key, lambda: tuple(_head(row, look, high)))
        self.shapes.append(Use(symbol, top))
        codes: list[str] = []
        for at, cell in enumerate(row.cells):
            inside = self.columns[at].stage is not None
            ends = inside and self.columns[at + 1].stage != self.columns[at].stage
            meaning = StageMeaning(
                look,
                row.kind,
                cell,
                begins=inside and self.columns[at].turn == 0,
                ends=ends,
                inside=inside,
                high=high,
                strips=self._strips_of(cell),
            )
            codes.append(self.code(meaning, _cell))
            self._remember(cell)
        self.shapes.append(Row(top, high, "".join(codes)))
        return top + high

    def _strips_of(self, cell: Cell) -> tuple[str, ...] | None:
        if cell.seats is None:
            return None
        looks, names = self.grid.looks, self.spec.seat_names
        return tuple(looks[seat].label if seat in cell.seats else "" for seat in names)

    def _remember(self, cell: Cell) -> None:
        self.shown.add(cell.state)
        if cell.pale and cell.state != "none":
            self.shown.add("pale")
        if cell.seats is not None:
            self.shown.add("seats")
        elif cell.state == "sees":
            self.shown.add("everybody")

    def _height(self, row: StageRow) -> float:
        if row.kind == "channel":
            return STRUCK if row.is_blind else LANE
        return CHOICE if row.kind == "choice" else max(LANE, 6 + 3 * len(self.spec.seats))

    # -- exits -----------------------------------------------------------------------------------

    def _exits(self) -> None:
        for at in self.grid.exits_at:
            style: dict[str, Any] = {"column": at + 1, "to_column": at + 1}
            numbers = (STAGE + BRACKET + 2, NUMBERS - 2)
            for top, high in (numbers, *self.bands):
                line = Line(0, top, 0, top + high, "text", 1.5, dashed=True, **style)
                self.shapes.append(line)
            self.shown.add("leaves")

    def _sentences(self, y: float) -> float:
        said = self.grid.sentences
        more = len(said) - MOST_SENTENCES
        lines = list(said[:MOST_SENTENCES])
        if more > 0:
            lines.append(f"And {more:,} more conditions, which the table of turns lists.")
        for text in lines:
            for place, part in enumerate(wrapped(text, SMALL, PAPER)):
                x = 14 if place else 2
                line = middle(y + SENTENCE / 2, SMALL)
                self.shapes.append(Text(x, line, part, "text", SMALL, wide=True))
                y += SENTENCE
        return y


def _head(row: StageRow, look: AgentStyle | None, high: float) -> Iterator[Shape]:
    """Yield the head of a row."""
    title = _shortened(row.title, NAME, SIDE)
    note = _shortened(row.note, NOTE, SIDE)
    if look is None:
        yield Text(2, middle(high / 2, NAME), title, "text", NAME)
        after = 10 + typeface.width(title, NAME)
        if note:
            yield Text(after, middle(high / 2, NOTE), note, "quiet", NOTE, wide=True)
        return
    if row.kind == "channel":
        yield from head(look, high, name=title, struck=row.is_blind)
        return
    yield from badge(look, high / 2)
    yield Text(BADGE + 10, high / 2 - 2, title, "text", NAME)
    yield Text(BADGE + 10, high / 2 + 11, note, "quiet", NOTE, wide=True)


def badge(look: AgentStyle, y: float) -> Iterator[Shape]:
    """Yield the badge of a choice's maker, centred at a height."""
    yield Box(2, y - 9, BADGE, 18, look.label, radius=4)
    if look.label == BY_TASK:
        # The task's sign: a sheet with lines.
        yield Box(10, y - 6, 10, 12, f"on {BY_TASK}", radius=1)
        for line in (-3, 0, 3):
            yield Line(12, y + line, 18, y + line, BY_TASK, 1)
    else:
        style: dict[str, Any] = {"bold": True, "anchor": "middle"}
        yield Text(2 + BADGE / 2, middle(y, SMALL), look.label, f"on {look.label}", SMALL, **style)


def _place(what: StageMeaning) -> tuple[float, float]:
    """Return the left edge of a cell, and how much narrower than its column it is."""
    left = 1 + (APART if what.begins else 0)
    return left, -left - 1 - (APART if what.ends else 0)


def _cell(what: StageMeaning) -> Iterator[Shape]:
    """Yield a cell of a row."""
    cell, look, high = what.cell, what.look, what.high
    left, less = _place(what)
    # The middle of the cell, which differs from that of its column.
    off = left + less / 2
    if cell.state == "blind":
        yield Line(left, high / 2, left + less, high / 2, "line", column=0, to_column=1)
    elif look is not None and cell.state in ("speaks", "pale", "may speak"):
        fill = {"speaks": "", "pale": "pale ", "may speak": "thin "}[cell.state] + look.label
        dots: dict[str, Any] = {"stroke": look.label, "line": 1.5, "dashed": True}
        yield Box(
            left,
            1,
            less,
            high - 2,
            fill,
            radius=3,
            span=1,
            **(dots if cell.state == "may speak" else {}),
        )
        ink = f"on {look.label}" if cell.state == "speaks" else "text"
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": 0.5}
        line = middle(high / 2, SMALL)
        yield Text(off, line, look.label, ink, SMALL, **style, room=less - 2)
    else:
        if what.inside:
            yield Box(left, 1, less, high - 2, "lane", radius=2, span=1)
        if what.kind == "part":
            yield from _strips(what)
        elif what.kind == "choice" and look is not None:
            yield from _sign(cell, look, off, high / 2 - (2 if cell.seats else 0))
            yield from _segments(what)


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


def _strips(what: StageMeaning) -> Iterator[Shape]:
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


def _segments(what: StageMeaning) -> Iterator[Shape]:
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


STAGE_KEYS: dict[str, LegendEntry] = {
    "everybody": LegendEntry((Box(0, -3, 18, 6, "line", radius=1.5),), "everybody sees it"),
    "seats": LegendEntry(
        (Box(0, -5, 18, 4, "text", radius=1), Box(0, 1, 18, 4, "quiet", radius=1)), "who sees it"
    ),
    "speaks": KEYS["speaks"],
    "may speak": KEYS["may speak"],
    "pale": LegendEntry((Box(*SIGN, fill="line", radius=3),), "if play gets there"),
    "reads": KEYS["reads"],
    "blind": KEYS["blind"],
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
}


def stage_miniature(grid: StageGrid, *, turns: int | None = None) -> Drawing:
    """Return the grid as bars, with a lane for each seat on a channel and for each choice."""
    at = [place for place, column in enumerate(grid.columns) if column.stage is not None][:turns]
    groups: list[list[list[Bar]]] = []
    lively = [row for row in grid.rows if row.kind != "part" and not row.is_blind]
    for _, group in groupby(lively, key=section_of):
        bars: list[list[Bar]] = []
        for row in group:
            cells = [row.cells[place] for place in at]
            if row.kind == "channel" or any(cell.state in MADE for cell in cells):
                bars.append([_bar_of(cell.state, grid.looks[row.who].label) for cell in cells])
        groups.append(bars)
    return draw_bars(groups, len(at), stage_colours(grid))


def _bar_of(state: CellState, label: str) -> Bar:
    if state == "may speak":
        return f"thin {label}", label
    if state == "pale":
        return f"pale {label}", None
    return (label if state in ("speaks", *MADE) else "lane"), None
