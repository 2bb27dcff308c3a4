"""Two opposed sides of a document: what one can guarantee, whatever the other one does.

While the sequence form has few moves, the answer is one linear program. Otherwise plans are found
one by one (McMahan, Gordon and Blum, 2003): in each round both sides mix the plans that they have,
and each gets a best reply to the other one's mixture. The best replies also bound the value.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from nip_core.budget import Budget
from nip_core.displays import Table, between, line
from nip_core.errors import StoppedError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.values.checks import checked
from nip_core.values.features import Goal
from nip_core.values.plans import Mixture
from nip_core.values.replies import best_reply
from nip_core.values.saddle import saddle
from nip_core.values.sequences import MOST_MOVES, mixed_plans, sequences
from nip_core.values.sides import EMPTY, TwoSides
from nip_core.values.sight import Seen
from nip_core.values.solving import GOAL, SOLVING, Solved, a_side, not_computed, pay_of, sides_of
from nip_core.values.turns import Offer, Own, Player, Turns

__all__ = ["Opposed", "opposed"]

# Bounds that are closer count as equal.
GAP = Fraction(1, 1_000_000)
# How often the other side errs when a new plan is looked for: else the plan would not know what to
# do where the other side never comes.
SLIP = Fraction(1, 1_000)


@dataclass(frozen=True, eq=False)
class Opposed(Solved):
    """What one side can guarantee against another one.

    Parameters
    ----------
    one, other : frozenset of str
        The side that wants most of the goal, and the side that wants least of it.
    how : str
        ``"exact"``; ``"interval"``, of which both ends are certain; or ``"not computed: ..."``.
    low, high : Fraction, optional
        The first side's plan guarantees it `low`; the other side's plan concedes at most `high`.
    plans : pair of Player, optional
        These plans.
    """

    one: frozenset[str]
    other: frozenset[str]
    how: str
    low: Fraction | None = None
    high: Fraction | None = None
    plans: tuple[Player, Player] | None = None

    def __repr__(self) -> str:
        sides = " against ".join(", ".join(sorted(side)) for side in (self.one, self.other))
        return line(self, sides, between(self.low, self.high) or self.how)

    def table(self) -> Table:
        """Return the bounds."""
        ends = [None if end is None else float(end) for end in (self.low, self.high)]
        return Table(("at least", "at most", "how"), [(*ends, self.how)])


@checked(one=a_side, other=a_side, goal=GOAL, **SOLVING)
def opposed(
    spec: Specification,
    one: str | Iterable[str],
    other: str | Iterable[str],
    *,
    goal: Goal | None = None,
    habits: Sequence[Habit] = (),
    players: Sequence[Player] = (),
    seconds: float | None = None,
    most: int | None = MOST_MOVES,
    cancelled: threading.Event | None = None,
) -> Opposed:
    """Return what a side can guarantee if another one wants the opposite.

    Parameters
    ----------
    spec : Specification
    one, other : str or iterable of str
        The seats of both sides. Seats of one side pool what they know.
    goal : Goal, optional
        What the first side wants most of, by default its own pay.
    habits, players
        How all others play, as in :func:`~nip_core.values.best_reply`.
    seconds, most, cancelled
        The limits: time, moves of one linear program, and an event that another thread sets. With
        more moves, plans are found one by one.
    """
    one, other = sides_of(spec, one, other)
    sides = (one, other)
    goal = pay_of(one) if goal is None else goal
    given = (tuple(habits), tuple(players))
    try:
        with Budget(seconds=seconds, cancelled=cancelled):
            try:
                turns = Turns(spec, sides, *given, {*goal})
                game = sequences(turns, most=most)
            except TooLargeError:
                return _Rounds(spec, sides, goal, given).run()
            found = saddle(game, game.entries(goal))
            if found is None:
                return Opposed(*sides, "not computed: the linear program took too much time")
            plans = mixed_plans(turns, game, found.one, found.other)
            how = "exact" if found.low == found.high else "interval"
            return Opposed(*sides, how, found.low, found.high, plans)
    except StoppedError as error:
        return Opposed(*sides, not_computed(error))


class _Rounds:
    """Plans of both sides, found one by one."""

    def __init__(
        self,
        spec: Specification,
        sides: tuple[frozenset[str], frozenset[str]],
        goal: Goal,
        given: tuple[tuple[Habit, ...], tuple[Player, ...]],
    ) -> None:
        self._spec, self._sides, self._goal = spec, sides, goal
        self._habits, self._players = given
        self._against: Goal = {feature: -weight for feature, weight in goal.items()}
        self._plans: tuple[list[Player], list[Player]] = ([], [])
        self._values: dict[tuple[int, int], Fraction] = {}
        self._best: list[tuple[Fraction, Player] | None] = [None, None]

    def run(self) -> Opposed:
        """Find plans until both bounds are equal, or as long as there is time."""
        reason = ""
        try:
            for place in (0, 1):
                plan = self._best_against(place, [])[1]
                self._plans[place].append(plan)
            while not self._is_closed:
                self._round()
        except StoppedError as error:
            reason = not_computed(error)
        one, other = self._best
        if one is None or other is None:
            return Opposed(*self._sides, reason)
        how = "exact" if one[0] == other[0] else "interval"
        return Opposed(*self._sides, how, one[0], other[0], (one[1], other[1]))

    @property
    def _is_closed(self) -> bool:
        one, other = self._best
        return one is not None and other is not None and other[0] - one[0] <= GAP

    def _round(self) -> None:
        mixtures = self._mixtures()
        for place, mixture in enumerate(mixtures):
            # What the other side gets by its best reply bounds the value.
            bound = self._best_against(1 - place, [mixture])[0]
            known = self._best[place]
            if known is None or (bound > known[0] if place == 0 else bound < known[0]):
                self._best[place] = bound, mixture
        if not self._is_closed:
            new = [
                self._best_against(1 - place, [Slipping(m)])[1] for place, m in enumerate(mixtures)
            ]
            for place, plan in enumerate(reversed(new)):
                self._plans[place].append(plan)

    def _mixtures(self) -> tuple[Mixture, Mixture]:
        """Return the best mixtures of the plans that there are."""
        game = TwoSides()
        decisions = [
            side.at(EMPTY, "plan", tuple(range(len(plans))))
            for side, plans in zip(game.sides, self._plans, strict=True)
        ]
        for i, one in zip(decisions[0].moves, self._plans[0], strict=True):
            for j, other in zip(decisions[1].moves, self._plans[1], strict=True):
                game.add(i, j, "goal", self._value(i, j, one, other))
        found = saddle(game, game.entries({"goal": 1}))
        if found is None:
            raise StoppedError("The linear program took too much time.")
        parts = [
            [(plan, weights[move]) for plan, move in zip(plans, decision.moves, strict=True)]
            for plans, weights, decision in zip(
                self._plans, (found.one, found.other), decisions, strict=True
            )
        ]
        one, other = (Mixture([part for part in each if part[1]]) for each in parts)
        return one, other

    def _value(self, i: int, j: int, one: Player, other: Player) -> Fraction:
        if (i, j) not in self._values:
            self._values[i, j] = self._reply(frozenset(), self._goal, [one, other])[0]
        return self._values[i, j]

    def _best_against(self, place: int, players: Sequence[Player]) -> tuple[Fraction, Player]:
        """Return the value of a side's best reply to plans of the other one, and its plan."""
        value, plan = self._reply(
            self._sides[place], self._against if place else self._goal, players
        )
        return (-value if place else value), plan

    def _reply(
        self, side: frozenset[str], goal: Goal, players: Sequence[Player]
    ) -> tuple[Fraction, Player]:
        reply = best_reply(
            self._spec,
            side,
            habits=self._habits,
            players=(*self._players, *players),
            goal=goal,
            worst_tie=goal,
        )
        if reply.value is None or reply.plan is None:
            raise StoppedError(reply.reason or reply.how.partition(": ")[2])
        return reply.value, reply.plan


@dataclass(frozen=True, eq=False)
class Slipping:
    """A player that now and then does anything, so that no choice of it is impossible."""

    player: Player

    @property
    def seats(self) -> frozenset[str]:
        """Its seats."""
        return self.player.seats

    @property
    def noticed(self) -> frozenset[str] | None:
        """What it takes notice of."""
        return self.player.noticed

    def begin(self, seen: Seen | None) -> Iterable[tuple[object, Fraction]]:
        """Return its memories before the first turn, with chances."""
        return self.player.begin(seen)

    def chances(self, memory: object, offer: Offer) -> Iterable[tuple[Own, Fraction]]:
        """Return what it chooses, with chances."""
        meant = dict(self.player.chances(memory, offer))
        slip = SLIP / len(offer.options)
        return [(own, meant.get(own, 0) * (1 - SLIP) + slip) for own in offer.options]

    def after(self, memory: object, offer: Offer, own: Own, seen: Seen | None) -> object:
        """Return its memory after a turn."""
        return self.player.after(memory, offer, own, seen)
