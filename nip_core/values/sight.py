"""What sides are shown of a document's turns: choices, values, and what comes late.

A side is one seat, or several that pool what they know. It is shown what its seats are shown in
play: choices that they see, values that a turn has changed, what each of them argues for. With
sight from a stage, or from the end of a repetition or stage on, it is shown all that has happened
until then, turn by turn; so this is kept, but only as long as the side may still choose something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from nip_core.language.data import END, REPETITION_END, STAGE_END, START
from nip_core.language.data import Seen as SeenSince
from nip_core.language.expressions import REPEAT, Expression, Value
from nip_core.language.liveness import made_in
from nip_core.language.specification import Specification
from nip_core.language.structure import Place

__all__ = ["Event", "Seen", "ShownValue", "Sight", "made_only", "noticed"]

Event = tuple[str, Value, Place | None]
"""A name, its option or value, and, of what is shown late, the place at which it happened."""


class Seen(NamedTuple):
    """What a side is shown after a turn, or before the first one.

    Parameters
    ----------
    place : Place
        The turn that follows.
    events : tuple of Event
        Choices of others and values, in the order of the document, what is shown late first.
        What a seat argues for is called ``"argues SEAT"``. Of some choices it matters only that
        they were made: these are called ``"made CHOICE"``, without a value.
    """

    place: Place
    events: tuple[Event, ...]


def made_only(choice: str) -> str:
    """Return the name of the event that a choice was made, whatever was chosen."""
    return f"made {choice}"


def noticed(seen: Seen, names: frozenset[str] | None) -> Seen:
    """Return what is seen by somebody who takes notice only of events with some names."""
    if names is None:
        return seen
    events: list[Event] = []
    for event in seen.events:
        name, _, place = event
        if name in names:
            events.append(event)
        elif made_only(name) in names:
            events.append((made_only(name), None, place))
    return Seen(seen.place, tuple(events))


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value that a side may be shown, worked out by the rules, or what a seat argues for."""

    name: str
    expression: Expression
    # Those of the registers it reads that turns change.
    changing: frozenset[str]
    changed_by: frozenset[str]
    # Whether the side is always shown it when it changes, and only then. So the side knows what it
    # was before, and nobody has to remember that only to know whether it is shown.
    always: bool

    def news(self, before: Mapping[str, Value], now: Mapping[str, Value]) -> Value:
        """Return it if a turn has changed it, or if it is complete only now; else None."""
        new = self.expression.value(now)
        if self.always or new is None or new != self.expression.value(before):
            return new
        complete = all(now[name] is not None for name in self.changing)
        return new if complete and any(before[name] is None for name in self.changing) else None


class Sight:
    """What sides are shown.

    Parameters
    ----------
    spec : Specification
    sides : sequence of frozenset of str
        The seats of each side.
    unseeing : int
        The number of sides, the first ones, that are shown nothing.
    """

    def __init__(
        self, spec: Specification, sides: Sequence[frozenset[str]], unseeing: int = 0
    ) -> None:
        self.spec, self.sides, self.unseeing = spec, sides, unseeing
        self._seen: dict[tuple[int, str, int, tuple[str, ...]], bool] = {}
        # The choices and values that matter; others are shown to nobody.
        self.relevant: frozenset[str] | None = None
        # Choices of which it matters only that they are made.
        self.telling = frozenset[str]()
        self._ways: dict[tuple[Place | None, Place, frozenset[str]], _Way] = {}

    def matters(self, name: str) -> bool:
        """Return whether a choice matters, or a value that is collected."""
        return self.relevant is None or name in self.relevant

    def matters_in(self, value: ShownValue) -> bool:
        """Return whether something matters on which a value depends."""
        return any(map(self.matters, value.changed_by))

    # -- until when it matters -----------------------------------------------------------------

    def chooses(self, side: int, place: Place) -> bool:
        """Return whether a side may have a choice at a place or after it."""
        last = self._last[side]
        if self._last_stage[side] > place.stage:
            return True
        again = place.repeat + 1 < self.spec.times(place.stage)
        return place.stage in last and (again or last[place.stage] >= place.turn)

    @cached_property
    def _last(self) -> tuple[dict[int, int], ...]:
        """For each side, and each stage in which it chooses, its last turn there."""
        last: tuple[dict[int, int], ...] = tuple({} for _ in self.sides)
        for stage, number, act in self.spec.acts():
            for turns, side in zip(last, self.sides, strict=True):
                if act.choose and act.seat in side:
                    turns[stage] = max(number, turns.get(stage, 0))
        return last

    @cached_property
    def _last_stage(self) -> list[int]:
        return [max(turns, default=-1) for turns in self._last]

    # -- who sees what -------------------------------------------------------------------------

    @cached_property
    def values(self) -> tuple[tuple[ShownValue, ...], ...]:
        """For each side, the values that it may be shown during play."""
        spec = self.spec
        argued = [(f"argues {s.name}", s.name, s.argues) for s in spec.seats if s.argues != "none"]
        found: list[tuple[ShownValue, ...]] = []
        for number, side in enumerate(self.sides):
            if number < self.unseeing:
                found.append(())
                continue
            shown = [(n, spec.expression(text), True) for n, seat, text in argued if seat in side]
            for value in spec.values:
                times = {since for seat, since in value.seen if seat in side} - {END}
                if times:
                    shown.append((value.name, spec.names.computed(value.name), START in times))
            found.append(
                tuple(
                    self._shown(name, expression, at_once)
                    for name, expression, at_once in shown
                    if not (at_once and self._works_out(side, expression))
                )
            )
        return tuple(found)

    def _works_out(self, side: frozenset[str], expression: Expression) -> bool:
        """Return whether a side sees at once all choices on which an expression depends."""
        if REPEAT in expression.reads:
            return False
        return all(
            (choice := self.spec.choice(name)).by in side
            or any(seat in side and since == START for seat, since in choice.seen)
            for name in self.spec.names.decided_by(expression.reads)
        )

    def _shown(self, name: str, expression: Expression, at_once: bool) -> ShownValue:
        changed_by = self.spec.names.changed_by
        changing = expression.reads & changed_by.keys()
        by = frozenset[str]().union(*(changed_by[register] for register in changing))
        return ShownValue(name, expression, changing, by, at_once and expression.tree.op == "name")

    @cached_property
    def _since(self) -> dict[str, SeenSince]:
        """Who sees each choice and each value since when."""
        made = {made_only(choice.name): choice.seen for choice in self.spec.choices}
        return made | {thing.name: thing.seen for thing in (*self.spec.choices, *self.spec.values)}

    def sees(self, side: int, name: str, happened: Place | None, onward: Place) -> bool:
        """Return whether a side sees a choice or value of a turn once play is at a place."""
        pending = () if happened is None else self.spec.pending(happened, onward)
        key = side, name, onward.stage, pending
        known = self._seen.get(key)
        if known is None:
            since = self._since[name]
            known = any(self.spec.sees(s, since, onward.stage, pending) for s in self.sides[side])
            self._seen[key] = known
        return known

    def has_times(self, name: str) -> bool:
        """Return whether a document says who sees it; what a seat argues for, it sees anyway."""
        return name in self._since

    def will_see(self, side: int, name: str, onward: Place) -> bool:
        """Return whether a side will see what it does not see yet, while it still chooses."""
        last, stage = self._last_stage[side], onward.stage
        again = onward.repeat + 1 < self.spec.times(stage)
        for seat, since in self._since[name]:
            if seat not in self.sides[side] or since in (START, END):
                continue
            if since == REPETITION_END:
                will = last > stage or (last == stage and again)
            elif since == STAGE_END:
                will = last > stage
            else:
                will = last >= self.spec.stage_index[since] > stage
            if will:
                return True
        return False

    # -- a turn --------------------------------------------------------------------------------

    def after(
        self,
        place: Place | None,
        onward: Place,
        made: frozenset[str],
        before: Mapping[str, Value],
        now: Mapping[str, Value],
        waiting: tuple[tuple[Event, ...], ...],
    ) -> tuple[tuple[Seen | None, ...], tuple[tuple[Event, ...], ...]]:
        """Return what each side is shown after a turn, and what it will be shown later.

        Parameters
        ----------
        place : Place, optional
            The turn; None before play.
        onward : Place
            The next turn.
        made : frozenset of str
            The choices that were made in the turn.
        before, now : mapping
            The registers before and after it.
        waiting : tuple of tuple
            What each side would be shown later before the turn.
        """
        way = self._ways.get((place, onward, made))
        if way is None:
            way = self._ways[place, onward, made] = _Way(self, place, onward, made)
        seen: list[Seen | None] = []
        later: list[tuple[Event, ...]] = []
        for side, (chooses, choices, values) in enumerate(way.sides):
            if not chooses:
                seen.append(None)
                later.append(())
                continue
            events: list[Event] = []
            still: list[Event] = []
            for event in waiting[side]:
                if self.sees(side, event[0], event[2], onward):
                    events.append(event)
                elif self.will_see(side, event[0], onward):
                    still.append(event)
            for name, event, is_now in choices:
                option = now[name] if name == event else None
                if is_now:
                    events.append((event, option, None))
                else:
                    still.append((event, option, place))
            for shown, is_now in values:
                value = shown.news(before, now)
                if value is not None:
                    if is_now:
                        events.append((shown.name, value, None))
                    else:
                        still.append((shown.name, value, place))
            seen.append(Seen(onward, tuple(events)))
            later.append(tuple(still))
        return tuple(seen), tuple(later)


class _Way:
    """What sides are shown of a turn on the way to a place, now (True) or later (False)."""

    def __init__(
        self, sight: Sight, place: Place | None, onward: Place, made: frozenset[str]
    ) -> None:
        spec = sight.spec
        may = made if place is None else made_in(spec.turn(place))
        telling = {c.name: made_only(c.name) for c in spec.choices if c.name in sight.telling}
        choices = [
            c
            for c in spec.choices
            if c.name in made and (sight.matters(c.name) or c.name in telling)
        ]
        self.sides: list[
            tuple[bool, list[tuple[str, str, bool]], list[tuple[ShownValue, bool]]]
        ] = []
        for side, seats in enumerate(sight.sides):

            def shown(name: str, side: int = side) -> bool | None:
                if not sight.has_times(name) or sight.sees(side, name, place, onward):
                    return True
                return False if sight.will_see(side, name, onward) else None

            blind = side < sight.unseeing
            others = [] if blind else [c.name for c in choices if c.by not in seats]
            values = [
                value
                for value in sight.values[side]
                if (place is None or not value.changed_by.isdisjoint(may))
                and sight.matters_in(value)
            ]
            self.sides.append(
                (
                    sight.chooses(side, onward),
                    [
                        (name, telling.get(name, name), now)
                        for name in others
                        if (now := shown(name)) is not None
                    ],
                    [(value, now) for value in values if (now := shown(value.name)) is not None],
                )
            )
