"""A protocol's values under given play: exact with whole distributions, or sampled if too large."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from nip_core.budget import MOST_STEPS, Budget, for_document
from nip_core.displays import Table, Tabular, brief, line
from nip_core.errors import StoppedError, TooLargeError, UnsupportedError
from nip_core.language import GivenPlay, Habit, Specification
from nip_core.language.data import Option
from nip_core.language.expressions import Value
from nip_core.language.forward import Forward, Limit, Result
from nip_core.values.checks import (
    MOST_WHOLE,
    checked,
    checked_switch,
    checked_whole,
    instance,
    refuse,
    whole,
)
from nip_core.values.distributions import Distribution
from nip_core.values.features import Rules, pay_bounds, rules_of
from nip_core.values.intervals import betting_mean
from nip_core.values.solving import HABITS, LIMITS

__all__ = ["PlayValues", "play_values"]

# Steps (a state and an option in it) that take some seconds in fractions.
MAX_STEPS = 5_000_000
# The budget of steps for all of it: about a minute.
MOST_WORK = 60 * MOST_STEPS
# The steps for the distribution of one seat's pay, before it is sampled instead.
WHOLE_WORK = 700_000
# So many plays are sampled first if there is little time.
FEW_PLAYS = 200
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
        The distribution of each seat's pay. Missing only if it would take too long, and no plays
        may be sampled.
    from_plays : frozenset of str
        The seats whose distribution comes from sampled plays, since there are too many amounts.
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
    from_plays: frozenset[str] = frozenset()
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

    def right_interval(self, level: float = LEVEL) -> tuple[Any, Any] | None:
        """Return an interval for how often the verdict is the truth, in the same way."""
        if self.right is None:
            return None
        if self.exact:
            return self.right, self.right
        hits = Distribution.of([(1.0, self.right), (0.0, 1 - self.right)])
        return _interval(hits, self.plays, 0, 1, level)

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


def _plays(name: str, value: Any) -> None:
    if checked_whole(name, value, 0, MOST_WHOLE) == 1:
        refuse(name, value, "a whole number above 1, or 0")


@checked(
    spec=instance(Specification, "a protocol of version 2"),
    habits=HABITS,
    exact=checked_switch,
    plays=_plays,
    seed=whole(0),
    **{**LIMITS, "most": whole(0)},
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
        The time that it may take. Then there is always a result: from sampled plays, or only the
        bounds of pay, if there is no time for more.
    most : int
        The most steps (a state and an option in it) to compute before sampling instead.
    plays : int
        How many plays to sample if there are too many states. With 0, there is an error instead or,
        with `seconds`, only the bounds.
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
        If there are too many states and sampling is not allowed.
    TooLargeError
        If sampling takes more than about a minute. ``with Budget(...)`` allows more; see
        :mod:`nip_core.budget`.
    """
    play = GivenPlay(spec, habits)
    with for_document(most=MOST_WORK) as budget, Budget(cancelled=cancelled):
        if seconds is None:
            try:
                # Half of what is left, so that something is left for sampling.
                with Budget(budget.left // 2):
                    return _computed(spec, play, exact, most, plays, seed)
            except (UnsupportedError, TooLargeError):
                if not plays:
                    raise
            return _sampled(spec, play, plays, seed)
        found = _unknown(spec)
        # First something that is there at once, then what is exact, then more plays.
        tries = (
            (None, lambda: _sampled(spec, play, min(plays, FEW_PLAYS), seed)),
            (0.6 * seconds, lambda: _computed(spec, play, exact, most, plays, seed)),
            (None, lambda: _sampled(spec, play, plays, seed)),
        )
        with Budget(seconds=seconds):
            for time, values in tries if plays else tries[1:2]:
                try:
                    with Budget(budget.left // 2, seconds=time):
                        found = values()
                except (UnsupportedError, TooLargeError, StoppedError):
                    if cancelled is not None and cancelled.is_set():
                        raise
                if found.exact:
                    break
        return found


def _computed(
    spec: Specification, play: GivenPlay, exact: bool, most: int, plays: int, seed: int
) -> PlayValues:
    """Compute all values; distributions that would take too long come from sampled plays."""
    limit = Limit(spec.name, most)
    truth = spec.roles.truth
    ends = Forward(spec, play, Result(verdict=True, truth=truth), limit, exact=exact)

    def found(result: Result) -> _Amount:
        try:
            with Budget(WHOLE_WORK):
                within = Limit(spec.name, most)
                law = _law(Forward(spec, play, result, within, exact=exact).law)
            return _Amount(law.mean, law.variance, law)
        except (TooLargeError, UnsupportedError):
            pass
        kinds = [spec.expression(spec.pay[number].amount).kind for number in result.factors]
        fractions = exact and all(kind.exact for kind in kinds)
        total = Forward(spec, play, result, limit, exact=fractions, whole=False)
        law = None
        if plays:
            drawn = Forward(spec, play, result, limit, exact=False, plays=plays, seed=seed)
            law = _law(drawn.law, plays)
        return _Amount(total.mean, total.square - total.mean**2, law, plays)

    amounts, turns = _amounts(spec, found)
    zero = dict.fromkeys(spec.seat_names, 0.0)
    method: Method = "fractions" if exact else "floats"
    return _values(spec, method, amounts, turns, zero, 0, _judged(ends.verdicts, truth))


def _sampled(spec: Specification, play: GivenPlay, plays: int, seed: int) -> PlayValues:
    """Sample plays, for each seat on their own."""
    limit, truth, seeds = Limit(spec.name, None), spec.roles.truth, itertools.count(seed)

    def drawn(result: Result) -> Forward:
        return Forward(spec, play, result, limit, exact=False, plays=plays, seed=next(seeds))

    def found(result: Result) -> _Amount:
        law = _law(drawn(result).law, plays)
        return _Amount(float(law.mean), float(law.variance) * plays / (plays - 1), law, plays)

    counts = drawn(Result(verdict=True, truth=truth)).verdicts
    amounts, turns = _amounts(spec, found)
    errors = {seat: _root(amount.variance / plays) for seat, amount in amounts.items()}
    rates = {key: float(count) / plays for key, count in counts.items()}
    return _values(spec, "sampled", amounts, turns, errors, plays, _judged(rates, truth))


def _values(
    spec: Specification,
    method: Method,
    amounts: Mapping[str, _Amount],
    turns: _Amount,
    errors: Mapping[str, float],
    plays: int,
    judged: Mapping[str, Any],
) -> PlayValues:
    return PlayValues(
        spec,
        method,
        {seat: amount.mean for seat, amount in amounts.items()},
        {seat: amount.variance for seat, amount in amounts.items()},
        errors,
        turns=turns.mean,
        turns_variance=turns.variance,
        bounds=_bounds(spec),
        plays=plays,
        pay={seat: amount.law for seat, amount in amounts.items() if amount.law is not None},
        from_plays=frozenset(seat for seat, amount in amounts.items() if amount.plays),
        lengths=turns.law,
        **judged,
    )


@dataclass(frozen=True, slots=True)
class _Amount:
    """What a seat is paid, or how many turns there are."""

    mean: Any
    variance: Any
    law: Distribution | None
    plays: int = 0

    def times(self, factor: Fraction) -> _Amount:
        if factor == 1:
            return self
        law, by = self.law, factor if isinstance(self.mean, Fraction) else float(factor)
        if law is not None:
            number = factor if law.values.dtype == object else float(factor)
            order = slice(None, None, 1 if factor > 0 else -1)
            law = Distribution((law.values * number)[order], law.probabilities[order])
        return _Amount(self.mean * by, self.variance * by * by, law, self.plays)


def _law(chances: Mapping[Any, Any], plays: int = 0) -> Distribution:
    """Return the distribution of amounts, from their probabilities or counts."""
    if not plays:
        return Distribution.of(chances.items())
    return Distribution.of((float(a), float(count) / plays) for a, count in chances.items())


def _amounts(
    spec: Specification, found: Callable[[Result], _Amount]
) -> tuple[dict[str, _Amount], _Amount]:
    """Return what each seat is paid, and the number of turns."""
    known: dict[Rules, _Amount] = {}
    amounts: dict[str, _Amount] = {}
    for seat in spec.seat_names:
        rules, size = rules_of(spec, seat)
        if rules not in known:
            known[rules] = found(Result(dict(rules)))
        amounts[seat] = known[rules].times(size)
    return amounts, found(Result(turns=True))


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


def _unknown(spec: Specification) -> PlayValues:
    """Return what is known without any play."""
    unknown = dict.fromkeys(spec.seat_names, math.nan)
    bounds = _bounds(spec)
    return PlayValues(spec, "bounds", unknown, unknown, unknown, {}, math.nan, math.nan, bounds)


def _bounds(spec: Specification) -> dict[str, tuple[float, float]]:
    return {seat: (float(low), float(high)) for seat, (low, high) in pay_bounds(spec).items()}
