"""A protocol's value for each seat under given play: exact, or sampled if that takes too long."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from nip_core.budget import MOST_STEPS, SAMPLES, Budget, for_document, spend
from nip_core.displays import Table, Tabular, brief, line
from nip_core.errors import ModelError, TooLargeError, UnsupportedError, show
from nip_core.language.data import CHANCE, END, Option
from nip_core.language.expressions import OVER, Value
from nip_core.language.forward import Forward
from nip_core.language.given import GivenPlay, Habit
from nip_core.language.machine import events_of
from nip_core.language.specification import Specification
from nip_core.language.structure import Place

__all__ = ["PlayValues", "play_values"]

# Steps (a state and an option in it) that take some seconds in fractions.
MAX_STEPS = 200_000
MAX_SAMPLED_TURNS = 20_000
# The budget of steps for all of it: about a minute.
MOST_WORK = 60 * MOST_STEPS
# Of a sampled play: for a turn, and for each act in it; and for each seat that a rule pays.
STEPS_OF_TURN, STEPS_OF_PAY = 20, 6
Method = Literal["fractions", "floats", "sampled"]


@dataclass(frozen=True)
class PlayValues(Tabular):
    """The values of a protocol under given play.

    Parameters
    ----------
    spec : Specification
    method : {"fractions", "floats", "sampled"}
        How it was computed: exactly, exactly up to rounding, or from sampled plays.
    means, variances : mapping of str to number
        The means and variances of each seat's pay. Fractions if nothing was rounded.
    errors : mapping of str to float
        The standard errors of the means; 0 unless sampled.
    verdicts : mapping of verdict to number
        The probabilities of verdicts.
    turns, turns_variance : number
        The mean and variance of the number of turns.
    plays : int
        The number of sampled plays.
    """

    spec: Specification
    method: Method
    means: Mapping[str, Any]
    variances: Mapping[str, Any]
    errors: Mapping[str, float]
    verdicts: Mapping[Value, Any]
    turns: Any
    turns_variance: Any
    plays: int = 0

    def __repr__(self) -> str:
        means = (f"{seat} {float(mean):.4g}" for seat, mean in self.means.items())
        return line(self, brief(self.spec.name), self.method, *means)

    @property
    def rounded(self) -> frozenset[str]:
        """The seats whose mean is a float, because of the method or of a score."""
        return frozenset(s for s, mean in self.means.items() if isinstance(mean, float))

    @property
    def on_the_word_of(self) -> Mapping[str, str]:
        """What is assumed to be true on the word of a seat (or the task), with its source."""
        return {what: by for what, (by, _) in self.spec.statements.items()}

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


def _root(variance: Any) -> float:
    # Rounding of floats may give a value slightly below 0.
    return math.sqrt(max(0.0, float(variance)))


def play_values(
    spec: Specification,
    habits: Iterable[Habit] = (),
    *,
    exact: bool = True,
    plays: int = 10_000,
    seed: int = 0,
    most: int = MAX_STEPS,
) -> PlayValues:
    """Compute a protocol's value; sample it if that would take too long.

    Parameters
    ----------
    spec : Specification
    habits : iterable of Habit
        How seats play; by default at random.
    exact : bool
        Whether to compute in fractions and not in floats, which is faster.
    plays : int
        How many plays to sample if there are too many states; 0 to raise an error instead.
    seed : int
        The seed of the sample.
    most : int
        The most steps (a state and an option in it) to compute before sampling instead.

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
    if type(plays) is not int or plays < 0 or plays == 1:
        raise ModelError(f"plays is {show(plays)}; it must be a whole number above 1, or 0.")
    with for_document(most=MOST_WORK) as budget:
        try:
            # Half of what is left, so that something is left for sampling.
            with Budget(budget.left // 2):
                forward = Forward(spec, play, exact, most)
        except (UnsupportedError, TooLargeError):
            if not plays or spec.longest > MAX_SAMPLED_TURNS:
                raise
            return _sampled(spec, play, plays, seed)
    total, size = forward.total, len(spec.seats)
    variances = [b - a * a for a, b in zip(total.first, total.second, strict=True)]
    return PlayValues(
        spec,
        "fractions" if exact else "floats",
        dict(zip(spec.seat_names, total.first, strict=False)),
        dict(zip(spec.seat_names, variances, strict=False)),
        dict.fromkeys(spec.seat_names, 0.0),
        forward.verdicts,
        total.first[size],
        variances[size],
    )


def _sampled(spec: Specification, play: GivenPlay, plays: int, seed: int) -> PlayValues:
    rng = random.Random(seed)
    names = [*spec.seat_names, "turns"]
    costs = {pay.at == END: 0 for pay in spec.pay}
    for pay in spec.pay:
        expressions = spec.expression(pay.amount).cost + spec.expression(pay.when).cost
        costs[pay.at == END] += expressions + STEPS_OF_PAY * len(pay.to)
    sums, squares = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    verdicts: dict[Value, int] = {}
    for _ in range(plays):
        spend(costs.get(True, 0), SAMPLES, "the pay at the end")
        paid, verdict, turns = _one_play(spec, play, rng, costs.get(False, 0))
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        for name in names:
            amount = float(turns if name == "turns" else paid.get(name, 0))
            sums[name] += amount
            squares[name] += amount * amount
    means = {name: value / plays for name, value in sums.items()}
    # Rounding may give a value slightly below 0.
    variances = {
        name: max(0.0, (squares[name] - plays * mean * mean) / (plays - 1))
        for name, mean in means.items()
    }
    seats = spec.seat_names
    return PlayValues(
        spec,
        "sampled",
        {seat: means[seat] for seat in seats},
        {seat: variances[seat] for seat in seats},
        {seat: math.sqrt(variances[seat] / plays) for seat in seats},
        {verdict: number / plays for verdict, number in verdicts.items()},
        means["turns"],
        variances["turns"],
        plays,
    )


def _one_play(
    spec: Specification, play: GivenPlay, rng: random.Random, cost: int
) -> tuple[dict[str, Value], Value, int]:
    """Return one play: each seat's pay, the verdict, and the number of turns.

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
            return paid, spec.expression(spec.verdict).value(after), turns
        place = onward


def _picked(rng: random.Random, options: tuple[Option, ...], chances: list[Fraction]) -> Option:
    return rng.choices(options, [float(chance) for chance in chances])[0]
