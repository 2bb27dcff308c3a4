"""The best reply of a seat, or of seats that pool what they know, to given play of the rest.

By dynamic programming over *beliefs*: the chances of states (registers that still matter, what
will be shown later, memories of given players) for all that the side has seen and done. Beliefs are
whole numbers without a common factor, so that equal ones are solved once. Everything is exact.

Where several choices are equally good for the side, much may depend on which it makes, so the
worst way to resolve all ties is always worked out, too.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

from nip_core.budget import MOST_STEPS, MOVES, Budget, spend
from nip_core.displays import Table, Tabular, line
from nip_core.errors import StoppedError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.language.expressions import Value
from nip_core.language.structure import Place
from nip_core.values.features import (
    Feature,
    Features,
    Goal,
    Sided,
    Verdict,
    amount_of,
    right,
)
from nip_core.values.plans import Plan, PlanNode
from nip_core.values.sight import Seen
from nip_core.values.turns import Offer, Own, Player, State, Step, Turns

__all__ = ["Reply", "best_reply"]

# The usual limit: about a minute.
MOST_MOVES = 60 * MOST_STEPS
_Weights = dict[State, int]
_SIDE = 0


class _Worth(NamedTuple):
    """The value of a state or a belief: of the goal, and of the tie at its worst and its best."""

    goal: Fraction
    worst: Fraction
    best: Fraction


_NOTHING = _Worth(Fraction(0), Fraction(0), Fraction(0))


class _Move(NamedTuple):
    """What a choice in a state leads to, in whole numbers.

    Parameters
    ----------
    whole : int
        By which all other numbers are to be divided.
    goal, tie : int
        What it adds to both, with all that follows once the side has no choice left.
    onward : tuple of (Seen, State, int)
        The states in which the side may still choose something.
    """

    whole: int
    goal: int
    tie: int
    onward: tuple[tuple[Seen, State, int], ...]


class Link(NamedTuple):
    """Where a belief goes on: the share of its weights, what is seen, and the next belief."""

    share: Fraction
    seen: Seen
    belief: Belief


class Belief:
    """The chances of states given all that the side has seen and done.

    Attributes
    ----------
    weights : tuple of (State, int)
        In proportion to the chances, without a common factor.
    ways : dict of Offer to dict of Own to list of Link
        Where each choice leads, for each offer that may be made.
    chosen : dict of Offer to Own
        The best choices, with ties at their worst.
    worth : _Worth
        The sum over states of weights times values.
    """

    __slots__ = ("chosen", "gains", "links", "weights", "worth")

    def __init__(self, weights: tuple[tuple[State, int], ...]) -> None:
        self.weights = weights
        self.links: dict[int, tuple[Offer, dict[Own, list[Link]]]] = {}
        self.gains: dict[int, dict[Own, tuple[Fraction, Fraction]]] = {}
        self.chosen: dict[int, Own] = {}
        self.worth = _NOTHING


class _Solved:
    """A side's best reply, as beliefs.

    Parameters
    ----------
    turns : Turns
        With one side.
    goal, tie : Goal
        What the side wants; what is as little as possible where it does not care.
    """

    def __init__(self, turns: Turns, goal: Goal, tie: Goal) -> None:
        self.turns, self.goal, self.tie = turns, goal, tie
        self._moves: dict[tuple[State, Own], _Move] = {}
        self._rest: dict[State, _Worth] = {}
        self._beliefs: dict[tuple[int, ...], Belief] = {}
        self.order: list[Belief] = []
        self.first: list[Link] = []
        self.value = _NOTHING
        self._solve()

    # -- where play may go -----------------------------------------------------------------------

    def _solve(self) -> None:
        start = self.turns.start
        whole, goal, tie, onward = self._move_of(start)
        kids = _by_seen((seen, state, weight) for seen, state, weight in onward)
        waiting: list[tuple[Place, int, Belief]] = []
        self.first = [*self._links(kids, whole, waiting)]
        while waiting:
            place = waiting[0][0]
            belief = heapq.heappop(waiting)[2]
            self.order.append(belief)
            self._expand(belief, waiting)
            del place
        for belief in reversed(self.order):
            self._choose(belief)
        value = _Worth(Fraction(goal, whole), Fraction(tie, whole), Fraction(tie, whole))
        self.value = _sum(value, self.first)

    def _expand(self, belief: Belief, waiting: list[tuple[Place, int, Belief]]) -> None:
        """Note where each choice in a belief leads."""
        groups: dict[int, tuple[Offer, list[tuple[State, int]]]] = {}
        for state, weight in belief.weights:
            offer = self.turns.offers(state)[_SIDE]
            groups.setdefault(id(offer), (offer, []))[1].append((state, weight))
        for number, (offer, states) in groups.items():
            links: dict[Own, list[Link]] = {}
            gains: dict[Own, tuple[Fraction, Fraction]] = {}
            spend(len(offer.options) * (6 + 4 * len(states)), MOVES)
            for own in offer.options:
                moves = [self._move(state, own) for state, _ in states]
                whole = lcm(*(move.whole for move in moves))
                goal = tie = 0
                kids: dict[Seen, _Weights] = {}
                for (_, weight), move in zip(states, moves, strict=True):
                    factor = weight * (whole // move.whole)
                    goal += factor * move.goal
                    tie += factor * move.tie
                    for seen, state, share in move.onward:
                        known = kids.setdefault(seen, {})
                        known[state] = known.get(state, 0) + factor * share
                gains[own] = Fraction(goal, whole), Fraction(tie, whole)
                links[own] = [*self._links(kids, whole, waiting)] if kids else []
            belief.links[number], belief.gains[number] = (offer, links), gains

    def _links(
        self,
        kids: Mapping[Seen, _Weights],
        whole: int,
        waiting: list[tuple[Place, int, Belief]],
    ) -> Iterator[Link]:
        for seen, weights in kids.items():
            common = gcd(*weights.values())
            items = sorted((state.number, weight // common) for state, weight in weights.items())
            spend(2 * len(items), MOVES)
            key = tuple([number for item in items for number in item])
            belief = self._beliefs.get(key)
            if belief is None:
                by_number = {state.number: state for state in weights}
                belief = Belief(tuple([(by_number[number], weight) for number, weight in items]))
                self._beliefs[key] = belief
                heapq.heappush(waiting, (seen.place, len(self._beliefs), belief))
            yield Link(Fraction(common, whole), seen, belief)

    # -- what a choice in a state leads to -------------------------------------------------------

    def _move(self, state: State, own: Own) -> _Move:
        key = (state, own)
        move = self._moves.get(key)
        if move is None:
            move = self._moves[key] = self._move_of(self.turns.step(state, (own,)))
        return move

    def _move_of(self, step: Step) -> _Move:
        goal, tie = amount_of(self.goal, step.features), amount_of(self.tie, step.features)
        onward: list[tuple[Seen, State, int]] = []
        for weight, (seen,), state in step.outcomes:
            if seen is None:
                rest = self._rest_of(state)
                goal += Fraction(weight, step.whole) * rest.goal
                tie += Fraction(weight, step.whole) * rest.worst
            else:
                onward.append((seen, state, weight))
        whole = lcm(step.whole, goal.denominator, tie.denominator)
        factor = whole // step.whole
        if factor > 1:
            onward = [(seen, state, weight * factor) for seen, state, weight in onward]
        return _Move(
            whole,
            goal.numerator * (whole // goal.denominator),
            tie.numerator * (whole // tie.denominator),
            tuple(onward),
        )

    def _rest_of(self, state: State) -> _Worth:
        """Return the value of a state in which the side has no choice left."""
        rest = self._rest
        waiting = [state]
        while waiting:
            here = waiting[-1]
            if here in rest:
                waiting.pop()
                continue
            step = self.turns.step(here, ((),))
            missing = [outcome.onward for outcome in step.outcomes if outcome.onward not in rest]
            if missing:
                waiting += missing
                continue
            goal, tie = amount_of(self.goal, step.features), amount_of(self.tie, step.features)
            for outcome in step.outcomes:
                share, later = Fraction(outcome.weight, step.whole), rest[outcome.onward]
                goal, tie = goal + share * later.goal, tie + share * later.worst
            rest[here] = _Worth(goal, tie, tie)
            waiting.pop()
        return rest[state]

    # -- the best choices ------------------------------------------------------------------------

    def _choose(self, belief: Belief) -> None:
        total = _NOTHING
        for number, (_, links) in belief.links.items():
            best: _Worth | None = None
            for own, onward in links.items():
                goal, tie = belief.gains[number][own]
                worth = _sum(_Worth(goal, tie, tie), onward)
                if best is None or worth.goal > best.goal:
                    best, belief.chosen[number] = worth, own
                elif worth.goal == best.goal:
                    if worth.worst < best.worst:
                        belief.chosen[number] = own
                    best = _Worth(
                        best.goal, min(best.worst, worth.worst), max(best.best, worth.best)
                    )
            assert best is not None
            total = _Worth(total.goal + best.goal, total.worst + best.worst, total.best + best.best)
        belief.worth = total

    def plan(self) -> Plan:
        """Return the reply as a plan, with ties at their worst."""
        number: dict[int, int] = {}
        reached: list[Belief] = []

        def to(links: Iterable[Link]) -> dict[Seen, int]:
            for link in links:
                if id(link.belief) not in number:
                    number[id(link.belief)] = len(reached)
                    reached.append(link.belief)
            return {link.seen: number[id(link.belief)] for link in links}

        first = to(self.first)
        nodes: list[PlanNode] = []
        for belief in reached:
            choices: dict[tuple[Any, ...], Own] = {}
            onward: dict[tuple[tuple[Any, ...], Seen], int] = {}
            for offer_number, (offer, links) in belief.links.items():
                own = choices[offer.key] = belief.chosen[offer_number]
                onward |= {(offer.key, seen): node for seen, node in to(links[own]).items()}
            nodes.append(PlanNode(belief.weights[0][0].place, choices, onward))
        turns = self.turns
        noticed = turns.noticed(_SIDE)
        return Plan(turns.spec, turns.sides[_SIDE], first, tuple(nodes), noticed)


def _by_seen(onward: Iterable[tuple[Seen, State, int]]) -> dict[Seen, _Weights]:
    kids: dict[Seen, _Weights] = {}
    for seen, state, weight in onward:
        known = kids.setdefault(seen, {})
        known[state] = known.get(state, 0) + weight
    return kids


def _sum(worth: _Worth, links: Iterable[Link]) -> _Worth:
    """Return a value with those of what follows."""
    goal, worst, best = worth
    for share, _, belief in links:
        later = belief.worth
        goal += share * later.goal
        worst += share * later.worst
        best += share * later.best
    return _Worth(goal, worst, best)


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
        ``"exact"``, or ``"not computed: ..."`` with the reason.
    value : Fraction, optional
        How much of its goal the side gets; exact.
    tie : tuple of (lowest, highest), optional
        What all of its best replies leave of what `worst_tie` says: the chance that the verdict is
        right. Never show the value of a best reply without the lowest.
    features : mapping of Feature to Fraction
        What is measured if it replies best and ties are resolved in the worst way.
    plan : Plan, optional
        What it does then.
    """

    spec: Specification
    seats: frozenset[str]
    how: str
    value: Fraction | None = None
    tie: tuple[Fraction, Fraction] | None = None
    features: Features = field(default_factory=dict[Feature, Fraction])
    plan: Plan | None = None

    def __repr__(self) -> str:
        value = self.how if self.value is None else f"{float(self.value):.4g}"
        return line(self, *sorted(self.seats), value)

    @property
    def exact(self) -> bool:
        """Whether it was computed."""
        return self.value is not None

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

    def pay_if(self, seat: str, is_true: bool) -> Fraction | None:
        """Return a seat's mean pay if what it argues for is true, or is not; None if never."""
        chance = self.features.get(Sided(seat, "chance", is_true))
        return (
            self.features.get(Sided(seat, "pay", is_true), Fraction(0)) / chance if chance else None
        )

    def table(self) -> Table:
        """Return each seat's pay, and how often the verdict is right."""
        rows: list[tuple[object, ...]] = [(f"pay of {s}", mean) for s, mean in self.means.items()]
        if self.right is not None:
            rows.append(("verdict right", self.right))
        return Table(("what", "with the worst tie"), rows if self.exact else [(self.how, None)])


def best_reply(
    spec: Specification,
    seats: Iterable[str],
    *,
    habits: Iterable[Habit] = (),
    players: Iterable[Player] = (),
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
    side = frozenset([seats] if isinstance(seats, str) else seats)
    if goal is None:
        goal = dict.fromkeys(sorted(side), 1)
    if worst_tie is None:
        worst_tie = right(spec) or {seat: 1 for seat in spec.seat_names if seat not in side}
    try:
        with Budget(most, seconds=seconds, cancelled=cancelled):
            measured = {*goal, *worst_tie}
            solved = _Solved(Turns(spec, [side], habits, players, measured), goal, worst_tie)
            (value, low, high), plan = solved.value, solved.plan()
            features = played(Turns(spec, [], habits, (*players, plan)))
            return Reply(spec, side, "exact", value, (low, high), features, plan)
    except TooLargeError:
        return Reply(spec, side, f"not computed: more than {most:,} steps")
    except StoppedError as error:
        return Reply(spec, side, f"not computed: {str(error)[0].lower()}{str(error)[1:-1]}")
