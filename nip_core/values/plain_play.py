"""A protocol's exact values under given play, without numpy: for browsers, which lack it.

:func:`~nip_core.values.play_values` also covers protocols that are too large for this, and may
sample them. Both are compared in the tests.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from nip_core.budget import MOVES, spend
from nip_core.displays import brief, line, text_html
from nip_core.language import Habit, Specification
from nip_core.language.expressions import Value
from nip_core.language.structure import Place
from nip_core.values.checks import checked, instance
from nip_core.values.features import Rules, Verdict, rules_of
from nip_core.values.replies import played
from nip_core.values.solving import HABITS
from nip_core.values.turns import State, Turns

__all__ = ["PlainValues", "plain_values"]


class PlainLaw(NamedTuple):
    """A distribution of amounts.

    Parameters
    ----------
    values, probabilities : tuple of Fraction
        The amounts, in order, and how likely each is.
    """

    values: tuple[Fraction, ...]
    probabilities: tuple[Fraction, ...]

    @property
    def mean(self) -> Fraction:
        """The mean."""
        return self._mean(self.values)

    @property
    def variance(self) -> Fraction:
        """The variance."""
        return self._mean([value * value for value in self.values]) - self.mean**2

    def _mean(self, values: Sequence[Fraction]) -> Fraction:
        pairs = zip(values, self.probabilities, strict=True)
        return sum((value * chance for value, chance in pairs), Fraction(0))

    def times(self, factor: Fraction) -> PlainLaw:
        """Return the distribution of amounts that are larger by a factor."""
        order = slice(None, None, 1 if factor > 0 else -1)
        return PlainLaw(tuple(v * factor for v in self.values)[order], self.probabilities[order])


@dataclass(frozen=True, slots=True)
class PlainValues:
    """The values of a protocol under given play; all numbers are exact.

    Parameters
    ----------
    spec : Specification
    pay : mapping of str to PlainLaw
        The distribution of each seat's pay.
    verdicts : mapping of verdict to Fraction
        How likely each verdict is.
    right : Fraction, optional
        How likely the verdict is the truth; None if nothing says what is true.
    lengths : PlainLaw
        The distribution of the number of turns.
    """

    spec: Specification
    pay: Mapping[str, PlainLaw]
    verdicts: Mapping[Value, Fraction]
    right: Fraction | None
    lengths: PlainLaw

    def __repr__(self) -> str:
        means = (f"{seat} {float(mean):.4g}" for seat, mean in self.means.items())
        return line(self, brief(self.spec.name), *means)

    def _repr_html_(self) -> str:
        return text_html(repr(self))

    @property
    def means(self) -> Mapping[str, Fraction]:
        """The mean of each seat's pay."""
        return {seat: law.mean for seat, law in self.pay.items()}

    @property
    def variances(self) -> Mapping[str, Fraction]:
        """The variance of each seat's pay."""
        return {seat: law.variance for seat, law in self.pay.items()}

    @property
    def turns(self) -> Fraction:
        """The mean number of turns."""
        return self.lengths.mean

    @property
    def exact(self) -> bool:
        """Whether it was computed and not sampled, as always."""
        return True

    @property
    def plays(self) -> int:
        """The number of sampled plays: none."""
        return 0

    def interval(self, seat: str) -> tuple[Fraction, Fraction]:
        """Return the mean twice, since it is exact."""
        return self.means[seat], self.means[seat]


@checked(spec=instance(Specification, "a protocol of version 2"), habits=HABITS)
def plain_values(spec: Specification, habits: Sequence[Habit] = ()) -> PlainValues:
    """Compute a protocol's values exactly, in plain Python.

    Parameters
    ----------
    spec : Specification
    habits : sequence of Habit
        How seats play; by default at random.

    Raises
    ------
    TooLargeError, StoppedError
        If that takes more than a :class:`~nip_core.budget.Budget` around the call allows.
    """

    def law(measured: Sequence[str], turn: int = 0) -> PlainLaw:
        return _law(Turns(spec, [], habits, measured=measured), measured, turn)

    known: dict[Rules, PlainLaw] = {}
    pay: dict[str, PlainLaw] = {}
    for seat in spec.seat_names:
        rules, size = rules_of(spec, seat)
        if rules not in known:
            known[rules] = law([seat]).times(1 / size)
        pay[seat] = known[rules].times(size)
    verdicts: dict[Value, Fraction] = {}
    right = Fraction(0)
    for feature, chance in played(Turns(spec, [], habits, measured=[Verdict(None, None)])).items():
        assert isinstance(feature, Verdict)
        verdicts[feature.verdict] = verdicts.get(feature.verdict, Fraction(0)) + chance
        right += chance * (feature.verdict == feature.truth)
    judged = spec.roles.truth is not None and verdicts.keys() != {None}
    return PlainValues(spec, pay, verdicts, right if judged else None, law([], 1))


def _law(turns: Turns, seats: Sequence[str], turn: int) -> PlainLaw:
    """Return the distribution of what seats are paid together, and of `turn` for each turn."""
    found: dict[Fraction, Fraction] = {}
    # For each state the chances of what was paid before.
    reached: dict[State, dict[Fraction, Fraction]] = {}
    queue: list[tuple[Place, int, State]] = []

    def paid(results: Iterable[int]) -> Fraction:
        added = [turns.results.added(index) for index in results]
        return sum((each.get(seat, _NONE) for each in added for seat in seats), _NONE)

    def go(state: State | None, amount: Fraction, chance: Fraction) -> None:
        law = found if state is None else reached.get(state)
        if law is None:
            assert state is not None
            law = reached[state] = {}
            heapq.heappush(queue, (state.place, state.number, state))
        law[amount] = law.get(amount, _NONE) + chance

    for chance, results, _, state in turns.beginnings():
        go(state, paid(results), chance)
    while queue:
        state = heapq.heappop(queue)[2]
        law, whole = reached.pop(state), turns.whole(state)
        onward: dict[tuple[State | None, Fraction], int] = {}
        for weight, results, _, after in turns.ways(state, ()):
            way = after, paid(results) + turn
            onward[way] = onward.get(way, 0) + weight
        spend(4 * len(law) * len(onward), MOVES)
        for (after, amount), weight in onward.items():
            share = Fraction(weight, whole)
            for before, chance in law.items():
                go(after, before + amount, chance * share)
    values = sorted(found)
    return PlainLaw(tuple(values), tuple(found[value] for value in values))


_NONE = Fraction(0)
