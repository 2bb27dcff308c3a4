r"""Best responses and commitment in small finite games.

In the sequence form (:mod:`nip_core.values.sequence_form`), what a plan `f` of the prover is worth
to either is linear in the verifier's plan `x`, :math:`c_f^\top x`, so that the verifier's best
commitment is found by linear programs, one for each plan `f` that the prover may answer with:

.. math::

    \max_x\; c^V_f{}^\top x \quad\text{such that}\quad
    c^P_f{}^\top x \ge c^P_{f'}{}^\top x \;\text{ for all } f' .

The best of these is the *optimistic* value: a prover that is indifferent does what the verifier
likes. If it does what the verifier likes least, the verifier can still come as near as it likes to
the *pessimistic* value: only those plans count that are strictly best for some commitment, and
among plans that are always equal for the prover the worst is taken (von Stengel and Zamir, 2010).
Soundness is about the pessimistic value.

Programs are solved in floating point; the best one's value is then proven in rational numbers
(:mod:`nip_core.values.certificate`) wherever its numbers are simple enough.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from nip_core.errors import UnsupportedError
from nip_core.values.certificate import Certificate, Reply, certify
from nip_core.values.game_tree import PROVER, VERIFIER, FiniteGame, InformationSet
from nip_core.values.sequence_form import (
    MOST_PROGRAMS,
    TOLERANCE,
    Row,
    Sequence,
    SequenceForm,
    Strategy,
    Worth,
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
    exact : Fraction, optional
        The value, where it could be proven; the chances of the strategy are fractions then too.
        (That no other reply of the prover is better is known to nine digits.)
    """

    value: float
    prover_value: float
    strategy: Strategy
    attained: bool
    exact: Fraction | None = None


def uniform_strategy(game: FiniteGame) -> dict[InformationSet, dict[str, float]]:
    """The verifier that takes every action with the same chance."""
    return {
        where: dict.fromkeys(actions, 1 / len(actions))
        for where, (_, actions) in SequenceForm(game).verifier.items()
    }


# -- best responses --------------------------------------------------------------------------------


def best_response(game: FiniteGame, strategy: Strategy) -> Response:
    """What the prover does best against a verifier that is known to play `strategy`.

    Found from the last moves backwards, so that games may be as large as trees can be.
    """
    form = SequenceForm(game)
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


def stackelberg(
    game: FiniteGame,
    *,
    pessimistic: bool,
    at_most: float = math.inf,
    most_programs: int = MOST_PROGRAMS,
) -> Commitment:
    """The verifier's best commitment, in mixed strategies, to which the prover then replies.

    Parameters
    ----------
    game : FiniteGame
    pessimistic : bool
        How is a prover's indifference resolved: against the verifier, or for it?
    at_most : float
        What the value is known not to exceed: the search ends when that is reached. The optimistic
        value is such a bound of the pessimistic one, which often is the same.
    most_programs : int
        How many replies of the prover may have to be compared.

    Raises
    ------
    UnsupportedError
        If there are more.
    """
    return _Programs(SequenceForm(game), most_programs).best(pessimistic, at_most)


def zero_sum_value(game: FiniteGame) -> Commitment:
    """What the verifier can be sure of, whatever the prover wants."""
    return _Programs(SequenceForm(game)).safest()


@dataclass(frozen=True, eq=False)
class _Known:
    """The plans of a prover with one signal, and what they are worth to both."""

    worths: list[Worth]
    verifier: Floats  # [plan, sequence]
    prover: Floats

    @classmethod
    def of(cls, form: SequenceForm, worths: list[Worth]) -> _Known:
        """The same as arrays too."""

        def table(rows: list[Row]) -> Floats:
            dense = np.zeros((len(rows), len(form.sequences)))
            for number, row in enumerate(rows):
                dense[number, list(row)] = [float(value) for value in row.values()]
            return dense

        return cls(worths, table([w.verifier for w in worths]), table([w.prover for w in worths]))


@dataclass(frozen=True, slots=True)
class _Solved:
    """A program's value, the plan that reaches it, and the multipliers of its rows."""

    value: float
    x: Floats
    weights: Floats


class _Programs:
    def __init__(self, form: SequenceForm, most: int = MOST_PROGRAMS) -> None:
        self._form = form
        self._rows, self._right = form.constraints()
        plans = {signal: form.plans(signal) for signal in form.signals}
        count = math.prod(map(len, plans.values()))
        if count > most:
            raise UnsupportedError(
                f"The prover has {count:,} plans here, all signals together; programs are solved "
                f"for up to {most:,}. Take fewer rounds or symbols."
            )
        self._known = [
            _Known.of(form, [form.worth(signal, plan) for plan in own])
            for signal, own in plans.items()
        ]

    def best(self, pessimistic: bool, at_most: float) -> Commitment:
        """The best over all plans that the prover may reply with."""
        found: tuple[_Solved, tuple[list[int], ...]] | None = None
        groups = [self._groups(known, pessimistic) for known in self._known]
        for reply in itertools.product(*groups):
            solved = self._solve(reply, margin=False)
            if not solved or (found and solved.value <= found[0].value + TOLERANCE):
                continue
            inside = self._solve(reply, margin=True) if pessimistic else None
            if pessimistic and (inside is None or inside.value <= TOLERANCE):
                continue
            found = solved, reply
            if solved.value >= at_most - TOLERANCE:
                break
        assert found is not None, "some plan is a best reply to every commitment"
        solved, reply = found
        attained = not pessimistic or self._worst_reply(solved.x) >= (
            solved.value - 1e3 * TOLERANCE
        )
        replies = [
            Reply(
                [known.worths[plan] for plan in group],
                [known.worths[plan] for plan in _others(known, group)],
            )
            for known, group in zip(self._known, reply, strict=True)
        ]
        exact = certify(self._form, replies, solved.x, solved.weights)
        prover = sum(
            float(known.prover[group[0]] @ solved.x)
            for known, group in zip(self._known, reply, strict=True)
        )
        return self._commitment(solved, prover, attained, exact)

    def safest(self) -> Commitment:
        """The largest worst case."""
        everything = tuple(list(range(len(known.worths))) for known in self._known)
        solved = self._solve(everything, margin=False, replies=False)
        assert solved is not None
        replies = [Reply(known.worths, []) for known in self._known]
        exact = certify(self._form, replies, solved.x, solved.weights)
        prover = sum(float((known.prover @ solved.x).max()) for known in self._known)
        return self._commitment(solved, prover, attained=True, exact=exact)

    def _commitment(
        self, solved: _Solved, prover: float, attained: bool, exact: Certificate | None
    ) -> Commitment:
        if exact is None:
            return Commitment(solved.value, prover, self._form.strategy_of(solved.x), attained)
        return Commitment(float(exact.value), prover, exact.strategy, attained, exact.value)

    def _groups(self, known: _Known, pessimistic: bool) -> list[list[int]]:
        """Plans one by one; or, if ties are broken against the verifier, those always equal."""
        if not pessimistic:
            return [[plan] for plan in range(len(known.worths))]
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
    ) -> _Solved | None:
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
            others = _others(known, group)
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
        return _Solved(-float(done.fun), np.asarray(done.x[:size]), -done.ineqlin.marginals)

    def _worst_reply(self, x: Floats) -> float:
        """What the verifier gets if an indifferent prover does its worst."""
        total = 0.0
        for known in self._known:
            worth = known.prover @ x
            best = worth >= worth.max() - TOLERANCE
            total += float((known.verifier @ x)[best].min())
        return total


def _others(known: _Known, group: list[int]) -> list[int]:
    return np.setdiff1d(np.arange(len(known.worths)), group).tolist()
