r"""The rewards for similarity in a zero-knowledge variant with independent logits.

The cosine of two independent isotropic vectors of :math:`\mathbb R^n` has a density proportional
to :math:`(1 - t^2)^{(n-3)/2}` (for `n` = 1 it is a fair sign), mean 0, variance `1/n` and the
characteristic function

.. math::

    \varphi_n(t) = \Gamma(n/2)\,(2/t)^{n/2-1} J_{n/2-1}(t),
    \qquad \varphi_1(t) = \cos t, \quad \varphi_3(t) = \sin(t)/t .

Every round in which the verifiers are active adds one such cosine of their messages and one of
their decisions (`n` = 3), until both verifiers are done. Given the label, the two verifiers stop
independently, so the distribution of the last round follows from those of the two.

Distributions are computed from characteristic functions by a Fourier series on a window. A sum of
cosines is sub-Gaussian with its own variance, so the mass outside a window of twelve standard
deviations is below :math:`2e^{-72}`. Since :math:`|\varphi_3(t)| \le 1/t`, the part beyond the last
frequency is bounded, and the bound is stated with the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nip_core.language.rounds import UNDECIDED
from nip_core.spec import ProtocolSpec
from nip_core.values.distributions import Distribution, merged
from nip_core.values.endings import Endings, mean_of, variance_of
from nip_core.values.judged import count_speakers
from nip_core.values.outcomes import Outcomes
from nip_core.values.play_models import GO_ON, PlayModel, verifier_turns

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler

__all__ = ["Similarity", "cosine_characteristic"]

Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]

BINS = 120
DEVIATIONS = 12.0
# Rounds that are less likely than this are left out of a distribution.
NEGLIGIBLE = 1e-15
# The largest size of a table of rounds times frequencies.
TABLE = 1 << 20
MOST_FREQUENCIES, LEAST_FREQUENCIES = 4096, 256
# Up to this many different base rewards have a Fourier series each; more of them share one.
MOST_GROUPS = 32
DECISION_LOGITS = 3
BLOCK, TINY = 256, 1e-100


def cosine_characteristic(n: int, t: Floats) -> Floats:
    """Return the characteristic function of the cosine of independent isotropic vectors in R^n."""
    if n == 1:
        return np.cos(t)
    if n == 3:
        return np.sinc(t / np.pi)
    from scipy.special import gammaln, jv

    order = n / 2 - 1
    safe = np.where(t == 0, 1.0, np.abs(t))
    value = jv(order, safe) * np.exp(gammaln(n / 2) + order * np.log(2 / safe))
    return np.where(t == 0, 1.0, value)


@dataclass(frozen=True, eq=False)
class Similarity:
    """The distribution of similarity rewards, together with the base rewards.

    Parameters
    ----------
    spec : ProtocolSpec
    endings : Endings
        How the verifier's part ends.
    shares : mapping of str to float
        For each agent the factor of the sum of cosines in its reward.
    fines : array, ``[variant]``
        The adversarial verifier's fine if the rounds run out and only it has not decided.
    stops : array, ``[variant, label, round]``
        The probability that the adversarial verifier decides in a round.
    sizes : array, ``[variant, round]``
        The number of logits of the messages that a round compares; 0 if there are none.
    """

    spec: ProtocolSpec
    endings: Endings
    shares: Mapping[str, float]
    fines: Floats
    stops: Floats
    sizes: Ints

    @classmethod
    def of(
        cls, handler: ProtocolHandler, model: PlayModel, table: Outcomes, endings: Endings
    ) -> Similarity:
        """Return it for a handler, a model and the known facts about the verifier."""
        spec, payoff = handler.spec, handler.payoff
        assert table.adversary is not None
        assert model.adversary is not None
        turns = verifier_turns(spec)
        play = np.where(turns[:, :, None, None], model.adversary, GO_ON)
        decided = np.einsum(
            "vrld,vrdl->vlr", play, table.adversary.stops[table.phases].astype(float)
        )
        still = np.ones_like(decided)
        still[..., 1:] = np.cumprod(1 - decided[..., :-1], axis=-1)
        coefficient = payoff.simulator_reward_coefficient
        roles = {
            "simulator": coefficient,
            "adversarial_verifier": -coefficient,
            "prover": coefficient * payoff.aux_prover_reward_coefficient,
            "verifier": 0.0,
        }
        return cls(
            spec=spec,
            endings=endings,
            shares={agent.name: roles[agent.role] for agent in spec.agents},
            fines=table.adversary.fine[table.phases[:, -1]],
            stops=still * decided,
            sizes=count_speakers(spec, spec.verifiers[1]) * model.logits,
        )

    # -- when it ends ----------------------------------------------------------------------------

    @cached_property
    def _undecided(self) -> Floats:
        """Return how likely the adversarial verifier never decides: ``[variant, label]``."""
        return np.clip(1 - self.stops.sum(axis=-1), 0.0, 1.0)

    @cached_property
    def _verifier(self) -> tuple[Floats, Floats]:
        """Return the verifier's probabilities to decide in each round, and never to decide."""
        ends, stopped = self.endings, np.zeros_like(self.stops)
        decided = ends.verdict != UNDECIDED
        place = (ends.variant, ends.label, ends.round)
        np.add.at(stopped, tuple(p[decided] for p in place), ends.probability[decided])
        never = np.zeros_like(self._undecided)
        np.add.at(never, tuple(p[~decided] for p in place[:2]), ends.probability[~decided])
        return stopped, never

    @cached_property
    def _ends(self) -> Floats:
        """Return how likely the episode ends with a round: ``[variant, label, round]``."""
        stopped, never = self._verifier
        before = np.cumsum(stopped, axis=-1) - stopped
        ends = stopped * np.cumsum(self.stops, axis=-1) + self.stops * before
        ends[..., -1] += stopped.sum(axis=-1) * self._undecided + never
        return ends

    @property
    def end_rounds(self) -> Floats:
        """Return, for each round, the probability that the episode ends with it."""
        return self._ends.sum(axis=(0, 1))

    # -- moments -----------------------------------------------------------------------------------

    def mean_fine(self, agent: str) -> float:
        """Return the adversarial verifier's mean fine."""
        chances, fines = self._fine_atoms(agent)
        return mean_of(fines.ravel(), chances.ravel())

    def _fine_atoms(self, agent: str) -> tuple[Floats, Floats]:
        """Return the probability of a fine and its size, by variant and label."""
        decided = self._verifier[0].sum(axis=-1)
        is_fined = agent == self.spec.verifiers[1]
        fines = np.broadcast_to(self.fines[:, None] * is_fined, decided.shape)
        return decided * self._undecided, fines

    def variance(self, agent: str) -> float:
        """Return the variance; cosines have mean 0 for every base reward, so variances add up."""
        values, chances = self._base_law(agent)
        base = variance_of(values, chances)
        return base + self.shares[agent] ** 2 * float((self._ends * self._variances).sum())

    @cached_property
    def _variances(self) -> Floats:
        """Return the variance of the sum of cosines up to each round: ``[variant, 1, round]``."""
        safe = np.maximum(self.sizes, 1)
        each = np.where(self.sizes > 0, 1 / safe + 1 / DECISION_LOGITS, 0.0)
        return np.cumsum(each, axis=-1)[:, None, :]

    def _base_law(self, agent: str) -> tuple[Floats, Floats]:
        """Return the rewards without similarity, and their probabilities."""
        if agent != self.spec.verifiers[1]:
            index = self.spec.agent_index(agent)
            return merged(self.endings.totals[:, index], self.endings.probability)
        chances, fines = self._fine_atoms(agent)
        stopped, never = self._verifier
        rest = stopped.sum(axis=-1) * (1 - self._undecided) + never
        values = np.append(fines.ravel(), np.zeros(rest.size))
        weights = np.append(chances.ravel(), rest.ravel())
        return merged(values[weights > 0], weights[weights > 0])

    # -- distributions -----------------------------------------------------------------------------

    def distribution(self, agent: str, frequencies: int = MOST_FREQUENCIES) -> Distribution:
        """Return an agent's distribution; fewer frequencies are faster and less exact."""
        share = self.shares[agent]
        silent: Bools = np.all(self.sizes == 0, axis=-1)
        if share == 0 or silent.all():
            return Distribution(*self._base_law(agent))
        weights, bases, places = self._paid(agent)
        quiet: Bools = silent[places[0]]
        values, chances = np.empty(0), np.empty(0)
        if quiet.any():
            values, chances = merged(bases[quiet], weights[quiet])
        rest = weights[~quiet], bases[~quiet], tuple(place[~quiet] for place in places)
        edges, masses, error = self._masses(share, frequencies, *rest)
        return Distribution(values, chances, edges, masses, error)

    def _paid(self, agent: str) -> tuple[Floats, Floats, tuple[Ints, Ints, Ints, Ints]]:
        """Return all endings' weights and base rewards, each with variant, label, round, kind.

        The kinds: 0, the adversarial verifier decides in time; 1, it never does; 2, the
        verifier never does. In the last two the episode lasts to its last round.
        """
        ends = self.endings
        index = self.spec.agent_index(agent)
        decided = ends.verdict != UNDECIDED
        undecided = self._undecided[ends.variant, ends.label]
        totals = ends.totals[:, index]
        fines = self.fines[ends.variant] * (agent == self.spec.verifiers[1])
        last = np.full_like(ends.round, self.spec.max_message_rounds - 1)
        # An ending of kind 0 keeps its weight, since its transform contains the probability of
        # deciding in time.
        parts = (
            (decided, ends.probability, totals, ends.round, 0),
            (decided, ends.probability * undecided, totals + fines, last, 1),
            (~decided, ends.probability, totals, last, 2),
        )
        columns = [
            (
                w[where],
                b[where],
                ends.variant[where],
                ends.label[where],
                r[where],
                kind + 0 * r[where],
            )
            for where, w, b, r, kind in parts
        ]
        weights, bases, *places = (np.concatenate(column) for column in zip(*columns, strict=True))
        variant, label, round_id, kinds = places
        kept = weights > NEGLIGIBLE / len(weights)
        return (
            weights[kept],
            bases[kept],
            (variant[kept], label[kept], round_id[kept], kinds[kept]),
        )

    def _masses(
        self,
        share: float,
        most: int,
        weights: Floats,
        bases: Floats,
        places: tuple[Ints, ...],
    ) -> tuple[Floats, Floats, float]:
        last = self._last_round()
        terms = 2 * int((self.sizes > 0).sum(axis=-1).max())
        spread = float(self._variances[:, 0, last].max()) ** 0.5
        reach = min(float(terms), DEVIATIONS * spread)
        low, high = float(bases.min()), float(bases.max())
        edges: Floats = np.linspace(low - abs(share) * reach, high + abs(share) * reach, BINS + 1)
        masses, error = np.zeros(BINS), 0.0
        for group in _groups(bases):
            middle = float(np.average(bases[group], weights=weights[group]))
            offsets = (bases[group] - middle) / share
            window = reach + float(np.abs(offsets).max())
            count = max(LEAST_FREQUENCIES, min(most, TABLE // (last + 1)))
            frequencies = np.pi / window * np.arange(count + 1)
            transform = self._transform(
                frequencies, last, weights[group], offsets, tuple(p[group] for p in places)
            )
            masses += _between((edges - middle) / share, transform, frequencies, window)
            error = max(error, self._cut_off(window, count))
        return edges, np.clip(masses, 0.0, None), error

    def _last_round(self) -> int:
        """Return the last round with a probability that matters."""
        left = np.cumsum(self.end_rounds[::-1])[::-1]
        return int(np.flatnonzero(left > NEGLIGIBLE)[-1])

    def _transform(
        self,
        frequencies: Floats,
        last: int,
        weights: Floats,
        offsets: Floats,
        places: tuple[Ints, ...],
    ) -> npt.NDArray[np.complex128]:
        """Return the characteristic function of sums of cosines plus offsets, over some endings.

        Each ending contributes that of the sum up to its round (for kind 0, up to the round in
        which both verifiers have decided), shifted by its offset.
        """
        variant, label, round_id, kind = places
        round_id = np.minimum(round_id, last)
        shifts = _Shifts(offsets, frequencies)
        total = np.zeros(len(frequencies), dtype=complex)
        tables: dict[int, Floats] = {}
        for v, y in sorted(set(zip(variant.tolist(), label.tolist(), strict=True))):
            if v not in tables:
                tables[v] = self._sums(v, frequencies, last)
            here = (variant == v) & (label == y)
            in_time = _until_both_stop(tables[v], self.stops[v, y, : last + 1, None])
            for kinds, table in ((kind == 0, in_time), (kind > 0, tables[v])):
                chosen = np.flatnonzero(here & kinds)
                total += shifts.total(table, round_id[chosen], weights[chosen], chosen)
        return total

    def _sums(self, variant: int, frequencies: Floats, last: int) -> Floats:
        """Return the characteristic functions of the sums of cosines up to each round."""
        sizes = self.sizes[variant, : last + 1]
        decisions = cosine_characteristic(DECISION_LOGITS, frequencies)
        each = {0: np.ones_like(frequencies)}
        for size in set(sizes.tolist()) - {0}:
            each[size] = decisions * cosine_characteristic(size, frequencies)
        kinds = sorted(each)
        rows = np.stack([each[size] for size in kinds])[np.searchsorted(kinds, sizes)]
        # In a product of thousands of factors, subnormal numbers would make this very slow.
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            if start:
                block[0] *= rows[start - 1]
            np.cumprod(block, axis=0, out=block)
            block[np.abs(block) < TINY] = 0.0
        return rows

    def _cut_off(self, window: float, count: int) -> float:
        r"""Return a bound on a mass's error from leaving out the frequencies after number `count`.

        A mass is off by at most :math:`\sum_{j>m} \frac{2}{\pi j} |\varphi_3(t_j)|^u` if `u`
        decisions are compared, with :math:`|\varphi_3(t)| \le e^{-t^2/6}` up to :math:`\pi` and
        :math:`1/t` from there on.
        """
        decisions = np.maximum(np.cumsum(self.sizes > 0, axis=-1), 1)
        last = np.pi * count / window
        bound = max(last, np.pi) ** -decisions.astype(float) / decisions
        if last < np.pi:
            bound = bound + np.log(np.pi / last) * np.exp(-decisions * last**2 / 6)
        bound = np.minimum(2 / np.pi * bound, 1.0)
        return float((self._ends.sum(axis=1) * bound).sum()) + NEGLIGIBLE


def _groups(bases: Floats) -> list[Bools]:
    """Return the endings that share a Fourier series: those of one base reward, if few."""
    values = np.unique(bases)
    if len(values) > MOST_GROUPS:
        return [np.ones(len(bases), dtype=bool)]
    return [bases == value for value in values]


def _between(
    points: Floats, transform: npt.NDArray[np.complex128], frequencies: Floats, window: float
) -> Floats:
    """Return the masses between points (which may descend) for a characteristic function."""
    inside = np.clip(points, -window, window)
    steps = frequencies[1:]
    waves = np.outer(inside, steps)
    series = np.sin(waves) @ (transform.real[1:] / steps)
    if transform.imag.any():
        series -= np.cos(waves) @ (transform.imag[1:] / steps)
    below = transform.real[0] * inside / (2 * window) + series / window
    return np.abs(np.diff(below))


def _until_both_stop(sums: Floats, stops: Floats) -> Floats:
    """Return the sums of an episode in which the verifier decides in each round, by that round.

    The episode lasts until the adversarial verifier has decided too: up to the verifier's round if
    it was earlier, else up to its own round, with the probabilities `stops`.
    """
    own = stops * sums
    later = np.cumsum(own[::-1], axis=0)[::-1] - own
    return np.cumsum(stops, axis=0) * sums + later


class _Shifts:
    """Adds characteristic functions up after shifting each by its offset."""

    def __init__(self, offsets: Floats, frequencies: Floats) -> None:
        values, self._place = np.unique(offsets, return_inverse=True)
        # Without offsets, everything that ends in the same round can be added up first.
        self._turned = np.exp(1j * np.outer(values, frequencies)) if values.any() else None

    def total(
        self, table: Floats, round_id: Ints, weights: Floats, chosen: Ints
    ) -> npt.NDArray[np.complex128]:
        """Return the weighted sum of the table's rows of these rounds, for the chosen offsets."""
        if self._turned is None:
            by_round = np.bincount(round_id, weights, minlength=len(table))
            return (by_round @ table).astype(complex)
        shifted = weights[:, None] * self._turned[self._place[chosen]]
        return (shifted * table[round_id]).sum(axis=0)
