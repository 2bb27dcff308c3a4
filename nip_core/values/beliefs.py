"""What a side knows in play, as beliefs, and what it does best in each.

A *belief* is the chances of states (registers that still matter, what will be shown later, memories
of given players) for all that the side has seen and done. Beliefs are whole numbers without a
common factor, so that equal ones are solved once.

What is not finished can be ended early: the side then plays at random, or sees everything, from the
last beliefs on (:mod:`.relaxed`), which bounds what it can get.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

from nip_core.budget import MOVES, spend
from nip_core.language.structure import Place
from nip_core.values.features import Goal, amount_of
from nip_core.values.plans import Plan, PlanNode
from nip_core.values.relaxed import Bounds, Relaxed
from nip_core.values.sight import Seen
from nip_core.values.turns import Offer, Own, State, Step, Turns

__all__ = ["Beliefs", "Worth"]

_Weights = dict[State, int]
_SIDE = 0


class Worth(NamedTuple):
    """The value of a state or a belief: of the goal, and of the tie at its worst and its best."""

    goal: Fraction
    worst: Fraction
    best: Fraction


_ZERO = Fraction(0)
_NOTHING = Worth(_ZERO, _ZERO, _ZERO)
_NO_BOUNDS = Bounds(_ZERO, _ZERO)


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
    worth : Worth
        The sum over states of weights times values.
    """

    __slots__ = ("chosen", "gains", "links", "weights", "worth")

    def __init__(self, weights: tuple[tuple[State, int], ...]) -> None:
        self.weights = weights
        self.links: dict[int, tuple[Offer, dict[Own, list[Link]]]] = {}
        self.gains: dict[int, dict[Own, tuple[Fraction, Fraction]]] = {}
        self.chosen: dict[int, Own] = {}
        self.worth = _NOTHING


class Beliefs:
    """All beliefs of a side, with its best choices.

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
        self._rest: dict[State, Worth] = {}
        self._beliefs: dict[tuple[int, ...], Belief] = {}
        self.order: list[Belief] = []
        # Beliefs that are reached and not yet followed, the earliest first.
        self._waiting: list[tuple[Place, int, Belief]] = []
        self.first: list[Link] = []
        self._paid_first = _NOTHING

    # -- where play may go -----------------------------------------------------------------------

    def follow(self) -> None:
        """Follow all beliefs to the end of play; may be interrupted."""
        whole, goal, tie, onward = self._move_of(self.turns.start)
        paid, tie = Fraction(goal, whole), Fraction(tie, whole)
        self._paid_first = Worth(paid, tie, tie)
        self.first = [*self._links(_by_seen(onward), whole)]
        while self._waiting:
            # What follows is later, so this one stays the first of all.
            belief = self._waiting[0][2]
            self._expand(belief)
            heapq.heappop(self._waiting)
            self.order.append(belief)

    def best(self) -> Worth:
        """Make the best choice in each belief, and return what it leads to."""
        for belief in reversed(self.order):
            self._choose(belief)
        return _sum(self._paid_first, self.first)

    def between(self, relaxed: Relaxed) -> Bounds:
        """Return the bounds if following was interrupted; the choices are then for the lower one.

        From the first choice on that was not followed, the side sees everything or plays at random.
        """
        ends = [belief for _, _, belief in self._waiting]
        ways = [[*self._relaxed(belief, relaxed)] for belief in ends]
        self.order += ends
        self._waiting.clear()
        found: list[Fraction] = []
        for bound in ("high", "low"):
            for belief, ways_here in zip(ends, ways, strict=True):
                for offer, amounts in ways_here:
                    number = id(offer)
                    belief.links[number] = offer, {own: [] for own in offer.options}
                    belief.gains[number] = {
                        own: (getattr(both, bound), Fraction(0)) for own, both in amounts.items()
                    }
            found.append(self.best().goal)
        return Bounds(found[1], found[0])

    def _relaxed(
        self, belief: Belief, relaxed: Relaxed
    ) -> Iterator[tuple[Offer, dict[Own, Bounds]]]:
        """Yield what choices in a belief lead to, for each offer, if the rest is relaxed."""
        groups: dict[int, tuple[Offer, dict[Own, Bounds]]] = {}
        for state, weight in belief.weights:
            offer, ways = relaxed.ways(state, self.turns)
            spend(2 * len(ways), MOVES)
            total = groups.setdefault(id(offer), (offer, {}))[1]
            for own, (low, high) in ways.items():
                known = total.get(own, _NO_BOUNDS)
                total[own] = Bounds(known.low + weight * low, known.high + weight * high)
        yield from groups.values()

    def _expand(self, belief: Belief) -> None:
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
                links[own] = [*self._links(kids, whole)] if kids else []
            belief.links[number], belief.gains[number] = (offer, links), gains

    def _links(
        self,
        kids: Mapping[Seen, _Weights],
        whole: int,
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
                heapq.heappush(self._waiting, (seen.place, len(self._beliefs), belief))
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

    def _rest_of(self, state: State) -> Worth:
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
            rest[here] = Worth(goal, tie, tie)
            waiting.pop()
        return rest[state]

    # -- the best choices ------------------------------------------------------------------------

    def _choose(self, belief: Belief) -> None:
        total = _NOTHING
        for number, (_, links) in belief.links.items():
            best: Worth | None = None
            for own, onward in links.items():
                goal, tie = belief.gains[number][own]
                worth = _sum(Worth(goal, tie, tie), onward)
                if best is None or worth.goal > best.goal:
                    best, belief.chosen[number] = worth, own
                elif worth.goal == best.goal:
                    if worth.worst < best.worst:
                        belief.chosen[number] = own
                    best = Worth(
                        best.goal, min(best.worst, worth.worst), max(best.best, worth.best)
                    )
            assert best is not None
            worst = total.worst + best.worst
            same = total.worst is total.best and best.worst is best.best
            total = Worth(total.goal + best.goal, worst, worst if same else total.best + best.best)
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


def _sum(worth: Worth, links: Iterable[Link]) -> Worth:
    """Return a value with those of what follows."""
    later = [(share, belief.worth) for share, _, belief in links]
    goal = _total(worth.goal, [(share, after.goal) for share, after in later])
    worst = _total(worth.worst, [(share, after.worst) for share, after in later])
    if worth.worst is worth.best and all(after.worst is after.best for _, after in later):
        return Worth(goal, worst, worst)
    return Worth(goal, worst, _total(worth.best, [(share, after.best) for share, after in later]))


def _total(first: Fraction, parts: list[tuple[Fraction, Fraction]]) -> Fraction:
    """Return a sum of products; in whole numbers, that is several times faster."""
    tops = [share.numerator * amount.numerator for share, amount in parts]
    bottoms = [share.denominator * amount.denominator for share, amount in parts]
    bottom = lcm(*bottoms)
    whole = sum(top * (bottom // below) for top, below in zip(tops, bottoms, strict=True))
    return first + Fraction(whole, bottom)
