"""Two simpler problems that bound what a side can get from a state on.

A side that sees everything gets at least as much as one that does not, and playing at random is
something that every side can do. Both need no beliefs, and nothing that the side is shown has to be
kept, so there are far fewer states.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from nip_core.budget import MOVES, spend
from nip_core.values.features import Goal, amount_of
from nip_core.values.turns import Offer, Own, State, Step, Turns

__all__ = ["Bounds", "Relaxed"]


class Bounds(NamedTuple):
    """What a side gets if it plays at random, and if it sees everything."""

    low: Fraction
    high: Fraction


class Relaxed:
    """What a side gets if it plays at random, and if it sees everything.

    Parameters
    ----------
    turns : Turns
        Of one side that is shown nothing.
    goal : Goal
        What it wants.
    """

    def __init__(self, turns: Turns, goal: Goal) -> None:
        self.turns, self.goal = turns, goal
        self._ways: dict[State, Mapping[Own, Bounds]] = {}
        self._worth: dict[State, Bounds] = {}

    def from_start(self) -> Bounds:
        """Return the bounds for the whole of play."""
        start = self.turns.start
        self._work_out([outcome.onward for outcome in start.outcomes])
        return self._after(start)

    def ways(self, state: State, like: Turns) -> tuple[Offer, Mapping[Own, Bounds]]:
        """Return what may be chosen in a state of other turns, and what each choice leads to."""
        here = self.turns.like(state, like)
        if here not in self._worth:
            self._work_out([here])
        return self.turns.offers(here)[0], self._ways[here]

    def _work_out(self, waiting: list[State]) -> None:
        while waiting:
            here = waiting[-1]
            if here in self._worth:
                waiting.pop()
                continue
            options = self.turns.offers(here)[0].options
            steps = {own: self.turns.step(here, (own,)) for own in options}
            onward = {outcome.onward for step in steps.values() for outcome in step.outcomes}
            if missing := [state for state in onward if state not in self._worth]:
                waiting += missing
                continue
            spend(4 * sum(len(step.outcomes) for step in steps.values()), MOVES)
            ways = self._ways[here] = {own: self._after(step) for own, step in steps.items()}
            self._worth[here] = Bounds(
                sum((way.low for way in ways.values()), Fraction(0)) / len(ways),
                max(way.high for way in ways.values()),
            )
            waiting.pop()

    def _after(self, step: Step) -> Bounds:
        low = high = amount_of(self.goal, step.features) * step.whole
        for weight, _, onward in step.outcomes:
            later = self._worth[onward]
            low += weight * later.low
            high += weight * later.high
        return Bounds(low / step.whole, high / step.whole)
