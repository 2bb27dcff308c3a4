"""How verifiers play, as tables of the probability of each decision by round and label.

A model contains all randomness on which rewards depend: the prior of the label, the provers' drawn
side, a verifier's decision at each of its turns, and (in a zero-knowledge variant) that logits of
messages and decisions are independent and Gaussian. Everything else is in the protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.errors import ModelError
from nip_core.registry import AnyProtocol
from nip_core.spec import shown_round
from nip_core.values.checks import (
    Kind,
    a_protocol,
    check,
    checked,
    checked_array,
    checked_chance,
    instance,
    optional,
    whole,
)
from nip_core.values.judged import Judged, judged

__all__ = [
    "PlayModel",
    "random_play",
    "simple_play",
    "verifier_turns",
]

Floats = npt.NDArray[np.floating[Any]]

TOLERANCE = 1e-9
GO_ON = np.array([0.0, 0.0, 1.0])


# Settings that every model has, and settings that only a few have.
_DRAWN: dict[str, Kind] = {"prior": checked_chance, "stance": checked_chance, "logits": whole(1)}


@dataclass(frozen=True, eq=False)
class PlayModel(Tabular):
    """A table of play.

    Parameters
    ----------
    decide : array, ``[variant, round, label, 3]``
        The probabilities that the verifier rejects, accepts, goes on; used only in its turns.
    prior : float
        The probability that the label is 1.
    stance : float
        The probability that the provers' side is 1, if it is drawn.
    adversary : array, ``[variant, round, label, 3]``, optional
        The same for the adversarial verifier of a zero-knowledge variant; by default it decides
        like a verifier that plays at random.
    logits : int
        Positions times logits of one message on one channel, in a zero-knowledge variant.

    Raises
    ------
    ModelError
        If shapes contradict each other, or probabilities are invalid.
    """

    decide: Floats
    prior: float = 0.5
    stance: float = 0.5
    adversary: Floats | None = None
    logits: int = 1

    def __repr__(self) -> str:
        variants, rounds, *_ = self.decide.shape
        return line(self, f"prior {self.prior:.4g}", f"{rounds:,} rounds, {variants:,} variants")

    def table(self) -> Table:
        """Return the probabilities of the verifier's decisions in rounds in which it has a turn."""
        places = np.ndindex(self.decide.shape[:-1])
        rows = [(*place, *self.decide[tuple(place)].tolist()) for place in places]
        head = ("variant", "round", "label", "reject", "accept", "go on")
        return Table(head, rows, {"round": shown_round})

    def __post_init__(self) -> None:
        check(vars(self), {"decide": checked_array, "adversary": optional(checked_array), **_DRAWN})
        decide = np.asarray(self.decide, dtype=float)
        if decide.ndim != 4 or decide.shape[2:] != (2, 3) or not decide.size:
            raise ModelError(
                f"The table of decisions, 'decide', has the shape {list(decide.shape)}; it must be "
                "[variant, round, 2 labels, 3 decisions]."
            )
        _check_chances("The chances of the decisions", decide)
        for name in ("prior", "stance"):
            object.__setattr__(self, name, float(getattr(self, name)))
        object.__setattr__(self, "decide", decide)
        uniform = np.full(decide.shape, 1 / 3)
        other = uniform if self.adversary is None else np.asarray(self.adversary, dtype=float)
        if other.shape != decide.shape:
            raise ModelError(
                f"'adversary' has the shape {list(other.shape)}; with this table of decisions it "
                f"must be {list(decide.shape)}."
            )
        _check_chances("The chances of 'adversary'", other)
        object.__setattr__(self, "adversary", other)
        object.__setattr__(self, "logits", int(self.logits))

    def check_shape(self, game: Judged) -> None:
        """Raise a ModelError unless the table has a protocol's variants and rounds."""
        wanted = (game.num_variants, game.num_rounds)
        if self.decide.shape[:2] != wanted:
            raise ModelError(
                f"The table has {self.decide.shape[0]} variants of {self.decide.shape[1]} rounds; "
                f"{game.name!r} has {wanted[0]} of {wanted[1]}."
            )

    def play_in(self, game: Judged) -> Floats:
        """Return the probabilities of decisions in a protocol, in the shape of `decide`.

        Out of its turns, the verifier goes on. Where only some decisions are open, these have the
        model's proportions; if the model has none of them, they are equally likely.
        """
        self.check_shape(game)
        chances = self.decide
        if not game.may.all():
            may = game.may[:, :, None]
            left = chances * may
            whole = left.sum(axis=-1, keepdims=True)
            equal = np.broadcast_to(may / may.sum(axis=-1, keepdims=True), left.shape)
            scaled = np.divide(left, whole, out=equal.copy(), where=whole > 0)
            chances = np.where(may.all(axis=-1, keepdims=True), chances, scaled)
        return np.where(game.turns[:, :, None, None], chances, GO_ON)


MODEL = instance(PlayModel, "a model of play, such as random_play makes it")


def _check_chances(what: str, chances: Floats) -> None:
    if not np.isfinite(chances).all() or chances.min() < -TOLERANCE:
        raise ModelError(f"{what} must be numbers from 0 to 1.")
    sums = chances.sum(axis=-1)
    worst = float(sums.flat[np.abs(sums - 1).argmax()])
    if abs(worst - 1) > TOLERANCE:
        raise ModelError(f"{what} must add up to 1, and some add up to {worst:.6g}.")


# -- facts of a protocol for models ---------------------------------------------------------------


@checked(spec=a_protocol)
def verifier_turns(spec: AnyProtocol) -> npt.NDArray[np.bool_]:
    """Return where the verifier may decide: ``[variant, round]``."""
    return judged(spec).turns


# -- families of models ---------------------------------------------------------------------------


@checked(spec=a_protocol, **_DRAWN)
def random_play(
    spec: AnyProtocol, *, prior: float = 0.5, stance: float = 0.5, logits: int = 1
) -> PlayModel:
    """Return a verifier that rejects, accepts or goes on with equal probabilities at every turn."""
    game = judged(spec)
    decide = np.full((game.num_variants, game.num_rounds, 2, 3), 1 / 3)
    return PlayModel(decide, prior, stance, logits=logits)


@checked(
    spec=a_protocol,
    decides=checked_chance,
    accepts_true=checked_chance,
    accepts_false=checked_chance,
    **_DRAWN,
)
def simple_play(
    spec: AnyProtocol,
    *,
    decides: float,
    accepts_true: float,
    accepts_false: float,
    prior: float = 0.5,
    stance: float = 0.5,
    logits: int = 1,
) -> PlayModel:
    """Return a verifier with the same probabilities at every turn.

    Parameters
    ----------
    spec : ProtocolSpec, Specification, or anything else that identifies a protocol
    decides : float
        The probability that it decides at a turn.
    accepts_true, accepts_false : float
        If it decides, the probability that it accepts a true and a false statement.
    prior, stance, logits
        As in :class:`PlayModel`.
    """
    game = judged(spec)
    # Fractions are valid probabilities too.
    decides, accepts_true, accepts_false = map(float, (decides, accepts_true, accepts_false))
    accepts = np.empty((game.num_variants, game.num_rounds, 2))
    accepts[..., 0], accepts[..., 1] = accepts_false, accepts_true
    # Where the verifier must decide, it does.
    no, yes, wait = np.moveaxis(game.may[:, :, None], -1, 0)
    chance = np.where(no | yes, np.where(wait, decides, 1.0), 0.0)
    accepts = np.where(yes, np.where(no, accepts, 1.0), 0.0)
    chances = np.stack([chance * (1 - accepts), chance * accepts, 1 - chance + 0 * accepts], -1)
    return PlayModel(chances, prior, stance, adversary=chances, logits=logits)
