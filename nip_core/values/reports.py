"""The reports to a verifier with a commitment: by whom, when they are heard, and who gains.

By the revelation principle, nothing is lost if each speaker reports what it knows, once. So only a
few facts of a protocol matter: how an episode can end, the reporters, when the verifier has heard
each of them, and each one's aim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal

from nip_core.errors import UnsupportedError
from nip_core.language.rounds import UNDECIDED
from nip_core.values.judged import Judged
from nip_core.values.outcomes import outcomes_of
from nip_core.values.rationals import fraction

__all__ = [
    "LABELS",
    "OPPOSITIONS",
    "VERIFIER",
    "Accuracies",
    "Known",
    "Opposition",
    "Reporter",
    "Setting",
    "WayToEnd",
    "endings_of",
    "own_opposition",
    "settings_of",
]

MOST_ROUNDS = 1_000
LABELS = (0, 1)
VERIFIER = 0

Signal = int | None
Known = Signal | tuple[Signal, Signal] | tuple[str, Signal]
"""What a reporter knows: its signal, both provers' signals, or its identity and its signal."""
Cases = Mapping[tuple[int, tuple[Known, ...], Signal], Fraction]
"""The probability of each label, each reporter's knowledge, and the verifier's own signal."""
Accuracies = tuple[Fraction, ...]

Opposition = Literal["none", "one", "independent", "opposed", "team", "sharing"]
OPPOSITIONS: tuple[Opposition, ...] = ("independent", "opposed", "team", "sharing")


@dataclass(frozen=True, slots=True)
class WayToEnd:
    """One way in which an episode can end.

    Parameters
    ----------
    round : int
    is_chosen : bool
        Whether the verifier chose it, by a verdict.
    verdicts : tuple of int
        By label: the verdict that counts, or 2 for none.
    pays : tuple of tuples of Fraction
        By label: the total pay of the verifier and then of each prover.
    """

    round: int
    is_chosen: bool
    verdicts: tuple[int, int]
    pays: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


@dataclass(frozen=True, slots=True)
class Reporter:
    """A player that reports what it knows, once.

    Parameters
    ----------
    aims : mapping of what it may know to indices in :attr:`WayToEnd.pays`
        The pay that it maximises in each case.
    heard : int
        The first round in which the verifier has heard the report.
    hears : bool
        Whether it has heard the other reporter before it speaks.
    """

    aims: Mapping[Known, tuple[int, ...]]
    heard: int
    hears: bool = False

    @property
    def types(self) -> tuple[Known, ...]:
        """Everything that it may know."""
        return tuple(self.aims)


@dataclass(frozen=True, eq=False)
class Setting:
    """A protocol for a verifier that commits to a strategy.

    Parameters
    ----------
    endings : tuple of WayToEnd
        In the order of rounds.
    reporters : tuple of Reporter
        None, one or two.
    cases : mapping
    is_team : bool
        Whether two reporters follow one plan and maximise the sum of their pay.
    """

    endings: tuple[WayToEnd, ...]
    reporters: tuple[Reporter, ...]
    cases: Cases
    is_team: bool = False


_ZERO = Fraction(0)


def _signals_of(accuracy: Fraction, y: int) -> list[tuple[Signal, Fraction]]:
    """Return a seat's private signals under a label, with their probabilities."""
    if accuracy == Fraction(1, 2):
        return [(None, Fraction(1))]
    return [(y, accuracy), (1 - y, 1 - accuracy)]


# -- ways to end -----------------------------------------------------------------------------------


def endings_of(game: Judged) -> tuple[WayToEnd, ...]:
    """Return all possible endings of an episode, in the order of rounds."""
    if game.num_rounds > MOST_ROUNDS:
        raise UnsupportedError(
            f"{game.name!r} has {game.num_rounds:,} rounds here; commitments are computed "
            f"for up to {MOST_ROUNDS:,}. Take fewer rounds."
        )
    if game.draws_side:
        remedy = " Set randomize_prover_stance to False." if game.handler is not None else ""
        raise UnsupportedError(
            f"In {game.name!r} the side of the provers is drawn for each task here; commitments "
            f"are computed for fixed sides.{remedy}"
        )
    asked = outcomes_of(game)
    by_round = asked.stops[asked.phases], asked.verdicts[asked.phases], asked.pays[asked.phases]
    if any((each != each[:1]).any() for each in by_round):
        raise UnsupportedError(
            f"In {game.name!r} the seed decides when the verifier may decide; commitments are "
            "computed where that is the same for all seeds."
        )
    seats = [game.agent_index(name) for name in (game.verifier, *game.provers)]
    by_phase = [
        {
            (decision, y): [
                fraction(pay) for pay in asked.pays[phase, decision, y, 0, seats].tolist()
            ]
            for decision in range(3)
            for y in LABELS
        }
        for phase in range(len(asked.pays))
    ]
    paid = [[Fraction(0)] * len(seats) for _ in LABELS]
    found: list[WayToEnd] = []
    for round_id in range(game.num_rounds):
        phase = int(asked.phases[0, round_id])
        stops = asked.stops[phase, :, :, 0]
        got = by_phase[phase]
        verdicts = asked.verdicts[phase, :, :, 0]
        # A verdict may be forced, or not count yet.
        free = bool(game.turns[0, round_id]) and (verdicts != verdicts[UNDECIDED]).any()
        for decision in range(3) if free else (UNDECIDED,):
            if not stops[decision].all() or not asked.may[phase, decision]:
                continue
            if_false, if_true = (
                tuple(a + b for a, b in zip(paid[y], got[decision, y], strict=True)) for y in LABELS
            )
            false, true = verdicts[decision].tolist()
            chosen = decision != UNDECIDED
            found.append(WayToEnd(round_id, chosen, (false, true), (if_false, if_true)))
        if stops[UNDECIDED].any():
            if not stops[UNDECIDED].all():
                raise UnsupportedError(
                    "Here it depends on the label whether an episode goes on, so that the verifier "
                    "learns the label from that; use `committed` instead."
                )
            break
        if any(pay for y in LABELS for pay in got[UNDECIDED, y]):
            for y in LABELS:
                paid[y] = [a + b for a, b in zip(paid[y], got[UNDECIDED, y], strict=True)]
    return tuple(found)


# -- who reports -----------------------------------------------------------------------------------


def own_opposition(game: Judged) -> Opposition:
    """Return the opposition of a protocol's provers if each maximises its own pay."""
    if len(game.provers) < 2:
        return "one" if game.provers else "none"
    sides = {game.side(prover) for prover in game.provers}
    return "opposed" if len(sides) > 1 and not game.shares_reward else "independent"


def settings_of(
    game: Judged,
    opposition: Opposition,
    prior: Fraction,
    accuracies: Accuracies,
    verifier_accuracy: Fraction,
) -> tuple[Setting, list[Setting]]:
    """Return a setting that bounds a protocol's value from above, and settings that can be played.

    They are the same unless a prover hears the other before its own first turn. Then, in the first
    setting, it does not hear the other; in the others the provers report in turn.

    Parameters
    ----------
    game : Judged
    opposition : Opposition
    prior : Fraction
    accuracies : tuple of Fraction
        The provers'.
    verifier_accuracy : Fraction
    """
    _check(game)
    endings = endings_of(game)
    wholes = ((1, 2), (1, 2)) if opposition in ("team", "sharing") else ((1,), (2,))
    names, aims = game.provers, wholes[: len(game.provers)]

    def cases(known: Callable[[tuple[Signal, ...], int], tuple[Known, ...]]) -> Cases:
        """Return the probability of each case, given what reporters know by signals and variant."""
        found: dict[tuple[int, tuple[Known, ...], Signal], Fraction] = {}
        draws = product(zip(LABELS, (1 - prior, prior), strict=True), range(game.num_variants))
        for (y, chance), variant in draws:
            if not chance:
                continue
            for drawn in product(*(_signals_of(a, y) for a in (*accuracies, verifier_accuracy))):
                weight = chance / game.num_variants
                for _, share in drawn:
                    weight *= share
                *signals, own = (signal for signal, _ in drawn)
                case = y, known(tuple(signals), variant), own
                if weight:
                    found[case] = found.get(case, _ZERO) + weight
        return found

    def types(of: Cases, reporter: int) -> list[Known]:
        return sorted({known[reporter] for _, known, _ in of}, key=repr)

    first = min((_first_turn(game, name) for name in names), default=0)
    if game.num_variants > 1 and names:
        speaks = [_speakers(game, variant)[0] for variant in range(game.num_variants)]
        if opposition == "sharing":
            drawn = cases(lambda signals, _: (_pair(signals),))
        else:
            drawn = cases(
                lambda signals, variant: ((speaks[variant], signals[names.index(speaks[variant])]),)
            )
        wants: dict[Known, tuple[int, ...]] = {
            known: aims[names.index(known[0])] if isinstance(known, tuple) and known[0] in names
            else aims[0]
            for known in types(drawn, 0)
        }  # fmt: skip
        return _alone(Setting(endings, (Reporter(wants, first + 1),), drawn))
    if opposition == "sharing":
        drawn = cases(lambda signals, _: (_pair(signals),))
        everybody = dict.fromkeys(types(drawn, 0), aims[0])
        return _alone(Setting(endings, (Reporter(everybody, first + 1),), drawn))
    drawn = cases(lambda signals, _: signals)
    turns = [_first_turn(game, name) for name in names]
    reporters = [
        Reporter(dict.fromkeys(types(drawn, place), aim), turn + 1)
        for place, (aim, turn) in enumerate(zip(aims, turns, strict=True))
    ]
    apart = Setting(endings, tuple(reporters), drawn, is_team=opposition == "team")
    orders = _heard_orders(game)
    if not orders:
        return _alone(apart)
    inturn: list[Setting] = []
    for earlier, later, turn in orders:
        placed = list(reporters)
        placed[earlier] = reporters[earlier]
        placed[later] = replace(reporters[later], heard=turn + 1, hears=True)
        inturn.append(replace(apart, reporters=tuple(placed)))
    return apart, inturn


def _alone(setting: Setting) -> tuple[Setting, list[Setting]]:
    return setting, [setting]


def _pair(signals: Sequence[Signal]) -> tuple[Signal, Signal]:
    first, second = signals
    return first, second


def _check(game: Judged) -> None:
    """Refuse a protocol whose provers cannot be modelled as one or two reporters."""
    reasons = {
        "two verifiers decide": game.is_zero_knowledge,
        f"there are {len(game.provers)} provers": len(game.provers) > 2,
    }
    if game.num_variants > 1:
        speakers = [_speakers(game, variant) for variant in range(game.num_variants)]
        reasons["the seed picks the schedule, and more than one prover speaks in it"] = any(
            len(each) != 1 for each in speakers
        )
        lines = {_lines(game, variant) for variant in range(game.num_variants)}
        reasons["the seed picks the schedule, and the verifier can tell which"] = len(lines) > 1
    for reason, holds in reasons.items():
        if holds:
            raise UnsupportedError(
                "Commitments are computed for protocols with at most two provers, and with one "
                f"schedule or one unnamed speaker for each seed; in {game.name!r} {reason}."
            )


def _speakers(game: Judged, variant: int) -> list[str]:
    rounds = range(game.num_rounds)
    return sorted({agent for r in rounds for agent, _ in game.messages(variant, r)})


def _lines(game: Judged, variant: int) -> tuple[tuple[str, ...], ...]:
    """Return the channels on which the verifier gets messages of any prover, in each round."""
    rounds = range(game.num_rounds)
    return tuple(tuple(sorted(line for _, line in game.messages(variant, r))) for r in rounds)


def _turns(game: Judged, prover: str) -> Iterable[int]:
    """Return the rounds in which the verifier gets a message of a prover under some seed."""
    return (
        r
        for r in range(game.num_rounds)
        if any(
            prover == agent for v in range(game.num_variants) for agent, _ in game.messages(v, r)
        )
    )


def _first_turn(game: Judged, prover: str, after: int = -1) -> int:
    never = game.num_rounds
    return next((r for r in _turns(game, prover) if r > after), never)


def _heard_orders(game: Judged) -> list[tuple[int, int, int]]:
    """Return the possible orders of reports if one prover always hears the other.

    Each order names the first reporter, the second one, who hears it, and the second one's round.
    There are none if both can report at their first turns without hearing the other.
    """
    if len(game.provers) < 2:
        return []
    turns = [_first_turn(game, prover) for prover in game.provers]
    early, late = (0, 1) if turns[0] <= turns[1] else (1, 0)
    listener = game.provers[late]
    lines = [
        line for agent, line in _speakers_at(game, turns[early]) if agent == game.provers[early]
    ]
    if turns[0] == turns[1] or not all(game.can_see(listener, line) for line in lines):
        return []
    again = _first_turn(game, game.provers[early], after=turns[late])
    return [(early, late, turns[late]), (late, early, again)]


def _speakers_at(game: Judged, round_id: int) -> list[tuple[str, str]]:
    return game.messages(0, round_id) if round_id < game.num_rounds else []
