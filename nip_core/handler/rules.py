r"""The rules of a step, for handlers whose classes replace some of them.

All other handlers are stepped by tables of their protocol's machine
(:mod:`nip_core.language.rounds`), with the same results. The rules are written once, for one item
in plain Python and for arrays of items.

With :math:`c` = "the decision counts", :math:`g` = "the verifier may decide", :math:`t` = "this
step terminates the episode", :math:`d` the decision and :math:`y` the label, the verifier gets

.. math::

    r_V = r_\text{right}\,[c \wedge d = y] + r_\text{wrong}\,[c \wedge d \ne y]
        + r_\text{terminated}\,[t] + r_\text{no guess}\,[g \wedge \neg c \wedge \neg t]

and prover :math:`i` with stance :math:`s_i` gets :math:`r_V` if rewards are shared, else
:math:`r_P\,[c \wedge d = s_i]`. An item that was done or terminated before is frozen: it keeps its
flags and nobody is paid.

With two verifiers (zero knowledge; rewards for similarity are added to these), one that is done
already does not decide again and is neither paid nor fined again. The episode is done when both
have decided, and terminated by its last round if one has not. The verifier is fined for its own
silence; the adversarial verifier only if the verifier did decide.

Flags, labels and decisions are Python values for one item, and numpy arrays or tensors of one shape
for many. Only operators are used that mean the same for all of these, so no library is imported.
Rewards are selected and not computed: the rules say *which* of the payoff's amounts each agent
gets, and the caller looks it up in the precision that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from nip_core.spec import ProtocolSpec

__all__ = ["UNDECIDED", "Item", "Rules", "Settled", "Step"]

# A bool or int for one item; an array or tensor for many.
Flag: TypeAlias = Any
Number: TypeAlias = Any

UNDECIDED = 2
# The indices of amounts in `Rules.amounts`.
NOTHING, RIGHT, WRONG, TERMINATED, GOING_ON, PROVER = range(6)
# A stance that no decision equals.
NO_SIDE = -1


class Item(NamedTuple):
    """The inputs of a step.

    Parameters
    ----------
    y, round : int
    guess : bool
        Whether the verifiers may decide in this round.
    decisions : sequence of int
        The verifiers', in the agents' order.
    done, terminated : bool
    agents_done : sequence of bool
        By agent.
    stance : int, optional
        The provers' side, if it is drawn.
    """

    y: Number
    round: Number
    guess: Flag
    decisions: Sequence[Number]
    done: Flag
    terminated: Flag
    agents_done: Sequence[Flag]
    stance: Number = None

    @property
    def frozen(self) -> Flag:
        """Whether the item was over before."""
        return self.done | self.terminated


class Settled(NamedTuple):
    """The outcome of the verifiers' part of a step.

    Parameters
    ----------
    decision : int
        The verifier's, or the forced one.
    made : bool
        Whether that counts.
    done : sequence of bool
        Whether each verifier is done now.
    over : bool
        Whether all of them are.
    ended : bool
        Whether the rounds ran out.
    amounts : sequence of int
        The index of each verifier's amount.
    """

    decision: Number
    made: Flag
    done: Sequence[Flag]
    over: Flag
    ended: Flag
    amounts: Sequence[Number]


class Step(NamedTuple):
    """The result of a step; `amounts` has the index of each agent's amount."""

    shared_done: Flag
    agents_done: Sequence[Flag]
    terminated: Flag
    amounts: Sequence[Number]


class Rules:
    """The rules of one protocol.

    Parameters
    ----------
    spec : ProtocolSpec
    draws_stance : bool
        Whether the provers' side is drawn for each item instead of being fixed by the protocol.

    Attributes
    ----------
    verifiers : tuple of int
        The verifiers' indices among the agents.
    amounts : tuple of float
        All amounts that a step can pay.
    """

    def __init__(self, spec: ProtocolSpec, *, draws_stance: bool = False) -> None:
        self.spec, self.draws_stance = spec, draws_stance
        self.verifiers = tuple(spec.agent_index(name) for name in spec.verifiers)
        self._provers = tuple(
            (index, NO_SIDE if agent.stance is None else agent.stance)
            for index, agent in enumerate(spec.agents)
            if agent.role == "prover"
        )
        payoff = spec.payoff
        picked = {
            NOTHING: 0.0,
            RIGHT: payoff.verifier_reward,
            WRONG: payoff.verifier_incorrect_penalty,
            TERMINATED: payoff.verifier_terminated_penalty,
            GOING_ON: payoff.verifier_no_guess_reward,
            PROVER: payoff.prover_reward,
        }
        self.amounts = tuple(float(picked[number]) for number in range(len(picked)))

    # -- one rule each -------------------------------------------------------------------------

    def forced(self, decision: Number, y: Number) -> Number:
        """Return the decision that counts: the forced one if there is one, else the verifier's."""
        forced = self.spec.payoff.force_guess
        if forced is None:
            return decision
        return y if forced == "y" else decision * 0 + (forced == "one")

    def counts(
        self, round_id: Number, guess: Flag, decision: Number, *, follow_force_guess: bool = True
    ) -> Flag:
        """Return whether a verifier's decision counts."""
        made = guess & (round_id >= self.spec.min_message_rounds - 1)
        if follow_force_guess and self.spec.payoff.force_guess is not None:
            return made
        return made & (decision != UNDECIDED)

    def runs_out(self, round_id: Number, made: Flag) -> Flag:
        """Return whether the rounds run out without a decision."""
        return (round_id >= self.spec.max_message_rounds - 1) & _not(made)

    def prover_pay(
        self,
        made: Flag,
        decision: Number,
        stance: Number,
        verifier_pay: Any,
        look_up: Callable[[Number], Any],
    ) -> Iterator[tuple[int, Any]]:
        """Yield each prover's pay, with its index among the agents.

        Parameters
        ----------
        made, decision
            The verifier's.
        stance : int, optional
            The drawn one; None for the protocol's.
        verifier_pay
            The verifier's pay.
        look_up : callable
            Returns the pay for the index of an amount.
        """
        shared = self.spec.payoff.shared_reward
        for index, side in self._provers:
            won = made & (decision == (side if stance is None else stance))
            yield index, verifier_pay if shared else look_up(won * PROVER)

    # -- all of them together --------------------------------------------------------------------

    def settle(
        self,
        item: Item,
        counts: Callable[[Number], Flag] | None = None,
        runs_out: Callable[[Flag], Flag] | None = None,
    ) -> Settled:
        """Return the verifiers' part of a step.

        Parameters
        ----------
        item : Item
        counts, runs_out : callable, optional
            Replace the rules of the same names; they take the decision, and whether it was made.
        """
        live = _not(item.frozen)
        decision = self.forced(item.decisions[0], item.y)
        made: list[Flag] = []
        done: list[Flag] = []
        for index, said in zip(self.verifiers, (decision, *item.decisions[1:]), strict=True):
            was_done = item.agents_done[index] if len(self.verifiers) > 1 else False
            valid = counts(said) if counts else self.counts(item.round, item.guess, said)
            made.append(live & valid & _not(was_done))
            done.append(made[-1] | was_done)
        over = done[0] & done[-1]
        ended = live & (runs_out(over) if runs_out else self.runs_out(item.round, over))
        right, silent = decision == item.y, _not(done[0])
        amount = (
            (made[0] & right) * RIGHT
            + (made[0] & _not(right)) * WRONG
            + (silent & ended) * TERMINATED
            + (silent & live & item.guess & _not(ended)) * GOING_ON
        )
        fine = (done[0] & ended) * TERMINATED
        return Settled(decision, made[0], done, over, ended, (amount, fine)[: len(done)])

    def flags(self, item: Item, settled: Settled) -> tuple[Flag, list[Flag], Flag]:
        """Return shared done, each agent's done, and terminated, after a step."""
        live = _not(item.frozen)
        shared_done = item.done | (live & settled.over)
        if len(self.verifiers) == 1:
            agents_done = [was_done | shared_done for was_done in item.agents_done]
        else:
            now = dict.fromkeys(range(len(item.agents_done)), settled.over)
            now.update(zip(self.verifiers, settled.done, strict=True))
            agents_done = [
                (item.frozen & (was_done | item.done)) | (live & now[index])
                for index, was_done in enumerate(item.agents_done)
            ]
        return shared_done, agents_done, item.terminated | settled.ended

    def step(self, item: Item) -> Step:
        """Return one step."""
        settled = self.settle(item)
        amounts = [item.y * 0 + NOTHING] * len(item.agents_done)
        for index, amount in zip(self.verifiers, settled.amounts, strict=True):
            amounts[index] = amount
        stance = item.stance if self.draws_stance else None
        pays = self.prover_pay(settled.made, settled.decision, stance, settled.amounts[0], _same)
        for index, amount in pays:
            amounts[index] = amount
        shared_done, agents_done, terminated = self.flags(item, settled)
        return Step(shared_done, agents_done, terminated, amounts)

    def rewards(self, step: Step) -> tuple[float, ...]:
        """Return each agent's pay for one item's step."""
        numbers: Sequence[int] = step.amounts
        return tuple(self.amounts[number] for number in numbers)


def _not(flag: Flag) -> Flag:
    # For Python's booleans, `~` would return integers.
    return flag ^ True


def _same(amount: Number) -> Number:
    return amount
