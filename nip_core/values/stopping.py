r"""When should a verifier stop asking? The optimal rule under a stated model of signals.

Each answer that the verifier hears is a signal of the label that is right with chance `q`,
independently of all others once the label is known. All that the verifier then needs to remember
is `d`, the number of answers for "true" minus the number of those against, since

.. math::

    \frac{P(y = 1 \mid d)}{P(y = 0 \mid d)} = \frac{p}{1 - p} \Big(\frac{q}{1 - q}\Big)^{d} .

The rule is found from the last round backwards: in each state the verifier takes the decision with
the best expectation, or asks on if that is worth more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.errors import UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.spec import shown_round
from nip_core.values.checks import HANDLER, checked, checked_chance
from nip_core.values.outcomes import outcomes
from nip_core.values.play_models import PlayModel, answers_heard, verifier_turns

__all__ = ["StoppingRule", "optimal_stopping"]

Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]

MOST_ANSWERS = 200
TIE = 1e-12
REJECT, ACCEPT, GO_ON = range(3)
# Among decisions that are worth the same.
DOES = ("reject", "accept", "ask on")
PREFERENCE = np.array([ACCEPT, REJECT, GO_ON])


@dataclass(frozen=True, eq=False)
class StoppingRule(Tabular):
    """The optimal rule.

    Parameters
    ----------
    value : float
        What it is worth to the verifier.
    decisions : array, ``[variant, round, state]``
        0 reject, 1 accept, 2 ask on; the state is the difference of answers plus `answers`. 2
        where the verifier has no turn.
    ties : array, ``[variant, round, state, 3]``
        Which decisions are as good as the best. Of those, accepting comes before rejecting, and
        both before asking on.
    reachable : array, ``[variant, round, state]``
        Is it the verifier's turn, and can the state be that?
    belief : array, ``[state]``
        The chance that the label is 1.
    answers : int
        How many answers are heard at most.
    model : PlayModel
        The rule as a model of play, so that everything else can be computed of it.
    """

    value: float
    decisions: Ints
    ties: Bools
    reachable: Bools
    belief: Floats
    answers: int
    model: PlayModel

    def __repr__(self) -> str:
        return line(self, f"worth {self.value:.4g} to the verifier", f"{self.answers:,} answers")

    def table(self) -> Table:
        """What to do in each state that can be, with the belief in it."""
        rows = [
            (variant, number, state - self.answers, float(self.belief[state]), DOES[decision])
            for variant, number, state in np.argwhere(self.reachable).tolist()
            for decision in (int(self.decisions[variant, number, state]),)
        ]
        head = ("variant", "round", "answers for less against", "belief", "decision")
        return Table(head, rows, {"round": shown_round})


@checked(handler=HANDLER, accuracy=checked_chance, prior=checked_chance)
def optimal_stopping(
    handler: ProtocolHandler, *, accuracy: float, prior: float = 0.5
) -> StoppingRule:
    """The verifier's optimal rule against provers of known reliability.

    Parameters
    ----------
    handler : ProtocolHandler
    accuracy : float
        The chance `q` that an answer is right.
    prior : float
        The chance `p` that the label is 1.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge variant, and for more answers than the table can hold.
    """
    spec = handler.spec
    if spec.is_zero_knowledge:
        raise UnsupportedError(
            "In a zero-knowledge variant two verifiers decide, of whom one is paid for what the "
            "other learns; there is no single rule to look for. Use the base protocol."
        )
    accuracy, prior = float(accuracy), float(prior)
    heard = answers_heard(spec)
    most = int(heard.max())
    if most > MOST_ANSWERS:
        raise UnsupportedError(
            f"Up to {most} answers are heard here; the rule is computed for up to {MOST_ANSWERS}. "
            "Take fewer rounds."
        )
    hear, belief = _kernel(most, accuracy), _belief(most, accuracy, prior)
    paid, turns = _what_is_paid(handler), verifier_turns(spec)
    states = 2 * most + 1
    shape = (spec.num_variants, spec.max_message_rounds, states)
    decisions, ties = np.full(shape, GO_ON), np.zeros((*shape, 3), dtype=bool)
    weight = np.stack([1 - belief, belief], axis=-1)  # [state, label]
    first = np.zeros(states)
    first[most] = 1
    value = paid.least
    for variant in range(spec.num_variants):
        later = np.zeros((states, 2))  # what is to come, by state and label
        steps = np.diff(heard[variant], prepend=0)
        for round_id in reversed(range(spec.max_message_rounds)):
            place = variant, round_id
            # What each decision is worth, now and later: [state, decision, label].
            now = paid.pays[place] + np.where(paid.stops[place], 0.0, later[:, None, :])
            if turns[place]:
                decisions[place], ties[place] = _best(now, weight, TIE * paid.size)
            chosen = np.take_along_axis(now, decisions[place][:, None, None], axis=1)[:, 0]
            power = [np.linalg.matrix_power(k, int(steps[round_id])) for k in hear]
            later = np.stack([power[y] @ chosen[:, y] for y in range(2)], axis=-1)
        value += float(first @ later @ np.array([1 - prior, prior])) / spec.num_variants
    model = PlayModel(
        np.eye(3)[decisions][:, :, None].repeat(2, axis=2),
        prior,
        start=np.stack([first, first]),
        hear=hear,
    )
    difference = np.abs(np.arange(states) - most)
    can_be = (difference <= heard[..., None]) & ((heard[..., None] - difference) % 2 == 0)
    return StoppingRule(value, decisions, ties, can_be & turns[..., None], belief, most, model)


class _Paid(NamedTuple):
    """What the verifier is paid in each round, by ``[variant, round, decision, label]``.

    `pays` is counted from `least` where the episode stops, so that only differences matter;
    `size` is the largest of them.
    """

    pays: Floats
    stops: Bools
    least: float
    size: float


def _what_is_paid(handler: ProtocolHandler) -> _Paid:
    table, index = outcomes(handler), handler.spec.agent_index(handler.spec.verifier)
    # The verifier is paid the same whatever side the provers argue for.
    pays, stops = table.pays[:, :, :, 0, index][table.phases], table.stops[:, :, :, 0][table.phases]
    least = float(pays[stops].min())
    pays = np.where(stops, pays - least, pays)
    return _Paid(pays, stops, least, float(np.abs(pays).max()))


def _best(now: Floats, weight: Floats, margin: float) -> tuple[Ints, Bools]:
    """For each state the preferred decision, and which are as good but for a margin."""
    worth = np.einsum("sdl,sl->sd", now, weight)
    ties = worth >= worth.max(axis=1, keepdims=True) - margin
    return PREFERENCE[ties[:, PREFERENCE].argmax(axis=1)], ties


def _kernel(most: int, accuracy: float) -> Floats:
    """What one answer does to the difference of answers: ``[label, state, state]``."""
    states = 2 * most + 1
    up, down = np.eye(states, k=1), np.eye(states, k=-1)
    # The ends are reached with the last answer only; what would lead over them stays.
    up[-1, -1] = down[0, 0] = 1
    for_true = accuracy * up + (1 - accuracy) * down
    for_false = (1 - accuracy) * up + accuracy * down
    return np.stack([for_false, for_true])


def _belief(most: int, accuracy: float, prior: float) -> Floats:
    """The chance of label 1 in each state."""
    difference = np.arange(-most, most + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(prior) - np.log1p(-prior)
        odds = odds + difference * (np.log(accuracy) - np.log1p(-accuracy))
        belief = 1 / (1 + np.exp(-odds))
    # Sure answers against a sure prior cannot be: any belief will do there.
    belief = np.where(np.isnan(belief), prior, belief)
    # No answer leaves the prior as it is, even if an answer would leave nothing of it.
    belief[most] = prior
    return belief
