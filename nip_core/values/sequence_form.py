r"""The sequence form of a finite game: strategies of the verifier as vectors, plans of the prover.

A seat's strategy is written by *sequences*: the weight of a sequence of its own moves is the
product of the chances of making each (a realisation plan). With the verifier's plan `x`, what a
plan of the prover is worth to either is linear in `x`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.errors import ModelError, UnsupportedError
from nip_core.values.game_tree import (
    PROVER,
    VERIFIER,
    Chance,
    End,
    FiniteGame,
    InformationSet,
    Node,
)

__all__ = [
    "MOST_PROGRAMS",
    "TOLERANCE",
    "Leaf",
    "Plan",
    "RationalStrategy",
    "Row",
    "Sequence",
    "SequenceForm",
    "Strategy",
    "Worth",
]

Floats = npt.NDArray[np.floating[Any]]
Sequence = tuple[InformationSet, str] | None
Plan = frozenset[tuple[InformationSet, str]]
Strategy = Mapping[InformationSet, Mapping[str, float | Fraction]]
"""For each information set of a seat, the chance of each action."""

# Linear programs are solved in floating point; what differs by less counts as the same.
TOLERANCE = 1e-9
MOST_PROGRAMS = 4096
MOST_SEQUENCES = 2_000


Row = dict[int, Fraction]
"""A linear function of a realisation plan, by the number of the sequence."""
RationalStrategy = dict[InformationSet, dict[str, Fraction]]


@dataclass(frozen=True, slots=True)
class Worth:
    """What a plan of the prover is worth to both, as linear functions of the verifier's plan."""

    verifier: Row
    prover: Row


@dataclass(frozen=True, slots=True)
class Leaf:
    """An end of the game: how chance, the verifier and the prover came there, and what is paid."""

    chance: Fraction
    own: Sequence  # the verifier's last move
    prover: tuple[tuple[InformationSet, str], ...]  # all of the prover's moves
    payoffs: tuple[Fraction, Fraction]


class SequenceForm:
    """A game's sequences, and what each plan of the prover is worth as a function of `x`."""

    def __init__(self, game: FiniteGame) -> None:
        self.sequences: dict[Sequence, int] = {None: 0}
        self.verifier: dict[InformationSet, tuple[Sequence, tuple[str, ...]]] = {}
        self.prover: dict[InformationSet, tuple[Sequence, tuple[str, ...]]] = {}
        self.leaves: list[Leaf] = []
        self._walk(game.root, Fraction(1), None, ())
        if len(self.sequences) > MOST_SEQUENCES:
            raise UnsupportedError(
                f"The verifier has {len(self.sequences):,} sequences of moves here; programs are "
                f"solved for up to {MOST_SEQUENCES:,}. Take fewer rounds or symbols."
            )

    def _walk(self, node: Node, chance: Fraction, own: Sequence, prover: tuple[Any, ...]) -> None:
        if isinstance(node, End):
            self.leaves.append(Leaf(chance, own, prover, node.payoffs))
        elif isinstance(node, Chance):
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
                    self.sequences.setdefault(move, len(self.sequences))
                    self._walk(child, chance, move, prover)
                else:
                    self._walk(child, chance, own, (*prover, move))

    # -- the verifier's plans: A x = b -------------------------------------------------------------

    def constraints(self) -> tuple[Floats, Floats]:
        """What makes `x` a realisation plan."""
        rows = np.zeros((1 + len(self.verifier), len(self.sequences)))
        rows[0, 0] = 1
        for row, (where, (before, actions)) in enumerate(self.verifier.items(), start=1):
            rows[row, self.sequences[before]] = -1
            for action in actions:
                rows[row, self.sequences[where, action]] = 1
        right = np.zeros(len(rows))
        right[0] = 1
        return rows, right

    def plan_of(self, strategy: Strategy) -> Floats:
        """The realisation plan of a behaviour strategy."""
        x = np.zeros(len(self.sequences))
        x[0] = 1
        for where, (before, actions) in self.verifier.items():
            chances = strategy.get(where)
            given = {} if chances is None else dict(chances)
            values = [float(given.get(action, 0.0)) for action in actions]
            fits = set(given) <= set(actions) and all(v >= 0 for v in values)
            if not fits or abs(sum(values) - 1) > TOLERANCE:
                raise ModelError(
                    f"The chances of {', '.join(actions)} must be given and add up to 1; they are "
                    f"{given!r}."
                )
            for action, value in zip(actions, values, strict=True):
                x[self.sequences[where, action]] = x[self.sequences[before]] * value
        return x

    def strategy_of(self, x: Floats) -> dict[InformationSet, dict[str, float]]:
        """A behaviour strategy of a realisation plan; even chances where it never comes."""
        strategy: dict[InformationSet, dict[str, float]] = {}
        for where, (before, actions) in self.verifier.items():
            weights = np.clip([x[self.sequences[where, action]] for action in actions], 0, None)
            come = weights.sum() > TOLERANCE and x[self.sequences[before]] > TOLERANCE
            chances = weights / weights.sum() if come else np.full(len(actions), 1 / len(actions))
            strategy[where] = dict(zip(actions, map(float, chances), strict=True))
        return strategy

    # -- the prover's plans ------------------------------------------------------------------------

    @cached_property
    def signals(self) -> list[int | None]:
        """What the prover may know. One that never moves has one plan: to do nothing."""
        return sorted({where[1] for where in self.prover}, key=repr) or [None]

    def plans(self, signal: int | None) -> list[Plan]:
        """All plans of the prover with a signal, as far as its own moves let it come."""
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
        """What a plan pays the verifier and the prover, as linear functions of `x`."""
        found = Worth({}, {})
        for leaf in self.leaves:
            moves = leaf.prover
            # What no move of the prover led to is counted with one of its signals only.
            known = moves[0][0][1] if moves else self.signals[0]
            if known != signal or not all(move in plan for move in moves):
                continue
            place = self.sequences[leaf.own]
            for seat, row in ((VERIFIER, found.verifier), (PROVER, found.prover)):
                row[place] = row.get(place, Fraction(0)) + leaf.chance * leaf.payoffs[seat]
        return found

    # -- in rational numbers -----------------------------------------------------------------------

    def rounded(self, x: Floats, limit: int) -> RationalStrategy | None:
        """A behaviour strategy near a plan, whose chances have denominators up to `limit`."""
        strategy: RationalStrategy = {}
        for where, chances in self.strategy_of(x).items():
            *names, last = chances
            simple = {name: Fraction(chances[name]).limit_denominator(limit) for name in names}
            simple[last] = 1 - sum(simple.values(), Fraction(0))
            if simple[last] < 0:
                return None
            strategy[where] = simple
        return strategy

    def rational_plan(self, strategy: RationalStrategy) -> list[Fraction]:
        """The realisation plan of a behaviour strategy, by the number of the sequence."""
        x = [Fraction(1)] * len(self.sequences)
        for where, (before, actions) in self.verifier.items():
            for action in actions:
                x[self.sequences[where, action]] = (
                    x[self.sequences[before]] * strategy[where][action]
                )
        return x

    def most(self, goal: Row) -> Fraction:
        """The largest value of a linear function over all realisation plans.

        Found from the last moves backwards: in each information set one action is best.
        """
        worth = {place: goal.get(place, Fraction(0)) for place in self.sequences.values()}
        for where in sorted(self.verifier, key=lambda each: len(each[2]), reverse=True):
            before, actions = self.verifier[where]
            worth[self.sequences[before]] += max(
                worth[self.sequences[where, action]] for action in actions
            )
        return worth[0]
