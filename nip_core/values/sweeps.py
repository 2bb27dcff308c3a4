r"""Values at many points at once, for many values of a parameter of play or a payoff.

A verifier without memory decides with probabilities :math:`p_r(d \mid y)`. With :math:`a_r(y)`, the
probability that round `r` is reached if the label is `y`, a seat's mean is

.. math::

    \sum_y P(y) \sum_r a_r(y) \sum_d p_r(d \mid y)\, \pi_r(d, y)

where :math:`\pi` is the pay of a step. It is computed for all points in the same array operations.
Payoffs are factors, since a step's pay is linear in them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, brief, line
from nip_core.errors import ModelError, UnsupportedError, show
from nip_core.handler import ProtocolHandler
from nip_core.language import Specification
from nip_core.registry import AnyProtocol
from nip_core.spec import PAYOFFS
from nip_core.values.checks import a_protocol, checked, checked_array, optional, refuse
from nip_core.values.judged import Judged, judged
from nip_core.values.outcomes import Outcomes, outcomes_of
from nip_core.values.play_models import decided, listened

__all__ = ["Sweep", "sweep"]

Floats = npt.NDArray[np.floating[Any]]
Points = float | Floats

# The largest array of probabilities.
CHUNK = 1 << 20
# The largest work for all points together: about a minute.
MOST_NUMBERS = 10**9
ACCEPT = 1
CHANCES = ("decides", "accepts_true", "accepts_false", "accuracy", "prior", "stance")


@dataclass(frozen=True, eq=False)
class Sweep(Tabular):
    """Seats' values at many points.

    Parameters
    ----------
    spec : Specification
    points : mapping of str to array
        The parameters that change from point to point, by name.
    means : array, ``[agent, point]``
    completeness, soundness_error : array, ``[point]``
        The probability that a true and a false statement are accepted.
    right : array, ``[point]``
        The probability of a right verdict.
    """

    spec: Specification
    points: Mapping[str, Floats]
    means: Floats
    completeness: Floats
    soundness_error: Floats
    right: Floats

    def __repr__(self) -> str:
        along = ", ".join(self.points) or "nothing"
        return line(
            self, brief(self.spec.name), f"{self.means.shape[1]:,} points", f"along {along}"
        )

    def table(self) -> Table:
        """Return each point's parameters, means and rates."""
        rates = (self.completeness, self.soundness_error, self.right)
        columns = (*self.points.values(), *self.means, *rates)
        head = (*self.points, *self.spec.agent_names, "completeness", "soundness error", "right")
        return Table(head, list(zip(*(each.tolist() for each in columns), strict=True)))

    def mean(self, agent: str) -> Floats:
        """Return a seat's mean at each point."""
        return self.means[self.spec.agent_index(agent)]


@checked(
    handler=a_protocol,
    **dict.fromkeys(("decides", "prior", "stance"), checked_array),
    **dict.fromkeys(("accepts_true", "accepts_false", "accuracy"), optional(checked_array)),
    **dict.fromkeys(PAYOFFS, optional(checked_array)),
)
def sweep(
    handler: AnyProtocol,
    *,
    decides: Points = 2 / 3,
    accepts_true: Points | None = None,
    accepts_false: Points | None = None,
    accuracy: Points | None = None,
    prior: Points = 0.5,
    stance: Points = 0.5,
    prover_reward: Points | None = None,
    verifier_reward: Points | None = None,
    verifier_incorrect_penalty: Points | None = None,
    verifier_terminated_penalty: Points | None = None,
    verifier_no_guess_reward: Points | None = None,
) -> Sweep:
    """Return each seat's value at each of many points.

    These are the means of :func:`~nip_core.values.exact_values`, thousands at a time. Each
    parameter is a number, or an array with a number for each point.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
    decides : float or array
        As in :func:`~nip_core.values.simple_play`; the default is that of random play.
    accepts_true, accepts_false : float or array, optional
        As there; 1/2 by default.
    accuracy : float or array, optional
        The verifier follows the majority of answers, each of which is right with this probability,
        as in :func:`~nip_core.values.listening_play`. It then has no `accepts_true` or
        `accepts_false`.
    prior, stance : float or array
        As in :class:`~nip_core.values.PlayModel`.
    prover_reward, verifier_reward, verifier_incorrect_penalty : float or array, optional
    verifier_terminated_penalty, verifier_no_guess_reward : float or array, optional
        Payoffs instead of the protocol's.

    Raises
    ------
    ModelError
        For arrays of different lengths, invalid probabilities, and both ways of accepting.
    UnsupportedError
        For a zero-knowledge variant, and for payoffs of a protocol with its own rules or in stages.
    """
    game = judged(handler)
    if accuracy is not None and (accepts_true is not None or accepts_false is not None):
        raise ModelError(
            f"The argument 'accuracy' is {show(accuracy)} beside 'accepts_true' or "
            "'accepts_false'. A verifier either follows the majority of answers or accepts with "
            "fixed chances: one of them must be left out."
        )
    given: dict[str, Points | None] = {
        "decides": decides,
        "accepts_true": 0.5 if accepts_true is None and accuracy is None else accepts_true,
        "accepts_false": 0.5 if accepts_false is None and accuracy is None else accepts_false,
        "accuracy": accuracy,
        "prior": prior,
        "stance": stance,
        "prover_reward": prover_reward,
        "verifier_reward": verifier_reward,
        "verifier_incorrect_penalty": verifier_incorrect_penalty,
        "verifier_terminated_penalty": verifier_terminated_penalty,
        "verifier_no_guess_reward": verifier_no_guess_reward,
    }
    points, number = _points(given)
    worth = _Worth(game, tuple(name for name in PAYOFFS if name in points))
    if number * worth.size > MOST_NUMBERS:
        raise UnsupportedError(
            f"A sweep of {number:,} points takes too long; for {game.name!r} with "
            f"{game.num_rounds:,} rounds at most {MOST_NUMBERS // worth.size:,} "
            "are worked out. Take fewer points."
        )
    most = max(1, CHUNK // worth.size)
    parts = [
        worth.at({name: each[start : start + most] for name, each in points.items()})
        for start in range(0, number, most)
    ]
    means, completeness, error, right = (
        np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)
    )
    changing = {n: each for n, each in points.items() if np.ndim(cast("Points", given[n]))}
    return Sweep(game.spec, changing, means, completeness, error, right)


def _points(given: Mapping[str, Points | None]) -> tuple[dict[str, Floats], int]:
    """Return every parameter as an array with a number for each point, and the number of points."""
    arrays = {n: np.asarray(each, dtype=float) for n, each in given.items() if each is not None}
    lengths = {name: len(each) for name, each in arrays.items() if each.ndim}
    if any(each.ndim > 1 for each in arrays.values()) or len(set(lengths.values())) > 1:
        shapes = ", ".join(f"{n!r} {list(e.shape)}" for n, e in arrays.items() if e.ndim)
        raise ModelError(
            f"The points have the shapes {shapes}; parameters are numbers, or arrays of one "
            "dimension with the same length."
        )
    number = next(iter(lengths.values()), 1)
    if not number:
        name = next(iter(lengths))
        refuse(f"argument {name!r}", given[name], "a number, or an array of at least one")
    for name in CHANCES:
        if name in arrays and not ((arrays[name] >= 0) & (arrays[name] <= 1)).all():
            worst: float = arrays[name].flat[np.abs(arrays[name] - 0.5).argmax()]
            value = given[name] if arrays[name].ndim == 0 else float(worst)
            refuse(f"chance {name!r}", value, "a number from 0 to 1")
    return {name: np.broadcast_to(each, (number,)) for name, each in arrays.items()}, number


class _Worth:
    """A protocol's values as a function of points.

    Parameters
    ----------
    game : Judged
    payoffs : tuple of str
        The payoffs that change from point to point.
    """

    def __init__(self, game: Judged, payoffs: tuple[str, ...]) -> None:
        if game.is_zero_knowledge:
            raise UnsupportedError(
                "In a zero-knowledge variant rewards depend on messages, too; use exact_values at "
                "each point."
            )
        self._game, self._payoffs = game, payoffs
        self._table: Outcomes = outcomes_of(game)
        # The pay for each payoff of size 1, by round, since which rounds are alike depends on it;
        # the first entry is the pay for all others.
        self._pays = [self._table.pays[self._table.phases]]
        if payoffs:
            handler = game.handler
            if handler is None:
                raise UnsupportedError(
                    f"{game.name!r} is a protocol in stages, which has no {payoffs[0]!r}: its "
                    "document says what is paid. Change that, and use exact_values each time."
                )
            if game.replacing is not None:
                raise UnsupportedError(
                    f"{game.name!r} has rules of its own, so that its rewards need not be "
                    "linear in its payoffs; use exact_values at each point."
                )
            none = dict.fromkeys(PAYOFFS, 0.0)
            self._pays = [
                _paid(handler, dict.fromkeys(payoffs, 0.0)),
                *(_paid(handler, {**none, name: 1.0}) for name in payoffs),
            ]

    @property
    def size(self) -> int:
        """The size of one point's arrays."""
        _, _, labels, stances, _ = self._table.pays.shape
        return self._game.turns.size * 3 * labels * stances

    def at(self, points: Mapping[str, Floats]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return means, completeness, soundness error and the probability of a right verdict."""
        play = self._play(points)  # [point, variant, round, label, decision]
        phases, stops = self._table.phases, self._table.stops[self._table.phases]
        goes_on = np.einsum("pvrld,vrdlt->pvrlt", play, ~stops)
        reached = np.ones_like(goes_on)
        np.cumprod(goes_on[:, :, :-1], axis=2, out=reached[:, :, 1:])
        shares = reached[..., None] * play[..., None, :] / self._game.num_variants
        prior, stance = points["prior"], points["stance"]
        labels = np.stack([1 - prior, prior], axis=-1)
        drawn = stops.shape[-1] == 2
        sides = np.stack([1 - stance, stance], axis=-1) if drawn else np.ones((len(prior), 1))
        # Given the label: [point, variant, round, label, stance, decision].
        shares = shares * sides[:, None, None, None, :, None]
        factors = [np.ones(len(prior)), *(points[name] for name in self._payoffs)]
        means = np.zeros((len(self._game.agent_names), len(prior)))
        for factor, pays in zip(factors, self._pays, strict=True):
            paid = np.einsum("pvrltd,vrdlta->apl", shares, pays, optimize=True)
            means += factor * (paid * labels).sum(axis=-1)
        verdicts = self._table.verdicts[phases]
        counts = np.moveaxis(stops, 2, -1)
        given = np.moveaxis(verdicts, 2, -1)
        accepted = np.einsum("pvrltd,vrltd->pl", shares, counts & (given == ACCEPT))
        truth = np.arange(2)[None, None, :, None, None]
        hits = np.einsum("pvrltd,vrltd->pl", shares, counts & (given == truth))
        return means, accepted[:, 1], accepted[:, 0], (hits * labels).sum(axis=-1)

    def _play(self, points: Mapping[str, Floats]) -> Floats:
        """Return the probability of each decision: ``[point, variant, round, label, decision]``."""
        turns = self._game.turns[:, :, None]
        shape = (len(points["prior"]), *turns.shape[:2], 2)
        if "accuracy" in points:
            accepts = listened(self._game.heard, points["accuracy"][:, None, None])
        else:
            accepts = np.stack([points["accepts_false"], points["accepts_true"]], axis=-1)
            accepts = np.broadcast_to(accepts[:, None, None], shape)
        decides = np.broadcast_to(points["decides"][:, None, None, None] * turns, shape)
        may = self._game.may[:, :, None] | ~turns[..., None]
        return decided(decides, accepts, may)


def _paid(handler: ProtocolHandler, payoffs: Mapping[str, float]) -> Floats:
    """Return the pay by the same rules with other payoffs: ``[variant, round, ...]``."""
    from nip_core.handler import SpecProtocol

    payoff = dataclasses.replace(handler.payoff, **payoffs)
    spec = handler.spec.replace(payoff=payoff)
    found = outcomes_of(judged(SpecProtocol(handler.hyper_params, handler.settings, spec)))
    return found.pays[found.phases]
