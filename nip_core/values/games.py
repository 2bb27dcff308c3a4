r"""Best responses and commitment in small finite games.

In the sequence form (:mod:`nip_core.values.sequence_form`), the value of a prover's plan `f` for
each player is linear in the verifier's plan `x`, :math:`c_f^\top x`. So the verifier's best
commitment is found by linear programs, one for each possible reply `f`:

.. math::

    \max_x\; c^V_f{}^\top x \quad\text{such that}\quad
    c^P_f{}^\top x \ge c^P_{f'}{}^\top x \;\text{ for all } f' .

The best of these is the *optimistic* value: an indifferent prover favours the verifier. If it does
what is worst for the verifier, the verifier can still approach the *pessimistic* value: only plans
count that are strictly best for some commitment and, of plans that are always equal for the prover,
the one that is worst for the verifier (von Stengel and Zamir, 2010). Soundness is about the
pessimistic value.

Programs are solved, and replies compared, in rational numbers (:mod:`nip_core.values.linear`), so
values are exact for payoffs of any size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

from nip_core.displays import Table, Tabular, line
from nip_core.errors import UnsupportedError
from nip_core.values.checks import checked, checked_limit, checked_switch, optional, whole
from nip_core.values.game_tree import (
    GAME,
    PLACE,
    PROVER,
    VERIFIER,
    FiniteGame,
    InformationSet,
    place_of,
)
from nip_core.values.linear import ONE, Linear, Solution, less, maximise, value_at
from nip_core.values.sequence_form import (
    MOST_PROGRAMS,
    RationalStrategy,
    Sequence,
    SequenceForm,
    Strategy,
    checked_strategy,
)

__all__ = [
    "Commitment",
    "Response",
    "Strategy",
    "best_response",
    "replied",
    "stackelberg",
    "uniform_strategy",
    "zero_sum_value",
]


@dataclass(frozen=True, slots=True)
class Response(Tabular):
    """The prover's best response to a known verifier.

    Parameters
    ----------
    value, verifier_value : float
        The values for the prover and the verifier.
    plan : mapping of information set to str
        Its action in each information set.
    """

    value: float
    verifier_value: float
    plan: Mapping[InformationSet, str]

    def __repr__(self) -> str:
        return line(self, f"prover {self.value:.4g}", f"verifier {self.verifier_value:.4g}")

    def table(self) -> Table:
        """Return the prover's action in each information set."""
        rows = [(*place_of(where), action) for where, action in self.plan.items()]
        return Table((*PLACE, "action"), rows)


@dataclass(frozen=True, slots=True)
class Commitment(Tabular):
    """The verifier's best commitment.

    Parameters
    ----------
    value, prover_value : float
        The values for both players.
    strategy : mapping
        The probability of each of the verifier's actions in each information set.
    attained : bool
        False if no commitment has the value and it is only approached. The prover is then
        indifferent under the strategy, and a strategy close to it is worth nearly as much.
    exact : Fraction
        The exact value, by comparison with every reply.
    worst : Fraction
        The strategy's value if the prover picks, among its best replies, the worst one for the
        verifier.
    reached : frozenset of information set
        The information sets that the verifier's own moves allow. In others, the strategy has equal
        probabilities, which have no effect.
    """

    value: float
    prover_value: float
    strategy: RationalStrategy
    attained: bool
    exact: Fraction
    worst: Fraction
    reached: frozenset[InformationSet]

    def __repr__(self) -> str:
        both = f"verifier {self.value:.4g}", f"prover {self.prover_value:.4g}"
        return line(self, *both, "attained" if self.attained else "only approached")

    def table(self) -> Table:
        """Return the probability of each action in each reached information set."""
        rows = [
            (*place_of(where), action, float(chance))
            for where, actions in self.strategy.items()
            if where in self.reached
            for action, chance in actions.items()
        ]
        return Table((*PLACE, "action", "chance"), rows)


@checked(game=GAME)
def uniform_strategy(game: FiniteGame) -> dict[InformationSet, dict[str, float]]:
    """Return the verifier's strategy that takes all actions with equal probabilities."""
    return {
        where: dict.fromkeys(actions, 1 / len(actions))
        for where, (_, actions) in SequenceForm(game).verifier.items()
    }


# -- best responses --------------------------------------------------------------------------------


@checked(game=GAME, strategy=checked_strategy, pessimistic=optional(checked_switch))
def best_response(
    game: FiniteGame, strategy: Strategy, *, pessimistic: bool | None = None
) -> Response:
    """Return the prover's best response to a verifier that is known to play `strategy`.

    It is computed from the last moves backwards, so trees of any size are possible. Probabilities
    are read as exact rational numbers and divided by their sum.

    Parameters
    ----------
    game : FiniteGame
    strategy : mapping
        The probability of each of the verifier's actions in each information set.
    pessimistic : bool, optional
        Whether an indifferent prover acts against the verifier, or for it. By default the order of
        actions decides.
    """
    form = SequenceForm(game)
    verifier, prover, plan = replied(form, strategy, pessimistic)
    return Response(float(prover), float(verifier), plan)


def replied(
    form: SequenceForm, strategy: Strategy, pessimistic: bool | None
) -> tuple[Fraction, Fraction, Mapping[InformationSet, str]]:
    """Return both exact values if the prover replies best, and its reply."""
    liking = {None: 0, False: 1, True: -1}[pessimistic]
    weights = form.plan_of(strategy)
    gains: dict[Sequence, list[Fraction]] = {}

    def add(move: Sequence, paid: Iterable[Fraction]) -> None:
        gains[move] = [a + b for a, b in zip(gains.get(move, _NOTHING), paid, strict=True)]

    for leaf in form.leaves:
        if weight := leaf.chance * weights[leaf.own]:
            last = leaf.prover[-1] if leaf.prover else None
            add(last, (weight * payoff for payoff in leaf.payoffs))
    plan: dict[InformationSet, str] = {}
    # Longer histories come later, so the nodes after a move are computed before the move.
    for where in sorted(form.prover, key=lambda each: len(each[2]), reverse=True):
        before, actions = form.prover[where]
        worths = [gains.get((where, action), _NOTHING) for action in actions]
        best = max(
            range(len(actions)), key=lambda n: (worths[n][PROVER], liking * worths[n][VERIFIER])
        )
        plan[where] = actions[best]
        add(before, worths[best])
    shares = gains.get(None, _NOTHING)
    verifier, prover = (m.to_payoff(s) for m, s in zip(form.measures, shares, strict=True))
    return verifier, prover, plan


_NOTHING = [Fraction(0), Fraction(0)]


# -- commitment ------------------------------------------------------------------------------------


@checked(game=GAME, pessimistic=checked_switch, at_most=checked_limit, most_programs=whole(1))
def stackelberg(
    game: FiniteGame,
    *,
    pessimistic: bool,
    at_most: float | Fraction = math.inf,
    most_programs: int = MOST_PROGRAMS,
) -> Commitment:
    """Return the verifier's best commitment to a mixed strategy, to which the prover replies.

    Parameters
    ----------
    game : FiniteGame
    pessimistic : bool
        Whether an indifferent prover acts against the verifier, or for it.
    at_most : float or Fraction
        A known upper bound of the value, at which the search ends. The optimistic value is such a
        bound of the pessimistic one, which is often equal.
    most_programs : int
        The largest number of replies to compare.

    Raises
    ------
    UnsupportedError
        If there are more.
    """
    programs = _Programs(SequenceForm(game), game.renamable, most_programs)
    return programs.best(pessimistic, at_most)


@checked(game=GAME)
def zero_sum_value(game: FiniteGame) -> Commitment:
    """Return the value that the verifier can guarantee, whatever the prover wants."""
    return _Programs(SequenceForm(game), game.renamable).safest()


@dataclass(frozen=True, eq=False)
class _Group:
    """Plans of a prover with one signal that always have the same value for it.

    Parameters
    ----------
    prover : Linear
        Their value for the prover.
    verifier : tuple of Linear
        The value of each of them for the verifier.
    """

    prover: Linear
    verifier: tuple[Linear, ...]


_Reply = tuple[_Group, ...]
"""The prover's reply for each of its signals."""


class _Programs:
    def __init__(
        self, form: SequenceForm, renamable: bool, most_programs: int = MOST_PROGRAMS
    ) -> None:
        self._form = form
        plans = {signal: form.plans(signal) for signal in form.signals}
        count = math.prod(map(len, plans.values()))
        if count > most_programs:
            raise UnsupportedError(
                f"The prover has {count:,} plans here, all signals together; programs are solved "
                f"for up to {most_programs:,}. Take fewer rounds or symbols."
            )
        self._groups: list[list[_Group]] = []
        for signal, own in plans.items():
            groups: dict[frozenset[tuple[int, Fraction]], _Group] = {}
            for plan in own:
                worth = form.worth(signal, plan)
                mark = frozenset(worth.prover.items())
                before = groups[mark].verifier if mark in groups else ()
                if worth.verifier not in before:
                    groups[mark] = _Group(worth.prover, (*before, worth.verifier))
            self._groups.append(list(groups.values()))
        # If symbols are interchangeable, the messages under the first signal may be assumed to use
        # the first symbols: one of the prover's plans then represents all its renamings.
        self._named_first = renamable

    # -- the best of all replies -------------------------------------------------------------------

    def best(self, pessimistic: bool, at_most: float | Fraction) -> Commitment:
        """Return the best value over all plans with which the prover may reply."""
        limit = self._share(at_most)
        found: Solution | None = None
        reply: _Reply = ()
        attained = False
        for bound, candidate in self._replies(pessimistic):
            # Another reply with the same value may be one with which the value is attained.
            if found and (bound < found.value or (attained and bound == found.value)):
                break
            if pessimistic and not self._is_strict(candidate):
                continue
            solved = self._worth(candidate)
            if solved is None or (found and solved.value < found.value):
                continue
            is_more = found is None or solved.value > found.value
            if not is_more and attained:
                continue
            there = self._attaining(candidate, solved) if pessimistic else solved
            if is_more or there:
                found, reply, attained = there or solved, candidate, there is not None
            if attained and limit is not None and found and found.value >= limit:
                break
        assert found is not None, "some plan is a best reply to every commitment"
        prover = sum(value_at(group.prover, found.at) for group in reply)
        return self._commitment(found, Fraction(prover), attained)

    def _share(self, at_most: float | Fraction) -> Fraction | None:
        """Return a bound of the value, on the internal scale from 0 to 1."""
        if not isinstance(at_most, Rational):
            if not math.isfinite(at_most):
                return None
            # The float may have been rounded down, so the next larger one is the bound.
            at_most = Fraction(math.nextafter(at_most, math.inf))
        measure = self._form.measures[VERIFIER]
        return measure.to_share(Fraction(at_most)) if measure.span else Fraction(0)

    def _replies(self, pessimistic: bool) -> Iterator[tuple[Fraction, _Reply]]:
        """Return replies with upper bounds of their values, the best first."""
        choices = list(self._groups)
        if self._named_first:
            choices[0] = choices[0][:1]
        if not pessimistic:
            choices = [
                [_Group(group.prover, (each,)) for group in groups for each in group.verifier]
                for groups in choices
            ]
        bounded = [(self._bound(reply), reply) for reply in itertools.product(*choices)]
        return iter(sorted(bounded, key=lambda each: -each[0]))

    def _bound(self, reply: _Reply) -> Fraction:
        """Return the verifier's largest value if the prover replies with this to everything."""
        return sum((self._form.most(group.verifier[0]) for group in reply), Fraction(0))

    # -- programs ---------------------------------------------------------------------------------
    #
    # The first variables are the numbers of the verifier's plan. Then follows, for each signal, the
    # verifier's least value under the plans of the reply.

    def _worth(self, reply: _Reply) -> Solution | None:
        """Return the largest value for the verifier with which this reply is the prover's best."""
        rows = [*self._form.floors, *self._preferred(reply)]
        goal, least = self._least([[group] for group in reply])
        return maximise(goal, [*rows, *least], self._size)

    def _is_strict(self, reply: _Reply) -> bool:
        """Return whether this is the prover's only best reply to some commitment."""
        margin = {self._form.size: Fraction(1)}
        rows = [less(row, margin) for row in self._preferred(reply)]
        rows += [*self._form.floors, less({ONE: Fraction(1)}, margin)]
        solved = maximise(margin, rows, self._form.size + 1, beyond=Fraction(0))
        return solved is not None and solved.value > 0

    def _attaining(self, reply: _Reply, solved: Solution) -> Solution | None:
        """Return a commitment with the value of a reply even under hostile best replies.

        It must be a plan with the value under this reply. If another reply is as good for the
        prover under all such plans, the verifier must expect it too, and the value must be reached
        under both. This is repeated until no reply is added.
        """
        tied = [[group] for group in reply]
        while True:
            goal, least = self._least(tied)
            rows = [*self._form.floors, *least, less(goal, {ONE: solved.value})]
            rivals: list[tuple[int, _Group, Linear]] = []
            for number, (groups, own) in enumerate(zip(self._groups, tied, strict=True)):
                for group in groups:
                    ahead = less(own[0].prover, group.prover)
                    rows.append(ahead)
                    if any(group.prover == each.prover for each in own):
                        rows.append(less(group.prover, own[0].prover))
                    else:
                        rivals.append((number, group, ahead))
            points: list[Solution] = []
            while True:
                solution = self._ahead_of([ahead for _, _, ahead in rivals], rows)
                if solution is None:
                    return None
                points.append(solution)
                left = [rival for rival in rivals if value_at(rival[2], solution.at) <= 0]
                if len(left) == len(rivals):
                    break
                rivals = left
            if not rivals:
                # At the mean of points, everything is strict that is strict at one of them.
                plans = zip(*(point.at[: self._form.size] for point in points), strict=True)
                middle = [sum(each, Fraction(0)) / len(points) for each in plans]
                return Solution(solved.value, tuple(middle))
            for number, group, _ in rivals:
                tied[number].append(group)

    def _ahead_of(self, rivals: list[Linear], rows: list[Linear]) -> Solution | None:
        """Return a plan that makes the reply strictly better than as many others as possible."""
        lead = range(self._size, self._size + len(rivals))
        more = [less(row, {place: Fraction(1)}) for row, place in zip(rivals, lead, strict=True)]
        caps = [{ONE: Fraction(1), place: Fraction(-1)} for place in lead]
        goal = dict.fromkeys(lead, Fraction(1))
        return maximise(goal, [*rows, *more, *caps], self._size + len(rivals))

    @property
    def _size(self) -> int:
        return self._form.size + len(self._groups)

    def _preferred(self, reply: _Reply) -> list[Linear]:
        """Return rows that hold if the prover prefers nothing to this reply."""
        return [
            less(own.prover, other.prover)
            for groups, own in zip(self._groups, reply, strict=True)
            for other in groups
            if other.prover != own.prover
        ]

    def _least(self, replies: list[list[_Group]]) -> tuple[Linear, list[Linear]]:
        """Return the verifier's least value, and the rows that ensure it."""
        rows: list[Linear] = []
        goal: dict[int, Fraction] = {}
        for place, groups in enumerate(replies, start=self._form.size):
            goal[place] = Fraction(1)
            rows += [less(each, {place: Fraction(1)}) for g in groups for each in g.verifier]
        return goal, rows

    def safest(self) -> Commitment:
        """Return the strategy with the largest worst case."""
        goal, rows = self._least(self._groups)
        solved = maximise(goal, [*self._form.floors, *rows], self._size)
        assert solved is not None, "every commitment has a worst case"
        prover = sum(max(value_at(g.prover, solved.at) for g in groups) for groups in self._groups)
        return self._commitment(solved, Fraction(prover), attained=True)

    def _commitment(self, solved: Solution, prover: Fraction, attained: bool) -> Commitment:
        own, other = self._form.measures
        value = own.to_payoff(solved.value)
        strategy = self._form.strategy_of(solved.at)
        worst, _, _ = replied(self._form, strategy, pessimistic=True)
        return Commitment(
            value=float(value),
            prover_value=float(other.to_payoff(prover)),
            strategy=strategy,
            attained=attained,
            exact=value,
            worst=worst,
            reached=self._form.reached_by(strategy),
        )
