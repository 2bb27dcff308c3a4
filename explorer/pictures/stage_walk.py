"""A version 2 protocol turn by turn: as sentences, as a sequence diagram, and as a walk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from explorer.pictures import typeface
from explorer.pictures.drawing import Drawing, Shape, Text
from explorer.pictures.grid import BADGE, NAME, middle
from explorer.pictures.sequence import ROW, Band, Mark, Sign, draw_bands, draw_table
from explorer.pictures.stage_grid import badge, stage_colours
from explorer.pictures.stages import END, Exit, StageGrid
from explorer.pictures.tokens import CHANCE, TASK
from nip_core.displays import capitalized, join_names
from nip_core.language import Specification

MOST_PAY = 6


class StageStory:
    """A protocol of version 2 in sentences."""

    def __init__(self, grid: StageGrid) -> None:
        self.grid, self.spec, self.words = grid, grid.spec, grid.words

    # -- whole ---------------------------------------------------------------------------------

    def caption(self) -> str:
        """Return what happens in words, stage by stage, with the exits."""
        said: list[str] = []
        for number, stage in enumerate(self.spec.stages):
            times, _ = self.grid.bracket(number)
            first = self.grid.first[number]
            turns = [self.turn(first + turn).rstrip(".") for turn in range(len(stage.turns))]
            name = capitalized(self.spec.title_of(stage.name))
            heading = f"{name}, {times}" if times else name
            said.append(f"{heading}: {'. Then: '.join(turns)}.")
        return " ".join([*said, *self.grid.leaving])

    # -- one column ----------------------------------------------------------------------------

    def heading(self, column: int) -> str:
        """Return a column's heading: ``"Steps (up to 6 times), turn 2"``."""
        stage = self.grid.columns[column].stage
        if stage is None:
            return self.grid.heading(column)
        name = capitalized(self.spec.title_of(self.spec.stages[stage].name))
        return f"{name}, {self.grid.heading(column).lower()}"

    def turn(self, column: int) -> str:
        """Return what happens in a column, in words."""
        place = self.grid.columns[column]
        if place.label == "before":
            return f"{capitalized(self._drawn())}."
        if place.stage is None:
            return self._over()
        return self.words.turn(self.grid.acts(place))

    def _drawn(self) -> str:
        parts: list[str] = []
        for by, says in ((TASK, "the task says"), (CHANCE, "chance draws")):
            made = [self.words.chosen(each.name) for each in self.spec.drawn if each.by == by]
            parts += [f"{says} {join_names(made)}"] if made else []
        return "; ".join(parts)

    def _over(self) -> str:
        said = ["Play is over.", self.words.verdict()]
        said += [self.words.pays(pay) for pay in self.spec.pay[:MOST_PAY]]
        more = len(self.spec.pay) - MOST_PAY
        if more > 0:
            said.append(f"There {'are' if more > 1 else 'is'} {more} more payments.")
        return " ".join(said)

    # -- ways on -------------------------------------------------------------------------------

    def ways(self, column: int) -> list[tuple[str, int]]:
        """Return the exits after a column: in words, and the target column."""
        return [(self.way(each), each.to) for each in self.grid.exits_at.get(column, ())]

    def way(self, way: Exit) -> str:
        """Return an exit in words: ``"To the end if the next step is stop"``."""
        return f"To {self.grid.place(way.to)}{self.grid.given(way)}"

    def walk(self) -> dict[str, Any]:
        """Return plain data for the browser's walk through all turns."""
        grid = self.grid
        ways = {at: self.ways(at) for at in grid.exits_at}
        return {
            "heads": [self.heading(at) for at in range(len(grid.columns))],
            "labels": [grid.heading(at) for at in range(len(grid.columns))],
            "stages": [
                [
                    grid.first[n],
                    len(stage.turns),
                    self.spec.times(n),
                    self.spec.title_of(stage.name),
                ]
                for n, stage in enumerate(self.spec.stages)
            ],
            "ways": {str(at): own for at, own in ways.items()},
        }

    # -- tables --------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[tuple[str, str, str, str]]:
        """Return a row for each column: its place, repetitions, acts and exits."""
        found: list[tuple[str, str, str, str]] = []
        for at, column in enumerate(self.grid.columns):
            times = "" if column.stage is None else self.grid.bracket(column.stage)[0] or "once"
            ways = ". ".join(words for words, _ in self.ways(at))
            found.append((self.heading(at), times, self.turn(at), ways))
        return found


def stage_caption(spec: Specification) -> str:
    """Return what happens in a protocol in words, stage by stage, with the exits."""
    return StageStory(StageGrid(spec)).caption()


# -- the sequence, and who sees what ---------------------------------------------------------------


def draw_stage_sequence(grid: StageGrid) -> Drawing:
    """Return a lifeline for each seat, and for chance and the task if they make choices."""
    makers = {row.who for row in grid.rows if row.kind == "choice"}
    looks = {
        name: look
        for name, look in grid.looks.items()
        if name in makers or name not in (CHANCE, TASK)
    }
    return draw_bands(looks, list(_bands(grid)))


def _bands(grid: StageGrid) -> Iterator[Band]:
    story = StageStory(grid)
    for at, column in enumerate(grid.columns):
        marks: list[Mark] = []
        for row in grid.rows:
            state = row.cells[at].state
            if row.kind == "channel" and state in ("speaks", "pale", "may speak"):
                seen = grid.spec.channel(row.of).seen
                assert column.stage is not None
                readers = tuple(
                    seat
                    for seat in grid.spec.seat_names
                    if seat != row.who and grid.spec.sees(seat, seen, column.stage)
                )
                words = grid.spec.channel_title(row.of) + (
                    " (maybe)" if state == "may speak" else ""
                )
                private = len(readers) < len(grid.spec.seats) - 1
                marks.append(Mark(row.who, "message", words, readers, private))
            elif row.kind == "choice" and state in ("steers", "noted", "drawn"):
                sign: Sign = state
                marks.append(Mark(row.who, sign, f"{row.title}: {row.note}"))
        label = {"before": "Before play", END: "End"}.get(column.label, column.label)
        heading = ""
        if column.stage is not None and at == grid.first[column.stage]:
            times, _ = grid.bracket(column.stage)
            name = capitalized(grid.spec.title_of(grid.spec.stages[column.stage].name))
            heading = f"{name}, {times}" if times else name
        yield Band(label, marks, heading, [words for words, _ in story.ways(at)])


def draw_stage_visibility(grid: StageGrid) -> Drawing:
    """Return a table of since when each seat sees each part, channel and choice."""
    spec = grid.spec
    looks = [grid.looks[seat] for seat in spec.seat_names]
    things = (
        *((part.name, part.seen, "") for part in spec.parts),
        *((channel.name, channel.seen, "") for channel in spec.channels),
        *((choice.name, choice.seen, choice.by) for choice in spec.choices),
    )
    rows: list[tuple[str, tuple[Shape, ...], Sequence[tuple[str, str]]]] = []
    sides = [0.0]
    for number, (name, seen, by) in enumerate(things):
        title = spec.title_of(name)
        line = middle(ROW / 2, NAME)
        beside: tuple[Shape, ...] = (Text(BADGE + 10, line, title, "text", NAME),)
        if by:
            beside = (*badge(grid.looks[by], ROW / 2), *beside)
        since = dict(seen) | ({by: "start"} if by in spec.seat_names else {})
        cells = [
            _since(spec, since.get(look.agent), by == look.agent, look.label) for look in looks
        ]
        rows.append((f"row {number}", beside, cells))
        sides.append(typeface.width(title, NAME))
    titles = [look.name for look in looks]
    left = BADGE + 22 + max(sides)
    return draw_table(titles, rows, stage_colours(grid), left=left, slim=left)


def _since(spec: Specification, start: str | None, own: bool, label: str) -> tuple[str, str]:
    if own:
        return label, "chooses"
    if start is None:
        return "", "–"
    if start == END:
        return "", "at the end"
    return label, "sees" if start == "start" else f"from {spec.title_of(start)}"
