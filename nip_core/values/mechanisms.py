r"""The verifier's best commitment against the provers of a protocol, at any number of rounds.

A verifier that commits to a strategy loses nothing if each prover reports what it knows in its
first answer, says nothing useful afterwards, and never gains by a false report (the revelation
principle). So the *optimistic* value is one linear program over the tables of
:mod:`nip_core.values.programs`:

.. math::

    \max_x \sum_{y, i, j} P(y, i, j) \sum_e x(e \mid j, i)\, r^V_y(e)
    \quad\text{such that}\quad D(x) \ge 0,

where :math:`D` are the gains of true reports over false ones, which depend on the opposition. One
prover gains for each of its two signals (2 rows). Two provers that each maximise their own pay must
gain given that the other one reports truly, which is a Nash equilibrium between them (4 rows). A
team that follows one plan must gain over each other plan for both (15 rows), and one that shares
its signals for each pair of signals over each other pair (12 rows). Under ``merlin_arthur`` only
the prover that the seed picks speaks: it reports its name and its signal.

The *pessimistic* value, against provers that resolve indifference against the verifier, follows for
one prover, a team, and ``merlin_arthur``. If some table makes all gains positive, a small share of
it can be mixed into the best one: true reports are then the only best reply, and the optimistic
value is approached. If there is no such table, the verifier can never distinguish some reports, and
may as well merge them. So the value is the largest over all ways to merge reports
(:mod:`nip_core.values.contests`).

Two provers that each maximise their own pay may be in one of many equilibria. Their pessimistic
value is bounded from below by the verifier's value in *every* equilibrium (including mixed ones) of
a commitment that makes true reports strictly better for one prover whatever the other one does, and
then for the other one; or that ignores one or both of them. If the second prover always hears the
first (``sequential`` in the open), a true report of the first one tells the second one more than it
needs. Values are then bounded from below by letting either prover report first, and from above by
provers that do not hear each other.

Two symbols are enough for one prover, since there are two signals. Messages of a team that shares
its signals, and under ``merlin_arthur``, must distinguish four cases.
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
from nip_core.registry import AnyProtocol
from nip_core.spec import shown_round
from nip_core.values.checks import (
    a_protocol,
    checked,
    checked_chance,
    checked_switch,
    optional,
    refuse,
)
from nip_core.values.contests import attaining, hostile, strictly
from nip_core.values.judged import Judged, judged
from nip_core.values.linear import ONE, Linear, less
from nip_core.values.programs import Heed, LinearProgram, heeds
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
    """A verifier's commitment, and its value.

    Parameters
    ----------
    value : Fraction
        The verifier's value. If it is less than `at_most`, it is a lower bound of the best.
    at_most : Fraction
        No commitment is worth more. Equal to `value` where the value is known exactly.
    safe_value : Fraction
        The value that a verifier can guarantee against any provers, by ignoring them and deciding
        at the best moment by its own signal.
    worst_value : Fraction
        The least value of this commitment over all reports.
    opposition : {"none", "one", "independent", "opposed", "team", "sharing"}
        The provers that the verifier faces; see :func:`best_mechanism`.
    attained : bool
        False if no commitment with the value was found and it is only approached. The provers are
        then indifferent under this one, and one close to it is worth nearly as much.
    prover_values : tuple of Fraction
        Each prover's value.
    completeness, soundness_error : Fraction or None
        The probability that a true and a false statement are accepted; None for an impossible
        label.
    stops : mapping of (own signal, report, round) to (reject, accept)
        The probability that the verifier rejects or accepts in a round that is reached. The report
        of one prover is its signal; of two, a pair; of a team that shares its signals, the pair of
        these; under ``merlin_arthur``, the speaker and its signal. It is None before it was heard,
        and if the verifier ignores it. Impossible reports are not listed, and are treated like any
        listed one.

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
        """Return whether the value is exact and not only a lower bound."""
        return self.value == self.at_most

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
    """Refuse a value that is neither a probability nor a pair of them."""
    if not isinstance(value, tuple):
        checked_chance(name, value)
        return
    parts = cast("tuple[object, ...]", value)
    if len(parts) != 2:
        refuse(name, value, "a number from 0 to 1, or a pair of them for two provers")
    for part in parts:
        checked_chance(name, part)


def checked_opposition(name: str, value: Any) -> None:
    """Refuse a value that is not the name of an opposition."""
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

    Against one prover, its value is that of :func:`~nip_core.values.committed` where messages are
    free symbols, but also for protocols of many rounds.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
    pessimistic : bool
        Whether an indifferent prover acts against the verifier, or for it. For two provers that
        each maximise their own pay: whether to return a lower bound over all equilibria, or the
        best equilibrium for the verifier.
    opposition : {"independent", "opposed", "team", "sharing"}, optional
        For protocols with two provers. By default each maximises its own pay, knows only its own
        signal, and hears of the other what the protocol allows; this is called ``"independent"``,
        or ``"opposed"`` if they argue for different sides and do not share the verifier's reward.
        Otherwise they maximise the sum of their pay: a ``"team"`` agrees beforehand on what each
        says for each of its own signals; when ``"sharing"``, both also know both signals before
        they speak.
    prior : float or Fraction
        The probability that the label is 1.
    prover_accuracy : float or Fraction, or a pair of them for two provers
        The probability that a prover's private signal of the label is right: with 1 it knows the
        label, with 1/2 it has no signal. Given the label, signals are drawn independently.
    verifier_accuracy : float or Fraction
        The same for the verifier.

    Raises
    ------
    UnsupportedError
        For more than two provers, a simulator, variants in which the verifier can tell who speaks,
        provers whose side is drawn, and for more than :data:`~nip_core.values.reports.MOST_ROUNDS`
        rounds.
    ModelError
        For an opposition that is impossible in the protocol.
    """
    opposition, (apart, playable) = asked_settings(
        judged(handler), opposition, prior, prover_accuracy, verifier_accuracy
    )
    best = max((_best(each, pessimistic) for each in playable), key=lambda found: found.rank)
    at_most = best.value
    if is_rivalry(apart) and (pessimistic or apart not in playable):
        at_most = _best(apart, pessimistic=False).value
    elif apart not in playable:
        at_most = _best(apart, pessimistic).value
    return _mechanism(best, opposition, at_most)


def asked_settings(
    game: Judged,
    opposition: Opposition | None,
    prior: float | Fraction,
    prover_accuracy: Any,
    verifier_accuracy: float | Fraction,
) -> tuple[Opposition, tuple[Setting, list[Setting]]]:
    """Return the opposition, and the result of :func:`settings_of` for it."""
    opposition = _fitting(game, opposition)
    signals = fraction(prior), _accuracies(game, prover_accuracy), fraction(verifier_accuracy)
    return opposition, _settings(game, opposition, *signals)


# A frontier is often computed together with the best commitment, from the same settings and
# programs.
_settings = lru_cache(maxsize=8)(settings_of)


def _fitting(game: Judged, given: Opposition | None) -> Opposition:
    """Return the opposition, or refuse one that contradicts the protocol."""
    own = own_opposition(game)
    if given is None or given == own:
        return own
    if own in ("none", "one"):
        count = len(game.provers)
        provers = "1 prover" if count == 1 else f"{count} provers"
        raise ModelError(
            f"The argument 'opposition' is {show(given)}, which is for two provers; "
            f"{game.name!r} has {provers}. It must be None."
        )
    fitting: tuple[Opposition, ...] = (own, "team", "sharing")
    if given not in fitting:
        raise ModelError(
            f"The argument 'opposition' is {show(given)}; for {game.name!r} it must be one of "
            f"{', '.join(map(repr, fitting))}, or None, by what its provers are paid for."
        )
    return given


def _accuracies(game: Judged, given: Any) -> Accuracies:
    """Return an accuracy for each prover."""
    if not isinstance(given, tuple):
        return (fraction(given),) * len(game.provers)
    pair = cast("tuple[float | Fraction, ...]", given)
    if len(game.provers) != len(pair):
        raise ModelError(
            f"The argument 'prover_accuracy' is {show(pair)}, a pair; {game.name!r} has "
            f"{len(game.provers)} provers. It must be one number."
        )
    return tuple(map(fraction, pair))


# -- the best of one setting -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """The commitment that solves a program, with its value as a payoff."""

    program: LinearProgram
    value: Fraction
    at: Sequence[Fraction]
    attained: bool

    @property
    def rank(self) -> tuple[Fraction, bool]:
        return self.value, self.attained


def _found(
    program: LinearProgram, share: Fraction, at: Sequence[Fraction], attained: bool
) -> _Found:
    return _Found(program, program.measure((VERIFIER,)).to_payoff(share), at, attained)


def is_rivalry(setting: Setting) -> bool:
    """Whether there are two reporters with separate aims."""
    return len(setting.reporters) == 2 and not setting.is_team


def _best(setting: Setting, pessimistic: bool) -> _Found:
    if pessimistic and setting.reporters:
        return _despite_rivals(setting) if is_rivalry(setting) else _despite_hostility(setting)
    program = full_program(setting)
    solved = program.maximise(program.worth(), program.truths)
    return _found(program, solved.value, solved.at, attained=True)


def _despite_hostility(setting: Setting) -> _Found:
    """Return the best commitment against a prover or a team that is hostile when indifferent.

    A commitment is not worth more than the one in which the true report has the consequences of the
    reply. So only reports of types with the same reply have to be merged. Once a value is as large
    as with ties for the verifier, nothing is better; often that of ignoring all reports is.
    """
    best: _Found | None = None
    top = _best(setting, pessimistic=False).value
    all_told, *merging = heeds(setting)
    for number, heed in enumerate((all_told, *merging[-1:], *merging[:-1])):
        program = LinearProgram(setting, heed) if number else full_program(setting)
        contests = program.contests
        program.check_size(sum(len(contest.rivals) for contest in contests))
        found = hostile(contests, program.floors, program.size)
        if found is not None:
            share, solved = found
            candidate = _found(program, share, solved.at[: program.size], attained=False)
            best = candidate if best is None or candidate.value > best.value else best
            if program.is_telling or best.value >= top:  # no way to merge reports is worth more
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
    """Return a commitment with the same value in all equilibria between two provers."""
    found = (_forced(program, gains) for program, gains in forced_programs(setting).values())
    return max(found, key=lambda each: each.rank)


@lru_cache(maxsize=8)
def forced_programs(
    setting: Setting,
) -> Mapping[tuple[int, ...], tuple[LinearProgram, Sequence[Linear]]]:
    """Return programs that can leave two provers one equilibrium, and gains that must be positive.

    A program's name lists the provers that the verifier hears: true reports are better for the
    first one whatever the other one does, and then for the other one. A program includes those
    whose names are prefixes of its own.
    """
    everybody: Heed = tuple({known: known for known in each.types} for each in setting.reporters)
    nobody: Heed = tuple(dict.fromkeys(each.types) for each in setting.reporters)
    heard = {(): nobody, (0,): (everybody[0], nobody[1]), (1,): (nobody[0], everybody[1])}
    found: dict[tuple[int, ...], tuple[LinearProgram, Sequence[Linear]]] = {}
    for name, heed in heard.items():
        program = LinearProgram(setting, heed)
        found[name] = program, program.truths
    program = full_program(setting)
    for first, second in permutations((0, 1)):
        if not setting.reporters[first].hears:
            gains = [*program.gains(first, dominant=True), *program.gains(second)]
            found[first, second] = program, gains
    return {name: way for name, way in found.items() if can_be_forced(*way)}


def can_be_forced(program: LinearProgram, gains: Sequence[Linear]) -> bool:
    """Return whether all gains can be positive."""
    program.check_size(len(gains))
    return not gains or strictly(gains, program.floors, program.size) is not None


@lru_cache(maxsize=8)
def full_program(setting: Setting) -> LinearProgram:
    """Return the program of a verifier that merges no reports."""
    return LinearProgram(setting)


def _forced(program: LinearProgram, gains: Sequence[Linear]) -> _Found:
    """Return the best commitment if all gains can be positive."""
    solved = program.maximise(program.worth(), gains)
    rows = [*program.floors, less(program.worth(), {ONE: solved.value})]
    there = strictly(gains, rows, program.size) if gains else solved
    at = solved.at if there is None else there.at[: program.size]
    return _found(program, solved.value, at, attained=there is not None)


# -- results --------------------------------------------------------------------------------------


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
    program: LinearProgram, at: Sequence[Fraction]
) -> dict[tuple[Known, Known | tuple[Known, ...], int], tuple[Fraction, Fraction]]:
    """Return the probabilities of verdicts in each reachable round with a choice."""
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
