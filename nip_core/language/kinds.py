"""The kinds of values: truth values, numbers within bounds, and options of a finite set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["MAX_SIZE", "NOTHING", "TRUTH", "Kind", "KindError", "joined", "number", "option"]

# The limit on amounts in version 1.
MAX_SIZE = 10**30


class KindError(Exception):
    """A value has the wrong kind. The code that catches this adds the place."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The possible values of an expression. All kinds except truth values include none.

    Parameters
    ----------
    name : {"truth", "number", "option", "none"}
    low, high : Fraction
        Bounds of a number.
    exact : bool
        Whether a number is rational, so that it is computed without rounding.
    whole : bool
    options : frozenset of str
        The possible options.
    """

    name: str
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    exact: bool = True
    whole: bool = False
    options: frozenset[str] = frozenset()

    @property
    def constant(self) -> Fraction | None:
        """The number, if only one is possible."""
        return self.low if self.name == "number" and self.low == self.high else None

    @property
    def said(self) -> str:
        """The kind in words."""
        if self.name == "option":
            return f"one of {', '.join(sorted(self.options)[:8])}"
        return {"truth": "a condition", "number": "a number", "none": "none"}[self.name]


TRUTH, NOTHING = Kind("truth"), Kind("none")


def number(low: Fraction, high: Fraction, exact: bool = True, whole: bool = False) -> Kind:
    """Return the kind of numbers between two bounds.

    Raises
    ------
    KindError
        If a bound is too large.
    """
    if max(abs(low), abs(high)) > MAX_SIZE:
        raise KindError(f"it may be larger than {MAX_SIZE:.0e}, the most that is allowed")
    return Kind("number", low, high, exact, whole)


def option(*options: str) -> Kind:
    """Return the kind of these options."""
    return Kind("option", options=frozenset(options))


def joined(kinds: Sequence[Kind]) -> Kind:
    """Return the kind that includes several kinds, which must be compatible.

    Raises
    ------
    KindError
        If they are not.
    """
    found = [kind for kind in kinds if kind.name != "none"]
    if not found:
        return NOTHING
    if len({kind.name for kind in found}) > 1:
        said = " and ".join(dict.fromkeys(kind.said for kind in found))
        raise KindError(f"values of different kinds stand together: {said}")
    return Kind(
        found[0].name,
        min(kind.low for kind in found),
        max(kind.high for kind in found),
        all(kind.exact for kind in found),
        all(kind.whole for kind in found),
        frozenset[str]().union(*(kind.options for kind in found)),
    )
