"""The rows and columns of a protocol's grid, from which every picture is made.

A protocol of rounds is written out turn by turn, unless it is very long. In all others each stage
is drawn once, however often it is repeated, with the exits that guards lead to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from explorer.pictures.entrance import specified
from explorer.pictures.folding import Folding
from explorer.pictures.rounds import (
    ALWAYS,
    CHANCE,
    END,
    NEVER,
    Happening,
    rounds_of,
)
from explorer.pictures.rows import Cell, CellState, GridRow
from explorer.pictures.tokens import RULES, TASK, AgentStyle, seat_styles
from nip_core.budget import PICTURES, for_document, spend
from nip_core.displays import capitalized, in_sentence, join_names, listed
from nip_core.language import (
    LATE,
    STAGE_END,
    Act,
    Channel,
    Choice,
    ComputedValue,
    Specification,
    Wording,
)
from nip_core.registry import AnyProtocol

BEFORE = "before"
# Of drawing a cell, writing it to a table, and sending it.
STEPS_OF_CELL = 20
# The most turns that are written out.
MOST_WRITTEN = 400
Seen = tuple[tuple[str, str], ...]


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


class ProtocolGrid:
    """The content of a protocol's grid.

    Parameters
    ----------
    spec : Specification
    seed : int, optional
        The seed of an episode; without it, all seeds are equally likely.
    folded : bool, optional
        Whether each stage is drawn once. By default, protocols of rounds are written out.
    members : bool, optional
        Whether all members of large families have rows of their own. By default they are one.
    edited : bool, optional
        Whether it is drawn by stages, parts and choices even if it is one of rounds, so that each
        part of its document has a place.
    """

    def __init__(
        self,
        spec: Specification,
        seed: int | None = None,
        *,
        folded: bool | None = None,
        members: bool = False,
        edited: bool = False,
    ) -> None:
        self.spec, self.seed, self.edited = spec, seed, edited
        self.folding = Folding(spec, members=members)
        self.rounds = None if edited else rounds_of(spec, seed)
        written = self.rounds is not None and spec.longest <= MOST_WRITTEN
        self.folded = not written if folded is None else folded
        self._seers: dict[tuple[Seen, int | None, str], tuple[str, ...]] = {}

    def __repr__(self) -> str:
        return f"ProtocolGrid({self.spec.name}, {len(self.columns)} columns)"

    @cached_property
    def words(self) -> Wording:
        """The protocol in words."""
        return Wording(self.spec)

    @cached_property
    def looks(self) -> Mapping[str, AgentStyle]:
        """The names, badges and colours of seats, chance and the task."""
        return seat_styles(self.spec, self.folding, edited=self.edited)

    # -- columns -------------------------------------------------------------------------------

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns from left to right: draws before play, the turns, and the end."""
        spec = self.spec
        places: list[tuple[int, int]] = []
        for number, stage in enumerate(spec.stages):
            own = [(number, turn) for turn in range(len(stage.turns))]
            places += own * (1 if self.folded else spec.times(number))
        turns = [Column(str(number), *place) for number, place in enumerate(places, start=1)]
        if self.rounds is not None:
            return tuple(turns)
        return (*([Column(BEFORE)] if spec.drawn else []), *turns, Column(END))

    @cached_property
    def turns(self) -> range:
        """The columns that are turns."""
        first = int(self.columns[0].stage is None)
        return range(first, len(self.columns) - int(self.columns[-1].stage is None))

    @cached_property
    def stages(self) -> tuple[range, ...]:
        """The columns of each stage."""
        first = self.turns.start
        counts = [
            len(stage.turns) * (1 if self.folded else self.spec.times(number))
            for number, stage in enumerate(self.spec.stages)
        ]
        ends = [*accumulate(counts, initial=first)]
        return tuple(range(start, start + n) for start, n in zip(ends, counts, strict=False))

    @property
    def has_stages(self) -> bool:
        """Whether stages are shown by name, or as a bracket."""
        return self.rounds is None or self.folded

    @cached_property
    def exits(self) -> tuple[Exit, ...]:
        """The exits by guards, in the order of evaluation; verdicts that end rounds are not."""
        found: list[Exit] = []
        for at, column in enumerate(self.columns):
            if column.stage is None or self.rounds is not None:
                continue
            for target, condition in self.spec.stages[column.stage].turns[column.turn].then:
                to = len(self.columns) - 1
                if target != END:
                    to = self.stages[self.spec.stage_index[target]].start
                found.append(Exit(at, to, condition))
        return tuple(found)

    @cached_property
    def exits_at(self) -> dict[int, list[Exit]]:
        """The exits after each column that has any."""
        found: dict[int, list[Exit]] = {}
        for way in self.exits:
            found.setdefault(way.column, []).append(way)
        return found

    def bracket(self, stage: int) -> tuple[str, str]:
        """Return how often a stage is played, in words: in full, and in short."""
        times, columns = self.spec.times(stage), self.stages[stage]
        if times == 1 or not self.folded:
            return "", ""
        if self.rounds is not None:
            return f"up to {times:,} times, until there is a verdict", f"up to {times:,} ×"
        inside = [way for at in columns for way in self.exits_at.get(at, ())]
        if not inside:
            return f"{times:,} times", f"{times:,} ×"
        whens = dict.fromkeys(self.words.condition(way.condition) for way in inside)
        until = join_names(whens, "or")
        return f"up to {times:,} times, until {until}", f"up to {times:,} ×"

    @cached_property
    def leaving(self) -> tuple[str, ...]:
        """A sentence for each dotted line, about its condition."""
        found: dict[str, list[str]] = {}
        for column, own in self.exits_at.items():
            # The first way counts whose condition holds.
            ways = ", or else ".join(map(self.way, own))
            found.setdefault(ways, []).append(self.columns[column].label)
        return tuple(f"After {_turns(at)}, play goes {ways}." for ways, at in found.items())

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each dotted line and dashed cell, about its condition."""
        return (*self.leaving, *(self._conditions() if self.rounds is None else ()))

    @cached_property
    def definitions(self) -> tuple[str, ...]:
        """A sentence for each value on how the rules work it out."""
        values = self.folding.among(self.spec.values) if self.rounds is None else ()
        return tuple(f"{capitalized(self.definition(value))}." for value in values)

    def definition(self, value: ComputedValue) -> str:
        """Return how a value is worked out; of a large family the first, and perhaps the last."""
        first, last = value, self.spec.names.values[self.folding.members(value.name)[-1]]
        said = self.words.definition(first)
        if first is last:
            return said
        if self._is_like(first, last):
            return f"{said}, and so on up to the {self.words.term(last.name)}"
        return f"{said}, and so on; {self.words.definition(last)}"

    def _is_like(self, one: ComputedValue, other: ComputedValue) -> bool:
        collecting = self.spec.names.collecting
        return self.words.are_alike([collecting(one.name).tree, collecting(other.name).tree])

    def _conditions(self) -> Iterator[str]:
        for column in self.columns:
            acts = self.acts(column)
            seats = {act.seat for act in acts}
            for act in acts:
                if self.folding.first(act.seat) in seats - {act.seat}:
                    # Its family is spoken of once.
                    continue
                name = self.who(act.seat)
                if act.when != ALWAYS:
                    when = self.words.acts_if(act.when)
                    yield f"In turn {column.label}, {name} acts only if {when}."
                if act.silent != NEVER and act.say:
                    unless = self.words.condition(act.silent)
                    yield f"In turn {column.label}, {name} writes nothing if {unless}."
                if act.optional:
                    yield f"In turn {column.label}, {name} may write nothing."
            for copy in self.copies(column):
                yield f"After turn {column.label}, {in_sentence(self.words.copy(*copy))}"

    def way(self, way: Exit) -> str:
        """Return an exit in words: ``"to the end if the next step is stop"``."""
        stage = self.columns[way.to].stage
        place = "the end"
        if stage is not None:
            place = f"“{self.spec.title_of(self.spec.stages[stage].name)}”"
        condition = self.words.condition(way.condition)
        return f"to {place}" if condition == "always" else f"to {place} if {condition}"

    def heading(self, column: int) -> str:
        """Return a column's heading: ``"Turn 3"``, ``"Before play"``, ``"The end"``."""
        label = self.columns[column].label
        return {BEFORE: "Before play", END: "The end"}.get(label, f"Turn {label}")

    def always_copies(self, source: str) -> bool:
        """Return whether a copy is always from the same channel."""
        return self.spec.channel_expression(source).tree.op == "name"

    def may_write(self, seat: str, channels: Collection[str], stage: int | None) -> bool:
        """Return whether a seat may write on one of some channels in a stage."""
        return any((stage, seat, channel) in self._writers for channel in channels)

    @cached_property
    def _writers(self) -> frozenset[tuple[int | None, str, str]]:
        acts = self.spec.acts()
        return frozenset((stage, a.seat, channel) for stage, _, a in acts for channel in a.say)

    def copied_from(self, source: str) -> tuple[str, ...]:
        """Return the channels that may be the value of a copy's expression, in their order."""
        options = self.spec.channel_expression(source).kind.options
        return tuple(name for name in self.spec.channel_names if name in options)

    def copies(self, column: Column) -> tuple[tuple[str, str], ...]:
        """Return the copies of a column: a channel, and an expression that names the source."""
        if column.stage is None:
            return ()
        return self.spec.stages[column.stage].turns[column.turn].copies

    def acts(self, column: Column) -> tuple[Act, ...]:
        """Return the acts that can happen in a column."""
        return self._possible.get((column.stage, column.turn), ())

    @cached_property
    def _possible(self) -> dict[tuple[int | None, int], tuple[Act, ...]]:
        """The acts that can happen in each turn."""
        return {(stage, turn): own.possible_acts for stage, turn, own in self.spec.places()}

    @cached_property
    def _left(self) -> tuple[bool, ...]:
        """Whether play may skip each column, because an earlier guard leads further."""
        furthest, found = 0, list[bool]()
        for column in range(len(self.columns)):
            found.append(column < furthest)
            furthest = max([furthest, *(way.to for way in self.exits_at.get(column, ()))])
        return tuple(found)

    # -- rows ----------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> tuple[GridRow, ...]:
        """Parts, seats on channels, choices and values; of rounds, channels and verdicts."""
        rows = self.open_rows
        return self.folding.rows(rows) if self.folding.families else rows

    @cached_property
    def open_rows(self) -> tuple[GridRow, ...]:
        """The rows with all members of families."""
        # Drawing takes most of the time, and happens once for each of these cells.
        with for_document(self.spec.steps):
            if self.rounds is not None:
                return (*self._channels(), *self._verdicts())
            made = (*map(self._choice, self.spec.choices), *map(self._value, self.spec.values))
            return (*self._parts(), *self._channels(), *made)

    def _see(self, seen: Seen, stage: int | None, extra: str = "") -> tuple[str, ...]:
        """Return who sees something in a stage, or after the end."""
        key = (seen, stage, extra)
        if key not in self._seers:
            self._seers[key] = tuple(
                seat
                for seat in self.spec.seat_names
                if seat == extra or self.spec.sees(seat, seen, stage)
            )
        return self._seers[key]

    def _parts(self) -> Iterator[GridRow]:
        for part in self.spec.parts:
            spend(STEPS_OF_CELL * len(self.columns), PICTURES, "part {!r}", part.name)
            cells = tuple(
                Cell("none")
                if column.label == BEFORE
                else self._seen("sees", self._see(part.seen, column.stage), part.name)
                for column in self.columns
            )
            note = "to quote" if part.quotable else ""
            yield GridRow("part", part.name, "", self.spec.title_of(part.name), note, cells)

    def _seen(self, state: CellState, seats: tuple[str, ...], of: str) -> Cell:
        if not seats:
            return Cell("none", (), "Nobody sees it here.")
        if len(seats) == len(self.spec.seats):
            return Cell(state, None, "Everybody sees it.")
        return Cell(state, seats, f"Seen by {listed(self.names(seats, of))}.")

    def names(self, seats: Sequence[str], of: str = "") -> list[str]:
        """Return the names for people of seats that see something."""
        return self.folding.names(seats, of)

    def who(self, name: str) -> str:
        """Return who does something: a seat, chance, the task, or each member of a family."""
        if name in self.spec.seat_names:
            return self.folding.each(name)
        return self.looks[name].name

    def channel_title(self, channel: str) -> str:
        """Return a channel's title, or that of a large family of channels."""
        return capitalized(self.folding.title(channel))

    def is_open(self, seen: Seen) -> bool:
        """Return whether all seats see something from the start."""
        return {seat for seat, since in seen if since == "start"} >= {*self.spec.seat_names}

    def seers(self, seen: Seen, of: str = "") -> str:
        """Return who sees something, and since when, in words."""
        since: dict[str, list[str]] = {}
        for name, (_, start) in zip(self.names([s for s, _ in seen], of), seen, strict=True):
            since.setdefault(start, []).append(name)
        when = {start: self.spec.since_phrase(start) for start in since} | {END: "after the end"}
        return "; ".join(f"{listed(own)} {when[start]}".strip() for start, own in since.items())

    def readers(self, channel: str) -> str:
        """Return who reads a channel, and since when, in words."""
        seen = self.spec.channel(channel).seen
        # In the order of seats, as in the rows below.
        own = dict(seen)
        ordered = tuple((seat, own[seat]) for seat in self.spec.seat_names if seat in own)
        everyone = self.is_open(seen) and len(self.spec.seats) > 1
        return f"read by {'all' if everyone else self.seers(ordered, channel) or 'nobody'}"

    def readers_of(self, channel: str, seat: str, stage: int | None = 0) -> tuple[str, ...]:
        """Return the other seats that read what a seat writes on a channel, in their order."""
        readers = map(self.folding.first, self._see(self.spec.channel(channel).seen, stage))
        return tuple(reader for reader in dict.fromkeys(readers) if reader != seat)

    def late_readers(self, channel: str, at: int) -> tuple[str, ...]:
        """Return the seats that read what is written in a column only some turns later."""
        return tuple(
            seat for seat, since in self.spec.channel(channel).seen if self._waits(since, at)
        )

    def _waits(self, since: str, at: int) -> bool:
        """Return whether what happens in a column is not yet seen in the next one."""
        column = self.columns[at]
        if since not in LATE or column.stage is None:
            return False
        if since == STAGE_END and not self.folded:
            return at != self.stages[column.stage][-1]
        return column.turn != len(self.spec.stages[column.stage].turns) - 1

    # -- channels --------------------------------------------------------------------------------

    def _channels(self) -> Iterator[GridRow]:
        kinds, places = self._kinds
        for channel in self.spec.channels:
            for seat in self.spec.seat_names:
                steps = STEPS_OF_CELL * len(self.columns)
                spend(steps, PICTURES, "channel {!r}, seat {!r}", channel.name, seat)
                made = [self._channel_cell(channel, seat, *kind) for kind in kinds]
                title = self.looks[seat].name
                cells = tuple(map(made.__getitem__, places))
                yield GridRow("channel", channel.name, seat, title, "", cells)

    @cached_property
    def _kinds(self) -> tuple[list[tuple[Column, bool, tuple[str, ...]]], list[int]]:
        """The different columns, and which one each is.

        Each is given with whether play may have left, and the late times that have not come yet in
        the next column. Written out, the same turn may occur hundreds of times.
        """
        numbers: dict[tuple[int | None, int, bool, tuple[str, ...]], int] = {}
        kinds: list[tuple[Column, bool, tuple[str, ...]]] = []
        places: list[int] = []
        for at, (column, left) in enumerate(zip(self.columns, self._left, strict=True)):
            pending = tuple(late for late in LATE if self._waits(late, at))
            key = (column.stage, column.turn, left, pending)
            if key not in numbers:
                numbers[key] = len(numbers)
                kinds.append((column, left, pending))
            places.append(numbers[key])
        return kinds, places

    @cached_property
    def _written_in(self) -> frozenset[tuple[str, int]]:
        """The channels with the stages in which something may be written or copied there."""
        return frozenset(
            (channel, stage)
            for stage, _, turn in self.spec.places()
            for channel in (*(c for act in turn.acts for c in act.say), *dict(turn.copies))
        )

    def _channel_cell(
        self, whole: Channel, seat: str, column: Column, left: bool, pending: tuple[str, ...]
    ) -> Cell:
        if column.stage is None:
            return Cell("none")
        channel = whole.name
        idle = READS if seat in self._see(whole.seen, column.stage) else BLIND
        since = dict(whole.seen).get(seat, "")
        if since in pending and (channel, column.stage) in self._written_in:
            idle = Cell("blind", None, f"Reads it {self.spec.since_phrase(since)}.")
        if self.rounds is not None:
            shares = self.rounds.speaking(column.stage, column.turn)
            chance = shares.get((seat, channel), 0.0)
            return idle if not chance else SPEAKS if chance == 1 else _may_speak(chance)
        spend(len(self.acts(column)) // 4, PICTURES, "turn {}", column.label)
        own = [act for act in self.acts(column) if act.seat == seat]
        acts = [act for act in own if channel in act.say]
        if not acts:
            return idle
        spend(50 * len(acts), PICTURES, "turn {}", column.label)
        sure = all(act.silent == NEVER and not act.optional for act in acts)
        if sure and _one_happens(own, acts):
            return Cell("speaks", None, "Speaks. Only if play gets here.", left) if left else SPEAKS
        words, say = ["May speak."], self.words
        words += [f"Only if {say.acts_if(a.when)}." for a in acts if a.when != ALWAYS]
        if any(act.when == ALWAYS for act in acts):
            words += [f"Not if {say.acts_if(a.when)}." for a in own if a not in acts]
        words += [f"Not if {say.condition(a.silent)}." for a in acts if a.silent != NEVER]
        words += ["It may leave the message out."] * any(act.optional for act in acts)
        return Cell("may speak", None, " ".join(words), left, None)

    # -- verdicts of rounds ----------------------------------------------------------------------

    def _verdicts(self) -> Iterator[GridRow]:
        assert self.rounds is not None
        for seat, choice in self.rounds.decisions.items():
            spend(STEPS_OF_CELL * len(self.columns), PICTURES, "choice {!r}", choice)
            kinds, places = self._kinds
            ever = any(self.deciding(column, seat) for column, *_ in kinds)
            made = [self._verdict_cell(seat, column, ever=ever) for column, *_ in kinds]
            cells = tuple(map(made.__getitem__, places))
            yield GridRow("verdict", choice, seat, "Decide", "", cells)

    def _verdict_cell(self, seat: str, column: Column, *, ever: bool) -> Cell:
        if chance := self.deciding(column, seat):
            may = "" if chance == 1 else f" with probability {chance:.0%}"
            return Cell("decides", None, f"May decide{may}.", chance=chance)
        if ever and (chance := self.acting(column, seat)):
            return Cell("early", None, "Cannot decide yet.", chance=chance)
        return NO_VERDICT

    def deciding(self, column: Column, seat: str) -> float:
        """Return the probability that a seat may decide in a turn."""
        assert self.rounds is not None
        assert column.stage is not None
        return self.rounds.deciding(column.stage, column.turn).get(seat, 0.0)

    def acting(self, column: Column, seat: str) -> float:
        """Return the probability that a seat acts in a turn."""
        assert self.rounds is not None
        assert column.stage is not None
        worlds = self.rounds.happenings(column.stage, column.turn)
        return sum(seat in world.seats for world in worlds) / len(worlds)

    @cached_property
    def seen_before(self) -> dict[str, tuple[int, ...]]:
        """How many messages of others each seat has read before each turn at most, in rounds."""
        if self.rounds is None or self.folded:
            return {}
        kinds, places = self._kinds
        worlds = [self.rounds.happenings(c.stage or 0, c.turn) for c, *_ in kinds]
        found: dict[str, tuple[int, ...]] = {}
        for seat in self.spec.seat_names:
            channels = {c.name for c in self.spec.channels if self.spec.sees(seat, c.seen, 0)}
            counts = [[_read(seat, channels, world) for world in own] for own in worlds]
            # For each world, the sum of what was read until then.
            totals = [
                [*accumulate([counts[place][number] for place in places[:-1]], initial=0)]
                for number in range(len(self.rounds.worlds))
            ]
            found[seat] = tuple(map(max, zip(*totals, strict=True)))
        return found

    # -- other choices ---------------------------------------------------------------------------

    @cached_property
    def guards_read(self) -> frozenset[str]:
        """The choices whose present or previous values a guard reads."""
        read = {name for way in self.exits for name in self.spec.expression(way.condition).reads}
        return frozenset(name.removeprefix("before ") for name in read)

    def _choice(self, choice: Choice) -> GridRow:
        options = self.spec.options[choice.name]
        spend(STEPS_OF_CELL * len(self.columns), PICTURES, "choice {!r}", choice.name)
        # What is visible from the start is visible in the first turn.
        stages = (0 if column.label == BEFORE else column.stage for column in self.columns)
        seen = [self._see(choice.seen, stage, choice.by) for stage in stages]
        here = [self._makes(choice, column) for column in self.columns]
        seen = [self._without_waiting(choice, at, seats, here) for at, seats in enumerate(seen)]
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
                seers = ["everybody"] if all_see[at] else self.names(seen[at], choice.name)
                words.append(f"Seen by {listed(seers)}." if seers else "No seat sees it.")
            seats = seen[at] if known[at] and not open_to_all else None
            own = [act for act in self.acts(self.columns[at]) if act.seat == choice.by]
            pale = bool(acts) and (self._left[at] or not _one_happens(own, acts))
            cells.append(Cell(state, seats, " ".join(words), pale))
        title, note = self.spec.title_of(choice.name), self.words.options(options)
        return GridRow("choice", choice.name, choice.by, title, note, tuple(cells))

    def _without_waiting(
        self, choice: Choice, at: int, seats: tuple[str, ...], here: Sequence[object]
    ) -> tuple[str, ...]:
        """Return seats without those that see the choice only once the bracket has ended."""
        since, stage = dict(choice.seen), self.columns[at].stage
        if stage is None or not any(here[self.stages[stage].start : at + 1]):
            return seats
        return tuple(
            seat for seat in seats if seat == choice.by or not self._waits(since.get(seat, ""), at)
        )

    # -- values ----------------------------------------------------------------------------------

    @cached_property
    def _made_in(self) -> tuple[frozenset[str], ...]:
        """The choices that may be made in each column."""
        drawn = frozenset(choice.name for choice in self.spec.drawn)
        return tuple(
            drawn
            if column.label == BEFORE
            else frozenset(name for act in self.acts(column) for name, _ in act.choose)
            for column in self.columns
        )

    def _changes(self, value: str) -> list[int]:
        """Return the columns in which a value may change."""
        names = self.spec.names
        changed = [names.changed_by.get(read, ()) for read in names.computed(value).reads]
        with_it = frozenset(name for choices in changed for name in choices)
        return [at for at, made in enumerate(self._made_in) if made & with_it]

    def _value(self, value: ComputedValue) -> GridRow:
        spend(STEPS_OF_CELL * len(self.columns), PICTURES, "value {!r}", value.name)
        changes, note = self._changes(value.name), self.words.worked_out_from(value)
        since = dict(value.seen)
        first = changes[0] if changes else 0
        seen_at: list[tuple[str, ...]] = []
        for at, column in enumerate(self.columns):
            seen = self._see(value.seen, 0 if column.label == BEFORE else column.stage)
            late = {seat for seat in seen if self._waits(since.get(seat, ""), at)}
            seen_at.append(tuple(seat for seat in seen if seat not in late))
        open_to_all = all(len(seen) == len(self.spec.seats) for seen in seen_at[first:])
        cells = [Cell("none")] * first
        for at in range(first, len(self.columns)):
            seen = seen_at[at]
            everybody = len(seen) == len(self.spec.seats)
            seers = (
                "everybody" if everybody else listed(self.names(seen, value.name)) if seen else ""
            )
            words = [f"Seen by {seers}." if seers else "No seat sees it."]
            if at in changes:
                words.insert(0, f"The rules work it out: {note}.")
            state: CellState = "worked out" if at in changes else "none"
            pale = at in changes and self._left[at]
            cells.append(Cell(state, None if open_to_all else seen, " ".join(words), pale))
        return GridRow("value", value.name, RULES, self.spec.title_of(value.name), note, (*cells,))

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
            maker = "Chance draws" if choice.by == CHANCE else f"{self.who(choice.by)} chooses"
            text = f"{maker} {among}."
        conditions = [act.when for act, _ in here]
        if conditions and ALWAYS not in conditions:
            text += f" Only if {join_names(map(self.words.acts_if, conditions), 'or')}."
        if choice.name in self.guards_read:
            text += " It decides where play goes."
        return text


SPEAKS = Cell("speaks", None, "Speaks.")
READS = Cell("reads", None, "Only reads.")
BLIND = Cell("blind", None, "Cannot see this channel.")
NO_VERDICT = Cell("none", None, "May not decide.")


def _read(seat: str, channels: set[str], world: Happening) -> int:
    return sum(who != seat and channel in channels for who, channel in world.speakers)


def _may_speak(chance: float) -> Cell:
    return Cell("may speak", None, f"May speak with probability {chance:.0%}.", chance=chance)


def _one_happens(own: Sequence[Act], some: Sequence[object]) -> bool:
    """Return whether one of some of a seat's own acts happens for certain.

    A seat does the first act whose condition holds.
    """
    return len(own) == len(some) and own[-1].when == ALWAYS


def _turns(labels: Sequence[str]) -> str:
    return f"turn{'s' if len(labels) > 1 else ''} {join_names(labels)}"


def grid_of(
    protocol: AnyProtocol | Specification,
    seed: int | None = None,
    *,
    folded: bool | None = None,
    members: bool = False,
) -> ProtocolGrid:
    """Return the grid of a protocol in any form; for the arguments, see :class:`ProtocolGrid`."""
    return ProtocolGrid(specified(protocol), seed, folded=folded, members=members)
