r"""Two sides of a game in sequence form.

A side is a seat, or several that pool what they know, and remembers everything that it has seen and
done. Its plan is written by *sequences* of its own moves: the weight of a sequence is the product
of the probabilities of its moves. What a pair of plans is worth is linear in both,
:math:`x^\top M y`, and `M` has one entry for each pair of sequences at which something is paid,
chance included (Koller, Megiddo and von Stengel, 1996).
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
import scipy

from nip_core.budget import PLAYS, spend
from nip_core.values.features import Feature, Goal, amount_of
from nip_core.values.highs import TINY

__all__ = ["EMPTY", "Decision", "Entries", "Reply", "Side", "TwoSides", "Weights"]

_scipy = cast("Any", scipy)
EMPTY = 0
"""The sequence without moves."""
Weights = Sequence[Any]
"""The weight of each of a side's sequences, in floats or in fractions."""
Entries = Sequence[tuple[int, int, Fraction]]
"""The entries of `M` that are not 0: a sequence of each side, and the amount."""


class Decision(NamedTuple):
    """What a side may do after what it has seen and done.

    Parameters
    ----------
    before : int
        The sequence that leads here.
    first : int
        The sequence that ends with the first option; those of the other options follow.
    options : tuple
        Names of the options.
    seen : object
        What the side has seen since its last decision.
    """

    before: int
    first: int
    options: tuple[Hashable, ...]
    seen: Hashable

    @property
    def moves(self) -> range:
        """The sequences that end with one of the options."""
        return range(self.first, self.first + len(self.options))


class Reply(NamedTuple):
    """A plan without chance.

    Parameters
    ----------
    values : tuple of numbers
        What it is worth by each goal.
    picked : tuple of int
        The number of the option at each decision.
    """

    values: tuple[Any, ...]
    picked: tuple[int, ...]


@dataclass(eq=False, slots=True)
class Side:
    """A side's decisions, each after those that lead to it.

    Attributes
    ----------
    decisions : list of Decision
    owners : list of int
        For each sequence, the number of the decision that it ends with.
    """

    decisions: list[Decision] = field(default_factory=list[Decision])
    owners: list[int] = field(default_factory=lambda: [-1])
    _numbers: dict[tuple[int, Hashable], int] = field(
        default_factory=dict[tuple[int, Hashable], int]
    )

    def at(self, before: int, seen: Hashable, options: tuple[Hashable, ...]) -> Decision:
        """Return the decision of a side that has done and seen something; it may be new."""
        number = self._numbers.setdefault((before, seen), len(self.decisions))
        if number == len(self.decisions):
            self.decisions.append(Decision(before, self.size, options, seen))
            self.owners += [number] * len(options)
        return self.decisions[number]

    @property
    def size(self) -> int:
        """The number of sequences."""
        return len(self.owners)

    def find(self, before: int, seen: Hashable) -> Decision | None:
        """Return the decision of a side that has done and seen something; None if it never does."""
        number = self._numbers.get((before, seen))
        return None if number is None else self.decisions[number]

    def weights(self, chances: Iterable[Sequence[Any]]) -> list[Any]:
        """Return a plan's weights, given the probabilities of options at each decision."""
        found: list[Any] = [1] * self.size
        for decision, row in zip(self.decisions, chances, strict=True):
            for move, chance in zip(decision.moves, row, strict=True):
                found[move] = found[decision.before] * chance
        return found

    def chances(self, weights: Weights) -> Iterator[list[Any]]:
        """Yield the probabilities of options at each decision; equal ones if it is not reached."""
        for before, first, options, _ in self.decisions:
            row, whole = weights[first : first + len(options)], weights[before]
            share = Fraction(1, len(options))
            yield [weight / whole if whole else share for weight in row]

    def pure(self, picked: Sequence[int]) -> list[int]:
        """Return the weights of a plan without chance."""
        return self.weights(
            [int(number == pick) for number in range(len(decision.options))]
            for decision, pick in zip(self.decisions, picked, strict=True)
        )

    def rounded(self, weights: Weights, finest: int) -> list[Fraction]:
        """Return a plan near one in floats, whose probabilities are simple fractions."""
        clean = [float(weight) if weight > TINY else 0.0 for weight in weights]
        found: list[Fraction] = [Fraction(0)] * self.size
        found[EMPTY] = Fraction(1)
        for before, first, options, _ in self.decisions:
            if found[before]:
                row = clean[first : first + len(options)]
                shares = _simple(row, finest) if any(row) else [Fraction(1, len(row))] * len(row)
                for move, share in enumerate(shares, first):
                    found[move] = found[before] * share
        return found

    def best(self, *goals: Sequence[Any]) -> Reply:
        """Return the plan that is best by the first goal, among these by the second, and so on.

        Parameters
        ----------
        *goals : sequences of numbers
            What is paid at each sequence itself.
        """
        spend(self.size * len(goals), PLAYS)
        totals = [[*amounts] for amounts in zip(*goals, strict=True)]
        picked = [0] * len(self.decisions)
        for number in range(len(self.decisions) - 1, -1, -1):
            before, first, options, _ = self.decisions[number]
            top = max(range(first, first + len(options)), key=totals.__getitem__)
            picked[number] = top - first
            totals[before] = [a + b for a, b in zip(totals[before], totals[top], strict=True)]
        return Reply(tuple(totals[EMPTY]), tuple(picked))

    def most(self, worth: Mapping[int, float]) -> float:
        """Return what the best plan is worth, if only a few sequences are paid for."""
        totals = dict(worth)
        met = {-self.owners[move] for move in worth if move != EMPTY}
        waiting = sorted(met)
        while waiting:
            before, first, options, _ = self.decisions[-heapq.heappop(waiting)]
            best = max(totals.get(move, 0) for move in range(first, first + len(options)))
            totals[before] = totals.get(before, 0) + best
            if before != EMPTY and (number := -self.owners[before]) not in met:
                met.add(number)
                heapq.heappush(waiting, number)
        return totals.get(EMPTY, 0)

    def rows(self) -> Any:
        """Return the matrix whose product with a plan's weights is 1, 0, 0, ..., 0."""
        rows, columns, values = [0], [EMPTY], [1.0]
        for row, decision in enumerate(self.decisions, 1):
            count = 1 + len(decision.options)
            rows += [row] * count
            columns += [decision.before, *decision.moves]
            values += [-1.0] + [1.0] * (count - 1)
        shape = (1 + len(self.decisions), self.size)
        return _scipy.sparse.csr_array((values, (rows, columns)), shape=shape)


@dataclass(eq=False, slots=True)
class TwoSides:
    """The decisions of two sides, and what is paid at pairs of their sequences.

    Parameters
    ----------
    sides : pair of Side
    pay : mapping of pairs of sequences to features
        The expectation of each seat's pay, and of other features. Chance is included.
    """

    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))
    pay: dict[tuple[int, int], dict[Feature, Fraction]] = field(
        default_factory=dict[tuple[int, int], dict[Feature, Fraction]]
    )

    def add(self, one: int, other: int, feature: Feature, amount: Fraction) -> None:
        """Add to what is paid at a pair of sequences."""
        features = self.pay.setdefault((one, other), {})
        features[feature] = features.get(feature, Fraction(0)) + amount

    @property
    def moves(self) -> int:
        """The number of sequences of both sides."""
        return sum(side.size for side in self.sides)

    def entries(self, goal: Goal) -> list[tuple[int, int, Fraction]]:
        """Return the entries of the matrix of what is counted."""
        spend(len(self.pay), PLAYS)
        found: list[tuple[int, int, Fraction]] = []
        for (one, other), features in self.pay.items():
            if amount := amount_of(goal, features):
                found.append((one, other, amount))
        return found

    def matrix(self, entries: Entries) -> Any:
        """Return entries as a matrix of floats."""
        ones = [one for one, _, _ in entries]
        others = [other for _, other, _ in entries]
        values = np.array([float(amount) for _, _, amount in entries])
        shape = (self.sides[0].size, self.sides[1].size)
        return _scipy.sparse.csr_array((values, (ones, others)), shape=shape)

    def worth(self, entries: Entries, place: int, plan: Weights) -> list[Any]:
        """Return what each sequence of a side is worth by itself against a plan of the other."""
        spend(len(entries), PLAYS)
        found: list[Any] = [Fraction(0)] * self.sides[place].size
        for *pair, amount in entries:
            if weight := plan[pair[1 - place]]:
                found[pair[place]] += amount * weight
        return found

    def value(self, entries: Entries, one: Weights, other: Weights) -> Any:
        """Return what a pair of plans is worth."""
        return sum((v * one[i] * other[j] for i, j, v in entries if one[i]), Fraction(0))


def _simple(row: Sequence[float], finest: int) -> list[Fraction]:
    """Return simple fractions near the shares of floats; they add up to 1."""
    whole = sum(row)
    shares = [Fraction(weight / whole).limit_denominator(finest) for weight in row]
    largest = max(range(len(row)), key=row.__getitem__)
    shares[largest] += 1 - sum(shares)
    return shares
