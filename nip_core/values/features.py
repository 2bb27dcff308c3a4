"""What is measured in play: each seat's pay, verdicts by the truth, pay by whether a side is true.

All of these add up over turns, so solvers need not keep in their states what was paid before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from nip_core.language.data import END
from nip_core.language.expressions import Value
from nip_core.language.liveness import VERDICT
from nip_core.language.machine import times
from nip_core.language.specification import Specification
from nip_core.values.checks import checked, instance

__all__ = [
    "Feature",
    "Features",
    "Goal",
    "Results",
    "Rules",
    "Sided",
    "Verdict",
    "amount_of",
    "goal_bounds",
    "pay_bounds",
    "right",
    "rules_of",
]


class Verdict(NamedTuple):
    """The feature whose value is the chance of a verdict together with a truth."""

    verdict: Value
    truth: Value


class Sided(NamedTuple):
    """The features of a seat that argues, by whether what it argues for is true.

    Parameters
    ----------
    seat : str
    what : {"pay", "chance"}
        What it is paid then, or how often it happens.
    is_true : bool
        For what is paid during play, what the seat argues for at that time counts.
    """

    seat: str
    what: str
    is_true: bool


Feature = str | Verdict | Sided
"""What is measured: the pay of a seat (its name), the chance of a verdict, or pay by side."""
Features = Mapping[Feature, Fraction]


Goal = Mapping[Feature, Fraction | int]
"""What a side wants: the weight of each feature, such as ``{"judge": 1}``; others count 0."""


@checked(spec=instance(Specification, "a Specification"))
def right(spec: Specification) -> Goal:
    """Return the goal that the verdict is the truth; empty if nothing says what is true."""
    return {Verdict(answer, answer): 1 for answer in spec.roles.answers}


def amount_of(goal: Goal, features: Features) -> Fraction:
    """Return how much of a goal features are."""
    return sum((features[f] * weight for f, weight in goal.items() if f in features), Fraction(0))


Rules = tuple[tuple[int, Fraction], ...]
"""The numbers of rules of pay, each with its factor."""


def rules_of(spec: Specification, seat: str) -> tuple[Rules, Fraction]:
    """Return the rules by which a seat is paid, as multiples of the first one's factor, and that.

    Many seats are paid the same as another one, or its negative.
    """
    factors = {
        number: factor
        for number, rule in enumerate(spec.pay)
        for to, factor in rule.to
        if to == seat and factor
    }
    size = next(iter(factors.values()), Fraction(1))
    return tuple((number, factor / size) for number, factor in factors.items()), size


def pay_bounds(spec: Specification) -> dict[str, tuple[Fraction, Fraction]]:
    """Return bounds of each seat's pay, from the bounds of its rules and how often they apply."""
    acting: dict[str, int] = {}
    for stage, _, turn in spec.places():
        for seat in {act.seat for act in turn.acts}:
            acting[seat] = acting.get(seat, 0) + spec.times(stage)
    found = dict.fromkeys(spec.seat_names, (Fraction(0), Fraction(0)))
    for rule in spec.pay:
        often = 1 if rule.at == END else acting.get(rule.at) or spec.turns_with([rule.at])
        kind = spec.expression(rule.amount).kind
        for seat, factor in rule.to:
            ends = [Fraction(0), *(often * Fraction(factor * end) for end in (kind.low, kind.high))]
            low, high = found[seat]
            found[seat] = low + min(ends), high + max(ends)
    return found


def goal_bounds(spec: Specification, goal: Goal) -> tuple[Fraction, Fraction]:
    """Return bounds of how much of a goal any play can be."""
    paid, low, high = pay_bounds(spec), Fraction(0), Fraction(0)
    verdicts = [Fraction(0)]
    for feature, weight in goal.items():
        if isinstance(feature, Verdict):
            # There is one verdict.
            verdicts.append(Fraction(weight))
            continue
        seat = _paid_in(feature)
        ends = [
            weight * end for end in ((Fraction(0), Fraction(1)) if seat is None else paid[seat])
        ]
        low, high = low + min(ends), high + max(ends)
    return low + min(verdicts), high + max(verdicts)


class Results:
    """The results of play, by number: rules of pay, the verdict, and whether sides are true.

    Parameters
    ----------
    spec : Specification
    measured : collection of Feature, optional
        Results that add to none of these are left out; by default all are measured.

    Attributes
    ----------
    reads : dict of int to tuple of str
        The registers on which each result depends.
    at_end : dict of int to frozenset of str
        The same for the results of the end, which count as soon as they are fixed.
    at : dict of str to list of int
        For each seat or choice, the rules by which it is paid for in play.
    """

    def __init__(self, spec: Specification, measured: Collection[Feature] | None = None) -> None:
        self.spec, self._truth = spec, spec.roles.truth
        self._sides = {
            seat.name: spec.expression(seat.argues)
            for seat in spec.seats
            if seat.argues != "none" and self._truth is not None
        }
        truth = frozenset({self._truth}) if self._truth is not None else frozenset[str]()
        self.at_end: dict[int, frozenset[str]] = {}
        if measured is None or any(isinstance(feature, Verdict) for feature in measured):
            self.at_end[VERDICT] = spec.expression(spec.verdict).reads | truth
        # Numbers below that of the verdict are the sides.
        self._arguing = dict(enumerate(self._sides, 1 - VERDICT))
        for number, seat in self._arguing.items():
            if measured is None or any(Sided(seat, "chance", b) in measured for b in (True, False)):
                self.at_end[-number] = self._sides[seat].reads | truth
        self.at: dict[str, list[int]] = {}
        reads = dict(self.at_end)
        paid = None if measured is None else {_paid_in(feature) for feature in measured}
        for number, pay in enumerate(spec.pay):
            if paid is not None and paid.isdisjoint(seat for seat, _ in pay.to):
                continue
            used = spec.expression(pay.amount).reads | spec.expression(pay.when).reads
            for seat, _ in pay.to:
                if seat in self._sides:
                    used |= self._sides[seat].reads | truth
            reads[number] = used
            if pay.at == END:
                self.at_end[number] = used
            else:
                self.at.setdefault(pay.at, []).append(number)
        self.reads = {number: tuple(sorted(used)) for number, used in reads.items()}
        self._known: dict[tuple[Any, ...], int] = {}
        # What each combination of a result and what it reads adds to features.
        self._counts: list[dict[Feature, Fraction]] = []
        self._features: dict[tuple[Any, ...], Features] = {}

    @property
    def wanted(self) -> Iterable[int]:
        """The numbers of all results that are measured."""
        return self.reads.keys()

    def at_events(self, events: Iterable[str]) -> list[int]:
        """Return the rules by which some events of a turn are paid for."""
        return [number for event in events for number in self.at.get(event, ())]

    def index(self, number: int, now: Mapping[str, Value]) -> int:
        """Return a number for what a result adds to features; -1 if it adds nothing."""
        key = (number, *[now[name] for name in self.reads[number]])
        index = self._known.get(key)
        if index is None:
            counts = self._added(number, now)
            index = self._known[key] = len(self._counts) if counts else -1
            if counts:
                self._counts.append(counts)
        return index

    def added(self, index: int) -> Features:
        """Return what the result with this number adds to features."""
        return self._counts[index]

    def features(self, weights: Mapping[int, int], whole: int) -> Features:
        """Return what results add up to, each with its weight of a whole."""
        key = (whole, *weights.items())
        features = self._features.get(key)
        if features is None:
            found: dict[Feature, Fraction] = {}
            for index, weight in weights.items():
                for feature, amount in self._counts[index].items():
                    found[feature] = found.get(feature, Fraction(0)) + amount * weight
            features = {feature: amount / whole for feature, amount in found.items()}
            self._features[key] = features
        return features

    def _added(self, number: int, now: Mapping[str, Value]) -> dict[Feature, Fraction]:
        spec = self.spec
        if number == VERDICT:
            truth = None if self._truth is None else now[self._truth]
            return {Verdict(spec.expression(spec.verdict).value(now), truth): Fraction(1)}
        if number < VERDICT:
            return {self._side(self._arguing[-number], "chance", now): Fraction(1)}
        amount = spec.machine.amount(spec.pay[number], now)
        found: dict[Feature, Fraction] = {}
        if not amount:
            return found
        for seat, factor in spec.pay[number].to:
            # Scores are logarithms, rounded once; their sums are exact.
            paid = Fraction(times(factor, amount))
            for feature in (seat, *([self._side(seat, "pay", now)] if seat in self._sides else ())):
                found[feature] = found.get(feature, Fraction(0)) + paid
        return found

    def _side(self, seat: str, what: str, now: Mapping[str, Value]) -> Sided:
        assert self._truth is not None
        return Sided(seat, what, self._sides[seat].value(now) == now[self._truth])


def _paid_in(feature: Feature) -> str | None:
    """Return the seat whose pay is measured."""
    if isinstance(feature, Sided):
        return feature.seat if feature.what == "pay" else None
    return feature if isinstance(feature, str) else None
