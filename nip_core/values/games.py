r"""Best responses and commitment in small finite games.

A seat's strategy is written by *sequences*: the weight of a sequence of its own moves is the
product of the chances of making each (a realisation plan). With the verifier's plan `x`, what a
plan `f` of the prover is worth to either is linear, :math:`c_f^\top x`, so that the verifier's best
commitment is found by linear programs, one for each plan `f` that the prover may answer with:

.. math::

    \max_x\; c^V_f{}^\top x \quad\text{such that}\quad
    c^P_f{}^\top x \ge c^P_{f'}{}^\top x \;\text{ for all } f' .

The best of these is the *optimistic* value: a prover that is indifferent does what the verifier
likes. If it does what the verifier likes least, the verifier can still come as near as it likes to
the *pessimistic* value: only those plans count that are strictly best for some commitment, and
among plans that are always equal for the prover the worst is taken (von Stengel and Zamir, 2010).
Soundness is about the pessimistic value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

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
    "Commitment",
    "Response",
    "Strategy",
    "best_response",
    "stackelberg",
    "uniform_strategy",
    "zero_sum_value",
]

Floats = npt.NDArray[np.floating[Any]]
Sequence = tuple[InformationSet, str] | None
Plan = frozenset[tuple[InformationSet, str]]
Strategy = Mapping[InformationSet, Mapping[str, float]]
"""For each information set of a seat, the chance of each action."""

# Linear programs are solved in floating point; what differs by less counts as the same.
TOLERANCE = 1e-9
MOST_PROGRAMS = 4096
MOST_SEQUENCES = 2_000


@dataclass(frozen=True, slots=True)
class Response:
    """What the prover does best against a known verifier.

    Parameters
    ----------
    value, verifier_value : float
        What the prover and the verifier then get. Ties are broken by the order of the actions.
    plan : mapping of information set to str
        What it does where.
    """

    value: float
    verifier_value: float
    plan: Mapping[InformationSet, str]


@dataclass(frozen=True, slots=True)
class Commitment:
    """The best that the verifier can commit itself to.

    Parameters
    ----------
    value, prover_value : float
        What both get.
    strategy : mapping
        The verifier's chances of each action in each information set.
    attained : bool
        False if the value is only approached: the strategy is where the prover is indifferent,
        and a little beside it lies one that is worth nearly as much.
    """

    value: float
    prover_value: float
    strategy: Strategy
    attained: bool


# -- the sequence form -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Leaf:
    chance: Fraction
    own: Sequence  # the verifier's last move
    prover: tuple[tuple[InformationSet, str], ...]  # all of the prover's moves
    payoffs: tuple[Fraction, Fraction]


class _Form:
    """A game's sequences, and what each plan of the prover is worth as a function of `x`."""

    def __init__(self, game: FiniteGame) -> None:
        self.sequences: dict[Sequence, int] = {None: 0}
        self.verifier: dict[InformationSet, tuple[Sequence, tuple[str, ...]]] = {}
        self.prover: dict[InformationSet, tuple[Sequence, tuple[str, ...]]] = {}
        self.leaves: list[_Leaf] = []
        self._walk(game.root, Fraction(1), None, ())
        if len(self.sequences) > MOST_SEQUENCES:
            raise UnsupportedError(
                f"The verifier has {len(self.sequences):,} sequences of moves here; programs are "
                f"solved for up to {MOST_SEQUENCES:,}. Take fewer rounds or symbols."
            )

    def _walk(self, node: Node, chance: Fraction, own: Sequence, prover: tuple[Any, ...]) -> None:
        if isinstance(node, End):
            self.leaves.append(_Leaf(chance, own, prover, node.payoffs))
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

    def signals(self) -> list[int | None]:
        """What the prover may know."""
        return sorted({where[1] for where in self.prover}, key=repr)

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

    def worth(self, signal: int | None, plan: Plan) -> tuple[Floats, Floats]:
        """What a plan pays the verifier and the prover, as linear functions of `x`."""
        pays = np.zeros((2, len(self.sequences)))
        for leaf in self.leaves:
            moves = leaf.prover
            mine = not moves or moves[0][0][1] == signal
            # What no move of the prover led to is counted with one of its signals only.
            if not moves and signal != self.signals()[0]:
                continue
            if mine and all(move in plan for move in moves):
                for seat in (VERIFIER, PROVER):
                    pays[seat, self.sequences[leaf.own]] += float(leaf.chance * leaf.payoffs[seat])
        return pays[VERIFIER], pays[PROVER]


def uniform_strategy(game: FiniteGame) -> dict[InformationSet, dict[str, float]]:
    """The verifier that takes every action with the same chance."""
    return {
        where: dict.fromkeys(actions, 1 / len(actions))
        for where, (_, actions) in _Form(game).verifier.items()
    }


# -- best responses --------------------------------------------------------------------------------


def best_response(game: FiniteGame, strategy: Strategy) -> Response:
    """What the prover does best against a verifier that is known to play `strategy`.

    Found from the last moves backwards, so that games may be as large as trees can be.
    """
    form = _Form(game)
    x = form.plan_of(strategy)
    gains: dict[Sequence, Floats] = {}
    for leaf in form.leaves:
        last = leaf.prover[-1] if leaf.prover else None
        weight = float(leaf.chance) * x[form.sequences[leaf.own]]
        paid = np.array([float(p) for p in leaf.payoffs]) * weight
        gains[last] = gains.get(last, np.zeros(2)) + paid
    plan: dict[InformationSet, str] = {}
    # A longer history comes later, so that what follows a move is known before the move.
    for where in sorted(form.prover, key=lambda each: len(each[2]), reverse=True):
        before, actions = form.prover[where]
        worths = [gains.get((where, action), np.zeros(2)) for action in actions]
        best = max(range(len(actions)), key=lambda n: worths[n][PROVER])
        plan[where] = actions[best]
        gains[before] = gains.get(before, np.zeros(2)) + worths[best]
    total = gains.get(None, np.zeros(2))
    return Response(float(total[PROVER]), float(total[VERIFIER]), plan)


# -- commitment ------------------------------------------------------------------------------------


def stackelberg(game: FiniteGame, *, pessimistic: bool) -> Commitment:
    """The verifier's best commitment, in mixed strategies, to which the prover then replies.

    Parameters
    ----------
    game : FiniteGame
    pessimistic : bool
        How is a prover's indifference resolved: against the verifier, or for it?
    """
    return _Programs(_Form(game)).best(pessimistic)


def zero_sum_value(game: FiniteGame) -> Commitment:
    """What the verifier can be sure of, whatever the prover wants."""
    return _Programs(_Form(game)).safest()


@dataclass(frozen=True, eq=False)
class _Known:
    """The plans of a prover with one signal, and what they are worth to both."""

    verifier: Floats  # [plan, sequence]
    prover: Floats


class _Programs:
    def __init__(self, form: _Form) -> None:
        self._form = form
        self._rows, self._right = form.constraints()
        # A game without a prover is one in which it has a single plan: to do nothing.
        signals = form.signals() or [None]
        self._known: list[_Known] = []
        for signal in signals:
            worth = (
                [form.worth(signal, plan) for plan in form.plans(signal)]
                if form.prover
                else [self._alone()]
            )
            self._known.append(_Known(*(np.array(side) for side in zip(*worth, strict=True))))
        count = math.prod(len(known.prover) for known in self._known)
        if count > MOST_PROGRAMS:
            raise UnsupportedError(
                f"The prover has {count:,} plans here, all signals together; programs are solved "
                f"for up to {MOST_PROGRAMS:,}. Take fewer rounds or symbols."
            )

    def _alone(self) -> tuple[Floats, Floats]:
        pays = np.zeros((2, len(self._form.sequences)))
        for leaf in self._form.leaves:
            for seat in (VERIFIER, PROVER):
                pays[seat, self._form.sequences[leaf.own]] += float(
                    leaf.chance * leaf.payoffs[seat]
                )
        return pays[VERIFIER], pays[PROVER]

    def best(self, pessimistic: bool) -> Commitment:
        """The best over all plans that the prover may reply with."""
        found: tuple[float, Floats, tuple[Floats, ...]] | None = None
        groups = [self._groups(known, pessimistic) for known in self._known]
        for reply in itertools.product(*groups):
            inside = self._solve(reply, margin=True) if pessimistic else None
            if pessimistic and (inside is None or inside[0] <= TOLERANCE):
                continue
            solved = self._solve(reply, margin=False)
            if solved is not None and (found is None or solved[0] > found[0] + TOLERANCE):
                found = (*solved, tuple(np.array(group) for group in reply))
        assert found is not None, "some plan is a best reply to every commitment"
        value, x, reply = found
        attained = not pessimistic or self._worst_reply(x) >= value - 1e3 * TOLERANCE
        prover = sum(
            float(known.prover[group[0]] @ x)
            for known, group in zip(self._known, reply, strict=True)
        )
        return Commitment(value, prover, self._form.strategy_of(x), attained)

    def safest(self) -> Commitment:
        """The largest worst case."""
        everything = tuple(list(range(len(known.verifier))) for known in self._known)
        solved = self._solve(everything, margin=False, replies=False)
        assert solved is not None
        value, x = solved
        strategy = self._form.strategy_of(x)
        return Commitment(value, self._best_reply(x), strategy, attained=True)

    def _groups(self, known: _Known, pessimistic: bool) -> list[list[int]]:
        """Plans one by one; or, if ties are broken against the verifier, those always equal."""
        if not pessimistic:
            return [[plan] for plan in range(len(known.prover))]
        # A linear function that is 0 at a point in general position is 0 everywhere.
        rng = np.random.default_rng(0)
        points = [self._some_plan(rng) for _ in range(2)]
        marks = np.round(np.stack([known.prover @ x for x in points], axis=1), 9)
        groups: dict[tuple[float, ...], list[int]] = {}
        for plan, mark in enumerate(marks.tolist()):
            groups.setdefault(tuple(mark), []).append(plan)
        return list(groups.values())

    def _some_plan(self, rng: np.random.Generator) -> Floats:
        strategy = {
            where: dict(zip(actions, rng.dirichlet(np.ones(len(actions))).tolist(), strict=True))
            for where, (_, actions) in self._form.verifier.items()
        }
        return self._form.plan_of(strategy)

    def _solve(
        self, reply: tuple[list[int], ...], *, margin: bool, replies: bool = True
    ) -> tuple[float, Floats] | None:
        """One linear program.

        The variables are `x`, then for each signal what the verifier gets at least from the
        plans of the reply, then the margin by which the reply is better than all other plans.
        """
        from scipy import optimize

        size, signals = len(self._form.sequences), len(self._known)
        width = size + signals + 1
        upper: list[Floats] = []
        for number, (known, group) in enumerate(zip(self._known, reply, strict=True)):
            for plan in group:
                row = np.zeros(width)
                row[:size], row[size + number] = -known.verifier[plan], 1
                upper.append(row)
            if not replies:
                continue
            others = np.setdiff1d(np.arange(len(known.prover)), group)
            rows = np.zeros((len(others), width))
            rows[:, :size] = known.prover[others] - known.prover[group[0]]
            rows[:, -1] = 1 if margin else 0
            upper.extend(rows)
        goal = np.zeros(width)
        goal[-1 if margin else slice(size, size + signals)] = -1
        equal = np.hstack([self._rows, np.zeros((len(self._rows), signals + 1))])
        done: Any = cast("Any", optimize).linprog(
            goal,
            np.array(upper),
            np.zeros(len(upper)),
            equal,
            self._right,
            bounds=[(0, 1)] * size + [(None, None)] * signals + [(0, 1)],
        )
        if not done.success:
            return None
        return -float(done.fun), np.asarray(done.x[:size])

    def _best_reply(self, x: Floats) -> float:
        return sum(float((known.prover @ x).max()) for known in self._known)

    def _worst_reply(self, x: Floats) -> float:
        """What the verifier gets if an indifferent prover does its worst."""
        total = 0.0
        for known in self._known:
            worth = known.prover @ x
            best = worth >= worth.max() - TOLERANCE
            total += float((known.verifier @ x)[best].min())
        return total
