r"""Each seat's exact value under a model of play.

Given the label, the provers' drawn side and the variant of the schedule, only the verifier's
decisions are random. Let :math:`a_r(s)` be the probability that round `r` is reached with the
verifier in state `s`, and :math:`p_r(d \mid s)` the model's table. Then

.. math::

    P(\text{ends in } r \text{ with } d) = \sum_s a_r(s)\, p_r(d \mid s)\,[d \text{ ends it}],
    \qquad
    a_{r+1} = \big(a_r \cdot P(\text{goes on})\big)\, K^{m_r}

where `K` is the transition of the state by one heard answer, and :math:`m_r` the number of answers.
Rewards before the end are the same for all episodes that reach a round, so a seat's total reward
has one value for each (variant, label, stance, round, decision). The distribution is a sum over
these, and its cost is linear in the rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, brief, line, text_html
from nip_core.errors import UnsupportedError
from nip_core.language import Specification
from nip_core.language.rounds import UNDECIDED
from nip_core.registry import AnyProtocol
from nip_core.values.checks import a_protocol, checked, whole
from nip_core.values.distributions import Distribution, merged
from nip_core.values.endings import Endings, magnitude, mean_of, settled, variance_of
from nip_core.values.judged import Judged, judged
from nip_core.values.outcomes import Outcomes, outcomes_of
from nip_core.values.play_models import MODEL, PlayModel
from nip_core.values.rationals import nearest_floats, whole_numbers
from nip_core.values.samples import Histogram, Sample
from nip_core.values.similarity import Similarity

__all__ = ["ExactValues", "exact_values"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

# The accuracy of a similarity's distribution; enough for quantiles.
QUANTILE_FREQUENCIES = 512
# Up to this size, counts are exact as floats.
MOST_EPISODES = 10**15
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
        return settled(mean + fine, (self.size(agent), fine))

    def size(self, agent: str) -> float:
        """Return the mean absolute reward of a seat, to which rounding errors are relative."""
        fine = 0.0 if self.similarity is None else abs(self.similarity.mean_fine(agent))
        return magnitude(self._base(agent), self.endings.probability) + fine

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

    def quantiles(self, agent: str, shares: Iterable[float]) -> list[float]:
        """Return, for each probability, the least reward that is not exceeded with it or more."""
        if self.similarity is None:
            law = self.distribution(agent)
        else:
            law = self.similarity.distribution(agent, QUANTILE_FREQUENCIES)
        return [law.quantile(share) for share in shares]

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

    @checked(episodes=whole(1, MOST_EPISODES), seed=whole(0))
    def sample(self, episodes: int, seed: int = 0) -> Sample:
        """Draw the endings of many episodes from the exact probabilities, without playing them.

        Unlike :func:`nip_core.values.sample`, which is the independent check, this does not use the
        protocol's step. The counts of endings are one multinomial draw, so a trillion episodes take
        as long as one.

        Parameters
        ----------
        episodes : int
        seed : int

        Raises
        ------
        UnsupportedError
            For a zero-knowledge variant, whose rewards depend on messages too.
        """
        if self.similarity is not None:
            raise UnsupportedError(
                "In a zero-knowledge variant rewards depend on messages, too, and not only on how "
                "an episode ends; use nip_core.values.sample."
            )
        ends = self.endings
        chances = ends.probability / ends.probability.sum()
        counts = np.random.default_rng(int(seed)).multinomial(int(episodes), chances)
        drawn = counts > 0
        histograms = tuple(
            Histogram(*_counted(totals[drawn], counts[drawn]), np.empty(0))
            for totals in ends.totals.T
        )
        return Sample(
            spec=self.spec,
            episodes=int(episodes),
            verdicts=_counts(ends.verdict, counts, 3),
            right=int(counts[ends.verdict == ends.label].sum()),
            rounds=_counts(ends.round, counts, self.spec.max_message_rounds),
            sums=counts @ ends.totals,
            histograms=histograms,
            bounds=np.stack([ends.totals.min(axis=0), ends.totals.max(axis=0)], axis=-1),
        )

    def components(self, agent: str) -> Mapping[str, tuple[float, float]]:
        """Return the components of a seat's mean.

        Returns
        -------
        components : mapping of str to (probability, contribution to the mean)
            ``right``, ``wrong`` and ``none`` (how the episode ended), and ``going on``, whose
            probability is that of any such pay.
        """
        ends, index = self.endings, self.spec.agent_index(agent)
        going_on, final = ends.going_on[:, index], ends.final[:, index]
        is_right, is_none = ends.verdict == ends.label, ends.verdict == UNDECIDED
        parts = {
            "right": is_right,
            "wrong": ~is_right & ~is_none,
            "none": is_none,
            "going on": going_on != 0,
        }
        return {
            name: (
                float(ends.probability[where].sum()),
                mean_of(
                    (going_on if name == "going on" else final)[where], ends.probability[where]
                ),
            )
            for name, where in parts.items()
        }

    def _base(self, agent: str) -> Floats:
        return self.endings.totals[:, self.spec.agent_index(agent)]


def _counts(places: Ints, counts: Ints, size: int) -> Ints:
    """Add up how often each index occurred, in whole numbers."""
    found = np.zeros(size, dtype=np.int64)
    np.add.at(found, places, counts)
    return found


def _counted(totals: Floats, counts: Ints) -> tuple[Floats, Ints]:
    values, places = np.unique(totals, return_inverse=True)
    return values, _counts(places, counts, len(values))


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
    play = model.play_in(game)  # [variant, round, label, state, decision]
    table = outcomes_of(game)
    stops = table.stops[table.phases]  # [variant, round, decision, label, stance]
    reached = _reached(game, model, play, stops)
    chances = np.einsum("vrlts,vrlsd->vrdlt", reached, play) * stops
    endings = _endings(table, stops, chances)
    answers = tuple(map(str, game.rounds.answers))
    if table.adversary is None or game.handler is None:
        return ExactValues(game.spec, answers, endings)
    similarity = Similarity.of(game.handler, model, table, endings)
    return ExactValues(game.spec, answers, endings, similarity)


def _reached(game: Judged, model: PlayModel, play: Floats, stops: npt.NDArray[np.bool_]) -> Floats:
    """Return how likely a round and state are: ``[variant, round, label, stance, state]``."""
    goes_on = np.einsum("vrlsd,vrdlt->vrlts", play, ~stops)
    weights = np.array([1 - model.prior, model.prior])[:, None]
    drawn = stops.shape[-1] == 2
    weights = weights * (np.array([1 - model.stance, model.stance]) if drawn else np.ones(1))
    assert model.start is not None
    assert model.hear is not None
    first = weights[:, :, None] * model.start[:, None, :] / game.num_variants
    reached = np.empty_like(goes_on)
    if model.num_states == 1:
        reached[:, 0] = first
        np.cumprod(goes_on[:, :-1], axis=1, out=reached[:, 1:])
        reached[:, 1:] *= first
        return reached
    heard = np.diff(game.heard, axis=1, prepend=0)
    now = np.broadcast_to(first, reached[:, 0].shape)
    powers: dict[int, Floats] = {}
    for round_id in range(game.num_rounds):
        if round_id:
            now = now * goes_on[:, round_id - 1]
        for variant, count in enumerate(heard[:, round_id].tolist()):
            if count not in powers:
                powers[count] = np.linalg.matrix_power(model.hear, count)
            reached[variant, round_id] = now[variant] @ powers[count]
        now = reached[:, round_id]
    return reached


def _endings(table: Outcomes, stops: npt.NDArray[np.bool_], chances: Floats) -> Endings:
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
            "from how the episode ends; use sampled play instead."
        )
    return np.where(is_open, most, 0)
