"""A protocol's values under given play: exact with whole distributions, or sampled if too large."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, cast

from nip_core.budget import MOST_STEPS, PLAYS, SAMPLES, Budget, for_document, spend
from nip_core.displays import Table, Tabular, brief, line
from nip_core.errors import StoppedError, TooLargeError, UnsupportedError
from nip_core.language import GivenPlay, Habit, Specification
from nip_core.language.data import CHANCE, END, Option
from nip_core.language.expressions import OVER, Value
from nip_core.language.forward import Forward, Mass
from nip_core.language.machine import events_of
from nip_core.language.structure import Place
from nip_core.values.checks import (
    MOST_WHOLE,
    checked,
    checked_positive,
    checked_switch,
    checked_whole,
    instance,
    optional,
    refuse,
    whole,
)
from nip_core.values.distributions import Distribution
from nip_core.values.intervals import betting_mean

__all__ = ["PlayValues", "play_values"]

# Steps (a state and an option in it) that take some seconds in fractions.
MAX_STEPS = 200_000
MAX_SAMPLED_TURNS = 20_000
# The budget of steps for all of it: about a minute.
MOST_WORK = 60 * MOST_STEPS
# Of a sampled play: for a turn, and for each act in it; and for each seat that a rule pays.
STEPS_OF_TURN, STEPS_OF_PAY = 20, 6
LEVEL = 0.95
Method = Literal["fractions", "floats", "sampled", "bounds"]


@dataclass(frozen=True)
class PlayValues(Tabular):
    """The values of a protocol under given play.

    Parameters
    ----------
    spec : Specification
    method : {"fractions", "floats", "sampled", "bounds"}
        How it was computed: exactly, exactly up to rounding, or from sampled plays; or, if not even
        some plays could be sampled in time, only the bounds that the rules set.
    means, variances : mapping of str to number
        The means and variances of each seat's pay. Fractions if nothing was rounded. Unknown (not a
        number) if there are only bounds.
    errors : mapping of str to float
        The standard errors of the means; 0 unless sampled.
    verdicts : mapping of verdict to number
        The probabilities of verdicts.
    turns, turns_variance : number
        The mean and variance of the number of turns.
    bounds : mapping of str to tuple of (lowest, highest)
        Bounds of each seat's pay that the rules set.
    plays : int
        The number of sampled plays.
    pay : mapping of str to Distribution
        The distribution of each seat's pay; from plays if `method` says so. A seat for which it
        would take too long is missing.
    lengths : Distribution, optional
        The distribution of the number of turns.
    by_truth : mapping of option to mapping of verdict to number
        The probabilities of verdicts for each truth, if the document's roles say what is true.
    right : number, optional
        The probability that the verdict is the truth; None if nothing says what is true.
    """

    spec: Specification
    method: Method
    means: Mapping[str, Any]
    variances: Mapping[str, Any]
    errors: Mapping[str, float]
    verdicts: Mapping[Value, Any]
    turns: Any
    turns_variance: Any
    bounds: Mapping[str, tuple[float, float]]
    plays: int = 0
    pay: Mapping[str, Distribution] = field(default_factory=dict[str, Distribution])
    lengths: Distribution | None = None
    by_truth: Mapping[Option, Mapping[Value, Any]] = field(
        default_factory=dict[Option, Mapping[Value, Any]]
    )
    right: Any = None

    def __repr__(self) -> str:
        means = (f"{seat} {float(mean):.4g}" for seat, mean in self.means.items())
        return line(self, brief(self.spec.name), self.method, *means)

    @property
    def exact(self) -> bool:
        """Whether it was computed and not sampled."""
        return self.method in ("fractions", "floats")

    @property
    def rounded(self) -> frozenset[str]:
        """The seats whose mean is a float, because of the method or of a score."""
        return frozenset(s for s, mean in self.means.items() if isinstance(mean, float))

    @property
    def on_the_word_of(self) -> Mapping[str, str]:
        """What is assumed to be true on the word of a seat (or the task), with its source."""
        return {what: by for what, (by, _) in self.spec.statements.items()}

    def interval(self, seat: str, level: float = LEVEL) -> tuple[Any, Any]:
        """Return an interval for the mean of a seat's pay.

        If it was computed, both ends are the mean. From sampled plays, the interval contains the
        mean with at least this probability, however pay is distributed within its bounds.
        """
        if self.exact:
            return self.means[seat], self.means[seat]
        if self.method == "bounds":
            return self.bounds[seat]
        return _interval(self.pay[seat], self.plays, *self.bounds[seat], level)

    def rate_interval(self, verdict: Value, level: float = LEVEL) -> tuple[Any, Any]:
        """Return an interval for the probability of a verdict, in the same way."""
        chance = self.verdicts.get(verdict, 0)
        if self.exact:
            return chance, chance
        if self.method == "bounds":
            return 0.0, 1.0
        return _interval(
            Distribution.of([(1.0, chance), (0.0, 1 - chance)]), self.plays, 0, 1, level
        )

    def table(self) -> Table:
        """Return each seat's mean, its variation, and its standard error."""
        return Table(
            ("seat", "mean", "standard deviation", "standard error"),
            [
                (
                    seat,
                    float(mean),
                    _root(self.variances[seat]),
                    self.errors[seat],
                )
                for seat, mean in self.means.items()
            ],
        )


def _interval(
    pay: Distribution, plays: int, lowest: float, highest: float, level: float
) -> tuple[float, float]:
    return betting_mean(pay.values, pay.probabilities * plays, lowest, highest, level)


def _root(variance: Any) -> float:
    # Rounding of floats may give a value slightly below 0.
    return math.sqrt(max(0.0, float(variance)))


def _habits(name: str, value: Any) -> None:
    if not isinstance(value, list | tuple) or not all(
        isinstance(habit, Habit) for habit in cast("list[object]", value)
    ):
        refuse(name, value, "a list or tuple of habits")


def _plays(name: str, value: Any) -> None:
    if checked_whole(name, value, 0, MOST_WHOLE) == 1:
        refuse(name, value, "a whole number above 1, or 0")


@checked(
    spec=instance(Specification, "a protocol of version 2"),
    habits=_habits,
    exact=checked_switch,
    seconds=optional(checked_positive),
    most=whole(0),
    plays=_plays,
    seed=whole(0),
    cancelled=optional(instance(threading.Event, "a threading.Event")),
)
def play_values(
    spec: Specification,
    habits: Sequence[Habit] = (),
    *,
    exact: bool = True,
    seconds: float | None = None,
    most: int = MAX_STEPS,
    plays: int = 10_000,
    seed: int = 0,
    cancelled: threading.Event | None = None,
) -> PlayValues:
    """Compute a protocol's values; sample them if that would take too long.

    Parameters
    ----------
    spec : Specification
    habits : sequence of Habit
        How seats play; by default at random.
    exact : bool
        Whether to compute in fractions and not in floats, which is faster.
    seconds : float, optional
        The time that it may take. Half of it is for exact values; in the rest plays are sampled.
    most : int
        The most steps (a state and an option in it) to compute before sampling instead.
    plays : int
        How many plays to sample if there are too many states; 0 to raise an error instead.
    seed : int
        The seed of the sample.
    cancelled : threading.Event, optional
        Another thread sets it to end the work with a ``StoppedError``.

    Returns
    -------
    PlayValues
        The values, with the method that was used.

    Raises
    ------
    UnsupportedError
        If sampling is not allowed, or a play may be too long for it.
    TooLargeError
        If sampling takes more than about a minute. ``with Budget(...)`` allows more; see
        :mod:`nip_core.budget`.
    """
    play = GivenPlay(spec, habits)
    half = None if seconds is None else seconds / 2
    with for_document(most=MOST_WORK) as budget, Budget(cancelled=cancelled):
        try:
            # Half of what is left, so that something is left for sampling.
            with Budget(budget.left // 2, seconds=half):
                return _computed(spec, play, exact, most)
        except (UnsupportedError, TooLargeError, StoppedError) as error:
            if not plays or (cancelled is not None and cancelled.is_set()):
                raise
            if seconds is None and (
                spec.longest > MAX_SAMPLED_TURNS or isinstance(error, StoppedError)
            ):
                raise
        with Budget(seconds=half):
            return _sampled(spec, play, plays, seed)


def _computed(spec: Specification, play: GivenPlay, exact: bool, most: int) -> PlayValues:
    truth = spec.roles.truth
    forward = Forward(spec, play, exact, most, truth)
    pay, lengths = dict[str, Distribution](), None
    try:
        with Budget(3 * MOST_STEPS):
            whole = _Whole(spec, play, exact, None)
        laws = [Distribution.of(law.items()) for law in whole.total.first]
        pay, lengths = dict(zip(spec.seat_names, laws, strict=False)), laws[-1]
    except TooLargeError:
        pass
    total, size = forward.total, len(spec.seats)
    variances = [b - a * a for a, b in zip(total.first, total.second, strict=True)]
    return PlayValues(
        spec,
        "fractions" if exact else "floats",
        dict(zip(spec.seat_names, total.first, strict=False)),
        dict(zip(spec.seat_names, variances, strict=False)),
        dict.fromkeys(spec.seat_names, 0.0),
        turns=total.first[size],
        turns_variance=variances[size],
        bounds=_bounds(spec),
        pay=pay,
        lengths=lengths,
        **_judged(forward.verdicts, truth),
    )


class _Law(Mass):
    """The probability of a state, and each seat's pay so far with probabilities."""

    def scaled(self, share: Any) -> Mass:
        spend(10 + 2 * sum(map(len, self.first)), PLAYS)
        laws = [{value: chance * share for value, chance in law.items()} for law in self.first]
        return _Law(self.chance * share, laws, [])

    def pay(self, index: int, amount: Any) -> None:
        self.first[index] = {value + amount: chance for value, chance in self.first[index].items()}

    def add(self, other: Mass) -> None:
        self.chance += other.chance
        for law, more in zip(self.first, other.first, strict=True):
            for value, chance in more.items():
                law[value] = law.get(value, 0) + chance


class _Whole(Forward):
    def _mass(self, chance: int) -> Mass:
        number, zero = (Fraction, Fraction(0)) if self.exact else (float, 0.0)
        size = len(self.spec.seats) + 1
        laws = [{zero: number(chance)} if chance else {} for _ in range(size)]
        return _Law(number(chance), laws, [])


def _judged(
    verdicts: Mapping[tuple[Value, Option | None], Any], truth: str | None
) -> dict[str, Any]:
    """Return the fields about verdicts, from the probability of each verdict with each truth."""
    alone: dict[Value, Any] = {}
    truths: dict[Option | None, Any] = {}
    right: Any = 0
    for (verdict, true), chance in verdicts.items():
        alone[verdict] = alone.get(verdict, 0) + chance
        truths[true] = truths.get(true, 0) + chance
        right += chance * (verdict == true)
    if truth is None:
        return {"verdicts": alone}
    by_truth = {
        true: {
            verdict: chance / whole
            for (verdict, other), chance in verdicts.items()
            if other == true
        }
        for true, whole in truths.items()
        if true is not None
    }
    return {"verdicts": alone, "by_truth": by_truth, "right": right if {*alone} - {None} else None}


def _bounds(spec: Specification) -> dict[str, tuple[float, float]]:
    """Return bounds of each seat's pay, from the bounds of its rules and how often they apply."""
    acting: dict[str, int] = {}
    for stage, _, turn in spec.places():
        for seat in {act.seat for act in turn.acts}:
            acting[seat] = acting.get(seat, 0) + spec.times(stage)
    found = dict.fromkeys(spec.seat_names, (0.0, 0.0))
    for rule in spec.pay:
        often = 1 if rule.at == END else acting.get(rule.at) or spec.turns_with([rule.at])
        kind = spec.expression(rule.amount).kind
        for seat, factor in rule.to:
            ends = [0.0, *(often * float(factor * end) for end in (kind.low, kind.high))]
            low, high = found[seat]
            found[seat] = low + min(ends), high + max(ends)
    return found


def _sampled(spec: Specification, play: GivenPlay, plays: int, seed: int) -> PlayValues:
    rng = random.Random(seed)
    truth = spec.roles.truth
    costs = {pay.at == END: 0 for pay in spec.pay}
    for pay in spec.pay:
        expressions = spec.expression(pay.amount).cost + spec.expression(pay.when).cost
        costs[pay.at == END] += expressions + STEPS_OF_PAY * len(pay.to)
    seats = spec.seat_names
    counts: dict[str, dict[float, int]] = {name: {} for name in (*seats, "turns")}
    verdicts: dict[tuple[Value, Option | None], int] = {}
    done = 0
    try:
        for _ in range(plays):
            spend(costs.get(True, 0), SAMPLES, "the pay at the end")
            paid, verdict, true, turns = _one_play(spec, play, rng, costs.get(False, 0), truth)
            verdicts[verdict, true] = verdicts.get((verdict, true), 0) + 1
            for name, count in counts.items():
                amount = float(turns if name == "turns" else paid.get(name, 0))
                count[amount] = count.get(amount, 0) + 1
            done += 1
    except StoppedError:
        if done < 2:
            return _unknown(spec)
    laws = {
        name: Distribution.of((value, number / done) for value, number in count.items())
        for name, count in counts.items()
    }
    means = {name: float(law.mean) for name, law in laws.items()}
    # Rounding may give a value slightly below 0.
    variances = {
        name: max(0.0, float(law.variance)) * done / (done - 1) for name, law in laws.items()
    }
    return PlayValues(
        spec,
        "sampled",
        {seat: means[seat] for seat in seats},
        {seat: variances[seat] for seat in seats},
        {seat: math.sqrt(variances[seat] / done) for seat in seats},
        turns=means["turns"],
        turns_variance=variances["turns"],
        bounds=_bounds(spec),
        plays=done,
        pay={seat: laws[seat] for seat in seats},
        lengths=laws["turns"],
        **_judged({key: number / done for key, number in verdicts.items()}, truth),
    )


def _unknown(spec: Specification) -> PlayValues:
    """Return what is known without any play."""
    unknown = dict.fromkeys(spec.seat_names, math.nan)
    bounds = _bounds(spec)
    return PlayValues(spec, "bounds", unknown, unknown, unknown, {}, math.nan, math.nan, bounds)


def _one_play(
    spec: Specification, play: GivenPlay, rng: random.Random, cost: int, truth: str | None
) -> tuple[dict[str, Value], Value, Option | None, int]:
    """Return one play: each seat's pay, the verdict, the truth, and the number of turns.

    `cost` is that of the pay in each turn.
    """
    machine = spec.machine
    registers, turns = machine.blank(), 0
    for choice in spec.drawn:
        options = spec.options[choice.name]
        chances = play.chances(machine, choice, options, registers, None)
        registers = machine.recorded(registers, {choice.name: _picked(rng, options, chances)})
    place: Place | None = machine.first
    paid: dict[str, Value] = {}
    while True:
        turns += 1
        acts, now = machine.acts(place, registers), machine.here(place, registers)
        spend(cost + STEPS_OF_TURN * (1 + len(acts)), SAMPLES, "turn {} of a play", turns)
        made: dict[str, Option] = {}
        for act in acts:
            for name, _ in act.choose:
                options = machine.open_options(act, name, registers, made)
                spend(len(options), SAMPLES, "choice {!r}", name)
                choice = spec.choice(name)
                chances = (
                    machine.chances(choice, options, now)
                    if act.seat == CHANCE
                    else play.chances(machine, choice, options, now, place)
                )
                made[name] = _picked(rng, options, chances)
        registers = machine.recorded(registers, made, place)
        onward, _ = machine.onward(place, registers)
        after = {**machine.here(place, registers), OVER: onward is None}
        for seat, amount in machine.paid(events_of(acts, made, onward is None), after).items():
            paid[seat] = paid.get(seat, 0) + amount
        if onward is None:
            true = registers[truth] if truth else None
            return paid, spec.expression(spec.verdict).value(after), true, turns
        place = onward


def _picked(rng: random.Random, options: tuple[Option, ...], chances: list[Fraction]) -> Option:
    return rng.choices(options, [float(chance) for chance in chances])[0]
