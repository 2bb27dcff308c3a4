r"""When should a verifier stop asking? The optimal rule under a stated model of signals.

Each answer that the verifier hears is a signal that is right with probability `q`, independently of
the others given the label. The verifier only needs to remember `d`, the number of answers for
"true" minus the number of those against, since

.. math::

    \frac{P(y = 1 \mid d)}{P(y = 0 \mid d)} = \frac{p}{1 - p} \Big(\frac{q}{1 - q}\Big)^{d} .

The rule is computed from the last round backwards: in each state the verifier takes the decision
with the best expectation, or continues if that is worth more. Expectations are compared as integers
(:mod:`nip_core.values.rationals`), so even the smallest payoff counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.errors import UnsupportedError
from nip_core.registry import AnyProtocol
from nip_core.spec import shown_round
from nip_core.values.checks import a_protocol, checked, checked_chance
from nip_core.values.judged import Judged, judged
from nip_core.values.outcomes import outcomes_of
from nip_core.values.play_models import PlayModel
from nip_core.values.rationals import fraction, whole_numbers

__all__ = ["StoppingRule", "optimal_stopping"]

Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]

MOST_ANSWERS = 200
REJECT, ACCEPT, GO_ON = range(3)
# The order of preference among decisions of equal value.
DOES = ("reject", "accept", "ask on")
PREFERENCE = np.array([ACCEPT, REJECT, GO_ON])


@dataclass(frozen=True, eq=False)
class StoppingRule(Tabular):
    """The optimal rule.

    Parameters
    ----------
    value : float
        The verifier's value.
    decisions : array, ``[variant, round, state]``
        0 reject, 1 accept, 2 ask on; the state is the difference of answers plus `answers`. 2 where
        it is not `reachable`.
    ties : array, ``[variant, round, state, 3]``
        Which decisions are as good as the best. Of those, accepting comes before rejecting, and
        both before asking on.
    reachable : array, ``[variant, round, state]``
        Whether it is the verifier's turn and the state is possible if it has continued until then.
    belief : array, ``[state]``
        The probability that the label is 1.
    answers : int
        The largest number of answers.
    model : PlayModel
        The rule as a model of play, for all other computations.
    exact : Fraction
        The exact value: no rule is worth more.
    """

    value: float
    decisions: Ints
    ties: Bools
    reachable: Bools
    belief: Floats
    answers: int
    model: PlayModel
    exact: Fraction

    def __repr__(self) -> str:
        return line(self, f"worth {self.value:.4g} to the verifier", f"{self.answers:,} answers")

    def table(self) -> Table:
        """Return the decision in each possible state, with the belief in it."""
        rows = [
            (variant, number, state - self.answers, float(self.belief[state]), DOES[decision])
            for variant, number, state in np.argwhere(self.reachable).tolist()
            for decision in (int(self.decisions[variant, number, state]),)
        ]
        head = ("variant", "round", "answers for less against", "belief", "decision")
        return Table(head, rows, {"round": shown_round})


@checked(handler=a_protocol, accuracy=checked_chance, prior=checked_chance)
def optimal_stopping(
    handler: AnyProtocol, *, accuracy: float | Fraction, prior: float | Fraction = 0.5
) -> StoppingRule:
    """Return the verifier's optimal rule against provers of known reliability.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
    accuracy : float or Fraction
        The probability `q` that an answer is right. A float stands for the simple fraction nearest
        to it, or else for its decimal digits; the same holds for payoffs.
    prior : float or Fraction
        The probability `p` that the label is 1.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge variant, for more answers than the table can hold, and for rewards of
        the verifier that depend on a side that is drawn.
    """
    game = judged(handler)
    if game.is_zero_knowledge:
        raise UnsupportedError(
            "In a zero-knowledge variant two verifiers decide, of whom one is paid for what the "
            "other learns; there is no single rule to look for. Use the base protocol."
        )
    most = int(game.heard.max())
    if most > MOST_ANSWERS:
        raise UnsupportedError(
            f"Up to {most} answers are heard here; the rule is computed for up to {MOST_ANSWERS}. "
            "Take fewer rounds."
        )
    exact = _solve(game, fraction(accuracy), fraction(prior))
    accuracy, prior = float(accuracy), float(prior)
    first = np.zeros(2 * most + 1)
    first[most] = 1
    model = PlayModel(
        np.eye(3)[exact.decisions][:, :, None].repeat(2, axis=2),
        prior,
        start=np.stack([first, first]),
        hear=_kernel(most, accuracy),
    )
    return StoppingRule(
        value=float(exact.value),
        decisions=exact.decisions,
        ties=exact.ties,
        reachable=exact.reachable,
        belief=_belief(most, accuracy, prior),
        answers=most,
        model=model,
        exact=exact.value,
    )


@dataclass(frozen=True, slots=True)
class _Solved:
    value: Fraction
    decisions: Ints
    ties: Bools
    reachable: Bools


def _solve(game: Judged, accuracy: Fraction, prior: Fraction) -> _Solved:
    r"""Compute the rule in integers.

    After `n` answers, of which `k` are for "true", a sequence of answers has the probability
    :math:`p\, q^k (1-q)^{n-k}` if the label is 1, and a similar one if it is 0. Future values are
    stored by label, multiplied by that probability, so a step only adds: the value of hearing an
    answer is the sum over the two following states.
    """
    table, heard, turns = outcomes_of(game), game.heard, game.turns
    most, own = int(heard.max()), table.pays[..., game.agent_index(game.verifier)]
    for part in (own, table.stops):
        if (part != part[..., :1]).any():
            raise UnsupportedError(
                f"In {game.name!r} the verifier's rewards depend on the side that is drawn, which "
                "it may not know; a rule is computed where they do not."
            )
    pays, unit = whole_numbers(own[..., 0])  # [phase, decision, label]
    pays, stops = pays.astype(object), table.stops[:, :, :, 0]
    chances = _chances(most, accuracy, prior)
    shape = (*turns.shape, 2 * most + 1)
    decisions, reachable = np.full(shape, GO_ON), np.zeros(shape, dtype=bool)
    ties = np.zeros((*shape, 3), dtype=bool)
    total = 0
    for variant in range(game.num_variants):
        # Future values: [answers for, label].
        later: npt.NDArray[Any] = np.zeros((int(heard[variant, -1]) + 1, 2), dtype=object)
        for round_id in reversed(range(game.num_rounds)):
            answers, phase = int(heard[variant, round_id]), table.phases[variant, round_id]
            for _ in range(len(later) - 1 - answers):
                later = later[:-1] + later[1:]
            # The value of each decision, now and later: [answers for, decision, label].
            now = chances[answers][:, None] * pays[phase]
            now = now + np.where(stops[phase], 0, later[:, None, :])
            if not turns[variant, round_id]:
                later = now[:, GO_ON]
                continue
            worth = now.sum(axis=2)
            worth[:, ~table.may[phase]] = worth.min() - 1
            as_good = (worth == worth.max(axis=1, keepdims=True)).astype(bool)
            can_be = chances[answers].sum(axis=1) > 0
            chosen = np.where(can_be, PREFERENCE[as_good[:, PREFERENCE].argmax(axis=1)], GO_ON)
            states = most - answers + 2 * np.arange(answers + 1)
            decisions[variant, round_id, states] = chosen
            ties[variant, round_id, states] = as_good & can_be[:, None]
            reachable[variant, round_id, states] = can_be
            later = np.take_along_axis(now, chosen[:, None, None], axis=1)[:, 0]
        for _ in range(len(later) - 1):
            later = later[:-1] + later[1:]
        total += int(later.sum())
    scale = prior.denominator * accuracy.denominator**most * unit * game.num_variants
    return _Solved(Fraction(total, scale), decisions, ties, reachable)


def _chances(most: int, accuracy: Fraction, prior: Fraction) -> list[npt.NDArray[Any]]:
    """Return each sequence's probability: for each number of answers, ``[answers for, label]``.

    As integers, all with the same denominator.
    """
    right, of = accuracy.numerator, accuracy.denominator
    yes, no = [[base**n for n in range(most + 1)] for base in (right, of - right)]
    true, false = prior.numerator, prior.denominator - prior.numerator
    found: list[npt.NDArray[Any]] = []
    for answers in range(most + 1):
        rest = of ** (most - answers)
        rows = [
            (false * no[k] * yes[answers - k] * rest, true * yes[k] * no[answers - k] * rest)
            for k in range(answers + 1)
        ]
        found.append(np.array(rows, dtype=object))
    return found


def _kernel(most: int, accuracy: float) -> Floats:
    """Return the transition of the difference by one answer: ``[label, state, state]``."""
    states = 2 * most + 1
    up, down = np.eye(states, k=1), np.eye(states, k=-1)
    # Only the last answer reaches the outermost states; a step beyond them stays in place.
    up[-1, -1] = down[0, 0] = 1
    for_true = accuracy * up + (1 - accuracy) * down
    for_false = (1 - accuracy) * up + accuracy * down
    return np.stack([for_false, for_true])


def _belief(most: int, accuracy: float, prior: float) -> Floats:
    """Return the probability of label 1 in each state."""
    difference = np.arange(-most, most + 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        odds = np.log(prior) - np.log1p(-prior)
        odds = odds + difference * (np.log(accuracy) - np.log1p(-accuracy))
        belief = 1 / (1 + np.exp(-odds))
    # Certain answers cannot contradict a certain prior, so the belief has no effect here.
    belief = np.where(np.isnan(belief), prior, belief)
    # Without an answer, the belief is the prior, even if any answer would make it 0 or 1.
    belief[most] = prior
    return belief
