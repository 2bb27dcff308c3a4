"""How verifiers play, as tables of the probability of each decision by round, label and state.

A model contains all randomness on which rewards depend: the prior of the label, the provers' drawn
side, a verifier's decision at each of its turns, and (in a zero-knowledge variant) that logits of
messages and decisions are independent and Gaussian. Everything else is in the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.errors import ModelError, show
from nip_core.registry import AnyProtocol
from nip_core.spec import shown_round
from nip_core.values.checks import (
    Kind,
    a_protocol,
    check,
    checked,
    checked_array,
    checked_chance,
    checked_positive,
    checked_records,
    checked_whole,
    instance,
    optional,
    whole,
)
from nip_core.values.judged import Judged, judged

__all__ = [
    "PlayModel",
    "answers_heard",
    "decided",
    "estimated_play",
    "listened",
    "listening_play",
    "random_play",
    "simple_play",
    "verifier_turns",
]

Floats = npt.NDArray[np.floating[Any]]

TOLERANCE = 1e-9
GO_ON = np.array([0.0, 0.0, 1.0])


# Settings that every model has, and settings that only a few have.
_DRAWN: dict[str, Kind] = {"prior": checked_chance, "stance": checked_chance, "logits": whole(1)}
_EXTRAS = dict.fromkeys(("start", "hear", "adversary"), optional(checked_array))


@dataclass(frozen=True, eq=False)
class PlayModel(Tabular):
    """A table of play.

    Parameters
    ----------
    decide : array, ``[variant, round, label, state, 3]``
        The probabilities that the verifier rejects, accepts, goes on; used only in its turns. Most
        models have one state.
    prior : float
        The probability that the label is 1.
    stance : float
        The probability that the provers' side is 1, if it is drawn.
    start : array, ``[label, state]``, optional
        The states' probabilities before the first round; by default the first state is certain.
    hear : array, ``[label, state, state]``, optional
        The transition of states when the verifier hears one answer; by default states stay.
    adversary : array, ``[variant, round, label, 3]``, optional
        The same for the adversarial verifier of a zero-knowledge variant, which has one state; by
        default it decides like a verifier that plays at random.
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
    start: Floats | None = None
    hear: Floats | None = None
    adversary: Floats | None = None
    logits: int = 1

    def __repr__(self) -> str:
        states = f"{self.num_states:,} state{'s' * (self.num_states != 1)}"
        return line(self, f"prior {self.prior:.4g}", states)

    def table(self) -> Table:
        """Return the probabilities of the verifier's decisions in rounds in which it has a turn."""
        places = np.ndindex(self.decide.shape[:-1])
        rows = [(*place, *self.decide[tuple(place)].tolist()) for place in places]
        head = ("variant", "round", "label", "state", "reject", "accept", "go on")
        return Table(head, rows, {"round": shown_round})

    def __post_init__(self) -> None:
        check(vars(self), {"decide": checked_array, **_DRAWN, **_EXTRAS})
        decide = np.asarray(self.decide, dtype=float)
        if decide.ndim != 5 or decide.shape[2] != 2 or decide.shape[4] != 3 or not decide.size:
            raise ModelError(
                f"The table of decisions, 'decide', has the shape {list(decide.shape)}; it must be "
                "[variant, round, 2 labels, state, 3 decisions]."
            )
        states = decide.shape[3]
        _check_chances("The chances of the decisions", decide)
        for name in ("prior", "stance"):
            object.__setattr__(self, name, float(getattr(self, name)))
        object.__setattr__(self, "decide", decide)
        first = np.zeros((2, states))
        first[:, 0] = 1
        stay = np.broadcast_to(np.eye(states), (2, states, states))
        uniform = np.full((*decide.shape[:3], 3), 1 / 3)
        self._fill("start", first)
        self._fill("hear", stay)
        self._fill("adversary", uniform)
        object.__setattr__(self, "logits", int(self.logits))

    def _fill(self, name: str, default: Floats) -> None:
        given = getattr(self, name)
        value = default if given is None else np.asarray(given, dtype=float)
        if value.shape != default.shape:
            raise ModelError(
                f"{name!r} has the shape {list(value.shape)}; with this table of decisions it "
                f"must be {list(default.shape)}."
            )
        _check_chances(f"The chances of {name!r}", value)
        object.__setattr__(self, name, value)

    @property
    def num_states(self) -> int:
        """The number of the verifier's states."""
        return self.decide.shape[3]

    @checked(spec=a_protocol)
    def check_fits(self, spec: AnyProtocol) -> None:
        """Raise a ModelError unless the table has the protocol's variants and rounds."""
        self.check_shape(judged(spec))

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
            may = game.may[:, :, None, None]
            left = chances * may
            whole = left.sum(axis=-1, keepdims=True)
            equal = np.broadcast_to(may / may.sum(axis=-1, keepdims=True), left.shape)
            scaled = np.divide(left, whole, out=equal.copy(), where=whole > 0)
            chances = np.where(may.all(axis=-1, keepdims=True), chances, scaled)
        return np.where(game.turns[:, :, None, None, None], chances, GO_ON)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the decisions as rows: variant, round, label, state, reject, accept, go_on."""
        return [
            dict(zip(_COLUMNS, (*place, *map(float, self.decide[place])), strict=True))
            for place in np.ndindex(self.decide.shape[:-1])
        ]

    @classmethod
    @checked(spec=a_protocol, rows=checked_records)
    def from_rows(
        cls,
        spec: AnyProtocol,
        rows: Iterable[Mapping[str, Any]],
        *,
        prior: float = 0.5,
        stance: float = 0.5,
        start: Floats | None = None,
        hear: Floats | None = None,
        adversary: Floats | None = None,
        logits: int = 1,
    ) -> PlayModel:
        """Read rows as :meth:`to_rows` makes them, which may come from a person's file.

        Parameters
        ----------
        spec : ProtocolSpec, Specification, or anything else that identifies a protocol
        rows : iterable of mapping
            ``round``, ``label``, ``reject``, ``accept``, ``go_on``; a missing ``variant`` means
            all of them, a missing ``state`` the only one. Turns without a row are played at
            random.
        prior, stance, start, hear, adversary, logits
            The model's other parameters.
        """
        game = judged(spec)
        table: dict[tuple[int, int, int, int], Floats] = {}
        for number, row in enumerate(rows, start=1):
            for place, chances in _read_row(game, row, number):
                if place in table:
                    raise ModelError(f"Row {number} says again what an earlier row said.")
                table[place] = chances
        states = 1 + max((place[3] for place in table), default=0)
        shape = (game.num_variants, game.num_rounds, 2, states, 3)
        decide = np.full(shape, 1 / 3)
        for place, chances in table.items():
            decide[place] = chances
        return cls(decide, prior, stance, start, hear, adversary, logits)


MODEL = instance(PlayModel, "a model of play, such as random_play makes it")

_COLUMNS = ("variant", "round", "label", "state", "reject", "accept", "go_on")
_MOST_STATES = 1000


def _read_row(
    game: Judged, row: Mapping[str, Any], number: int
) -> list[tuple[tuple[int, int, int, int], Floats]]:
    def whole(name: str, most: int, default: int | None = None) -> int:
        value = row.get(name)
        if value in (None, "") and default is not None:
            return default
        try:
            found = int(str(value))
        except ValueError:
            found = -1
        if not 0 <= found < most:
            raise ModelError(
                f"Row {number}: {name!r} is {value!r}; it is a whole number from 0 to {most - 1}."
            )
        return found

    try:
        chances = np.array([float(row[name]) for name in _COLUMNS[4:]])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        wanted = ", ".join(_COLUMNS[4:])
        raise ModelError(f"Row {number}: {wanted} are three numbers from 0 to 1.") from error
    _check_chances(f"Row {number}: the chances", chances)
    rest = (
        whole("round", game.num_rounds),
        whole("label", 2),
        whole("state", _MOST_STATES, default=0),
    )
    all_variants = row.get("variant") in (None, "")
    variants = range(game.num_variants) if all_variants else [whole("variant", game.num_variants)]
    return [((variant, *rest), chances) for variant in variants]


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


@checked(spec=a_protocol)
def answers_heard(spec: AnyProtocol) -> npt.NDArray[np.integer[Any]]:
    """Return how many messages of provers the verifier has read before each round.

    Returns
    -------
    heard : array, ``[variant, round]``
    """
    return judged(spec).heard


# -- families of models ---------------------------------------------------------------------------


@checked(spec=a_protocol, **_DRAWN)
def random_play(
    spec: AnyProtocol, *, prior: float = 0.5, stance: float = 0.5, logits: int = 1
) -> PlayModel:
    """Return a verifier that rejects, accepts or goes on with equal probabilities at every turn."""
    game = judged(spec)
    decide = np.full((game.num_variants, game.num_rounds, 2, 1, 3), 1 / 3)
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
    return _decider(game, decides, accepts, prior, stance, logits)


@checked(spec=a_protocol, decides=checked_chance, accuracy=checked_chance, **_DRAWN)
def listening_play(
    spec: AnyProtocol,
    *,
    decides: float,
    accuracy: float,
    prior: float = 0.5,
    stance: float = 0.5,
    logits: int = 1,
) -> PlayModel:
    r"""Return a verifier that follows the majority of the answers it has heard.

    Each answer is right with probability `accuracy`, independently of the others given the label;
    after a tie (or without answers) a fair coin decides. So with `h` answers it is right with
    probability :math:`P(B > h/2) + P(B = h/2)/2` for :math:`B \sim \mathrm{Binomial}(h, q)`. When
    it decides does not depend on the answers.

    Parameters
    ----------
    spec : ProtocolSpec, Specification, or anything else that identifies a protocol
    decides : float
        The probability that it decides at a turn.
    accuracy : float
        The probability `q` that an answer is right.
    prior, stance, logits
        As in :class:`PlayModel`.
    """
    game = judged(spec)
    accepts = listened(game.heard, np.float64(accuracy))
    return _decider(game, float(decides), accepts, prior, stance, logits)


def listened(heard: npt.NDArray[np.integer[Any]], accuracy: Floats | np.float64) -> Floats:
    """Return the probability to accept of a verifier that follows the majority of its answers.

    Parameters
    ----------
    heard : array, ``[variant, round]``
    accuracy : float or array, ``[..., 1, 1]``

    Returns
    -------
    accepts : array, ``[..., variant, round, label]``
    """
    from scipy.special import bdtr, bdtrc

    half = heard // 2
    # The probability of a majority, and half that of a tie. Without answers there is always a tie.
    tie = np.where(half > 0, bdtr(half, heard, accuracy) - bdtr(half - 1.0, heard, accuracy), 1)
    right = bdtrc(half, heard, accuracy) + np.where(heard % 2 == 0, tie, 0) / 2
    return np.stack([1 - right, right], axis=-1)


def _decider(
    game: Judged, decides: float, accepts: Floats, prior: float, stance: float, logits: int
) -> PlayModel:
    """Return a verifier with a probability to decide, and one to accept by round and label."""
    chances = decided(decides, accepts, game.may[:, :, None])
    return PlayModel(chances[:, :, :, None, :], prior, stance, adversary=chances, logits=logits)


def decided(decides: Any, accepts: Floats, may: npt.NDArray[np.bool_]) -> Floats:
    """Return the probabilities of decisions: where the verifier must decide, it does.

    Parameters
    ----------
    decides : float or array, ``[...]``
    accepts : array, ``[...]``
    may : array, ``[..., 3]``
        Which decisions are open.
    """
    no, yes, wait = np.moveaxis(may, -1, 0)
    decides = np.where(no | yes, np.where(wait, decides, 1.0), 0.0)
    accepts = np.where(yes, np.where(no, accepts, 1.0), 0.0)
    return np.stack([decides * (1 - accepts), decides * accepts, 1 - decides + 0 * accepts], -1)


@checked(
    spec=a_protocol, records=checked_records, smoothing=checked_positive, stance=checked_chance
)
def estimated_play(
    spec: AnyProtocol,
    records: Iterable[tuple[int, int, Sequence[int]]],
    *,
    smoothing: float = 1.0,
    stance: float = 0.5,
) -> PlayModel:
    """Return a model of the verifiers in recorded episodes.

    Parameters
    ----------
    spec : ProtocolSpec, Specification, or anything else that identifies a protocol
    records : iterable of (label, seed, decisions)
        The decisions of the verifier by round: 0, 1, 2.
    smoothing : float
        The number of imagined decisions of each kind that are added to the records; above 0.
    stance : float
        As in :class:`PlayModel`.
    """
    game = judged(spec)
    counts = np.full((game.num_variants, game.num_rounds, 2, 1, 3), float(smoothing))
    turns, labels = game.turns, np.full(2, float(smoothing))
    for count, record in enumerate(records, start=1):
        label, seed, decisions = _read_record(record, count)
        labels[label] += 1
        variant = seed % game.num_variants
        for round_id, decision in enumerate(decisions[: game.num_rounds]):
            if turns[variant, round_id]:
                counts[variant, round_id, label, 0, decision] += 1
    decide = counts / counts.sum(axis=-1, keepdims=True)
    return PlayModel(decide, cast("float", labels[1] / labels.sum()), stance)


def _read_record(record: Any, count: int) -> tuple[int, int, list[int]]:
    """Return the recorded data of an episode."""
    try:
        label, seed, decisions = record
        said = list(decisions)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"Record {count} is {show(record)}; it holds a label, a seed and a list of decisions."
        ) from error
    return (
        checked_whole(f"label of record {count}", label, 0, 1),
        checked_whole(f"seed of record {count}", seed, 0),
        [checked_whole(f"decision of record {count}", decision, 0, 2) for decision in said],
    )
