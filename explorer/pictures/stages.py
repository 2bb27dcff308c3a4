"""The content of a version 2 protocol's grid: stages, rows, and exits by guards.

A stage is drawn once, however often it is repeated. This corresponds to
:func:`~explorer.pictures.lanes` of version 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from explorer.pictures.tokens import CHANCE, TASK, seat_styles
from nip_core.budget import PICTURES, for_document, spend
from nip_core.displays import displayed, join_names
from nip_core.language import Act, Choice, Specification, Wording

ALWAYS, NEVER, END = "true", "false", "end"
# Of drawing a cell, writing it to a table, and sending it.
STEPS_OF_CELL = 20
Seen = tuple[tuple[str, str], ...]
CellState = Literal[
    "speaks", "may speak", "pale", "reads", "blind", "steers", "noted", "drawn", "sees", "none"
]


class Column(NamedTuple):
    """A column of the grid: a turn, or the time before the first or after the last one."""

    label: str  # "before", the turn's number from 1, or "end"
    # From 0; None outside of stages.
    stage: int | None = None
    turn: int = 0


class Exit(NamedTuple):
    """A guard's exit: the column after which it may apply, its target, and its condition."""

    column: int
    to: int
    condition: str


@displayed
@dataclass(frozen=True, slots=True)
class Cell:
    """The content of a row in a column."""

    # Of a channel "speaks", "may speak" (on a condition), "pale" (play may have left before),
    # "reads" or "blind"; of a choice "steers" (a guard reads it), "noted" or "drawn" (by chance);
    # of a part "sees"; else "none".
    state: CellState
    seats: tuple[str, ...] | None = None  # the seats that see it here; None if all do, all the time
    words: str = ""  # the description in words
    pale: bool = False  # whether play may have left before


@displayed
@dataclass(frozen=True, slots=True)
class StageRow:
    """A row of the grid: a part of the task, a seat on a channel, or a choice."""

    kind: Literal["part", "channel", "choice"]
    of: str  # the name of the part, channel or choice
    who: str  # the seat, or the maker of the choice; empty for a part
    title: str
    note: str
    cells: tuple[Cell, ...]

    @property
    def is_blind(self) -> bool:
        """Whether the seat never sees the channel during play."""
        return all(cell.state in ("blind", "none") for cell in self.cells)


class StageGrid:
    """The content of a specification's grid."""

    def __init__(self, spec: Specification) -> None:
        self.spec, self.words = spec, Wording(spec)
        self.looks = seat_styles(spec)
        self._seers: dict[tuple[Seen, int | None, str], tuple[str, ...]] = {}

    def __repr__(self) -> str:
        return f"StageGrid({self.spec.name}, {len(self.columns)} columns)"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns from left to right: draws before play, each turn once, and the end."""
        before = [Column("before")] if self.spec.drawn else []
        turns = [
            Column(str(number), stage, turn)
            for number, (stage, turn, _) in enumerate(self.spec.places(), start=1)
        ]
        return (*before, *turns, Column(END))

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The first column of each stage."""
        return tuple(at for at, c in enumerate(self.columns) if c.stage is not None and c.turn == 0)

    @cached_property
    def exits(self) -> tuple[Exit, ...]:
        """The exits by guards, in the order of evaluation."""
        found: list[Exit] = []
        for at, column in enumerate(self.columns):
            if column.stage is None:
                continue
            for target, condition in self.spec.stages[column.stage].turns[column.turn].then:
                to = (
                    len(self.columns) - 1
                    if target == END
                    else self.first[self.spec.stage_index[target]]
                )
                found.append(Exit(at, to, condition))
        return tuple(found)

    @cached_property
    def exits_at(self) -> dict[int, list[Exit]]:
        """The exits after each column that has any."""
        found: dict[int, list[Exit]] = {}
        for each in self.exits:
            found.setdefault(each.column, []).append(each)
        return found

    def bracket(self, stage: int) -> tuple[str, str]:
        """Return how often a stage is played, in words: in full, and in short."""
        times = self.spec.times(stage)
        first = self.first[stage]
        turns = range(first, first + len(self.spec.stages[stage].turns))
        inside = [each for at in turns for each in self.exits_at.get(at, ())]
        if times == 1:
            return "", ""
        if not inside:
            return f"{times:,} times", f"{times:,} ×"
        whens = dict.fromkeys(self.words.condition(each.condition) for each in inside)
        until = join_names(whens, "or")
        return f"up to {times:,} times, until {until}", f"up to {times:,} ×"

    @cached_property
    def leaving(self) -> tuple[str, ...]:
        """A sentence for each dotted line, about its condition."""
        found: list[str] = []
        for column, own in self.exits_at.items():
            ways = [f"to {self.place(each.to)}{self.given(each)}" for each in own]
            turn = self.columns[column].label
            found.append(f"After turn {turn}, play goes {join_names(ways, 'or')}.")
        return tuple(found)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each dotted line and dashed cell, about its condition."""
        return (*self.leaving, *self._conditions())

    def _conditions(self) -> Iterator[str]:
        for column in self.columns:
            for act in self.acts(column):
                name = self.looks[act.seat].name
                if act.when != ALWAYS:
                    when = self.words.acts_if(act.when)
                    yield f"In turn {column.label}, {name} acts only if {when}."
                if act.silent != NEVER and act.say:
                    unless = self.words.condition(act.silent)
                    yield f"In turn {column.label}, {name} writes nothing if {unless}."

    def place(self, column: int) -> str:
        """Return the name of a column as a target: ``"the end"``, or the name of its stage."""
        stage = self.columns[column].stage
        if stage is None:
            return "the end"
        return f"“{self.spec.title_of(self.spec.stages[stage].name)}”"

    def given(self, way: Exit) -> str:
        """Return the condition of an exit after its target: ``" if the next step is stop"``."""
        condition = self.words.condition(way.condition)
        return "" if condition == "always" else f" if {condition}"

    def heading(self, column: int) -> str:
        """Return a column's heading: ``"Turn 3"``, ``"Before play"``, ``"After the end"``."""
        label = self.columns[column].label
        return {"before": "Before play", END: "The end"}.get(label, f"Turn {label}")

    def acts(self, column: Column) -> tuple[Act, ...]:
        """Return the acts that can happen in a column."""
        return self._possible.get((column.stage, column.turn), ())

    @cached_property
    def _possible(self) -> dict[tuple[int | None, int], tuple[Act, ...]]:
        """The acts that can happen in each turn."""
        return {(stage, turn): each.possible_acts for stage, turn, each in self.spec.places()}

    @cached_property
    def _left(self) -> tuple[bool, ...]:
        """Whether play may skip each column, because an earlier guard leads further."""
        furthest, found = 0, list[bool]()
        for column in range(len(self.columns)):
            found.append(column < furthest)
            furthest = max([furthest, *(each.to for each in self.exits_at.get(column, ()))])
        return tuple(found)

    # -- rows ----------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> tuple[StageRow, ...]:
        """Parts, the seats on each channel, and choices."""
        # Drawing takes most of the time, and happens once for each of these cells.
        with for_document(self.spec.steps):
            return (*self._parts(), *self._channels(), *map(self._choice, self.spec.choices))

    def _see(self, seen: Seen, column: Column, extra: str = "") -> tuple[str, ...]:
        """Return who sees something in a column."""
        # What is visible from the start is visible in the first turn.
        stage = 0 if column.label == "before" else column.stage
        key = (seen, stage, extra)
        if key not in self._seers:
            self._seers[key] = tuple(
                seat
                for seat in self.spec.seat_names
                if seat == extra or self.spec.sees(seat, seen, stage)
            )
        return self._seers[key]

    def _parts(self) -> Iterator[StageRow]:
        for part in self.spec.parts:
            spend(STEPS_OF_CELL * len(self.columns), PICTURES, "part {!r}", part.name)
            cells = tuple(
                Cell("none")
                if column.label == "before"
                else self._seen("sees", self._see(part.seen, column))
                for column in self.columns
            )
            note = "to quote" if part.quotable else ""
            yield StageRow("part", part.name, "", self.spec.title_of(part.name), note, cells)

    def _seen(self, state: CellState, seats: tuple[str, ...]) -> Cell:
        if not seats:
            return Cell("none", (), "Nobody sees it here.")
        if len(seats) == len(self.spec.seats):
            return Cell(state, None, "Everybody sees it.")
        return Cell(state, seats, f"Seen by {join_names(self.names(seats))}.")

    def names(self, seats: Sequence[str]) -> list[str]:
        """Return seats' names for people."""
        return [self.looks[seat].name for seat in seats]

    def is_open(self, seen: Seen) -> bool:
        """Return whether all seats see something from the start."""
        return {seat for seat, since in seen if since == "start"} >= {*self.spec.seat_names}

    def seers(self, seen: Seen) -> str:
        """Return who sees something, and since when, in words."""
        since: dict[str, list[str]] = {}
        for seat, start in seen:
            since.setdefault(start, []).append(self.looks[seat].name)
        when = {"start": "", END: " after the end"}
        return "; ".join(
            join_names(names) + when.get(start, f" from “{self.spec.title_of(start)}” on")
            for start, names in since.items()
        )

    def readers(self, channel: str) -> str:
        """Return who reads a channel, and since when, in words."""
        seen = self.spec.channel(channel).seen
        return f"read by {'all' if self.is_open(seen) else self.seers(seen) or 'nobody'}"

    def _channels(self) -> Iterator[StageRow]:
        for channel in self.spec.channels:
            for seat in self.spec.seat_names:
                steps = STEPS_OF_CELL * len(self.columns)
                spend(steps, PICTURES, "channel {!r}, seat {!r}", channel.name, seat)
                cells = tuple(
                    self._lane_cell(channel.name, seat, at) for at in range(len(self.columns))
                )
                title = self.looks[seat].name
                yield StageRow("channel", channel.name, seat, title, "", cells)

    def _lane_cell(self, channel: str, seat: str, at: int) -> Cell:
        column = self.columns[at]
        if column.stage is None:
            return Cell("none")
        sees = seat in self._see(self.spec.channel(channel).seen, column)
        spend(len(self.acts(column)) // 4, PICTURES, "turn {}", column.label)
        own = [act for act in self.acts(column) if act.seat == seat]
        acts = [act for act in own if channel in act.say]
        if not acts:
            return Cell(
                *(("reads", None, "Only reads.") if sees else ("blind", None, "Cannot see it."))
            )
        spend(50 * len(acts), PICTURES, "turn {}", column.label)
        maybe = not _one_happens(own, acts) or any(act.silent != NEVER for act in acts)
        left = self._left[at]
        words = ["Writes."]
        if maybe:
            words = ["May write."]
            say = self.words
            words += [f"Only if {say.acts_if(a.when)}." for a in acts if a.when != ALWAYS]
            if any(a.when == ALWAYS for a in acts):
                words += [f"Not if {say.acts_if(a.when)}." for a in own if a not in acts]
            words += [f"Not if {say.condition(a.silent)}." for a in acts if a.silent != NEVER]
        elif left:
            words += ["Only if play gets here."]
        state: CellState = "may speak" if maybe else "pale" if left else "speaks"
        return Cell(state, None, " ".join(words), left)

    @cached_property
    def guards_read(self) -> frozenset[str]:
        """The choices whose present or previous values a guard reads."""
        read = {name for each in self.exits for name in self.spec.expression(each.condition).reads}
        return frozenset(name.removeprefix("before ") for name in read)

    def _choice(self, choice: Choice) -> StageRow:
        options = self.spec.options[choice.name]
        spend(STEPS_OF_CELL * len(self.columns), PICTURES, "choice {!r}", choice.name)
        seen = [self._see(choice.seen, column, choice.by) for column in self.columns]
        here = [self._makes(choice, column) for column in self.columns]
        first = 0 if choice in self.spec.drawn else next((n for n, h in enumerate(here) if h), None)
        known = [first is not None and at >= first for at in range(len(self.columns))]
        all_see = [len(seats) == len(self.spec.seats) for seats in seen]
        open_to_all = all(every for every, now in zip(all_see, known, strict=True) if now)
        cells: list[Cell] = []
        for at, acts in enumerate(here):
            words: list[str] = []
            state: CellState = "none"
            if acts or (known[at] and at == first):
                words.append(self._made(choice, acts))
                steers = choice.name in self.guards_read
                state = "drawn" if choice.by == CHANCE else "steers" if steers else "noted"
            if known[at] and not open_to_all:
                seers = ["everybody"] if all_see[at] else self.names(seen[at])
                words.append(f"Seen by {join_names(seers)}." if seers else "No seat sees it.")
            seats = seen[at] if known[at] and not open_to_all else None
            own = [act for act in self.acts(self.columns[at]) if act.seat == choice.by]
            pale = bool(acts) and (self._left[at] or not _one_happens(own, acts))
            cells.append(Cell(state, seats, " ".join(words), pale))
        title, note = self.spec.title_of(choice.name), self.words.options(options)
        return StageRow("choice", choice.name, choice.by, title, note, tuple(cells))

    def _makes(self, choice: Choice, column: Column) -> list[tuple[Act, tuple[str | int, ...]]]:
        """Return the acts of a column that make a choice, with the options that they name."""
        return [
            (act, named)
            for act in self.acts(column)
            for name, named in act.choose
            if name == choice.name
        ]

    def _made(self, choice: Choice, here: list[tuple[Act, tuple[str | int, ...]]]) -> str:
        """Return the description of a cell in which a choice is made."""
        options = self.spec.options[choice.name]
        steps = sum(len(named or options) for _, named in here)
        spend(20 + steps // 4, PICTURES, "choice {!r}", choice.name)
        open_here = dict.fromkeys(o for _, named in here for o in (named or options))
        among = self.words.options(tuple(open_here) or options)
        if choice.by == TASK:
            text = f"It is fixed now, by the task: {among}."
        else:
            maker = (
                "Chance draws" if choice.by == CHANCE else f"{self.looks[choice.by].name} chooses"
            )
            text = f"{maker} {among}."
        conditions = [act.when for act, _ in here]
        if conditions and ALWAYS not in conditions:
            text += f" Only if {join_names(map(self.words.acts_if, conditions), 'or')}."
        if choice.name in self.guards_read:
            text += " It decides where play goes."
        return text


def _one_happens(own: Sequence[Act], some: Sequence[object]) -> bool:
    """Return whether one of some of a seat's own acts happens for certain.

    A seat does the first act whose condition holds.
    """
    return len(own) == len(some) and own[-1].when == ALWAYS
