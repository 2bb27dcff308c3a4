"""The sequence form of two sides of a document, under given play of all other seats.

Play is followed forwards, turn by turn. Plays in which the state and all that both sides know are
equal are one: only their chances are added up. So the size of the sequence form is the number of
things that sides can know and do, and not the number of plays.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from nip_core.budget import MOVES, spend
from nip_core.displays import Table, Tabular, line
from nip_core.errors import TooLargeError
from nip_core.language.structure import Place
from nip_core.values.features import Feature
from nip_core.values.sides import EMPTY, Side, TwoSides, Weights
from nip_core.values.sight import Seen, noticed
from nip_core.values.turns import Offer, Own, State, Turns

__all__ = ["MOST_MOVES", "Known", "MixedPlan", "mixed_plans", "sequences", "ways"]

# A program with more moves takes minutes.
MOST_MOVES = 50_000


def mixed_plans(turns: Turns, game: TwoSides, *weights: Weights) -> tuple[MixedPlan, MixedPlan]:
    """Return plans of both sides, given the weights of their sequences."""
    one, other = (
        MixedPlan(turns.sides[place], game.sides[place], weights[place], turns.noticed(place))
        for place in (0, 1)
    )
    return one, other


class Known(NamedTuple):
    """What a side knows: its own sequence, and what it was shown and asked since its last choice.

    That it was asked counts even if it could answer only one thing.
    """

    sequence: int
    since: tuple[Hashable, ...] = ()

    def after(self, more: Hashable) -> Known:
        """Return what it knows after more was shown; None is nothing."""
        return self if more is None else Known(self.sequence, (*self.since, more))

    def asked(self, offer: Offer) -> Hashable:
        """Return what it knows when it is asked, besides its own choices."""
        return (*self.since, offer.key)


def sequences(turns: Turns, *, most: int | None = MOST_MOVES) -> TwoSides:
    """Return the sequence form of a document's two sides.

    Parameters
    ----------
    turns : Turns
        Of two sides.
    most : int, optional
        The most moves; they are counted for all that both sides may know.

    Raises
    ------
    TooLargeError
        If there are more.
    """
    game, moves = TwoSides(), 0
    layers: dict[Place, dict[tuple[State, Known, Known], Fraction]] = {}
    order: list[Place] = []

    def reach(state: State, one: Known, other: Known, chance: Fraction) -> None:
        if state.place not in layers:
            layers[state.place] = defaultdict(Fraction)
            heapq.heappush(order, state.place)
        layers[state.place][state, one, other] += chance

    def add(
        features: Iterable[tuple[Feature, Fraction]], pair: tuple[int, int], chance: Fraction
    ) -> None:
        for feature, amount in features:
            game.add(*pair, feature, chance * amount)

    start, nothing = turns.start, Known(EMPTY)
    add(start.features.items(), (EMPTY, EMPTY), Fraction(1))
    for weight, (one, other), state in start.outcomes:
        share = Fraction(weight, start.whole)
        reach(state, nothing.after(one), nothing.after(other), share)
    while order:
        place = heapq.heappop(order)
        for (state, *known), chance in layers.pop(place).items():
            both = [
                ways(game.sides[side], known[side], offer)
                for side, offer in enumerate(turns.offers(state))
            ]
            for (own, one), (others, other) in product(*both):
                step = turns.step(state, (own, others))
                moves += 1 + len(step.outcomes)
                spend(5 * len(step.outcomes) + 5, MOVES)
                if most is not None and moves > most:
                    raise TooLargeError(f"This game has more than {most:,} moves.")
                add(step.features.items(), (one.sequence, other.sequence), chance)
                for weight, seen, onward in step.outcomes:
                    share = chance * Fraction(weight, step.whole)
                    reach(onward, one.after(seen[0]), other.after(seen[1]), share)
    return game


def ways(side: Side, known: Known, offer: Offer) -> list[tuple[Own, Known]]:
    """Return what a side may choose, and what it knows then."""
    if len(offer.options) == 1:
        return [(offer.options[0], known.after(offer.key or None))]
    decision = side.at(known.sequence, known.asked(offer), offer.options)
    return [(own, Known(m)) for own, m in zip(offer.options, decision.moves, strict=True)]


@dataclass(frozen=True, eq=False)
class MixedPlan(Tabular):
    """A side's plan, with chances: a player that can sit at a table.

    Parameters
    ----------
    seats : frozenset of str
    side : Side
    weights : sequence of Fraction
        The weights of its sequences.
    noticed : frozenset of str, optional
        What it takes notice of: the names of choices and values; None means all of them.
    """

    seats: frozenset[str]
    side: Side
    weights: Weights
    noticed: frozenset[str] | None = None

    def __repr__(self) -> str:
        return line(self, *sorted(self.seats), f"{len(self.table().rows):,} decisions")

    def begin(self, seen: Seen | None) -> Iterable[tuple[Known, Fraction]]:
        """Return what it knows before the first turn."""
        return ((Known(EMPTY).after(seen and noticed(seen, self.noticed)), Fraction(1)),)

    def chances(self, memory: Known, offer: Offer) -> Sequence[tuple[Own, Fraction]]:
        """Return what it chooses, with chances; equal ones where its plan never comes."""
        if len(offer.options) == 1:
            # Also where its other options make no difference here, and are not offered.
            return [(offer.options[0], Fraction(1))]
        decision = self.side.find(memory.sequence, memory.asked(offer))
        if decision is not None and (whole := self.weights[decision.before]):
            shares = [Fraction(self.weights[move]) / whole for move in decision.moves]
            return [*zip(offer.options, shares, strict=True)]
        return [(own, Fraction(1, len(offer.options))) for own in offer.options]

    def after(self, memory: Known, offer: Offer, own: Own, seen: Seen | None) -> Known:
        """Return what it knows after a turn."""
        seen = seen and noticed(seen, self.noticed)
        if len(offer.options) == 1:
            return memory.after(offer.key or None).after(seen)
        decision = self.side.find(memory.sequence, memory.asked(offer))
        if decision is None:
            return memory.after((offer.key, own)).after(seen)
        return Known(decision.first + offer.options.index(own)).after(seen)

    def table(self) -> Table:
        """Return the chances of options at each decision that the plan reaches."""
        rows: list[tuple[object, ...]] = []
        for decision in self.side.decisions:
            if whole := self.weights[decision.before]:
                seen: Any = decision.seen
                place = next((s.place for s in reversed(seen) if isinstance(s, Seen)), None)
                shown = [e for s in seen if isinstance(s, Seen) for e in s.events]
                for own, move in zip(decision.options, decision.moves, strict=True):
                    chance = float(self.weights[move]) / float(whole)
                    rows.append((place, _said(shown), _said(own), chance))
        return Table(("turn", "shown since its last choice", "choice", "chance"), rows)


def _said(pairs: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value, *_ in pairs)
