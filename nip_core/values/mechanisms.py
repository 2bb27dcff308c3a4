r"""The verifier's best commitment against one prover, at any number of rounds.

A verifier that commits itself to a strategy loses nothing if the prover reports its private signal
`i` as its first answer, says nothing of use afterwards, and never gains by a false report (the
revelation principle). So a commitment is a table :math:`x(e \mid j, m)`: the chance that the
episode ends with `e`, a round and a decision, if the verifier's own signal is `j` and the report
`m`. What ends before the first answer was heard cannot depend on the report. The *optimistic* value
is one linear program:

.. math::

    \max_x \sum_{y, i, j} P(y, i, j) \sum_e x(e \mid j, i)\, r^V_y(e)
    \quad\text{such that}\quad D_i(x) \ge 0,

where :math:`D_i` is what a prover with the signal `i` gains by the true report over the false one.

The *pessimistic* value, against a prover that resolves indifference against the verifier, follows.
If some table makes both :math:`D_i` positive, mix a little of it into the best one: the true report
is then the only best reply, and the optimistic value is approached. If none does, then with every
table one of the two common reports is among the best replies, so that a hostile prover may say the
same whatever it knows; the value is that of the best table that ignores the report.

Two symbols are enough, since there are two signals; more of them change no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from nip_core.displays import Table, Tabular, line
from nip_core.errors import UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.handler.rules import UNDECIDED
from nip_core.registry import AnyProtocol, protocol
from nip_core.spec import shown_round
from nip_core.values.checks import a_protocol, checked, checked_chance, checked_switch
from nip_core.values.game_tree import check_one_prover, signals_of
from nip_core.values.linear import ONE, Linear, Solution, combined, less, maximise, value_at
from nip_core.values.outcomes import outcomes
from nip_core.values.rationals import fraction
from nip_core.values.sequence_form import Measure

__all__ = ["Mechanism", "best_mechanism"]

MOST_ROUNDS = 1_000
REJECT, ACCEPT = 0, 1
LABELS = (0, 1)
VERIFIER, PROVER = 0, 1

Signal = int | None
Cases = Mapping[tuple[int, Signal, Signal], Fraction]
"""The chance of each label, signal of the prover and signal of the verifier."""


@dataclass(frozen=True, slots=True)
class Ending:
    """One way in which an episode can end.

    Parameters
    ----------
    round : int
    is_chosen : bool
        Did the verifier choose it, by a verdict?
    verdicts : tuple of int
        By label: the verdict that counts, or 2 for none.
    pays : tuple of pairs of Fraction
        By label: what the verifier and the prover get in the whole episode.
    """

    round: int
    is_chosen: bool
    verdicts: tuple[int, int]
    pays: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]


@dataclass(frozen=True, eq=False)
class Mechanism(Tabular):
    """A verifier's commitment, and what it is worth.

    Parameters
    ----------
    value, prover_value : Fraction
        What both get, exactly.
    completeness, soundness_error : Fraction or None
        The chance that a true and a false statement are accepted; None for a label that cannot be.
    attained : bool
        False if no commitment is worth the value and it is only approached: the prover is
        indifferent with this one, and a little beside it lies one that is worth nearly as much.
    stops : mapping of (own signal, report, round) to (reject, accept)
        The chance that the verifier rejects or accepts in a round once it has come there. The
        report is None before an answer was heard, and where the verifier ignores it.
    """

    value: Fraction
    prover_value: Fraction
    completeness: Fraction | None
    soundness_error: Fraction | None
    attained: bool
    stops: Mapping[tuple[Signal, Signal, int], tuple[Fraction, Fraction]]

    def __repr__(self) -> str:
        both = f"verifier {float(self.value):.4g}", f"prover {float(self.prover_value):.4g}"
        return line(self, *both, "attained" if self.attained else "only approached")

    def table(self) -> Table:
        """How likely the verifier decides what, once it has come to a round."""
        rows = [(*place, *map(float, chances)) for place, chances in self.stops.items()]
        head = ("own signal", "report", "round", "reject", "accept")
        return Table(head, rows, {"round": shown_round})


@checked(
    handler=a_protocol,
    pessimistic=checked_switch,
    prior=checked_chance,
    prover_accuracy=checked_chance,
    verifier_accuracy=checked_chance,
)
def best_mechanism(
    handler: AnyProtocol,
    *,
    pessimistic: bool,
    prior: float | Fraction = Fraction(1, 2),
    prover_accuracy: float | Fraction = Fraction(1),
    verifier_accuracy: float | Fraction = Fraction(1, 2),
) -> Mechanism:
    """Return the verifier's best commitment, to which the prover then replies.

    The same value as :func:`~nip_core.values.stackelberg` finds in the tree of
    :func:`~nip_core.values.finite_game`, for protocols far too long for a tree.

    Parameters
    ----------
    handler : ProtocolHandler, or anything else that :func:`nip_core.protocol` takes
    pessimistic : bool
        How is a prover's indifference resolved: against the verifier, or for it?
    prior : float or Fraction
        The chance that the label is 1.
    prover_accuracy, verifier_accuracy : float or Fraction
        The chance that a seat's private signal of the label is right: 1, it knows the label;
        1/2, it has no signal.

    Raises
    ------
    UnsupportedError
        For protocols with several provers, variants, private channels or a simulator, and for
        more than :data:`MOST_ROUNDS` rounds.
    """
    handler = protocol(handler)
    told = Program.of(handler, prior, prover_accuracy, verifier_accuracy)
    best = told.maximise(told.worth())
    if not pessimistic:
        return told.mechanism(best, attained=True)
    if not told.can_separate:
        ignoring = told.ignoring()
        return ignoring.mechanism(ignoring.maximise(ignoring.worth()), attained=True)
    there = told.attaining(best.value)
    return told.mechanism(there or best, attained=there is not None)


def endings_of(handler: ProtocolHandler) -> list[Ending]:
    """Return all ways in which an episode can end, in the order of rounds."""
    spec, asked = handler.spec, outcomes(handler)
    if spec.max_message_rounds > MOST_ROUNDS:
        raise UnsupportedError(
            f"{spec.name!r} has {spec.max_message_rounds:,} rounds here; commitments are computed "
            f"for up to {MOST_ROUNDS:,}. Take fewer rounds."
        )
    seats = [spec.agent_index(name) for name in (spec.verifier, *spec.provers)]
    paid = [[Fraction(0)] * len(seats) for _ in LABELS]
    found: list[Ending] = []
    for round_id in range(spec.max_message_rounds):
        phase = int(asked.phases[0, round_id])
        stops = asked.stops[phase, :, :, 0]
        got = {
            (decision, y): [fraction(float(asked.pays[phase, decision, y, 0, s])) for s in seats]
            for decision in range(3)
            for y in LABELS
        }
        free = spec.may_decide(round_id) and spec.payoff.force_guess is None
        for decision in range(3) if free else (UNDECIDED,):
            if not stops[decision].all():
                continue
            pays = [[a + b for a, b in zip(paid[y], got[decision, y], strict=True)] for y in LABELS]
            if_false, if_true = asked.verdicts[phase, decision, :, 0].tolist()
            false, true = (_pair(each) for each in pays)
            chosen = decision != UNDECIDED
            found.append(Ending(round_id, chosen, (if_false, if_true), (false, true)))
        if stops[UNDECIDED].any():
            if not stops[UNDECIDED].all():
                raise UnsupportedError(
                    "Here it depends on the label whether an episode goes on, so that the verifier "
                    "learns the label from that; use the finite game instead."
                )
            break
        for y in LABELS:
            paid[y] = [a + b for a, b in zip(paid[y], got[UNDECIDED, y], strict=True)]
    return found


def _pair(paid: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    return paid[VERIFIER], paid[PROVER] if len(paid) > 1 else Fraction(0)


def heard_from(handler: ProtocolHandler) -> int:
    """Return the first round in which the verifier has heard an answer."""
    spec = handler.spec
    rounds = range(spec.max_message_rounds)
    provers = set(spec.provers)
    spoken = (r for r in rounds if provers & {agent for agent, _ in spec.turn(r).speakers})
    return next(spoken, spec.max_message_rounds) + 1


def _cases(prior: Fraction, prover: Fraction, verifier: Fraction) -> Cases:
    return {
        (y, i, j): chance * p * q
        for y, chance in ((0, 1 - prior), (1, prior))
        for i, p in signals_of(prover, y)
        for j, q in signals_of(verifier, y)
        if chance * p * q
    }


class Program:
    r"""All commitments of a verifier, as the solutions of linear rows.

    The variables are the chances :math:`x(e \mid j, m)` but for the last ending of each table,
    which gets what the others leave. Payoffs are measured from the lowest to the highest, 0 to 1.

    Parameters
    ----------
    endings : sequence of Ending
        In the order of rounds.
    heard : int
        The first round in which an answer has been heard.
    cases : mapping
    ignoring : bool
        Does the verifier do the same whatever is reported?
    """

    def __init__(
        self, endings: Sequence[Ending], heard: int, cases: Cases, *, ignoring: bool = False
    ) -> None:
        self._endings = endings
        self._heard = heard
        self._cases = cases
        self._types = sorted({i for _, i, _ in cases}, key=repr)
        self._own = sorted({j for _, _, j in cases}, key=repr)
        self._reports = [None] if ignoring else self._types
        self._measures = [
            _measure(pay[seat] for ending in endings for pay in ending.pays)
            for seat in (VERIFIER, PROVER)
        ]
        late = [n for n, ending in enumerate(endings) if ending.round >= heard]
        self._last = late[-1] if late else len(endings) - 1
        self._places: dict[tuple[Signal, Signal, int], int] = {}
        for own in self._own:
            for n in range(len(endings)):
                for report in self._reports:
                    if n != self._last:
                        place = self._place(own, report, n)
                        self._places.setdefault(place, len(self._places))

    @classmethod
    def of(
        cls,
        handler: ProtocolHandler,
        prior: float | Fraction,
        prover_accuracy: float | Fraction,
        verifier_accuracy: float | Fraction,
    ) -> Program:
        """Return the program of a protocol with at most one prover."""
        check_one_prover(handler.spec, "Commitments are computed for")
        cases = _cases(*map(fraction, (prior, prover_accuracy, verifier_accuracy)))
        return cls(endings_of(handler), heard_from(handler), cases)

    def ignoring(self) -> Program:
        """Return the program of a verifier that ignores the report."""
        return Program(self._endings, self._heard, self._cases, ignoring=True)

    def _place(self, own: Signal, report: Signal, ending: int) -> tuple[Signal, Signal, int]:
        """Return which chance this is: before an answer was heard there is no report."""
        return own, None if self._endings[ending].round < self._heard else report, ending

    # -- linear functions --------------------------------------------------------------------------

    def _mean(self, own: Signal, report: Signal, amounts: Sequence[Fraction]) -> Linear:
        """Return the mean of an amount for each ending, with a signal and after a report."""
        base = amounts[self._last]
        row = {ONE: base} if base else {}
        for n, amount in enumerate(amounts):
            if n != self._last and amount != base:
                row[self._places[self._place(own, report, n)]] = amount - base
        return row

    def _chances(self, own: Signal, report: Signal, at: Sequence[Fraction]) -> list[Fraction]:
        """Return the chance of each ending at a solution."""
        found = [
            _NEVER if n == self._last else at[self._places[self._place(own, report, n)]]
            for n in range(len(self._endings))
        ]
        found[self._last] = 1 - sum(found, _NEVER)
        return found

    def _expected(
        self, amount: Callable[[Ending, int], Fraction], replies: Mapping[Signal, Signal]
    ) -> Linear:
        """Return the expectation of an amount by ending and label.

        Parameters
        ----------
        amount : callable
        replies : mapping
            What each type of the prover reports. Only these types are counted.
        """
        rows = [
            self._mean(
                own,
                report if report in self._reports else None,
                [
                    sum(
                        (self._cases.get((y, kind, own), _NEVER) * amount(e, y) for y in LABELS),
                        _NEVER,
                    )
                    for e in self._endings
                ],
            )
            for kind, report in replies.items()
            for own in self._own
        ]
        return combined(rows)

    def _share(self, seat: int) -> Callable[[Ending, int], Fraction]:
        measure = self._measures[seat]
        return lambda ending, y: measure.to_share(ending.pays[y][seat])

    @cached_property
    def _honest(self) -> dict[Signal, Signal]:
        return {kind: kind for kind in self._types}

    def worth(self, replies: Mapping[Signal, Signal] | None = None) -> Linear:
        """Return what the verifier gets, as a share; by default from true reports."""
        return self._expected(self._share(VERIFIER), replies or self._honest)

    def accepted(self, label: int) -> Linear:
        """Return the chance that a statement with a label is accepted, times that of the label."""

        def is_accepted(ending: Ending, y: int) -> Fraction:
            return Fraction(y == label and ending.verdicts[y] == ACCEPT)

        return self._expected(is_accepted, self._honest)

    def chance_of(self, label: int) -> Fraction:
        """Return the chance of a label."""
        return sum((chance for (y, _, _), chance in self._cases.items() if y == label), _NEVER)

    @cached_property
    def floors(self) -> list[Linear]:
        """Return the chance of the last ending in each table."""
        last = [Fraction(n == self._last) for n in range(len(self._endings))]
        tables = product(self._own, self._reports)
        return [self._mean(own, report, last) for own, report in tables]

    @cached_property
    def gains(self) -> dict[Signal, Linear]:
        """Return what each type of the prover gains by the true report."""
        if len(self._reports) == 1:
            return {}
        first, second = self._types
        pay = self._share(PROVER)
        return {
            kind: less(self._expected(pay, {kind: kind}), self._expected(pay, {kind: other}))
            for kind, other in ((first, second), (second, first))
        }

    # -- programs ----------------------------------------------------------------------------------

    def maximise(self, goal: Linear, rows: Iterable[Linear] = ()) -> Solution:
        """Return the commitment to which true reports are best replies, with the largest goal."""
        fits = [*self.floors, *self.gains.values(), *rows]
        solved = maximise(goal, fits, len(self._places))
        assert solved is not None, "a verifier may ignore what is reported"
        return solved

    def _strict(self, kinds: Iterable[Signal], rows: Iterable[Linear] = ()) -> Solution | None:
        """Return a commitment that makes the true report strictly better for some types.

        For the others it is as good as the false one.
        """
        size = len(self._places)
        lead = {size: Fraction(1)}
        fits = [less(row, lead) if kind in kinds else row for kind, row in self.gains.items()]
        fits += [*self.floors, *rows, {ONE: Fraction(1), size: Fraction(-1)}]
        solved = maximise(lead, fits, size + 1, beyond=Fraction(0))
        return solved if solved is not None and solved.value > 0 else None

    @cached_property
    def can_separate(self) -> bool:
        """Can a commitment make the true report the only best one, whatever the signal?"""
        return len(self.gains) == 2 and self._strict(self._types) is not None

    def attaining(self, value: Fraction) -> Solution | None:
        """Return a commitment that is worth a value whichever best reply the prover takes."""
        if not self.gains:
            return self.maximise(self.worth())
        first, second = self._types
        false = {first: second, second: first}
        for tied in ((), (first,), (second,), (first, second)):
            # Each type that is indifferent may report either.
            answers = [(kind, false[kind]) if kind in tied else (kind,) for kind in self._types]
            replies = [dict(zip(self._types, each, strict=True)) for each in product(*answers)]
            rows = [less(self.worth(each), {ONE: value}) for each in replies]
            found = self._strict([kind for kind in self._types if kind not in tied], rows)
            if found is not None:
                return found
        return None

    # -- what is found -----------------------------------------------------------------------------

    def mechanism(self, solved: Solution, *, attained: bool) -> Mechanism:
        """Return a solution as a commitment."""
        at = solved.at
        value = self._measures[VERIFIER].to_payoff(value_at(self.worth(), at))
        prover = value_at(self._expected(self._share(PROVER), self._honest), at)
        accepted = [
            value_at(self.accepted(y), at) / share if (share := self.chance_of(y)) else None
            for y in LABELS
        ]
        return Mechanism(
            value=value,
            prover_value=self._measures[PROVER].to_payoff(prover),
            completeness=accepted[1],
            soundness_error=accepted[0],
            attained=attained,
            stops=self._stops(at),
        )

    def _stops(
        self, at: Sequence[Fraction]
    ) -> dict[tuple[Signal, Signal, int], tuple[Fraction, Fraction]]:
        """Return the chances of verdicts in each round that can be reached and offers a choice."""
        choices: dict[int, dict[int, int]] = {}
        for n, ending in enumerate(self._endings):
            if ending.is_chosen:
                choices.setdefault(ending.round, {})[ending.verdicts[0]] = n
        found: dict[tuple[Signal, Signal, int], tuple[Fraction, Fraction]] = {}
        for own, report in product(self._own, self._reports):
            chances = self._chances(own, report, at)
            left = Fraction(1)
            for round_id, endings in choices.items():
                reject, accept = (chances[endings[verdict]] for verdict in (REJECT, ACCEPT))
                if left:
                    heard = report if round_id >= self._heard else None
                    found[own, heard, round_id] = (reject / left, accept / left)
                left -= reject + accept
        return found


_NEVER = Fraction(0)


def _measure(payoffs: Iterable[Fraction]) -> Measure:
    found = list(payoffs)
    return Measure(min(found), max(found) - min(found))
