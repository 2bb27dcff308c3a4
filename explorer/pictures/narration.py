"""Protocols in words: a whole schedule in a sentence, each turn in another, and ways on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from explorer.pictures.model import BEFORE, ProtocolGrid, grid_of
from explorer.pictures.rounds import CHANCE, Happening, SpeakingTurns, variants_of
from explorer.pictures.tokens import TASK
from nip_core.displays import brief, capitalized, join_names, line, listed
from nip_core.language import Specification
from nip_core.registry import AnyProtocol

MOST_PAY = 6
MOST = 3  # the most clauses about seats; further ones are only counted
COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def caption(protocol: AnyProtocol | Specification, seed: int | None = None) -> str:
    """Return what happens in a protocol in words.

    Of rounds it is a sentence on who speaks when, who reads whom, and when a seat may decide. Other
    protocols are told stage by stage. Without a seed, all seeds are equally likely.
    """
    return Narrator(grid_of(protocol, seed)).caption()


def turns_phrase(turns: Sequence[int], total: int) -> str:
    """Return turns for people: ``"1, 3"``, ``"every turn"``, ``"every 2nd turn from 1 to 99"``.

    The argument counts turns from 0, the result from 1.
    """
    if not turns:
        return "no turn"
    shown = [number + 1 for number in turns]
    steps = {after - before for before, after in itertools.pairwise(turns)}
    if len(turns) == total > 1:
        return "every turn"
    if len(turns) <= 4 or (len(turns) <= 8 and steps != {1}):
        return ", ".join(map(str, shown))
    if steps == {1}:
        return f"{shown[0]} to {shown[-1]}"
    if len(steps) == 1:
        (step,) = steps
        nth = {2: "2nd", 3: "3rd"}.get(step, f"{step}th")
        return f"every {nth} turn from {shown[0]} to {shown[-1]}"
    return f"{len(turns)} turns between {shown[0]} and {shown[-1]}"


def in_turns(turns: Sequence[int], total: int) -> str:
    """Return a phrase for turns with its preposition: ``"in turns 1, 3"``."""
    phrase = turns_phrase(turns, total)
    if not phrase[0].isdigit() or "turns" in phrase:
        return f"in {phrase}"
    return f"in turn {phrase}" if len(turns) == 1 else f"in turns {phrase}"


class Narrator:
    """Tells the columns of a grid in words."""

    def __init__(self, grid: ProtocolGrid) -> None:
        self.grid, self.spec = grid, grid.spec
        self._story = None if grid.rounds is None else _Schedule(grid, grid.rounds)

    def __repr__(self) -> str:
        return line(self, brief(self.spec.name) if "spec" in vars(self) else "")

    # -- whole ---------------------------------------------------------------------------------

    def caption(self) -> str:
        """Return the whole protocol in words."""
        if self._story is not None and not self.grid.folded:
            return self._story.caption()
        said: list[str] = []
        for number, columns in enumerate(self.grid.stages):
            turns = [self.turn(at).rstrip(".") for at in columns]
            said.append(f"{self.repeated(number)}: {'. Then: '.join(turns)}.")
        return " ".join([*said, *self.grid.definitions, *self.grid.leaving])

    def stage(self, number: int) -> str:
        """Return the name of a stage."""
        return capitalized(self.spec.title_of(self.spec.stages[number].name))

    def repeated(self, number: int) -> str:
        """Return the name of a stage, and how often it is played if that is more than once."""
        times, _ = self.grid.bracket(number)
        return self.stage(number) + (f", {times}" if times else "")

    # -- one column ----------------------------------------------------------------------------

    def heading(self, column: int) -> str:
        """Return a column's heading: ``"Steps, turn 2"``, of rounds ``"Turn 2"``."""
        stage = self.grid.columns[column].stage
        heading = self.grid.heading(column)
        if stage is None or not self.grid.has_stages:
            return heading
        return f"{self.stage(stage)}, {heading.lower()}"

    def turn(self, column: int) -> str:
        """Return what happens in a column, in words."""
        place = self.grid.columns[column]
        if place.label == BEFORE:
            return f"{capitalized(self._drawn())}."
        if place.stage is None:
            return self._over()
        if self._story is not None:
            return self._story.turn(column)
        words = self.grid.words
        happens = words.turn(self.grid.acts(place), self.grid.copies(place))
        return " ".join([happens, *self._worked_out(column)])

    def _worked_out(self, column: int) -> Iterator[str]:
        """Yield that values change, for each group of those who see them then."""
        words, folding = self.grid.words, self.grid.folding
        rows = [row for row in self.grid.open_rows if row.kind == "value"]
        groups: dict[tuple[str, ...] | None, list[str]] = {}
        own: dict[str, list[str]] = {}
        for row in rows:
            cell = row.cells[column]
            if cell.state != "worked out":
                continue
            seats = cell.seats or ()
            if len(seats) == 1 and words.owns(seats[0], row.of):
                # Of a large family, each sees its own.
                family = own.setdefault(folding.phrase(seats[0]), [])
                family += [t for t in [words.owns(seats[0], row.of)] if t not in family]
            else:
                groups.setdefault(cell.seats, []).append(f"the {words.term(row.of)}")
        for who, families in own.items():
            values = join_names(map(words.term, families))
            yield f"The rules work out the {values} of each; {who} each see their own."
        for seats, values in groups.items():
            seen = ""
            if seats != ():
                who = ["all"] if seats is None else [*map(self.spec.seat_phrase, seats)]
                see = "sees" if seats is not None and len(seats) == 1 else "see"
                seen = f"; {listed(who)} {see} {'them' if values[1:] else 'it'}"
            yield f"The rules work out {listed(values)}{seen}."

    def _drawn(self) -> str:
        parts: list[str] = []
        for by, says in ((TASK, "the task says"), (CHANCE, "chance draws")):
            made = self._chosen([c.name for c in self.spec.drawn if c.by == by])
            parts += [f"{says} {join_names(made)}"] if made else []
        return "; ".join(parts)

    def _chosen(self, names: Sequence[str]) -> list[str]:
        """Return choices with their options, those of a large family together."""
        words, folding = self.grid.words, self.grid.folding
        families: dict[str, list[str]] = {}
        for name in names:
            families.setdefault(folding.first(name), []).append(name)
        return [words.chosen(*family) for family in families.values()]

    def _over(self) -> str:
        said = ["Play is over.", self.grid.words.verdict()]
        said += [self.grid.words.pays(pay) for pay in self.spec.pay[:MOST_PAY]]
        more = len(self.spec.pay) - MOST_PAY
        if more > 0:
            said.append(f"There {'are' if more > 1 else 'is'} {more} more payments.")
        return " ".join(said)

    # -- ways on -------------------------------------------------------------------------------

    def ways(self, column: int) -> list[tuple[str, int]]:
        """Return the exits after a column: in words, and the target column."""
        ways = self.grid.exits_at.get(column, ())
        return [(capitalized(self.grid.way(way)), way.to) for way in ways]

    def walk(self) -> dict[str, Any]:
        """Return plain data for the browser's walk through all turns."""
        grid = self.grid
        every = range(len(grid.columns))
        folded = enumerate(grid.stages) if grid.folded else ()
        return {
            "heads": [self.heading(at) for at in every],
            "labels": [grid.heading(at) for at in every],
            "stages": [
                [at[0], len(at), self.spec.times(n), self.spec.title_of(self.spec.stages[n].name)]
                for n, at in folded
            ],
            "ways": {str(at): self.ways(at) for at in grid.exits_at},
        }

    def lines(self) -> list[tuple[str, str, str, str]]:
        """Return a row for each column: its place, repetitions, acts and exits."""
        found: list[tuple[str, str, str, str]] = []
        for at, column in enumerate(self.grid.columns):
            times = "" if column.stage is None else self.grid.bracket(column.stage)[0] or "once"
            ways = ". ".join(words for words, _ in self.ways(at))
            found.append((self.heading(at), times, self.turn(at), ways))
        return found


# -- rounds ----------------------------------------------------------------------------------------

Turns = tuple[int, ...]
Pairs = frozenset[tuple[str, str]]


class _Schedule:
    """A protocol of rounds in words."""

    def __init__(self, grid: ProtocolGrid, rounds: SpeakingTurns) -> None:
        self.grid, self.spec, self.rounds = grid, grid.spec, rounds
        self.total = len(grid.columns)
        # Those who may decide, beginning with the seat whose verdict counts.
        deciders = [seat for seat in self.spec.roles.deciders if seat in rounds.decisions]
        self.deciders = [*dict.fromkeys([*deciders, *rounds.decisions])]
        self.others = [seat for seat in self.spec.seat_names if seat not in self.deciders]
        arguing = [seat for seat in self.others if seat in self.spec.roles.sides]
        self.group = arguing or self.others
        self._known: dict[object, str] = {}

    def _worlds(self, column: int) -> tuple[Happening, ...]:
        place = self.grid.columns[column]
        assert place.stage is not None
        return self.rounds.happenings(place.stage, place.turn)

    @cached_property
    def acting(self) -> Mapping[str, tuple[Turns, Turns]]:
        """The turns in which each seat certainly acts, and those in which chance decides."""
        sure: dict[str, list[int]] = {seat: [] for seat in self.spec.seat_names}
        maybe: dict[str, list[int]] = {seat: [] for seat in self.spec.seat_names}
        known: dict[tuple[Happening, ...], dict[str, bool]] = {}
        for column in range(self.total):
            worlds = self._worlds(column)
            if worlds not in known:
                acts = dict.fromkeys(seat for world in worlds for seat in world.seats)
                known[worlds] = {s: all(s in world.seats for world in worlds) for s in acts}
            for seat, certain in known[worlds].items():
                (sure if certain else maybe)[seat].append(column)
        return {seat: (tuple(sure[seat]), tuple(maybe[seat])) for seat in sure}

    @cached_property
    def deciding(self) -> Mapping[str, Mapping[int, float]]:
        """The probability of each seat that may decide to be allowed to, by turn."""
        found: dict[str, dict[int, float]] = {seat: {} for seat in self.deciders}
        for at, column in enumerate(self.grid.columns):
            assert column.stage is not None
            for seat, chance in self.rounds.deciding(column.stage, column.turn).items():
                found[seat][at] = chance
        return found

    def caption(self) -> str:
        clauses = [*self._speaking(), *self._reading_all(), *map(self._deciding, self.deciders)]
        text = "; ".join(clauses or ["nobody can decide"])
        if self.grid.seed is not None and variants_of(self.spec) > 1:
            text = f"with seed {self.grid.seed}, {text}"
        return f"{capitalized(text)}."

    def seats(self, names: Sequence[str]) -> str:
        """Return seats within a sentence: ``"both provers"``, ``"provers 1 and 3"``."""
        stems: dict[str, list[str]] = {}
        for seat in names:
            stems.setdefault(self._stem(seat), []).append(seat)
        return join_names(self._alike(stem, own) for stem, own in stems.items())

    def _stem(self, seat: str) -> str:
        stem, _, number = self.spec.seat_name(seat).rpartition(" ")
        return stem if number.isdigit() and stem else self.spec.seat_name(seat)

    def _alike(self, stem: str, names: Sequence[str]) -> str:
        if len(names) == 1:
            return self.spec.seat_phrase(names[0])
        plural = _plural(stem)
        total = sum(self._stem(seat) == stem for seat in self.spec.seat_names)
        if len(names) == total:
            both = "both" if total == 2 else f"all {COUNTS.get(total, total)}"
            return f"{both} {plural}"
        if len(names) > MOST:
            return f"{len(names)} of the {total} {plural}"
        numbers = [self.spec.seat_name(seat).rpartition(" ")[2] for seat in names]
        return f"{plural} {join_names(numbers)}"

    def _speaking(self) -> Iterator[str]:
        when = {seat: self.acting[seat][0] for seat in self.others}
        maybe = {seat: self.acting[seat][1] for seat in self.others}
        spoken = [turn for turns in when.values() for turn in turns]
        asked = min((t for d in self.deciders for t in self.acting[d][0]), default=self.total)
        first = min((turn for seat in self.group for turn in when[seat]), default=self.total)
        verb = "answer" if asked < first else "speak"
        apart = self.group == self.others and len({*spoken}) == len(spoken)
        if apart and 2 <= len(when) <= MOST and all(when.values()):
            order = sorted(when, key=when.__getitem__)
            parts = [f"{self.spec.seat_phrase(s)} {in_turns(when[s], self.total)}" for s in order]
            if not any(maybe.values()):
                stems = {self._stem(seat) for seat in order}
                who = f"the {_plural(stems.pop())}" if len(stems) == 1 else "seats"
                yield f"{who} {verb} one after the other, {join_names(parts)}"
                return
        groups: dict[Turns, list[str]] = {}
        for seat, turns in when.items():
            groups.setdefault(turns, []).append(seat)
        groups = {turns: names for turns, names in groups.items() if turns}
        for turns, names in list(groups.items())[:MOST]:
            does = verb if {*names} <= {*self.group} else "speak"
            together = f"{does} at once" if len(names) > 1 else f"{does}s"
            yield f"{self.seats(names)} {together} {in_turns(turns, self.total)}"
        if len(groups) > MOST:
            rest = sum(len(names) for names in list(groups.values())[MOST:])
            yield f"{rest} more {'seat speaks' if rest == 1 else 'seats speak'} in other turns"
        yield from self._chances(maybe)
        silent = [seat for seat in self.others if not when[seat] and not maybe[seat]]
        if silent:
            yield f"{self.seats(silent)} never {'speaks' if len(silent) == 1 else 'speak'}"

    def _chances(self, maybe: Mapping[str, Turns]) -> Iterator[str]:
        turns = sorted({turn for own in maybe.values() for turn in own})
        names = [self.spec.seat_phrase(seat) for seat, own in maybe.items() if own]
        if len(names) == 1:
            yield f"chance decides whether {names[0]} speaks {in_turns(turns, self.total)}"
        elif names:
            listed = join_names(names, "or") if len(names) <= MOST else f"{len(names)} seats"
            yield f"chance decides who speaks {in_turns(turns, self.total)}: {listed}"

    def _reading_all(self) -> Iterator[str]:
        """Yield phrases for seats that read what another of their group writes."""
        if len(self.group) < 2:
            return
        writes = {pair for at in range(self.total) for w in self._worlds(at) for pair in w.speakers}
        reads = {
            seat: [
                other
                for other in self.group
                if other != seat
                and any(who == other and self._sees(seat, channel) for who, channel in writes)
            ]
            for seat in self.group
        }
        pair = len(self.group) == 2
        if not any(reads.values()):
            yield "neither reads the other" if pair else "none reads another"
        elif all(len(heard) == len(self.group) - 1 for heard in reads.values()):
            yield "each reads the other" if pair else "each reads all others"
        elif sum(map(bool, reads.values())) <= MOST:
            phrase = self.spec.seat_phrase
            yield ", ".join(
                f"{phrase(seat)} reads {join_names(map(phrase, heard))}"
                for seat, heard in reads.items()
                if heard
            )
        else:
            yield "some read what others write"

    def _sees(self, seat: str, channel: str) -> bool:
        return self.spec.sees(seat, self.spec.channel(channel).seen, 0)

    def _deciding(self, seat: str) -> str:
        chances, acts = self.deciding[seat], sorted({*self.acting[seat][0], *self.acting[seat][1]})
        who = self.spec.seat_phrase(seat)
        if not acts:
            return (
                f"{who} never acts, so {'nobody' if seat == self.deciders[0] else 'it'} can decide"
            )
        if not chances:
            return f"{who} speaks {in_turns(acts, self.total)}, and can never decide"
        sure = all(chance == 1 for chance in chances.values())
        may = "may decide" if sure else "may, if chance lets it, decide"
        early = [turn for turn in acts if turn not in chances]
        first = f" speaks {in_turns(early, self.total)}, and" if early else ""
        return f"{who}{first} {may} {in_turns(sorted(chances), self.total)}"

    # -- one turn --------------------------------------------------------------------------------

    @cached_property
    def _last(self) -> Mapping[str, int]:
        """The last turn in which each seat may act."""
        return {s: max([*a, *b]) for s, (a, b) in self.acting.items() if a or b}

    @cached_property
    def _asked(self) -> Mapping[str, int]:
        """The first turn in which a seat that decides writes to each seat."""
        found: dict[str, int] = {}
        for column in range(self.total):
            for world in self._worlds(column):
                for who, channel in world.speakers:
                    if who in self.deciders:
                        for reader, _ in self.spec.channel(channel).seen:
                            found.setdefault(reader, column)
        return found

    def turn(self, column: int) -> str:
        """Return what happens in a turn."""
        worlds = tuple(dict.fromkeys(self._worlds(column)))
        later = frozenset(seat for seat, last in self._last.items() if last > column)
        were_asked = frozenset(seat for seat, first in self._asked.items() if first < column)
        # Equal turns of a cycle are described once.
        key = (worlds, later, were_asked)
        if key not in self._known:
            clauses = [*self._clauses(worlds, later, were_asked)] or ["nobody acts"]
            self._known[key] = f"{capitalized('; '.join(clauses))}."
        return self._known[key]

    def _clauses(
        self, worlds: Sequence[Happening], later: frozenset[str], were_asked: frozenset[str]
    ) -> Iterator[str]:
        if len(worlds) > 1:
            yield from self._by_chance(worlds)
            yield from self._reading(worlds, "message")
            return
        (now,) = worlds
        writing = [seat for seat in self.others if seat in now.seats]
        for seat in self.deciders:
            if seat in now.seats:
                yield self._asks(seat, now, later)
        answering = [seat for seat in writing if seat in were_asked]
        rest = [seat for seat in writing if seat not in were_asked]
        for names, verb in ((answering, "answer"), (rest, "write")):
            if names:
                yield f"{self.seats(names)} {verb}{' at once' if len(names) > 1 else 's'}"
        yield from self._reading(worlds, "message" if rest else "answer")

    def _asks(self, seat: str, now: Happening, later: frozenset[str]) -> str:
        who = self.spec.seat_phrase(seat)
        asked = [
            other
            for other in self.others
            if other in later and any(self._sees(other, c) for c in now.channels_of(seat))
        ]
        text = f"{who} asks {self.seats(asked)}" if asked else f"{who} writes"
        if seat in now.deciders:
            return f"{text}, or decides" if asked else f"{who} decides"
        return f"{text}, and cannot decide yet" if self.deciding[seat] else text

    def _by_chance(self, worlds: Sequence[Happening]) -> Iterator[str]:
        def said(world: Happening) -> str:
            return join_names(map(self.spec.seat_phrase, world.seats)) if world.seats else "nobody"

        yield f"chance picks who acts: {join_names(dict.fromkeys(map(said, worlds)), 'or')}"
        for seat in self.deciders:
            if any(seat in world.seats for world in worlds) and self.deciding[seat]:
                may = any(seat in world.deciders for world in worlds)
                can = "can decide" if may else "cannot decide yet"
                sure = all(seat in world.seats for world in worlds)
                who = self.spec.seat_phrase(seat)
                yield f"{who} {can}" if sure else f"if it acts, {who} {can}"

    def _reading(self, worlds: Sequence[Happening], noun: str) -> Iterator[str]:
        """Yield sentences about what seats of the group read of each other in this turn."""
        writers = [s for s in self.group if any(s in world.seats for world in worlds)]
        others = len(self.group) - 1
        if not writers or not others:
            return
        reads, unread = self._who_reads(worlds)
        pairs = len(writers) * others
        if len(writers) == 1:
            for pairs_of, verb in ((reads, "read"), (unread, "do not read")):
                names = [name for name in self.group if (name, writers[0]) in pairs_of]
                if names:
                    alone = verb.replace("do not", "does not") if "not" in verb else f"{verb}s"
                    yield f"{self.seats(names)} {alone if len(names) == 1 else verb} it"
        elif len(unread) == pairs:
            who = self._group_name
            yield (
                f"neither {who} reads the other's {noun}"
                if others == 1
                else f"none of the {who}s reads another's {noun}"
            )
        elif len(reads) == pairs:
            yield "each will read the other's" if others == 1 else "each will read the others'"
        else:
            for writer in writers:
                names = [name for name in self.group if (name, writer) in reads]
                if names:
                    verb = "reads" if len(names) == 1 else "read"
                    whom = self.spec.seat_phrase(writer)
                    yield f"{self.seats(names)} {verb} what {whom} writes"

    @cached_property
    def _group_name(self) -> str:
        stems = {self._stem(seat) for seat in self.group}
        stem = next(iter(stems)) if len(stems) == 1 else "seat"
        return f"{stem[0].lower()}{stem[1:]}"

    def _who_reads(self, worlds: Sequence[Happening]) -> tuple[Pairs, Pairs]:
        """Return the pairs of seats whose first reads all of what the second writes, or nothing."""
        wrote = {pair for world in worlds for pair in world.speakers if pair[0] in self.group}
        read: set[tuple[str, str]] = set()
        unread: set[tuple[str, str]] = set()
        for writer in {name for name, _ in wrote}:
            channels = [channel for name, channel in wrote if name == writer]
            for reader in self.group:
                sees = [self._sees(reader, channel) for channel in channels]
                if reader != writer and all(sees):
                    read.add((reader, writer))
                elif reader != writer and not any(sees):
                    unread.add((reader, writer))
        return frozenset(read), frozenset(unread)


def _plural(stem: str) -> str:
    return f"{stem[0].lower()}{stem[1:]}s"
