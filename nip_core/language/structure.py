"""The unchecked data of a version 2 protocol, and what is derived from it: names and places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

from nip_core.displays import capitalized, name_in_words, with_article
from nip_core.errors import UnknownNameError, show
from nip_core.language.collecting import refused
from nip_core.language.data import (
    CHANCE,
    END,
    IS,
    LATE,
    STAGE_END,
    START,
    TASK,
    Act,
    Channel,
    Choice,
    ComputedValue,
    Count,
    Grid,
    Limit,
    Option,
    Part,
    Pay,
    Seat,
    Seen,
    Stage,
    StatedRoles,
    Turn,
)
from nip_core.language.expressions import Expression, Names
from nip_core.language.families import Family
from nip_core.mistakes import Fix

__all__ = ["FOR_PEOPLE", "MAX_OPTIONS", "Place", "Sight", "Structure", "taken"]

MAX_OPTIONS = 1_001
# Fields for people, which no rule reads.
FOR_PEOPLE = ("title", "source", "family", "about", "simplified")
_T = TypeVar("_T")


class Place(NamedTuple):
    """A turn of a play: the stage, its repetition, and the turn in it, all counted from 0."""

    stage: int
    repeat: int
    turn: int


class Sight(NamedTuple):
    """The names of everything that a seat sees in a stage."""

    parts: frozenset[str]
    channels: frozenset[str]
    choices: frozenset[str]
    values: frozenset[str]

    def more_than(self, other: Sight) -> bool:
        """Return whether it has something that another one has not."""
        return any(here - there for here, there in zip(self, other, strict=True))


def taken(choice: str, option: Option) -> str:
    """Return the register that counts how often a limited option was chosen."""
    return f"taken {choice} {option}"


@dataclass(frozen=True)
class Structure:
    """The unchecked fields of :class:`~nip_core.language.Specification`, and derived data."""

    name: str
    seats: tuple[Seat, ...]
    channels: tuple[Channel, ...]
    choices: tuple[Choice, ...]
    stages: tuple[Stage, ...]
    verdict: str = "none"
    parts: tuple[Part, ...] = ()
    pay: tuple[Pay, ...] = ()
    limits: tuple[Limit, ...] = ()
    settings: tuple[tuple[str, Fraction], ...] = ()
    stated_roles: StatedRoles = StatedRoles()
    titles: tuple[tuple[str, str], ...] = ()
    values: tuple[ComputedValue, ...] = ()
    labels: tuple[str, ...] = ()
    families: tuple[Family, ...] = ()
    written_out: bool = False
    # How its document is written is no part of what it is.
    short: str = field(default="", compare=False)
    title: str = ""
    source: str = ""
    family: str = ""
    about: str = ""
    simplified: str = ""

    # -- names ---------------------------------------------------------------------------------

    @cached_property
    def seat_names(self) -> tuple[str, ...]:
        """All seats, in order."""
        return tuple(seat.name for seat in self.seats)

    @cached_property
    def _seats(self) -> Mapping[str, Seat]:
        return {seat.name: seat for seat in self.seats}

    @cached_property
    def _choices(self) -> Mapping[str, Choice]:
        return {choice.name: choice for choice in self.choices}

    @cached_property
    def _channels(self) -> Mapping[str, Channel]:
        return {channel.name: channel for channel in self.channels}

    @cached_property
    def stage_index(self) -> Mapping[str, int]:
        """The place of each stage."""
        return {stage.name: index for index, stage in enumerate(self.stages)}

    @property
    def agent_names(self) -> tuple[str, ...]:
        """All seats; the name that version 1 uses for them."""
        return self.seat_names

    @property
    def max_message_rounds(self) -> int:
        """The number of turns of the longest play; the name that version 1 uses for it."""
        return self.longest

    def agent_index(self, name: str) -> int:
        """Return the place of a seat among all."""
        if name not in self.seat_names:
            raise UnknownNameError("seat", name, self.seat_names)
        return self.seat_names.index(name)

    @cached_property
    def channel_names(self) -> tuple[str, ...]:
        """All channels, in order."""
        return tuple(channel.name for channel in self.channels)

    @property
    def full_name(self) -> str:
        """The protocol's name for people: its title, or else its name in words."""
        return self.title or capitalized(name_in_words(self.name))

    def title_of(self, name: object) -> str:
        """Return the name for people of a part, channel, choice, option, stage or setting."""
        return self._titles.get(str(name)) or name_in_words(str(name))

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        return dict(self.titles)

    def seat_name(self, agent: str) -> str:
        """Return a seat's name for people: ``"Judge"``; seats with the same title are numbered."""
        self.agent_index(agent)
        return self._seat_titles[agent]

    def seat_phrase(self, agent: str) -> str:
        """Return a seat's name within a sentence: ``"the judge"``, ``"juror 2"``."""
        return with_article(self.seat_name(agent))

    def channel_title(self, channel: str) -> str:
        """Return a channel's name for people: ``"Debate"``."""
        return capitalized(self.title_of(self.channel(channel).name))

    @cached_property
    def _seat_titles(self) -> dict[str, str]:
        # In one line each: a title could otherwise look like several lines of a prompt.
        titles = {
            seat.name: " ".join(seat.title.split()) or capitalized(name_in_words(seat.name))
            for seat in self.seats
        }
        numbers: Counter[str] = Counter()
        shared = {title for title, count in Counter(titles.values()).items() if count > 1}
        for name, title in titles.items():
            if title in shared:
                numbers[title] += 1
                titles[name] = f"{title} {numbers[title]}"
        return titles

    def seat(self, name: str) -> Seat:
        """Return the seat of this name."""
        return _found(self._seats, "seat", name)

    def choice(self, name: str) -> Choice:
        """Return the choice of this name."""
        return _found(self._choices, "choice", name)

    def channel(self, name: str) -> Channel:
        """Return the channel of this name."""
        return _found(self._channels, "channel", name)

    # -- numbers and options -------------------------------------------------------------------

    def count(self, value: Count, at: str = "a count") -> int:
        """Return a whole number, which may be the value of a setting.

        Raises
        ------
        SpecError
            If the value is not a whole number.
        """
        number = dict(self.settings).get(value) if isinstance(value, str) else value
        if isinstance(number, Fraction) and number.denominator == 1:
            return int(number)
        if type(number) is not int:
            settings = ", ".join(name for name, _ in self.settings) or "none"
            digits = isinstance(value, str) and value.isdecimal() and len(value) < 10
            raise refused(
                f"{at} is {show(value)}, not a whole number or a setting that is one.",
                f"Write a whole number, or one of the settings: {settings}.",
                fix=Fix(f"Write {value}", str(value)) if digits else None,
            )
        return number

    @cached_property
    def options(self) -> Mapping[str, tuple[Option, ...]]:
        """The options of each choice."""
        return {choice.name: self.options_of(choice) for choice in self.choices}

    def options_of(self, choice: Choice) -> tuple[Option, ...]:
        """Return the options of a choice; raise a SpecError if they cannot be counted."""
        if not isinstance(choice.options, Grid):
            return choice.options
        at = "an end of its options"
        low, high, step = (
            self.count(end, at)
            for end in (choice.options.low, choice.options.high, choice.options.step)
        )
        if step < 1 or high < low:
            raise refused(
                "its options must count upwards.", "Begin with the smaller end, in steps above 0."
            )
        if (high - low) // step >= MAX_OPTIONS:
            raise refused(
                f"it has {(high - low) // step + 1:,} options; at most {MAX_OPTIONS:,}.",
                "Use larger steps.",
            )
        return tuple(range(low, high + 1, step))

    def open_here(self, choice: str, named: tuple[Option, ...]) -> tuple[Option, ...]:
        """Return the options of a choice that an act names, or all of them."""
        return named or self.options[choice]

    def times(self, stage: int) -> int:
        """Return how often a stage is played at most."""
        return self._times[stage]

    @cached_property
    def _times(self) -> tuple[int, ...]:
        return tuple(
            self.count(stage.times, f"stage {stage.name!r}: times") for stage in self.stages
        )

    # -- expressions ---------------------------------------------------------------------------

    @cached_property
    def names(self) -> Names:
        """The meanings of names in expressions."""
        values = {value.name: value for value in self.values}
        repeats = max(self._times, default=1)
        return Names(
            self.options,
            dict(self.settings),
            repeats,
            values,
            often=self.turns_with,
            labels=frozenset(self.labels),
            generated=self.written_out,
        )

    @cached_property
    def collected(self) -> tuple[ComputedValue, ...]:
        """The values that are collected, and so kept from turn to turn."""
        return tuple(value for value in self.values if value.way != IS)

    def turns_with(self, choices: Collection[str]) -> int:
        """Return in how many turns of the longest play one of some choices may be made.

        Each choice before play counts as a turn.
        """
        wanted = frozenset(choices)
        turns = sum(choice.name in wanted for choice in self.drawn)
        for index, stage in enumerate(self.stages):
            made = [{name for act in t.acts for name, _ in act.choose} for t in stage.turns]
            turns += self.times(index) * sum(not names.isdisjoint(wanted) for names in made)
        return turns

    @cached_property
    def _expressions(self) -> dict[str, Expression]:
        return {}

    def expression(self, text: str) -> Expression:
        """Return an expression of this protocol, checked."""
        known = self._expressions
        if text not in known:
            known[text] = self.names.read(text)
        return known[text]

    @cached_property
    def _channel_words(self) -> tuple[Names, dict[str, Expression]]:
        """The meanings of names where a channel is named, and what was read there."""
        labels = self.names.labels | {*self.channel_names}
        return replace(self.names, labels=labels), {}

    def channel_expression(self, text: str) -> Expression:
        """Return an expression whose value is a channel, checked; channels are named as options."""
        names, known = self._channel_words
        if text not in known:
            known[text] = names.read(text)
        return known[text]

    @cached_property
    def has_copies(self) -> bool:
        """Whether a turn copies messages from one channel to another."""
        return any(turn.copies for _, _, turn in self.places())

    # -- the course of play --------------------------------------------------------------------

    @cached_property
    def longest(self) -> int:
        """How many turns the longest play may have."""
        return sum(
            times * len(stage.turns) for times, stage in zip(self._times, self.stages, strict=True)
        )

    def places(self) -> Iterator[tuple[int, int, Turn]]:
        """Yield every turn of the specification, with the numbers of its stage and of the turn."""
        for index, stage in enumerate(self.stages):
            for number, turn in enumerate(stage.turns):
                yield index, number, turn

    def acts(self) -> Iterator[tuple[int, int, Act]]:
        """Yield every act of the specification, with the numbers of its stage and turn."""
        for stage, number, turn in self.places():
            for act in turn.acts:
                yield stage, number, act

    def turn(self, place: Place) -> Turn:
        """Return the turn at a place."""
        return self.stages[place.stage].turns[place.turn]

    def target(self, name: str) -> Place | None:
        """Return the place to which a guard leads; None for the end."""
        return None if name == END else Place(self.stage_index[name], 0, 0)

    @cached_property
    def last_places(self) -> Mapping[str, Place]:
        """The last turn of the longest play in which each seat may act."""
        last: dict[str, Place] = {}
        for stage, number, turn in self.places():
            for act in turn.acts:
                last[act.seat] = Place(stage, self.times(stage) - 1, number)
        return last

    def after(self, place: Place) -> Place | None:
        """Return the next place if no guard holds; None for the end."""
        stage, repeat, turn = place
        if turn + 1 < len(self.stages[stage].turns):
            return Place(stage, repeat, turn + 1)
        if repeat + 1 < self._times[stage]:
            return Place(stage, repeat + 1, 0)
        return Place(stage + 1, 0, 0) if stage + 1 < len(self.stages) else None

    def places_after(self, turns: int) -> frozenset[Place]:
        """Return all places at which play may be after `turns` turns, if it is not over."""
        reached = self._reached
        while len(reached) <= turns:
            ways = (
                (self.after(place), *(self.target(name) for name, _ in self.turn(place).then))
                for place in reached[-1]
            )
            reached.append(frozenset(place for way in ways for place in way if place is not None))
        return reached[turns]

    @cached_property
    def _reached(self) -> list[frozenset[Place]]:
        """The places after so many turns, as far as they have been asked for."""
        return [frozenset({Place(0, 0, 0)})]

    @cached_property
    def drawn(self) -> tuple[Choice, ...]:
        """The choices of the task and of chance that are made before play, in no turn."""
        made = {choice for _, _, act in self.acts() for choice, _ in act.choose}
        return tuple(
            choice
            for choice in self.choices
            if choice.by in (TASK, CHANCE) and choice.name not in made
        )

    # -- seeing --------------------------------------------------------------------------------

    def visible_channels(self, seat: str) -> tuple[str, ...]:
        """Return the channels that a seat reads at any time, in order."""
        self.agent_index(seat)
        return tuple(channel.name for channel in self.channels if seat in dict(channel.seen))

    @cached_property
    def has_late_sight(self) -> bool:
        """Whether a seat sees something only once a repetition or a stage has ended."""
        things = (*self.channels, *self.choices, *self.values)
        return any(since in LATE for thing in things for _, since in thing.seen)

    def sees_late(self, seat: str, times: Collection[str]) -> bool:
        """Return whether a seat sees some channel or choice at one of these late times."""
        things = (*self.channels, *self.choices, *self.values)
        return any((seat, since) in thing.seen for thing in things for since in times)

    def pending(self, happened: Place, now: Place | None) -> tuple[str, ...]:
        """Return the late times that have not come yet for what happened at an earlier place."""
        if not self.has_late_sight or now is None or now.stage != happened.stage:
            return ()
        return LATE if now.repeat == happened.repeat else (STAGE_END,)

    def since_phrase(self, since: str) -> str:
        """Return since when something is seen, in words; empty if it is from the start."""
        if since in LATE:
            return f"at the end of each {since.removeprefix('end of ')}"
        return {START: "", END: "at the end"}.get(since, f"from “{self.title_of(since)}” on")

    def sees(self, seat: str, seen: Seen, stage: int | None, pending: tuple[str, ...] = ()) -> bool:
        """Return whether a seat sees something in a stage or, for None, at the end.

        Parameters
        ----------
        seat : str
        seen : tuple of (seat, since)
        stage : int, optional
        pending : tuple of str
            For what has happened in a turn, the late times that have not come yet; see
            :meth:`pending`.
        """
        since = next((since for name, since in seen if name == seat), None)
        if since is None or since == START:
            return since is not None
        if since in LATE:
            return since not in pending
        if since == END or stage is None:
            return stage is None
        return stage >= self.stage_index[since]

    def sees_choice(
        self, seat: str, choice: Choice, stage: int | None, pending: tuple[str, ...] = ()
    ) -> bool:
        """Return whether a seat sees a choice in a stage. It always sees its own."""
        return choice.by == seat or self.sees(seat, choice.seen, stage, pending)

    @cached_property
    def _sights(self) -> dict[tuple[str, int | None, tuple[str, ...]], Sight]:
        return {}

    def sight(self, seat: str, stage: int | None, pending: tuple[str, ...] = ()) -> Sight:
        """Return what a seat sees in a stage or, for None, at the end, of one or of all turns."""
        key = seat, stage, pending
        sight = self._sights.get(key)
        if sight is None:
            sight = self._sights[key] = Sight(
                frozenset(p.name for p in self.parts if self.sees(seat, p.seen, stage)),
                frozenset(c.name for c in self.channels if self.sees(seat, c.seen, stage, pending)),
                frozenset(
                    c.name for c in self.choices if self.sees_choice(seat, c, stage, pending)
                ),
                frozenset(v.name for v in self.values if self.sees(seat, v.seen, stage, pending)),
            )
        return sight

    # -- limits --------------------------------------------------------------------------------

    @cached_property
    def option_limits(self) -> tuple[tuple[str, Option, int], ...]:
        """Options that may be chosen a limited number of times: (choice, option, most)."""
        return tuple(
            (limit.of, limit.option, self.count(limit.most))
            for limit in self.limits
            if limit.option is not None
        )

    @cached_property
    def statements(self) -> Mapping[str, tuple[str, str]]:
        """What is assumed to be true on somebody's word: from a statement to (source, choice)."""
        return {
            choice.truth_of: (choice.by, choice.name) for choice in self.choices if choice.truth_of
        }


def _found(known: Mapping[str, _T], kind: str, name: str) -> _T:
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(kind, name, known)
    return known[name]
