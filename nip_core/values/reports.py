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
from nip_core.handler import ProtocolHandler
from nip_core.handler.rules import UNDECIDED
from nip_core.spec import ProtocolSpec
from nip_core.values.game_tree import signals_of
from nip_core.values.outcomes import outcomes
from nip_core.values.rationals import fraction

__all__ = [
    "LABELS",
    "OPPOSITIONS",
    "VERIFIER",
    "Accuracies",
    "Ending",
    "Known",
    "Opposition",
    "Reporter",
    "Setting",
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
class Ending:
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
    aims : mapping of what it may know to indices in :attr:`Ending.pays`
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
    endings : tuple of Ending
        In the order of rounds.
    reporters : tuple of Reporter
        None, one or two.
    cases : mapping
    is_team : bool
        Whether two reporters follow one plan and maximise the sum of their pay.
    """

    endings: tuple[Ending, ...]
    reporters: tuple[Reporter, ...]
    cases: Cases
    is_team: bool = False


_ZERO = Fraction(0)

# -- ways to end -----------------------------------------------------------------------------------


def endings_of(handler: ProtocolHandler) -> tuple[Ending, ...]:
    """Return all possible endings of an episode, in the order of rounds."""
    spec = handler.spec
    if spec.max_message_rounds > MOST_ROUNDS:
        raise UnsupportedError(
            f"{spec.name!r} has {spec.max_message_rounds:,} rounds here; commitments are computed "
            f"for up to {MOST_ROUNDS:,}. Take fewer rounds."
        )
    if handler.draws_prover_stance:
        raise UnsupportedError(
            f"In {spec.name!r} the side of the provers is drawn for each task here; commitments "
            "are computed for fixed sides. Set randomize_prover_stance to False."
        )
    asked = outcomes(handler)
    by_round = asked.stops[asked.phases], asked.verdicts[asked.phases], asked.pays[asked.phases]
    if any((each != each[:1]).any() for each in by_round):
        raise UnsupportedError(
            f"In {spec.name!r} the seed decides when the verifier may decide; commitments are "
            "computed where that is the same for all seeds."
        )
    seats = [spec.agent_index(name) for name in (spec.verifier, *spec.provers)]
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
    found: list[Ending] = []
    for round_id in range(spec.max_message_rounds):
        phase = int(asked.phases[0, round_id])
        stops = asked.stops[phase, :, :, 0]
        got = by_phase[phase]
        free = spec.may_decide(round_id) and spec.payoff.force_guess is None
        for decision in range(3) if free else (UNDECIDED,):
            if not stops[decision].all():
                continue
            if_false, if_true = (
                tuple(a + b for a, b in zip(paid[y], got[decision, y], strict=True)) for y in LABELS
            )
            false, true = asked.verdicts[phase, decision, :, 0].tolist()
            chosen = decision != UNDECIDED
            found.append(Ending(round_id, chosen, (false, true), (if_false, if_true)))
        if stops[UNDECIDED].any():
            if not stops[UNDECIDED].all():
                raise UnsupportedError(
                    "Here it depends on the label whether an episode goes on, so that the verifier "
                    "learns the label from that; use the finite game instead."
                )
            break
        if any(pay for y in LABELS for pay in got[UNDECIDED, y]):
            for y in LABELS:
                paid[y] = [a + b for a, b in zip(paid[y], got[UNDECIDED, y], strict=True)]
    return tuple(found)


# -- who reports -----------------------------------------------------------------------------------


def own_opposition(spec: ProtocolSpec) -> Opposition:
    """Return the opposition of a protocol's provers if each maximises its own pay."""
    if len(spec.provers) < 2:
        return "one" if spec.provers else "none"
    sides = {spec.agent(prover).stance for prover in spec.provers}
    return "opposed" if len(sides) > 1 and not spec.payoff.shared_reward else "independent"


def settings_of(
    handler: ProtocolHandler,
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
    handler : ProtocolHandler
    opposition : Opposition
    prior : Fraction
    accuracies : tuple of Fraction
        The provers'.
    verifier_accuracy : Fraction
    """
    spec = handler.spec
    _check(spec)
    endings = endings_of(handler)
    wholes = ((1, 2), (1, 2)) if opposition in ("team", "sharing") else ((1,), (2,))
    names, aims = spec.provers, wholes[: len(spec.provers)]

    def cases(known: Callable[[tuple[Signal, ...], int], tuple[Known, ...]]) -> Cases:
        """Return the probability of each case, given what reporters know by signals and variant."""
        found: dict[tuple[int, tuple[Known, ...], Signal], Fraction] = {}
        draws = product(zip(LABELS, (1 - prior, prior), strict=True), range(spec.num_variants))
        for (y, chance), variant in draws:
            if not chance:
                continue
            for drawn in product(*(signals_of(a, y) for a in (*accuracies, verifier_accuracy))):
                weight = chance / spec.num_variants
                for _, share in drawn:
                    weight *= share
                *signals, own = (signal for signal, _ in drawn)
                case = y, known(tuple(signals), variant), own
                if weight:
                    found[case] = found.get(case, _ZERO) + weight
        return found

    def types(of: Cases, reporter: int) -> list[Known]:
        return sorted({known[reporter] for _, known, _ in of}, key=repr)

    first = min((_first_turn(spec, name) for name in names), default=0)
    if spec.num_variants > 1 and names:
        speaks = [_speakers(spec, variant)[0] for variant in range(spec.num_variants)]
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
    turns = [_first_turn(spec, name) for name in names]
    reporters = [
        Reporter(dict.fromkeys(types(drawn, place), aim), turn + 1)
        for place, (aim, turn) in enumerate(zip(aims, turns, strict=True))
    ]
    apart = Setting(endings, tuple(reporters), drawn, is_team=opposition == "team")
    orders = _heard_orders(spec)
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


def _check(spec: ProtocolSpec) -> None:
    """Refuse a protocol whose provers cannot be modelled as one or two reporters."""
    reasons = {
        "two verifiers decide": spec.is_zero_knowledge,
        f"there are {len(spec.provers)} provers": len(spec.provers) > 2,
    }
    if spec.num_variants > 1:
        speakers = [_speakers(spec, variant) for variant in range(spec.num_variants)]
        reasons["the seed picks the schedule, and more than one prover speaks in it"] = any(
            len(each) != 1 for each in speakers
        )
        lines = {_lines(spec, variant) for variant in range(spec.num_variants)}
        reasons["the seed picks the schedule, and the verifier can tell which"] = len(lines) > 1
    for reason, holds in reasons.items():
        if holds:
            raise UnsupportedError(
                "Commitments are computed for protocols with at most two provers, and with one "
                f"schedule or one unnamed speaker for each seed; in {spec.name!r} {reason}."
            )


def _messages_to_verifier(spec: ProtocolSpec, variant: int, round_id: int) -> list[tuple[str, str]]:
    """Return the provers and channels of messages to the verifier in a round."""
    return [
        (agent, channel)
        for agent, channel in spec.turn(round_id, variant).speakers
        if agent in spec.provers and spec.can_see(spec.verifier, channel)
    ]


def _speakers(spec: ProtocolSpec, variant: int) -> list[str]:
    rounds = range(spec.max_message_rounds)
    return sorted({agent for r in rounds for agent, _ in _messages_to_verifier(spec, variant, r)})


def _lines(spec: ProtocolSpec, variant: int) -> tuple[tuple[str, ...], ...]:
    """Return the channels on which the verifier gets messages of any prover, in each round."""
    rounds = range(spec.max_message_rounds)
    return tuple(
        tuple(sorted(line for _, line in _messages_to_verifier(spec, variant, r))) for r in rounds
    )


def _turns(spec: ProtocolSpec, prover: str) -> Iterable[int]:
    """Return the rounds in which the verifier gets a message of a prover under some seed."""
    return (
        r
        for r in range(spec.max_message_rounds)
        if any(
            prover == agent
            for v in range(spec.num_variants)
            for agent, _ in _messages_to_verifier(spec, v, r)
        )
    )


def _first_turn(spec: ProtocolSpec, prover: str, after: int = -1) -> int:
    never = spec.max_message_rounds
    return next((r for r in _turns(spec, prover) if r > after), never)


def _heard_orders(spec: ProtocolSpec) -> list[tuple[int, int, int]]:
    """Return the possible orders of reports if one prover always hears the other.

    Each order names the first reporter, the second one, who hears it, and the second one's round.
    There are none if both can report at their first turns without hearing the other.
    """
    if len(spec.provers) < 2:
        return []
    turns = [_first_turn(spec, prover) for prover in spec.provers]
    early, late = (0, 1) if turns[0] <= turns[1] else (1, 0)
    listener = spec.provers[late]
    lines = [
        line for agent, line in _speakers_at(spec, turns[early]) if agent == spec.provers[early]
    ]
    if turns[0] == turns[1] or not all(spec.can_see(listener, line) for line in lines):
        return []
    again = _first_turn(spec, spec.provers[early], after=turns[late])
    return [(early, late, turns[late]), (late, early, again)]


def _speakers_at(spec: ProtocolSpec, round_id: int) -> list[tuple[str, str]]:
    return _messages_to_verifier(spec, 0, round_id) if round_id < spec.max_message_rounds else []
