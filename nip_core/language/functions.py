"""The functions of the language: their arguments, their values, and how they are computed.

Each function is total: it has a value for all choices, which may be none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import median
from typing import Any

from nip_core.language.kinds import (
    MAX_DENOMINATOR_BITS,
    MAX_SIZE,
    KindError,
    ValueKind,
    joined,
    number,
)

__all__ = ["FUNCTIONS", "Function", "log_score"]

Value = Any
MAX_POWER = 1_000
MAX_ARGUMENTS = 64
DEFAULT_BASE, DEFAULT_FLOOR = Fraction(2), Fraction(1)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language.

    Parameters
    ----------
    usage : str
        Its usage, for messages.
    kind : callable
        Returns the kind of its value from the kinds of its arguments, or raises a KindError.
    work : callable
        Returns its value from its arguments, which are never none unless it is `lazy`.
    lazy : bool
        Whether it is also computed if an argument is none, since a choice is not made yet.
    """

    usage: str
    kind: Callable[[Sequence[ValueKind]], ValueKind]
    work: Callable[..., Value]
    lazy: bool = False


def _numbers(kinds: Sequence[ValueKind], least: int = 1, most: int = MAX_ARGUMENTS) -> ValueKind:
    if not least <= len(kinds) <= most or any(kind.name != "number" for kind in kinds):
        raise KindError("it takes numbers")
    return joined(kinds)


def _mean_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    amount = _numbers(kinds)
    return number(amount.low, amount.high, amount.denominator * len(kinds))


def _median_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    amount = _numbers(kinds)
    # The mean of two values, if their number is even.
    return number(amount.low, amount.high, amount.denominator * 2)


def _abs_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    amount = _numbers(kinds, most=1)
    most = max(abs(amount.low), abs(amount.high))
    return number(0, most, amount.denominator)


def _same_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if not kinds:
        raise KindError("it takes votes, which are all numbers or all options")
    kind = joined(kinds)
    if kind.name not in ("number", "option"):
        raise KindError("it takes votes, which are all numbers or all options")
    return kind


def _majority(*votes: Value) -> Value:
    """Return the most frequent vote; none if two are equally frequent."""
    leaders = Counter(vote for vote in votes if vote is not None).most_common(2)
    if not leaders or (len(leaders) == 2 and leaders[0][1] == leaders[1][1]):
        return None
    return leaders[0][0]


def _unanimous(*votes: Value) -> Value:
    return votes[0] if len(set(votes)) == 1 else None


def _at_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if len(kinds) < 2 or kinds[0].name != "number" or not kinds[0].whole:
        raise KindError("it takes a whole number and the values that this counts from 1")
    kind = joined(kinds[1:])
    if kind.name == "truth":
        raise KindError("it takes numbers or options to choose from")
    return kind


def _at(index: Value, *values: Value) -> Value:
    return values[int(index) - 1] if index is not None and 1 <= index <= len(values) else None


def _sum_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    _numbers(kinds)
    numbers = [kind for kind in kinds if kind.name == "number"]
    low, high = sum(kind.low for kind in numbers), sum(kind.high for kind in numbers)
    return number(low, high, math.lcm(*(kind.denominator for kind in numbers)))


def _count_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if not 1 <= len(kinds) <= MAX_ARGUMENTS or any(kind.name != "truth" for kind in kinds):
        raise KindError("it takes conditions")
    return number(0, len(kinds), 1)


def _find_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if len(kinds) < 2 or joined(kinds).name not in ("number", "option"):
        raise KindError("it takes a value and the values among which it is looked for")
    return number(1, len(kinds) - 1, 1)


def _find(wanted: Value, *values: Value) -> Value:
    return values.index(wanted) + 1 if wanted is not None and wanted in values else None


def _other_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if len(kinds) != 1 or kinds[0].name != "option" or len(kinds[0].options) != 2:
        options = ", ".join(sorted(kinds[0].options)) if len(kinds) == 1 else ""
        raise KindError(
            f"it takes a choice with exactly two options{f', not {options}' if options else ''}; "
            "with more, let chance choose the other side"
        )
    return kinds[0]


def _spherical_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if [kind.name for kind in kinds] != ["number", "truth"]:
        raise KindError("it takes a percentage and a condition")
    return number(-1, 1, 0)


def _before_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    return kinds[0]


def _same(value: Value) -> Value:
    return value


def _quadratic_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if [kind.name for kind in kinds] != ["number", "truth"]:
        raise KindError("it takes a percentage and a condition")
    ends = (Fraction(kinds[0].low) / 100, Fraction(kinds[0].high) / 100)
    worst = max((end - event) ** 2 for end in ends for event in (0, 1))
    return number(1 - worst, 1, (100 * kinds[0].denominator) ** 2)


def _quadratic(percent: Value, event: bool) -> Value:
    return 1 - (_share(percent) - event) ** 2


def _share(percent: Value) -> Value:
    return percent / 100 if isinstance(percent, float) else Fraction(percent) / 100


def _log_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    names = [kind.name for kind in kinds]
    if names[:2] != ["number", "truth"] or names[2:] not in ([], ["number"], ["number"] * 2):
        raise KindError("it takes a percentage, a condition, and perhaps a base and a floor")
    fixed = [kind.constant for kind in kinds[2:]]
    base, floor = (*fixed, *(DEFAULT_BASE, DEFAULT_FLOOR)[len(fixed) :])
    if base is None or base <= 1 or floor is None or not 0 < floor <= 100:
        raise KindError("the base is a fixed number above 1, the floor a fixed percentage above 0")
    try:
        least = math.floor(log_score(floor, True, base, floor))
    except (ValueError, ArithmeticError):
        raise KindError("its base is too close to 1 or too large, or its floor too small") from None
    return number(least, 0, 0)


# Whoever solves a protocol asks for the same few scores at each end of play.
@lru_cache(4_096)
def log_score(
    percent: Value, event: bool, base: Value = DEFAULT_BASE, floor: Value = DEFAULT_FLOOR
) -> float:
    """Return the logarithm of the probability that was stated for what happened.

    Parameters
    ----------
    percent : number
        The stated probability of the event.
    event : bool
        Whether it happened.
    base : number
    floor : number
        In percent; a lower probability counts as this one, so that scores are bounded.
    """
    chance = percent if event else 100 - percent
    share = _share(min(max(chance, floor), 100))
    if base == 2:
        return math.log2(share)
    return math.log(share) / math.log(base)


def _spherical(percent: Value, event: bool) -> float:
    share = float(_share(percent))
    return (share if event else 1 - share) / math.hypot(share, 1 - share)


def _power_kind(kinds: Sequence[ValueKind]) -> ValueKind:
    if [kind.name for kind in kinds] != ["number", "number"]:
        raise KindError("it takes a number and a whole number")
    base, exponent = kinds
    if not exponent.whole or exponent.low < 0 or exponent.high > MAX_POWER:
        raise KindError(f"its exponent is a whole number from 0 to {MAX_POWER:,}")
    size = max(abs(base.low), abs(base.high), 1)
    # Bounded by logarithms first, since the number itself may be too large to compute.
    if float(exponent.high) * math.log10(size) > math.log10(MAX_SIZE):
        raise KindError("it may become too large; lower the base or the exponent")
    # The same for denominators.
    bits = base.denominator.bit_length() * int(exponent.high)
    if base.denominator > 1 and bits > 2 * MAX_DENOMINATOR_BITS:
        raise KindError("it may need too many digits; lower the exponent, or round the base")
    most = size ** int(exponent.high)
    denominator = base.denominator ** int(exponent.high) if base.denominator else 0
    return number(-most if base.low < 0 else 0, most, denominator)


def _power(base: Value, exponent: Value) -> Value:
    return base ** int(exponent)


FUNCTIONS = {
    "majority": Function("majority(vote, ...)", _same_kind, _majority, lazy=True),
    "unanimous": Function("unanimous(vote, ...)", _same_kind, _unanimous, lazy=True),
    "mean": Function("mean(number, ...)", _mean_kind, lambda *v: sum(v) * Fraction(1, len(v))),
    "median": Function("median(number, ...)", _median_kind, lambda *v: median(_exactly(v))),
    "min": Function("min(number, ...)", _numbers, min),
    "max": Function("max(number, ...)", _numbers, max),
    "abs": Function("abs(number)", _abs_kind, abs),
    "power": Function("power(number, whole number)", _power_kind, _power),
    "at": Function("at(whole number, value, ...)", _at_kind, _at, lazy=True),
    "sum": Function("sum(number, ...)", _sum_kind, lambda *v: sum(v)),
    "count": Function("count(condition, ...)", _count_kind, lambda *v: sum(map(bool, v))),
    "find": Function("find(value, among, ...)", _find_kind, _find, lazy=True),
    "other": Function("other(choice)", _other_kind, _same),
    "before": Function("before(choice)", _before_kind, _same),
    "quadratic": Function("quadratic(percent, condition)", _quadratic_kind, _quadratic),
    "log": Function("log(percent, condition, base, floor percent)", _log_kind, log_score),
    "spherical": Function("spherical(percent, condition)", _spherical_kind, _spherical),
}
"""The functions by name. The checker of expressions handles ``other`` and ``before`` itself."""


def _exactly(values: Sequence[Value]) -> list[Value]:
    return [value if isinstance(value, float) else Fraction(value) for value in values]
