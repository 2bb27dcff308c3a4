"""The best reply of a seat, or of seats that pool what they know, to given play of the rest.

By dynamic programming over *beliefs* (:mod:`.beliefs`), in fractions. If that takes too long, there
is still an interval, of which both ends are certain: a plan that was found, and what the side gets
if it sees everything from some time on; at worst, what the rules can pay at all.

Where several choices are equally good for the side, much may depend on which it makes, so the
worst way to resolve all ties is always worked out, too.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from nip_core.budget import MOST_STEPS, Budget
from nip_core.displays import Table, Tabular, between, line
from nip_core.errors import StoppedError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.language.expressions import Value
from nip_core.language.structure import Place
from nip_core.values.beliefs import Beliefs
from nip_core.values.checks import checked
from nip_core.values.features import (
    Feature,
    Features,
    Goal,
    Verdict,
    amount_of,
    goal_bounds,
    right,
)
from nip_core.values.plans import Plan
from nip_core.values.relaxed import Bounds, Relaxed
from nip_core.values.solving import GOAL, SOLVING, a_side, pay_of, sides_of
from nip_core.values.turns import Player, State, Step, Turns

__all__ = ["Reply", "best_reply"]

# The usual limit: about a minute.
MOST_MOVES = 60 * MOST_STEPS
# Of all limits, what may be spent on beliefs; the rest is for bounds, if these are too many.
_FOR_BELIEFS = 0.65


def played(turns: Turns) -> Features:
    """Return the features of play in which no side is free."""
    found: dict[Feature, Fraction] = {}
    chances: dict[State, Fraction] = {}
    queue: list[tuple[Place, int, State]] = []

    def go(step: Step, chance: Fraction) -> None:
        for feature, amount in step.features.items():
            found[feature] = found.get(feature, Fraction(0)) + amount * chance
        for outcome in step.outcomes:
            state, share = outcome.onward, chance * Fraction(outcome.weight, step.whole)
            if state not in chances:
                heapq.heappush(queue, (state.place, state.number, state))
                chances[state] = share
            else:
                chances[state] += share

    go(turns.start, Fraction(1))
    while queue:
        state = heapq.heappop(queue)[2]
        go(turns.step(state, ()), chances.pop(state))
    return found


@dataclass(frozen=True)
class Reply(Tabular):
    """A best reply.

    Parameters
    ----------
    spec : Specification
    seats : frozenset of str
        The side that replies.
    how : str
        ``"exact"``; ``"interval"``, of which both ends are certain; or ``"not computed: ..."`` if
        another thread has cancelled it.
    low, high : Fraction, optional
        How much of its goal the side gets: its plan gets `low`, and no plan more than `high`.
    tie : tuple of (lowest, highest), optional
        What all of its best replies leave of what `worst_tie` says: the chance that the verdict is
        right. Never show the value of a best reply without the lowest.
    features : mapping of Feature to Fraction
        What is measured if it replies best and ties are resolved in the worst way.
    plan : Plan, optional
        What it does then; for an interval, a plan that gets `low`, if it is not random play.
    reason : str
        Why it is only an interval.
    """

    spec: Specification
    seats: frozenset[str]
    how: str
    low: Fraction | None = None
    high: Fraction | None = None
    tie: tuple[Fraction, Fraction] | None = None
    features: Features = field(default_factory=dict[Feature, Fraction])
    plan: Plan | None = None
    reason: str = ""

    def __repr__(self) -> str:
        return line(self, *sorted(self.seats), between(self.low, self.high) or self.how)

    @property
    def exact(self) -> bool:
        """Whether its value is known exactly."""
        return self.how == "exact"

    @property
    def value(self) -> Fraction | None:
        """How much of its goal the side gets, if that is known exactly."""
        return self.low if self.exact else None

    @property
    def means(self) -> Mapping[str, Fraction]:
        """The mean pay of each seat, with the worst tie."""
        return {seat: self.features.get(seat, Fraction(0)) for seat in self.spec.seat_names}

    @property
    def right(self) -> Fraction | None:
        """The chance that the verdict is right, with the worst tie."""
        return amount_of(right(self.spec), self.features) if self.spec.roles.truth else None

    @property
    def by_truth(self) -> Mapping[Value, Mapping[Value, Fraction]]:
        """The chances of verdicts for each truth, with the worst tie."""
        found: dict[Value, dict[Value, Fraction]] = {}
        for feature, chance in self.features.items():
            if isinstance(feature, Verdict):
                found.setdefault(feature.truth, {})[feature.verdict] = chance
        return {
            truth: {verdict: chance / total for verdict, chance in verdicts.items()}
            for truth, verdicts in found.items()
            if (total := sum(verdicts.values()))
        }

    def table(self) -> Table:
        """Return each seat's pay, and how often the verdict is right."""
        rows: list[tuple[object, ...]] = [(f"pay of {s}", mean) for s, mean in self.means.items()]
        if self.right is not None:
            rows.append(("verdict right", self.right))
        return Table(("what", "with the worst tie"), rows if self.exact else [(self.how, None)])


@checked(seats=a_side, goal=GOAL, worst_tie=GOAL, **SOLVING)
def best_reply(
    spec: Specification,
    seats: str | Iterable[str],
    *,
    habits: Sequence[Habit] = (),
    players: Sequence[Player] = (),
    goal: Goal | None = None,
    worst_tie: Goal | None = None,
    seconds: float | None = None,
    most: int | None = MOST_MOVES,
    cancelled: threading.Event | None = None,
) -> Reply:
    """Return the best reply of a seat, or of seats that pool what they know, exactly.

    Parameters
    ----------
    spec : Specification
    seats : iterable of str
    habits : iterable of Habit
        How the other seats play, and how often facts are what; by default all is equally likely.
    players : iterable of Player
        Plans of other sides.
    goal : Goal, optional
        What the side wants, by default the sum of what its seats are paid.
    worst_tie : Goal, optional
        What ties are resolved against: by default, the chance that the verdict is right; where
        nothing says what is true, the pay of all other seats.
    seconds, most, cancelled
        The limits: time, steps, and an event that another thread sets.
    """
    habits, players = tuple(habits), tuple(players)
    (side,) = sides_of(spec, seats)
    goal = pay_of(side) if goal is None else goal
    if worst_tie is None:
        worst_tie = right(spec) or {seat: 1 for seat in spec.seat_names if seat not in side}
    beliefs: Beliefs | None = None
    bounds: Bounds | None = None
    reason = ""
    try:
        with Budget(most, seconds=seconds, cancelled=cancelled):
            try:
                with Budget(
                    None if most is None else int(_FOR_BELIEFS * most),
                    seconds=None if seconds is None else _FOR_BELIEFS * seconds,
                ):
                    measured = {*goal, *worst_tie}
                    beliefs = Beliefs(
                        Turns(spec, [side], habits, players, measured), goal, worst_tie
                    )
                    beliefs.follow()
                    value, lowest, highest = beliefs.best()
                    plan = beliefs.plan()
                    features = played(Turns(spec, [], habits, (*players, plan)))
                    return Reply(
                        spec, side, "exact", value, value, (lowest, highest), features, plan
                    )
            except (TooLargeError, StoppedError) as error:
                steps = f"more than {most:,} steps" if most is not None else ""
                by_steps = isinstance(error, TooLargeError) or seconds is None
                reason = steps if by_steps else f"more than {seconds:g} seconds"
                if cancelled is not None and cancelled.is_set():
                    raise
            relaxed = Relaxed(Turns(spec, [side], habits, players, {*goal}, shown=False), goal)
            bounds = relaxed.from_start()
            if beliefs is not None and beliefs.first:
                bounds = beliefs.between(relaxed)
                return Reply(spec, side, "interval", *bounds, plan=beliefs.plan(), reason=reason)
    except (TooLargeError, StoppedError):
        if bounds is None:
            if cancelled is not None and cancelled.is_set():
                return Reply(spec, side, "not computed: the work was cancelled")
            bounds = Bounds(*goal_bounds(spec, goal))
    return Reply(spec, side, "interval", *bounds, reason=reason)
