r"""The sequence form of a finite game: strategies of the verifier as vectors, plans of the prover.

A seat's strategy is written by *sequences*: the weight of a sequence of its own moves is the
product of their probabilities (a realisation plan). The value of a prover's plan for each player is
linear in the verifier's plan `x`.

Each seat's payoffs are scaled from 0, the lowest in the game, to 1, the highest, which does not
change what is best for whom. The last action of each information set gets the rest of the
probability, so any values of the others are a plan if no weight is negative, and functions that are
equal for all plans have equal coefficients. All numbers are rational, without rounding.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from nip_core.errors import ModelError, UnsupportedError
from nip_core.values.checks import checked_limit, instance
from nip_core.values.game_tree import (
    PROVER,
    VERIFIER,
    Chance,
    End,
    FiniteGame,
    InformationSet,
    Node,
)
from nip_core.values.linear import ONE, Linear

__all__ = [
    "MOST_PROGRAMS",
    "Leaf",
    "PayScale",
    "Plan",
    "RationalStrategy",
    "Sequence",
    "SequenceForm",
    "Strategy",
    "Worth",
    "checked_strategy",
]

Sequence = tuple[InformationSet, str] | None
Plan = frozenset[tuple[InformationSet, str]]
Strategy = Mapping[InformationSet, Mapping[str, float | Fraction]]
"""For each information set of a seat, the probability of each action."""
RationalStrategy = dict[InformationSet, dict[str, Fraction]]

# The sum of probabilities that a person has written may differ from 1 by at most this much.
TOLERANCE = 1e-9
MOST_PROGRAMS = 4096
MOST_SEQUENCES = 2_000


def checked_strategy(name: str, value: Any) -> None:
    """Return the checked probabilities of actions by information set."""
    instance(Mapping, "a mapping from each information set to the chances of its actions")(
        name, value
    )
    for chances in value.values():
        instance(Mapping, "for each information set a mapping from actions to chances")(
            name, chances
        )
        for action, chance in chances.items():
            checked_limit(f"chance of {action!r} in the {name}", chance)


@dataclass(frozen=True, slots=True)
class PayScale:
    """The scale of a seat's payoffs, from those between 0 and 1 to the given ones."""

    lowest: Fraction
    span: Fraction

    def to_share(self, payoff: Fraction) -> Fraction:
        """Return a payoff on the scale from 0, the lowest, to 1, the highest."""
        return (payoff - self.lowest) / self.span if self.span else Fraction(0)

    def to_payoff(self, share: Fraction) -> Fraction:
        """Return the payoff for a number on that scale."""
        return self.lowest + self.span * share


@dataclass(frozen=True, slots=True)
class Worth:
    """The value of a prover's plan for both players, as linear functions of the verifier's plan."""

    verifier: Linear
    prover: Linear


@dataclass(frozen=True, slots=True)
class Leaf:
    """An end of the game: the moves of chance, the verifier and the prover, and the payoffs.

    Payoffs are on the scale of :class:`PayScale`.
    """

    chance: Fraction
    own: Sequence  # the verifier's last move
    prover: tuple[tuple[InformationSet, str], ...]  # all of the prover's moves
    payoffs: tuple[Fraction, Fraction]


class SequenceForm:
    """A game's sequences, and the value of each prover's plan as a function of `x`."""

    def __init__(self, game: FiniteGame) -> None:
        self.sequences: set[Sequence] = {None}
        self.verifier: dict[InformationSet, tuple[Sequence, tuple[str, ...]]] = {}
        self.prover: dict[InformationSet, tuple[Sequence, tuple[str, ...]]] = {}
        self.leaves: list[Leaf] = []
        self._walk(game.root, Fraction(1), None, ())
        if len(self.sequences) > MOST_SEQUENCES:
            raise UnsupportedError(
                f"The verifier has {len(self.sequences):,} sequences of moves here; programs are "
                f"solved for up to {MOST_SEQUENCES:,}. Take fewer rounds or symbols."
            )
        self.measures = (self._measure(VERIFIER), self._measure(PROVER))
        self.leaves = [self._measured(leaf) for leaf in self.leaves]
        # Longer histories come later, so the nodes after a move come after it.
        self._in_order = sorted(self.verifier.items(), key=lambda item: len(item[0][2]))
        given = [(where, a) for where, (_, actions) in self._in_order for a in actions[:-1]]
        self._places: dict[Sequence, int] = {move: n for n, move in enumerate(given)}

    def _measure(self, seat: int) -> PayScale:
        payoffs = [leaf.payoffs[seat] for leaf in self.leaves]
        return PayScale(min(payoffs), max(payoffs) - min(payoffs))

    def _measured(self, leaf: Leaf) -> Leaf:
        verifier, prover = map(PayScale.to_share, self.measures, leaf.payoffs)
        return replace(leaf, payoffs=(verifier, prover))

    def _walk(self, node: Node, chance: Fraction, own: Sequence, prover: tuple[Any, ...]) -> None:
        if isinstance(node, End):
            self.leaves.append(Leaf(chance, own, prover, node.payoffs))
        elif isinstance(node, Chance):
            weights = [weight for _, weight, _ in node.children]
            if min(weights) < 0 or sum(weights) != 1:
                raise ModelError(
                    f"The chances of a draw are at least 0 and add up to 1; here they are "
                    f"{', '.join(map(str, weights))}."
                )
            for _, weight, child in node.children:
                self._walk(child, chance * weight, own, prover)
        else:
            actions = tuple(name for name, _ in node.children)
            is_verifier = node.where[0] == VERIFIER
            sets = self.verifier if is_verifier else self.prover
            before = own if is_verifier else (prover[-1] if prover else None)
            sets.setdefault(node.where, (before, actions))
            for name, child in node.children:
                move = (node.where, name)
                if is_verifier:
                    self.sequences.add(move)
                    self._walk(child, chance, move, prover)
                else:
                    self._walk(child, chance, own, (*prover, move))

    # -- the verifier's plans ----------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number of variables of a plan: one for each action except the last of each set."""
        return len(self._places)

    @cached_property
    def floors(self) -> list[Linear]:
        """What must not be negative, besides the variables: the weights of all last actions."""
        return [self.linear({(where, a[-1]): Fraction(1)}) for where, (_, a) in self._in_order]

    def linear(self, weights: Mapping[Sequence, Fraction]) -> Linear:
        """Return a linear function of sequences' weights as one of a plan's variables."""
        left = dict(weights)
        for where, (before, actions) in reversed(self._in_order):
            *others, last = ((where, action) for action in actions)
            if share := left.pop(last, Fraction(0)):
                left[before] = left.get(before, Fraction(0)) + share
                for other in others:
                    left[other] = left.get(other, Fraction(0)) - share
        row = {self._places[move]: share for move, share in left.items() if move and share}
        if constant := left.get(None):
            row[ONE] = constant
        return row

    def most(self, row: Linear) -> Fraction:
        """Return the largest value of a linear function over all plans.

        It is computed from the last moves backwards: in each information set, one action is best.
        """
        worth: dict[Sequence, Fraction] = {
            move: row.get(place, Fraction(0)) for move, place in self._places.items()
        }
        worth[None] = row.get(ONE, Fraction(0))
        for where, (before, actions) in reversed(self._in_order):
            best = max(worth.get((where, action), Fraction(0)) for action in actions)
            worth[before] = worth.get(before, Fraction(0)) + best
        return worth[None]

    def plan_of(self, strategy: Strategy) -> dict[Sequence, Fraction]:
        """Return the weight of each sequence under a behaviour strategy."""
        weights: dict[Sequence, Fraction] = {None: Fraction(1)}
        for where, (before, actions) in self._in_order:
            given = strategy.get(where, {})
            values = [given.get(action, 0.0) for action in actions]
            fits = set(given) <= set(actions) and all(0 <= value < math.inf for value in values)
            if not fits or abs(sum(values) - 1) > TOLERANCE:
                raise ModelError(
                    f"In the strategy, the chances of {', '.join(actions)} must be given and add "
                    f"up to 1; they are {given!r}."
                )
            exact = [Fraction(value) for value in values]
            for action, value in zip(actions, exact, strict=True):
                weights[where, action] = weights[before] * value / sum(exact)
        return weights

    def strategy_of(self, numbers: Iterable[Fraction]) -> RationalStrategy:
        """Return the behaviour strategy of a plan, with equal probabilities in unreached sets."""
        weights: dict[Sequence, Fraction] = dict(zip(self._places, numbers, strict=False))
        weights[None] = Fraction(1)
        strategy: RationalStrategy = {}
        for where, (before, actions) in self._in_order:
            others = sum(weights[where, action] for action in actions[:-1])
            weights[where, actions[-1]] = weights[before] - others
            strategy[where] = {
                action: weights[where, action] / weights[before]
                if weights[before]
                else Fraction(1, len(actions))
                for action in actions
            }
        return strategy

    def reached_by(self, strategy: Strategy) -> frozenset[InformationSet]:
        """Return the verifier's information sets that its own moves do not rule out."""
        weights = self.plan_of(strategy)
        return frozenset(where for where, (before, _) in self._in_order if weights[before])

    # -- the prover's plans ------------------------------------------------------------------------

    @cached_property
    def signals(self) -> list[int | None]:
        """The prover's possible signals. A prover that never moves has one plan, which is empty."""
        return sorted({where[1] for where in self.prover}, key=repr) or [None]

    def plans(self, signal: int | None) -> list[Plan]:
        """Return all plans of the prover with a signal, for sets that its own moves reach."""
        follows: dict[Sequence, list[InformationSet]] = {}
        for where, (before, _) in self.prover.items():
            if where[1] == signal:
                follows.setdefault(before, []).append(where)
        if (count := self._count(follows, None)) > MOST_PROGRAMS:
            raise UnsupportedError(
                f"The prover has {count:,} plans here; programs are solved for up to "
                f"{MOST_PROGRAMS:,}. Take fewer rounds or symbols."
            )
        return list(self._plans_after(follows, None))

    def _count(self, follows: Mapping[Sequence, list[InformationSet]], move: Sequence) -> int:
        return math.prod(
            sum(self._count(follows, (where, action)) for action in self.prover[where][1])
            for where in follows.get(move, [])
        )

    def _plans_after(
        self, follows: Mapping[Sequence, list[InformationSet]], move: Sequence
    ) -> Iterable[Plan]:
        choices = [
            [
                frozenset({(where, action)}) | rest
                for action in self.prover[where][1]
                for rest in self._plans_after(follows, (where, action))
            ]
            for where in follows.get(move, [])
        ]
        for parts in itertools.product(*choices):
            yield frozenset[Any]().union(*parts)

    def worth(self, signal: int | None, plan: Plan) -> Worth:
        """Return the values of a plan to the verifier and the prover, as shares of their range."""
        found: tuple[dict[Sequence, Fraction], ...] = ({}, {})
        for leaf in self.leaves:
            moves = leaf.prover
            # An end without a move of the prover is counted for only one of its signals.
            known = moves[0][0][1] if moves else self.signals[0]
            if known != signal or not all(move in plan for move in moves):
                continue
            for row, payoff in zip(found, leaf.payoffs, strict=True):
                row[leaf.own] = row.get(leaf.own, Fraction(0)) + leaf.chance * payoff
        return Worth(*map(self.linear, found))
