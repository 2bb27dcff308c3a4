"""The kinds of values: truth values, numbers within bounds, and options of a finite set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from nip_core.budget import EXPRESSIONS, spend

__all__ = [
    "MAX_SIZE",
    "NOTHING",
    "TRUTH",
    "KindError",
    "Rational",
    "ValueKind",
    "collected",
    "joined",
    "number",
    "option",
    "remedy",
]

# The limit on amounts in version 1.
MAX_SIZE = 10**30
# About 1,200 digits: without a limit, the digits of fractions multiply with every operation.
MAX_DENOMINATOR_BITS = 4_000
_ROUND = 10**9

Rational = int | Fraction


class KindError(Exception):
    """A value has the wrong kind. The code that catches this adds the place."""


@dataclass(frozen=True, slots=True)
class ValueKind:
    """The possible values of an expression. All kinds except truth values include none.

    Parameters
    ----------
    name : {"truth", "number", "option", "none"}
    low, high : int or Fraction
        Bounds of a number. Whole ones are of type int, which is many times faster.
    denominator : int
        A common denominator of all possible values of a number; 0 if it is rounded, so that it is
        computed in floating point.
    options : frozenset of str
        The possible options.
    """

    name: str
    low: Rational = 0
    high: Rational = 0
    denominator: int = 1
    options: frozenset[str] = frozenset()

    @property
    def exact(self) -> bool:
        """Whether a number is rational, so that it is computed without rounding."""
        return self.denominator != 0

    @property
    def whole(self) -> bool:
        """Whether a number is certainly whole."""
        return self.denominator == 1

    @property
    def constant(self) -> Rational | None:
        """The number, if only one is possible."""
        return self.low if self.name == "number" and self.low == self.high else None

    @property
    def said(self) -> str:
        """The kind in words."""
        if self.name == "option":
            return f"one of {', '.join(sorted(self.options)[:8])}"
        return {"truth": "a condition", "number": "a number", "none": "none"}[self.name]


def remedy(wanted: str, kind: ValueKind) -> str:
    """Return how to write an expression of another kind with a given one."""
    first = min(kind.options, default="A")
    if wanted == "truth":
        compared = {"number": "> 0", "option": f"= {first}"}.get(kind.name)
        return f"Compare it, such as `{compared}`." if compared else "Write `true` or `false`."
    condition = {"truth": "condition", "option": f"... = {first}"}.get(kind.name, "...")
    if wanted == "number":
        return f"Write `1 if {condition} else 0`, or other numbers."
    return f"Write an option, or `A if {condition} else B`."


TRUTH, NOTHING = ValueKind("truth"), ValueKind("none")


def number(low: Rational, high: Rational, denominator: int) -> ValueKind:
    """Return the kind of numbers between two bounds with a common denominator (0: rounded).

    Raises
    ------
    KindError
        If a bound or the denominator is too large.
    """
    if low < -MAX_SIZE or high > MAX_SIZE:
        raise KindError(f"it may be larger than {MAX_SIZE:.0e}, the most that is allowed")
    if denominator.bit_length() > MAX_DENOMINATOR_BITS:
        digits = int(MAX_DENOMINATOR_BITS * math.log10(2))
        raise KindError(
            f"it may need fractions with more than {digits:,} digits; write numbers with fewer "
            "decimals"
        )
    if not denominator:
        # Bounds of rounded numbers need not be exact, and would have ever more digits.
        low = Fraction(math.floor(low * _ROUND), _ROUND)
        high = Fraction(math.ceil(high * _ROUND), _ROUND)
    return ValueKind("number", low, high, denominator)


def option(*options: str) -> ValueKind:
    """Return the kind of these options."""
    return ValueKind("option", options=frozenset(options))


def joined(kinds: Sequence[ValueKind]) -> ValueKind:
    """Return the kind that includes several kinds, which must be compatible.

    Raises
    ------
    KindError
        If they are not.
    """
    valued = [kind for kind in kinds if kind.name != "none"]
    if not valued:
        return NOTHING
    if len({kind.name for kind in valued}) > 1:
        names = " and ".join(dict.fromkeys(kind.said for kind in valued))
        raise KindError(f"values of different kinds stand together: {names}")
    if valued[0].name == "number":
        low, high = min(kind.low for kind in valued), max(kind.high for kind in valued)
        return number(low, high, math.lcm(*(kind.denominator for kind in valued)))
    spend(sum(len(kind.options) for kind in valued) // 6, EXPRESSIONS)
    return ValueKind(
        valued[0].name, options=frozenset[str]().union(*(kind.options for kind in valued))
    )


def collected(way: str, kind: ValueKind, often: int) -> ValueKind:
    """Return the kind of what is collected up to `often` times from values of a kind.

    Raises
    ------
    KindError
        If such values cannot be collected in this way.
    """
    if way == "count":
        return number(0, often, 1)
    if kind.name == "truth":
        raise KindError(f"`{way}` takes a value, not a condition; write what it is if it holds")
    if way in ("first", "last"):
        return kind
    if kind.name != "number":
        raise KindError(f"`{way}` takes a number, not {kind.said}")
    if way == "sum":
        low, high = min(0, often * kind.low), max(0, often * kind.high)
        return number(low, high, kind.denominator)
    return kind
