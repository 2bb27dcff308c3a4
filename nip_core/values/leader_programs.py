r"""Programs for a leader's plan to which a reply is best: for a given reply, and for all of them.

Rows say by how much a sequence of the follower is worse than the best one; they are 0 for all
sequences of a best reply (Bosansky and Cermak, 2015).

If ties are against the leader, its largest value may only be approached (von Stengel and Zamir,
2010). So there is a second plan :math:`x_1`, towards which the leader moves a little. If the reply
`y` is best to `x`, and also maximises :math:`F(x_1, y) - \varepsilon L(x, y)`, where `F` and `L`
are what the follower and the leader get, then `y` is strictly better at :math:`x_1` than all
replies that are worse for the leader at `x`. So `L(x, y)` is approached, whatever
:math:`\varepsilon > 0` is. Nothing is lost by this as long as some commitment makes the reply
better by :math:`\varepsilon` than all that do not always pay the follower the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from nip_core.values.highs import largest, matrix, whole_solved
from nip_core.values.linear import ONE, Linear
from nip_core.values.sides import EMPTY, Entries, TwoSides

__all__ = ["MARGIN", "TOLERANCE", "LeaderProgram", "Picked"]

# HiGHS keeps rows and whole numbers within this.
TOLERANCE = 1e-6
# By which share of the span of its own pay a reply must be better than others.
MARGIN = Fraction(1, 1_000)
Picked = tuple[int, ...]
"""The number of the option that the follower picks at each of its decisions."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A plan of the leader, by the place of its first variable, and the rows of its replies.

    The variables after the plan are the follower's value of the game, and at each decision.
    """

    first: int
    worse: Sequence[Linear]


class LeaderProgram:
    """All commitments of a leader to which a reply is best."""

    def __init__(self, game: TwoSides, leads: Entries, follows: Entries, *, against: bool) -> None:
        self.game, self.leads, self.follows = game, leads, follows
        span, unit = (max((abs(v) for *_, v in each), default=_ONE) for each in (follows, leads))
        self._span = span
        self.blocks = [self._block(0, [(i, j, v / span) for i, j, v in follows])]
        if against:
            first = self._width
            wants = [(first + i, j, v / span) for i, j, v in follows]
            price = [(i, j, -MARGIN * v / unit) for i, j, v in leads]
            self.blocks.append(self._block(first, [*wants, *price]))
        self.size = len(self.blocks) * self._width

    @property
    def _width(self) -> int:
        leader, follower = self.game.sides
        return leader.size + 1 + len(follower.decisions)

    @property
    def _free(self) -> list[int]:
        """The variables that may be negative: the follower's values."""
        size, width = self.game.sides[0].size, self._width
        return [n for block in self.blocks for n in range(block.first + size, block.first + width)]

    def _block(self, first: int, wants: Entries) -> _Block:
        follower, values = self.game.sides[1], first + self.game.sides[0].size + 1
        worse: list[dict[int, Fraction]] = [{values + owner: _ONE} for owner in follower.owners]
        for number, decision in enumerate(follower.decisions, values):
            worse[decision.before][number] = -_ONE
        for place, other, amount in wants:
            worse[other][place] = worse[other].get(place, _ZERO) - amount
        return _Block(first, worse)

    @property
    def is_indifferent(self) -> bool:
        """Whether the follower gets the same whatever it does: such as all of a fixed sum."""
        return not any(_Program(self.game, 0).most_lost(self.blocks[0].worse, 0))

    def plan_rows(self, first: int) -> list[Linear]:
        """Return what is 0 for a plan whose variables begin at a place."""
        rows: list[Linear] = [{first + EMPTY: _ONE, ONE: -_ONE}]
        for decision in self.game.sides[0].decisions:
            moves = {first + move: _ONE for move in decision.moves}
            rows.append(moves | {first + decision.before: -_ONE})
        return rows

    def plans_for(self, reply: Picked) -> list[Sequence[Fraction]] | None:
        """Return the best plan for which a reply is best, and where to move from it."""
        leader, follower = self.game.sides
        used = follower.pure(reply)
        goal: dict[int, Fraction] = {}
        for one, other, amount in self.leads:
            if used[other]:
                goal[one] = goal.get(one, _ZERO) + amount
        equal: list[Linear] = []
        rows: list[Linear] = []
        for block in self.blocks:
            equal += self.plan_rows(block.first)
            for row, weight in zip(block.worse, used, strict=True):
                (equal if weight else rows).append(row)
        found = largest(goal, rows, equal, self.size, self._free)
        if found is None:
            return None
        plans = [found.at[block.first : block.first + leader.size] for block in self.blocks]
        return plans if found.is_exact else [leader.rounded(plan, 10**6) for plan in plans]

    def relaxed(self) -> tuple[Picked | None, float | None]:
        """Return a reply near the best one, and a bound of what the leader gains with any.

        In this linear program the follower may mix replies, if it gets what its best reply is
        worth. Often the value is the same, and it takes a hundredth of the time.
        """
        program = _Program(self.game, self._width)
        program.add_plan(self.plan_rows(self.blocks[0].first))
        program.add_values(self.blocks[0].worse)
        return self._best(program)

    def best_reply(self, at_least: Fraction) -> tuple[Picked | None, float | None]:
        """Return the reply with which the leader gains most, and a bound of what it gains."""
        program = _Program(self.game, self.size)
        for block in self.blocks:
            program.add_plan(self.plan_rows(block.first))
            program.add_replies(block.worse, block.first)
        return self._best(program, float(at_least))

    def _best(
        self, program: _Program, at_least: float | None = None
    ) -> tuple[Picked | None, float | None]:
        gains = program.add_pairs(self.leads)
        values = self.game.sides[0].size + 1
        program.add_worth([(i, j, v / self._span) for i, j, v in self.follows], values)
        free = [n for n in self._free if n < program.used]
        return program.best(gains, free, at_least)


class _Program:
    """A program for both plans; the follower's sequences come after the other variables."""

    def __init__(self, game: TwoSides, size: int) -> None:
        self._game, self.used = game, size
        self._size = size + game.sides[1].size
        self._rows: list[Mapping[int, float]] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._pairs: dict[tuple[int, int], int] = {}
        self._met: set[tuple[int, int]] = set()
        self._add({self.used + EMPTY: 1.0}, 1, 1)
        for decision in game.sides[1].decisions:
            moves = {self.used + move: 1.0 for move in decision.moves}
            self._add(moves | {self.used + decision.before: -1.0}, 0, 0)

    def _add(self, row: Mapping[int, float], least: float, most: float) -> None:
        self._rows.append(row)
        self._low.append(least)
        self._high.append(most)

    def add_plan(self, rows: Sequence[Linear]) -> None:
        """Add a plan of the leader."""
        for row in rows:
            constant = -float(row.get(ONE, 0))
            numbers = {place: float(factor) for place, factor in row.items() if place != ONE}
            self._add(numbers, constant, constant)

    def add_values(self, worse: Sequence[Linear]) -> None:
        """Add that a decision is worth at least as much as each of its options."""
        for row in worse:
            self._add({place: float(factor) for place, factor in row.items()}, 0, np.inf)

    def add_replies(self, worse: Sequence[Linear], first: int) -> None:
        """Add that all used sequences of the follower are best."""
        for other, (row, most) in enumerate(zip(worse, self.most_lost(worse, first), strict=True)):
            # HiGHS's tolerance is the same for all rows, so all have the same span.
            numbers = {place: float(factor) / (most or 1.0) for place, factor in row.items()}
            self._add(numbers, 0, np.inf)
            self._add(numbers | {self.used + other: 1.0}, -np.inf, 1.0)

    def most_lost(self, worse: Sequence[Linear], first: int) -> list[float]:
        """Return by how much each of the follower's sequences may be worse than the best one."""
        leader, follower = self._game.sides
        top, low = [0.0] * follower.size, [0.0] * follower.size
        for other, row in enumerate(worse):
            # What is paid at a sequence depends on one plan of the leader, or on two.
            paid: dict[int, dict[int, float]] = {}
            for place, factor in row.items():
                start = first if place >= first else 0
                if place - start < leader.size:
                    paid.setdefault(start, {})[place - start] = -float(factor)
            for part in paid.values():
                top[other] += leader.most(part)
                low[other] -= leader.most({place: -amount for place, amount in part.items()})
        best = [0.0] * (len(follower.decisions) + 1)
        for number in range(len(follower.decisions) - 1, -1, -1):
            decision = follower.decisions[number]
            best[number] = max(top[move] for move in decision.moves)
            top[decision.before] += best[number]
            low[decision.before] += max(low[move] for move in decision.moves)
        best[-1] = top[EMPTY]
        return [best[owner] - low[other] for other, owner in enumerate(follower.owners)]

    def add_pairs(self, entries: Entries) -> dict[int, float]:
        """Return amounts by the variables of pairs of sequences that are used together.

        The weight of a pair is the leader's weight if the follower's sequence is used, else 0.
        There are those at which something is paid, and those of the leader that lead there.
        """
        leader, pair = self._game.sides[0], self._pair
        amounts = dict[int, float]()
        for one, other, amount in entries:
            place = pair(one, other)
            amounts[place] = amounts.get(place, 0) + float(amount)
        for one, other in [*self._pairs]:
            move = one
            while move != EMPTY and (leader.owners[move], other) not in self._met:
                self._met.add((leader.owners[move], other))
                decision = leader.decisions[leader.owners[move]]
                parts = {pair(each, other): 1.0 for each in decision.moves}
                self._add(parts | {pair(decision.before, other): -1.0}, 0, 0)
                move = decision.before
        return amounts

    def _pair(self, one: int, other: int) -> int:
        """Return the variable of a pair; it may be new."""
        if one == EMPTY:
            return self.used + other
        if other == EMPTY:
            return one
        if (one, other) not in self._pairs:
            place = self._pairs[one, other] = self._size
            self._size += 1
            self._add({place: 1.0, one: -1.0}, -np.inf, 0)
        return self._pairs[one, other]

    def add_worth(self, follows: Entries, values: int) -> None:
        """Add that the follower gets what its best reply is worth, at each first decision.

        This follows from the other rows in whole numbers only. Without them, it makes the bound
        much closer.
        """
        follower = self._game.sides[1]
        root = [*range(len(follower.decisions))]
        for number, decision in enumerate(follower.decisions):
            if decision.before != EMPTY:
                root[number] = root[follower.owners[decision.before]]
        paid: dict[int, list[tuple[int, int, Fraction]]] = {}
        for one, other, amount in follows:
            if other != EMPTY:
                first = root[follower.owners[other]]
                paid.setdefault(first, []).append((one, other, amount))
        for first, entries in paid.items():
            self._add(self.add_pairs(entries) | {values + first: -1.0}, 0, 0)
        # A pair's weights add up over the options of a decision, too.
        for decision in follower.decisions:
            for one in {one for one, _ in self._pairs}:
                if all((one, move) in self._pairs for move in (decision.moves)) and (
                    decision.before == EMPTY or (one, decision.before) in self._pairs
                ):
                    parts = {self._pairs[one, move]: 1.0 for move in decision.moves}
                    self._add(parts | {self._pair(one, decision.before): -1.0}, 0, 0)

    def best(
        self, gains: Mapping[int, float], free: list[int], at_least: float | None
    ) -> tuple[Picked | None, float | None]:
        """Return the reply with which the leader gains most, and a bound of what it gains.

        Parameters
        ----------
        gains : mapping of variable to amount
        free : list of int
            The variables that may be negative.
        at_least : float, optional
            What is known already, if replies are without chance; None if they may be mixed.
        """
        goal, whole = np.zeros(self._size), np.zeros(self._size)
        goal[[*gains]] = [-amount for amount in gains.values()]
        used = slice(self.used, self.used + self._game.sides[1].size)
        if at_least is not None:
            self._add(gains, at_least - TOLERANCE, np.inf)
            whole[used] = 1
        least, most = np.zeros(self._size), np.ones(self._size)
        least[free], most[free] = -np.inf, np.inf
        rows = matrix(self._rows, self._size)
        found: Any = whole_solved(goal, rows, self._low, self._high, whole, (least, most))
        if found is None:
            return None, None
        if at_least is None:
            bound = None if found.x is None or found.status else -float(found.fun)
        else:
            bound = None if found.mip_dual_bound is None else -float(found.mip_dual_bound)
        if found.x is None:
            # Nothing is as good as what is known, or there was not enough time.
            return None, at_least if found.status == _INFEASIBLE else bound
        weights = found.x[used]
        return tuple(
            max(range(len(d.options)), key=lambda number, d=d: weights[d.first + number])
            for d in self._game.sides[1].decisions
        ), bound


_INFEASIBLE = 2
_ZERO, _ONE = Fraction(0), Fraction(1)
