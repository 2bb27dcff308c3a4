r"""The verifier's best commitment against the provers of a protocol, at any number of rounds.

A verifier that commits itself to a strategy loses nothing if each prover reports what it knows as
its first answer, says nothing of use afterwards, and never gains by a false report (the revelation
principle). So the *optimistic* value is one linear program over the tables of
:mod:`nip_core.values.programs`:

.. math::

    \max_x \sum_{y, i, j} P(y, i, j) \sum_e x(e \mid j, i)\, r^V_y(e)
    \quad\text{such that}\quad D(x) \ge 0,

where :math:`D` are the gains by true reports over false ones. Which gains these are is what tells
oppositions apart. One prover gains for each of its two signals (2 rows). Two provers that each look
after their own pay must gain given that the other one reports truly, which is a Nash equilibrium
between them (4 rows). A team that follows one plan must gain over each other plan for both (15
rows), and one that shares its signals for each pair of signals over each other pair (12 rows).
Under ``merlin_arthur`` only the prover that the seed picks speaks: it reports its name and its
signal.

The *pessimistic* value, against provers that resolve indifference against the verifier, follows
for one prover, a team, and ``merlin_arthur``. If some table makes all gains positive, mix a little
of it into the best one: true reports are then the only best reply, and the optimistic value is
approached. If none does, the verifier can never distinguish some reports, and might as well treat
them as the same. So the value is the largest among the ways to take reports for the same
(:mod:`nip_core.values.contests`).

Two provers that each look after their own pay may be in one of many equilibria. Their pessimistic
value is bounded from below by what the verifier gets in *every* equilibrium (mixed ones, too) of a
commitment that makes true reports strictly better for one prover whatever the other one does, and
then for the other one; or that ignores one of them, or both. Where the second prover cannot but
hear the first (``sequential`` in the open), true reports of the first one tell the second one more
than it needs to know. Values are then bounded from below by letting either report first, and from
above by provers that do not hear each other.

Two symbols are enough for one prover, since there are two signals. Messages of a team that shares
its signals, and under ``merlin_arthur``, must tell four cases apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any, cast

from nip_core.displays import Table, Tabular, line
from nip_core.errors import ModelError, did_you_mean, show
from nip_core.handler import ProtocolHandler
from nip_core.registry import AnyProtocol, protocol
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.values.checks import (
    a_protocol,
    checked,
    checked_chance,
    checked_switch,
    optional,
    refuse,
)
from nip_core.values.contests import attaining, hostile, strictly
from nip_core.values.linear import ONE, Linear, less
from nip_core.values.programs import Heed, Program, heeds
from nip_core.values.rationals import fraction
from nip_core.values.reports import (
    LABELS,
    OPPOSITIONS,
    VERIFIER,
    Accuracies,
    Known,
    Opposition,
    Setting,
    own_opposition,
    settings_of,
)

__all__ = [
    "Mechanism",
    "asked_settings",
    "best_mechanism",
    "can_be_forced",
    "checked_accuracy",
    "checked_opposition",
    "forced_programs",
    "full_program",
    "is_rivalry",
]

REJECT, ACCEPT = 0, 1


@dataclass(frozen=True, eq=False)
class Mechanism(Tabular):
    """A verifier's commitment, and what it is worth.

    Parameters
    ----------
    value : Fraction
        What the verifier gets. If it is less than `at_most`, it is a lower bound of the best.
    at_most : Fraction
        No commitment is worth more. Equal to `value` where the value is known exactly.
    safe_value : Fraction
        What a verifier can guarantee whatever the provers know, want and agree: it ignores them,
        and decides at the best moment by its own signal.
    worst_value : Fraction
        What this commitment is worth at least, whatever the provers report.
    opposition : {"none", "one", "independent", "opposed", "team", "sharing"}
        Who the verifier faces; see :func:`best_mechanism`.
    attained : bool
        False if no commitment is found that is worth the value, and it is only approached: the
        provers are indifferent with this one, and a little beside it lies one that is worth nearly
        as much.
    prover_values : tuple of Fraction
        What each prover gets.
    completeness, soundness_error : Fraction or None
        The chance that a true and a false statement are accepted; None for a label that cannot be.
    stops : mapping of (own signal, report, round) to (reject, accept)
        The chance that the verifier rejects or accepts in a round once it has come there. The
        report of one prover is its signal; of two, a pair; of a team that shares its signals, the
        pair of these; under ``merlin_arthur``, the speaker and its signal. It is None before it
        was heard, and where the verifier ignores it. What cannot be true is not listed, and taken
        for anything that is.

    Notes
    -----
    `prover_values`, `completeness` and `soundness_error` are those of true reports.
    """

    value: Fraction
    at_most: Fraction
    safe_value: Fraction
    worst_value: Fraction
    opposition: Opposition
    attained: bool
    prover_values: tuple[Fraction, ...]
    completeness: Fraction | None
    soundness_error: Fraction | None
    stops: Mapping[tuple[Known, Known | tuple[Known, ...], int], tuple[Fraction, Fraction]]

    @property
    def is_exact(self) -> bool:
        """Return whether the value is known exactly, rather than bounded from below."""
        return self.value == self.at_most

    @property
    def prover_value(self) -> Fraction:
        """Return what the provers get together."""
        return sum(self.prover_values, Fraction(0))

    def __repr__(self) -> str:
        value = f"{float(self.value):.4g}"
        if not self.is_exact:
            value = f"at least {value}, at most {float(self.at_most):.4g}"
        return line(
            self,
            f"verifier {value}",
            f"safe {float(self.safe_value):.4g}",
            f"{self.opposition}: {', '.join(f'{float(v):.4g}' for v in self.prover_values) or '-'}",
            "attained" if self.attained else "only approached",
        )

    def table(self) -> Table:
        """Return the probability of each decision, given that the round is reached."""
        rows = [(*place, *map(float, chances)) for place, chances in self.stops.items()]
        head = ("own signal", "report", "round", "reject", "accept")
        return Table(head, rows, {"report": _shown_report, "round": shown_round})


def _shown_report(report: Any) -> object:
    if not isinstance(report, tuple):
        return report
    parts = cast("tuple[object, ...]", report)
    return ", ".join("-" if part is None else str(part) for part in parts)


def checked_accuracy(name: str, value: Any) -> None:
    """Refuse what is neither a chance nor a pair of chances."""
    if not isinstance(value, tuple):
        checked_chance(name, value)
        return
    parts = cast("tuple[object, ...]", value)
    if len(parts) != 2:
        refuse(name, value, "a number from 0 to 1, or a pair of them for two provers")
    for part in parts:
        checked_chance(name, part)


def checked_opposition(name: str, value: Any) -> None:
    """Refuse what is not the name of an opposition."""
    if not isinstance(value, str) or value not in OPPOSITIONS:
        hint = did_you_mean(value, OPPOSITIONS) if isinstance(value, str) else ""
        refuse(name, value, f"one of {', '.join(map(repr, OPPOSITIONS))}, or None", hint)


@checked(
    handler=a_protocol,
    pessimistic=checked_switch,
    opposition=optional(checked_opposition),
    prior=checked_chance,
    prover_accuracy=checked_accuracy,
    verifier_accuracy=checked_chance,
)
def best_mechanism(
    handler: AnyProtocol,
    *,
    pessimistic: bool,
    opposition: Opposition | None = None,
    prior: float | Fraction = Fraction(1, 2),
    prover_accuracy: float | Fraction | tuple[float | Fraction, float | Fraction] = Fraction(1),
    verifier_accuracy: float | Fraction = Fraction(1, 2),
) -> Mechanism:
    """Return the verifier's best commitment, to which the provers then reply.

    Against one prover it is worth what :func:`~nip_core.values.stackelberg` finds in the tree of
    :func:`~nip_core.values.finite_game`, for protocols far too long for a tree.

    Parameters
    ----------
    handler : ProtocolHandler, or anything else that :func:`nip_core.protocol` takes
    pessimistic : bool
        How is a prover's indifference resolved: against the verifier, or for it? For two provers
        that each look after their own pay: is it the best equilibrium for the verifier, or a lower
        bound over all equilibria?
    opposition : {"independent", "opposed", "team", "sharing"}, optional
        For protocols with two provers. By default each looks after its own pay, knows its own
        signal only, and hears of the other what the protocol lets it hear; this is called
        ``"independent"``, or ``"opposed"`` where they argue for different sides and do not share
        the verifier's reward. Or they raise what they get together: a ``"team"`` agrees beforehand
        on what each says for each of its own signals; when ``"sharing"``, both also know both
        signals before they speak.
    prior : float or Fraction
        The chance that the label is 1.
    prover_accuracy : float or Fraction, or a pair of them for two provers
        The chance that a prover's private signal of the label is right: 1, it knows the label; 1/2,
        it has no signal. Given the label, signals are drawn independently.
    verifier_accuracy : float or Fraction
        The same for the verifier.

    Raises
    ------
    UnsupportedError
        For more than two provers, a simulator, variants in which the verifier can tell who speaks,
        provers whose side is drawn, and for more than :data:`~nip_core.values.reports.MOST_ROUNDS`
        rounds.
    ModelError
        For an opposition that is not one of the protocol.
    """
    opposition, (apart, playable) = asked_settings(
        protocol(handler), opposition, prior, prover_accuracy, verifier_accuracy
    )
    best = max((_best(each, pessimistic) for each in playable), key=lambda found: found.rank)
    at_most = best.value
    if is_rivalry(apart) and (pessimistic or apart not in playable):
        at_most = _best(apart, pessimistic=False).value
    elif apart not in playable:
        at_most = _best(apart, pessimistic).value
    return _mechanism(best, opposition, at_most)


def asked_settings(
    handler: ProtocolHandler,
    opposition: Opposition | None,
    prior: float | Fraction,
    prover_accuracy: Any,
    verifier_accuracy: float | Fraction,
) -> tuple[Opposition, tuple[Setting, list[Setting]]]:
    """Return who the verifier faces, and what :func:`settings_of` makes of that."""
    spec = handler.spec
    opposition = _fitting(spec, opposition)
    signals = fraction(prior), _accuracies(spec, prover_accuracy), fraction(verifier_accuracy)
    return opposition, _settings(handler, opposition, *signals)


# A frontier is often asked for beside the best commitment: both share settings and programs.
_settings = lru_cache(maxsize=8)(settings_of)


def _fitting(spec: ProtocolSpec, given: Opposition | None) -> Opposition:
    """Return who the verifier faces, or refuse what contradicts the protocol."""
    own = own_opposition(spec)
    if given is None or given == own:
        return own
    if own in ("none", "one"):
        count = len(spec.provers)
        provers = "1 prover" if count == 1 else f"{count} provers"
        raise ModelError(
            f"The argument 'opposition' is {show(given)}, which is for two provers; "
            f"{spec.name!r} has {provers}. It must be None."
        )
    fitting: tuple[Opposition, ...] = (own, "team", "sharing")
    if given not in fitting:
        raise ModelError(
            f"The argument 'opposition' is {show(given)}; for {spec.name!r} it must be one of "
            f"{', '.join(map(repr, fitting))}, or None, by what its provers are paid for."
        )
    return given


def _accuracies(spec: ProtocolSpec, given: Any) -> Accuracies:
    """Return an accuracy for each prover."""
    if not isinstance(given, tuple):
        return (fraction(given),) * len(spec.provers)
    pair = cast("tuple[float | Fraction, ...]", given)
    if len(spec.provers) != len(pair):
        raise ModelError(
            f"The argument 'prover_accuracy' is {show(pair)}, a pair; {spec.name!r} has "
            f"{len(spec.provers)} provers. It must be one number."
        )
    return tuple(map(fraction, pair))


# -- the best of one setting -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """A commitment of a program, and its value as a payoff."""

    program: Program
    value: Fraction
    at: Sequence[Fraction]
    attained: bool

    @property
    def rank(self) -> tuple[Fraction, bool]:
        return self.value, self.attained


def _found(program: Program, share: Fraction, at: Sequence[Fraction], attained: bool) -> _Found:
    return _Found(program, program.measure((VERIFIER,)).to_payoff(share), at, attained)


def is_rivalry(setting: Setting) -> bool:
    """Are there two reporters, each with an aim of its own?"""
    return len(setting.reporters) == 2 and not setting.is_team


def _best(setting: Setting, pessimistic: bool) -> _Found:
    if pessimistic and setting.reporters:
        return _despite_rivals(setting) if is_rivalry(setting) else _despite_hostility(setting)
    program = full_program(setting)
    solved = program.maximise(program.worth(), program.truths)
    return _found(program, solved.value, solved.at, attained=True)


def _despite_hostility(setting: Setting) -> _Found:
    """Return the best commitment against a prover or a team that may do its worst when indifferent.

    A commitment is worth no more than the one in which the true report leads to what the reply led
    to. So reports need be taken for the same only by types that say the same.
    """
    best: _Found | None = None
    for number, heed in enumerate(heeds(setting)):
        program = Program(setting, heed) if number else full_program(setting)
        contests = program.contests
        program.check_size(sum(len(contest.rivals) for contest in contests))
        found = hostile(contests, program.floors, program.size)
        if found is not None:
            share, solved = found
            candidate = _found(program, share, solved.at[: program.size], attained=False)
            best = candidate if best is None or candidate.value > best.value else best
            if program.is_telling:  # no way to take reports for the same is worth more
                break
    assert best is not None, "a verifier may ignore what is reported"
    program = full_program(setting)
    share = program.measure((VERIFIER,)).to_share(best.value)
    there = attaining(program.contests, program.floors, program.size, share)
    if there is None:
        return best
    if best.program.is_ignoring:
        return _Found(best.program, best.value, best.at, attained=True)
    return _Found(program, best.value, there.at, attained=True)


def _despite_rivals(setting: Setting) -> _Found:
    """Return a commitment that is worth the same in all equilibria between two provers."""
    found = (_forced(program, gains) for program, gains in forced_programs(setting).values())
    return max(found, key=lambda each: each.rank)


@lru_cache(maxsize=8)
def forced_programs(setting: Setting) -> Mapping[tuple[int, ...], tuple[Program, Sequence[Linear]]]:
    """Return programs that can leave two provers one equilibrium, and gains that must be positive.

    They are named by the provers that the verifier hears: for the first true reports are better
    whatever the other one does, and then for the other one. Each program holds those whose name is
    the beginning of its own.
    """
    everybody: Heed = tuple({known: known for known in each.types} for each in setting.reporters)
    nobody: Heed = tuple(dict.fromkeys(each.types) for each in setting.reporters)
    heard = {(): nobody, (0,): (everybody[0], nobody[1]), (1,): (nobody[0], everybody[1])}
    found: dict[tuple[int, ...], tuple[Program, Sequence[Linear]]] = {}
    for name, heed in heard.items():
        program = Program(setting, heed)
        found[name] = program, program.truths
    program = full_program(setting)
    for first, second in permutations((0, 1)):
        if not setting.reporters[first].hears:
            gains = [*program.gains(first, dominant=True), *program.gains(second)]
            found[first, second] = program, gains
    return {name: way for name, way in found.items() if can_be_forced(*way)}


def can_be_forced(program: Program, gains: Sequence[Linear]) -> bool:
    """Can all gains be positive?"""
    program.check_size(len(gains))
    return not gains or strictly(gains, program.floors, program.size) is not None


@lru_cache(maxsize=8)
def full_program(setting: Setting) -> Program:
    """Return the program of a verifier that takes no two reports for the same."""
    return Program(setting)


def _forced(program: Program, gains: Sequence[Linear]) -> _Found:
    """Return the best commitment where all gains can be positive."""
    solved = program.maximise(program.worth(), gains)
    rows = [*program.floors, less(program.worth(), {ONE: solved.value})]
    there = strictly(gains, rows, program.size) if gains else solved
    at = solved.at if there is None else there.at[: program.size]
    return _found(program, solved.value, at, attained=there is not None)


# -- what is found ---------------------------------------------------------------------------------


def _mechanism(found: _Found, opposition: Opposition, at_most: Fraction) -> Mechanism:
    program, at = found.program, found.at
    provers = range(1, len(program.setting.endings[0].pays[0]))
    accepted = [
        program.accepted_share(y, at) / share if (share := program.chance_of(y)) else None
        for y in LABELS
    ]
    return Mechanism(
        value=found.value,
        at_most=at_most,
        safe_value=program.safe_value,
        worst_value=program.worst(at),
        opposition=opposition,
        attained=found.attained,
        prover_values=tuple(program.payoff((prover,), at) for prover in provers),
        completeness=accepted[1],
        soundness_error=accepted[0],
        stops=_stops(program, at),
    )


def _stops(
    program: Program, at: Sequence[Fraction]
) -> dict[tuple[Known, Known | tuple[Known, ...], int], tuple[Fraction, Fraction]]:
    """Return the chances of verdicts in each round that can be reached and offers a choice."""
    setting = program.setting
    choices: dict[int, dict[int, int]] = {}
    for n, ending in enumerate(setting.endings):
        if ending.is_chosen:
            choices.setdefault(ending.round, {})[ending.verdicts[0]] = n
    found: dict[tuple[Known, Known | tuple[Known, ...], int], tuple[Fraction, Fraction]] = {}
    for (own, reports), chances in program.chances(at).items():
        left = Fraction(1)
        for round_id, endings in choices.items():
            reject, accept = (chances[endings[verdict]] for verdict in (REJECT, ACCEPT))
            if not left:
                break
            heard = tuple(
                report if round_id >= reporter.heard else None
                for report, reporter in zip(reports, setting.reporters, strict=True)
            )
            shown = heard if len(heard) == 2 else heard[0] if heard else None
            is_heard = any(report is not None for report in heard)
            stops = (reject / left, accept / left) if reject or accept else (reject, accept)
            found[own, shown if is_heard else None, round_id] = stops
            if reject or accept:
                left -= reject + accept
    return found
