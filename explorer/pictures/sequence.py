"""The sequence diagram, also as Mermaid text, and the table of who sees what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from explorer.pictures import typeface
from explorer.pictures.drawing import Box, Drawing, Line, Polygon, Shape, Text, Use
from explorer.pictures.model import BEFORE, ProtocolGrid, Seen, grid_of
from explorer.pictures.narration import Narrator
from explorer.pictures.rounds import END
from explorer.pictures.rows import MADE, WRITES
from explorer.pictures.signs import BADGE, NAME, badge, diamond, middle, seat_colours, triangle
from explorer.pictures.tokens import RULES, AgentStyle
from nip_core.budget import PICTURES, spend
from nip_core.displays import join_names
from nip_core.language import LATE, Specification
from nip_core.registry import AnyProtocol

STEP, HEAD, MARGIN, SMALL, WIDEST, ARROW = 28, 34, 34, 11, 280, 24
SHRUNK = 0.62
WAY, WIDEST_LEAST = 20, 150
# Of work, for each shape of a message or a choice.
STEPS_OF_SHAPE = 20


Sign = Literal["message", "decides", "early", "steers", "noted", "drawn", "worked out"]


class Mark(NamedTuple):
    """A message or a choice on a lifeline."""

    who: str
    sign: Sign
    words: str
    readers: tuple[str, ...] = ()
    private: bool = False
    sure: bool = True
    short: str = ""


class Band(NamedTuple):
    """A turn of the diagram: its label, a heading above it, marks, and exits below it."""

    label: str
    marks: Sequence[Mark]
    heading: str = ""
    ways: Sequence[str] = ()


def bands_of(grid: ProtocolGrid) -> Iterator[Band]:
    """Yield what happens in each column of a grid."""
    story = Narrator(grid)
    first = {columns[0]: number for number, columns in enumerate(grid.stages)}
    for at, column in enumerate(grid.columns):
        marks: list[Mark] = []
        for row in grid.rows:
            cell = row.cells[at]
            if row.kind == "channel" and cell.state in WRITES:
                everybody = grid.readers_of(row.of, row.who, column.stage)
                late = grid.late_readers(row.of, at)
                readers = tuple(seat for seat in everybody if seat not in late)
                sure = cell.state == "speaks"
                maybe = "" if sure else f" ({cell.percent or 'maybe'})"
                later = [grid.looks[seat].name for seat in everybody if seat in late]
                words = grid.channel_title(row.of) + maybe
                words += f" ({join_names(later)} later)" if later else ""
                private = len(everybody) < len(grid.folding.seats) - 1
                marks.append(Mark(row.who, "message", words, readers, private, sure))
            elif row.kind == "verdict" and cell.state in ("decides", "early"):
                words = "may decide" if cell.state == "decides" else "cannot decide yet"
                words += f" ({cell.percent})" if cell.percent else ""
                marks.append(Mark(row.who, cell.state, words))
            elif row.kind in ("choice", "value") and cell.state in MADE:
                sign: Any = cell.state
                short = row.title if row.kind == "value" else ""
                marks.append(Mark(row.who, sign, f"{row.title}: {row.note}", short=short))
        marks += _copied(grid, at)
        label = {BEFORE: "Before play", END: "End"}.get(column.label, column.label)
        heading = story.repeated(first[at]) if at in first and grid.has_stages else ""
        yield Band(label, marks, heading, [words for words, _ in story.ways(at)])


def _copied(grid: ProtocolGrid, at: int) -> Iterator[Mark]:
    """Yield the messages that are copied after a turn, from those who may have written them."""
    spec, column = grid.spec, grid.columns[at]
    for target, text in grid.copies(column):
        sources = grid.copied_from(text)
        writing = (s for s in spec.seat_names if grid.may_write(s, sources, column.stage))
        authors = [*dict.fromkeys(map(grid.folding.first, writing))]
        for author in authors:
            everybody = grid.readers_of(target, author, column.stage)
            late = grid.late_readers(target, at)
            readers = tuple(seat for seat in everybody if seat not in late)
            words = f"{grid.channel_title(target)} (copied)"
            sure = len(authors) == 1 and grid.always_copies(text)
            private = len(everybody) < len(grid.folding.seats) - 1
            yield Mark(author, "message", words, readers, private, sure)


def draw_sequence(grid: ProtocolGrid) -> Drawing:
    """Return a lifeline for each seat; for chance, the task and the rules if they have marks."""
    makers = {row.who for row in grid.rows if row.kind in ("choice", "value")}
    looks = {
        name: look
        for name, look in grid.looks.items()
        if name in makers or name in grid.folding.seats
    }
    bands = list(bands_of(grid))
    said = [mark.words for band in bands for mark in band.marks]
    drawing = _Sequence(looks, said, most=WIDEST_LEAST if grid.rounds is None else None)
    y: float = HEAD
    for number, band in enumerate(bands):
        # Silent turns take no room, except outside of play.
        if band.marks or band.ways or grid.rounds is None:
            y = drawing.band(number, band, y)
    return drawing.finished(y, len(bands))


class _Sequence:
    """Draws a diagram."""

    def __init__(
        self, looks: Mapping[str, AgentStyle], said: Sequence[str], most: float | None
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
        """Draw a turn; return the top of the next one."""
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
            side |= {"column": x, "room": -18, "short": mark.short}
            text = Text(**side, y=line, text=mark.words, fill="quiet", size=SMALL)
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
        if self.count == 1:
            style = {"column": x, "room": -8, "span": 0.5}
        beside = 6 if self.count == 1 else 0
        self.shapes.append(Text(beside, y - 4, mark.words, "text", SMALL, **style))

    def finished(self, bottom: float, bands: int) -> Drawing:
        """Return the drawing, with lifelines beneath the arrows and names above."""
        lines: list[Shape] = []
        heads: list[Shape] = []
        for place, look in enumerate(self.looks.values()):
            x = place + 0.5
            lines.append(Line(0, HEAD, 0, bottom, "line", column=x, to_column=x))
            heads += _head(look, x)
        self.rounds += [(bottom, 0)] * (bands - len(self.rounds))
        return Drawing(
            shapes=(*self.grounds, *lines, *self.shapes, *heads),
            left=MARGIN,
            slim=MARGIN,
            columns=self.count,
            least=self.least,
            most=WIDEST,
            height=bottom + 8,
            colours=seat_colours(self.looks.values()),
            rounds=tuple(self.rounds),
        )


def _sign(sign: Sign, colour: str, y: float, column: float) -> Shape:
    if sign == "noted":
        return Box(-5.5, y - 5.5, 11, 11, colour, radius=5.5, column=column)
    if sign == "drawn":
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": column}
        return Text(0, middle(y, 16), "?", colour, 16, **style)
    if sign == "worked out":
        return triangle(0, y, 6, fill=colour, column=column)
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
    behind = (
        [Box(-wide / 2 - 5, 1, wide + 16, 22, f"pale {look.label}", "paper", 5, column=column)]
        if look.many > 1
        else []
    )
    written = [Text(-wide / 2, line, letter, ink, NAME, bold=True, column=column)] if letter else []
    return [*behind, box, *written, Text(-wide / 2 + first, line, name, ink, NAME, column=column)]


# -- as text ---------------------------------------------------------------------------------------


def sequence_mermaid(protocol: AnyProtocol | Specification, seed: int | None = None) -> str:
    """Return the sequence diagram as Mermaid text; private messages are dotted."""
    grid = grid_of(protocol, seed)
    bands = list(bands_of(grid))
    makers = {mark.who for band in bands for mark in band.marks}
    names = [n for n in grid.looks if n in makers or n in grid.folding.seats]
    ids = {name: f"a{place}" for place, name in enumerate(names)}
    everybody = ",".join(dict.fromkeys((ids[names[0]], ids[names[-1]])))
    lines = ["sequenceDiagram"]
    lines += [f"participant {ids[name]} as {_mermaid(grid.looks[name].name)}" for name in names]
    for band in bands:
        if not band.marks and not band.ways:
            continue
        messages = [mark for mark in band.marks if mark.sign == "message"]
        how = ""
        if any(not message.sure for message in messages):
            how = ", not all speak"
        elif len({message.who for message in messages}) > 1:
            how = ", all at once"
        label = f"turn {band.label}" if band.label.isdigit() else band.label.lower()
        heading = f"{_mermaid(band.heading)}: " if band.heading else ""
        lines.append(f"Note over {everybody}: {heading}{label}{how}")
        for mark in band.marks:
            writer = ids[mark.who]
            if mark.sign != "message":
                lines.append(f"Note over {writer}: {_mermaid(mark.words)}")
                continue
            arrow = "-->>" if mark.private else "->>"
            for reader in mark.readers or (mark.who,):
                lines.append(f"{writer}{arrow}{ids[reader]}: {_mermaid(mark.words)}")
        lines += [f"Note over {everybody}: {_mermaid(way)}" for way in band.ways]
    return "\n    ".join(lines) + "\n"


def _mermaid(text: str) -> str:
    """Return text escaped for Mermaid."""
    return "".join(c if c.isalnum() or c in " _-.,()%" else f"#{ord(c)};" for c in text)


# -- who sees what ---------------------------------------------------------------------------------

ROW, TABLE_HEAD, SPACE, WIDEST_TABLE = 32, 28, 6, 200


def draw_visibility(grid: ProtocolGrid) -> Drawing:
    """Return a table of since when each seat sees each part, channel, choice and value."""
    spec = grid.spec
    looks = [grid.looks[seat] for seat in grid.folding.seats]
    titles = [look.name for look in looks]
    symbols: dict[str, tuple[Shape, ...]] = {}
    shapes: list[Shape] = []
    for x, title in enumerate(titles):
        style: dict[str, Any] = {"bold": True, "anchor": "middle", "column": x + 0.5, "room": -8}
        shapes.append(Text(0, 18, title, "text", NAME, **style))
    sides = [0.0]
    things = list(_things(grid))
    for y, (title, seen, by, verb) in enumerate(things):
        top, name = TABLE_HEAD + y * ROW, f"row {y}"
        line = middle(ROW / 2, NAME)
        beside: tuple[Shape, ...] = (Text(BADGE + 10 if by else 2, line, title, "text", NAME),)
        symbols[name] = (*badge(grid.looks[by], ROW / 2), *beside) if by else beside
        sides.append((BADGE + 10 if by else 2) + typeface.width(title, NAME))
        shapes.append(Use(name, top))
        since = {grid.folding.first(seat): start for seat, start in reversed(seen)}
        since |= {by: "start"} if by in spec.seat_names else {}
        line = middle(top + ROW / 2, NAME)
        for x, look in enumerate(looks):
            start = since.get(look.agent)
            colour, words = _since(spec, start, "chooses" if by == look.agent else verb, look.label)
            place = (SPACE / 2, top + SPACE / 2, -SPACE, ROW - SPACE)
            shapes.append(Box(*place, colour or "lane", radius=4, column=x, span=1))
            ink = f"on {colour}" if colour else "quiet"
            style = {"bold": bool(colour), "anchor": "middle", "column": x + 0.5, "room": -8}
            shapes.append(Text(0, line, words, ink, NAME, **style))
    left = 12 + max(sides)
    return Drawing(
        shapes=tuple(shapes),
        left=left,
        slim=left,
        columns=len(titles),
        least=max(64.0, *(16 + typeface.width(title, NAME, bold=True) for title in titles)),
        most=WIDEST_TABLE,
        height=TABLE_HEAD + ROW * len(things),
        colours=seat_colours(grid.looks.values()),
        symbols=symbols,
    )


def _things(grid: ProtocolGrid) -> Iterator[tuple[str, Seen, str, str]]:
    """Yield what seats see, since when, who makes it, and a verb; of rounds only channels."""
    spec, folding = grid.spec, grid.folding
    for part in folding.among(spec.parts) if grid.rounds is None else ():
        yield folding.title(part.name), part.seen, "", "sees"
    for channel in folding.among(spec.channels):
        yield grid.channel_title(channel.name), channel.seen, "", "reads"
    for choice in folding.among(spec.choices) if grid.rounds is None else ():
        yield folding.title(choice.name), choice.seen, folding.first(choice.by), "sees"
    for value in folding.among(spec.values) if grid.rounds is None else ():
        yield folding.title(value.name), value.seen, RULES, "sees"


def _since(spec: Specification, start: str | None, verb: str, label: str) -> tuple[str, str]:
    if start is None:
        return "", "–"
    if start == END:
        return "", "at the end"
    if start in LATE:
        return label, f"{start.removeprefix('end of ')}’s end"
    return label, verb if start == "start" else f"from {spec.title_of(start)}"
