"""Each seat's exact value in a protocol of rounds, under a model of how the verifier decides.

Unlike :func:`~nip_core.values.play_values`, this also covers zero-knowledge variants, which no
document describes, and takes a millisecond for a thousand rounds.

Given the label, the provers' drawn side and the variant of the schedule, only the verifier's
decisions are random, so the chance of each ending is a product over rounds. Rewards before the end
are the same for all episodes that reach a round, so a seat's total reward has one value for each
(variant, label, stance, round, decision). The distribution is a sum over these, and its cost is
linear in the rounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, brief, line, text_html
from nip_core.errors import UnsupportedError
from nip_core.language import Specification
from nip_core.registry import AnyProtocol
from nip_core.values.checks import a_protocol, checked
from nip_core.values.distributions import Distribution, merged
from nip_core.values.endings import Endings, mean_of, settled, variance_of
from nip_core.values.judged import Judged, judged
from nip_core.values.outcomes import Outcomes, outcomes_of
from nip_core.values.play_models import MODEL, PlayModel
from nip_core.values.rationals import nearest_floats, whole_numbers
from nip_core.values.similarity import Similarity

__all__ = ["ExactValues", "exact_values"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

NO_VERDICT = "none"
ACCEPTED = 1


@dataclass(frozen=True, eq=False)
class ExactValues(Tabular):
    """The distributions of an episode's rewards.

    Parameters
    ----------
    spec : Specification
    answers : tuple of str
        What the verifier may decide; the second one counts as accepting.
    endings : Endings
    similarity : Similarity, optional
        In a zero-knowledge variant: similarity rewards, and when both verifiers are done.
    """

    spec: Specification
    answers: tuple[str, ...]
    endings: Endings
    similarity: Similarity | None = None

    def __repr__(self) -> str:
        means = (f"{agent} {self.mean(agent):.4g}" for agent in self.spec.agent_names)
        return line(self, brief(self.spec.name), *means)

    def table(self) -> Table:
        """Return a table of each seat's mean and deviation."""
        return Table(
            ("agent", "mean", "standard deviation"),
            [(a, self.mean(a), math.sqrt(self.variance(a))) for a in self.spec.agent_names],
        )

    def _repr_html_(self) -> str:
        shares = (f"{name} {chance:.1%}" for name, chance in self.verdicts.items())
        verdicts = f"Verdicts: {', '.join(shares)}. Right: {self.right:.1%}."
        return super()._repr_html_() + text_html(verdicts)

    def mean(self, agent: str) -> float:
        """Return the expectation of a seat's episode reward."""
        mean = mean_of(self._base(agent), self.endings.probability)
        if self.similarity is None:
            return mean
        fine = self.similarity.mean_fine(agent)
        return settled(mean + fine, (mean, fine))

    def variance(self, agent: str) -> float:
        """Return the variance of a seat's episode reward."""
        if self.similarity is not None:
            return self.similarity.variance(agent)
        return variance_of(self._base(agent), self.endings.probability)

    def distribution(self, agent: str) -> Distribution:
        """Return the distribution of a seat's episode reward."""
        totals = self._base(agent)
        if self.similarity is not None:
            return self.similarity.distribution(agent)
        values, chances = merged(totals, self.endings.probability)
        return Distribution(values, chances)

    @cached_property
    def verdicts(self) -> Mapping[str, float]:
        """The probability of each of the `answers`, and of none."""
        chances = np.bincount(self.endings.verdict, self.endings.probability, minlength=3)
        names = (*self.answers, NO_VERDICT)
        return dict(zip(names, map(float, chances), strict=True))

    @cached_property
    def completeness(self) -> float:
        """The probability that a true statement is accepted; NaN if statements are never true."""
        return self._accepted(1)

    @cached_property
    def soundness_error(self) -> float:
        """The probability that a false statement is accepted; NaN if statements are never false."""
        return self._accepted(0)

    def _accepted(self, label: int) -> float:
        chances, so = self.endings.probability, self.endings.label == label
        share = float(chances[so].sum())
        return (
            float(chances[so & (self.endings.verdict == ACCEPTED)].sum()) / share
            if share
            else math.nan
        )

    @cached_property
    def right(self) -> float:
        """The probability of a right verdict."""
        hits = self.endings.verdict == self.endings.label
        return float(self.endings.probability[hits].sum())

    @cached_property
    def rounds(self) -> Floats:
        """For each round, the probability that the episode ends with it."""
        if self.similarity is not None:
            return self.similarity.end_rounds
        most = self.spec.max_message_rounds
        chances = np.zeros(most)
        np.add.at(chances, self.endings.round, self.endings.probability)
        return chances

    def _base(self, agent: str) -> Floats:
        return self.endings.totals[:, self.spec.agent_index(agent)]


@checked(handler=a_protocol, model=MODEL)
def exact_values(handler: AnyProtocol, model: PlayModel) -> ExactValues:
    """Return the exact distribution of every seat's reward.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
    model : PlayModel

    Raises
    ------
    ModelError
        If the model does not have the protocol's shape.
    UnsupportedError
        For a subclass whose pay for going on depends on the decision.
    """
    game = judged(handler)
    play = model.play_in(game)  # [variant, round, label, decision]
    table = outcomes_of(game)
    stops = table.stops[table.phases]  # [variant, round, decision, label, stance]
    reached = _reached(game, model, play, stops)
    chances = np.einsum("vrlt,vrld->vrdlt", reached, play) * stops
    endings = _endings(table, chances)
    answers = tuple(map(str, game.rounds.answers))
    if table.adversary is None or game.handler is None:
        return ExactValues(game.spec, answers, endings)
    similarity = Similarity.of(game.handler, model, table, endings)
    return ExactValues(game.spec, answers, endings, similarity)


def _reached(game: Judged, model: PlayModel, play: Floats, stops: npt.NDArray[np.bool_]) -> Floats:
    """Return how likely a round is reached: ``[variant, round, label, stance]``."""
    goes_on = np.einsum("vrld,vrdlt->vrlt", play, ~stops)
    weights = np.array([1 - model.prior, model.prior])[:, None] / game.num_variants
    drawn = stops.shape[-1] == 2
    first = weights * (np.array([1 - model.stance, model.stance]) if drawn else np.ones(1))
    reached = np.empty_like(goes_on)
    reached[:, 0] = first
    np.cumprod(goes_on[:, :-1], axis=1, out=reached[:, 1:])
    reached[:, 1:] *= first
    return reached


def _endings(table: Outcomes, chances: Floats) -> Endings:
    rounds = table.phases.shape[1]
    amounts, common = whole_numbers(table.pays, times=rounds)
    pays = amounts[table.phases]  # [variant, round, decision, label, stance, agent]
    going_on = np.cumsum(_pay_for_going_on(amounts, table.stops)[table.phases], axis=1)
    before = np.zeros_like(going_on)
    before[:, 1:] = going_on[:, :-1]
    place = np.nonzero(chances)
    variant, round_id, _, label, stance = place
    paid, final = before[variant, round_id, label, stance], pays[place]
    return Endings(
        probability=chances[place],
        variant=variant,
        label=label,
        stance=stance,
        round=round_id,
        verdict=table.verdicts[table.phases[variant, round_id], *place[2:]],
        totals=nearest_floats(paid + final, common),
        going_on=nearest_floats(paid, common),
        final=nearest_floats(final, common),
    )


def _pay_for_going_on(pays: Ints, stops: npt.NDArray[np.bool_]) -> Ints:
    """Return a round's pay if it does not end the episode: ``[phase, label, stance, agent]``."""
    open_ways = np.broadcast_to(~stops[..., None], pays.shape)
    most, least = (
        limit(np.where(open_ways, pays, start), axis=1)
        for limit, start in ((np.max, pays.min()), (np.min, pays.max()))
    )
    is_open = open_ways.any(axis=1)
    if ((most != least) & is_open).any():
        raise UnsupportedError(
            "Here different ways of going on are paid differently, so that a reward is not known "
            "from how the episode ends."
        )
    return np.where(is_open, most, 0)
