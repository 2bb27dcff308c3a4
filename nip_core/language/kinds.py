"""The kinds of values: truths, numbers within bounds, and options out of a finite set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["MAX_SIZE", "NOTHING", "TRUTH", "Kind", "KindError", "joined", "number", "option"]

# As large as the amounts of a version 1 protocol may be.
MAX_SIZE = 10**30


class KindError(Exception):
    """A value is not of the kind that is needed; the code that catches this says where."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What an expression may be worth; besides, all but truths may be none.

    Parameters
    ----------
    name : {"truth", "number", "option", "none"}
    low, high : Fraction
        Bounds of a number.
    exact : bool
        Is a number rational, so that it is worked out without rounding?
    whole : bool
    options : frozenset of str
        The options that may come.
    """

    name: str
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    exact: bool = True
    whole: bool = False
    options: frozenset[str] = frozenset()

    @property
    def constant(self) -> Fraction | None:
        """The number, if it can only be this one."""
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
        If they may be too large.
    """
    if max(abs(low), abs(high)) > MAX_SIZE:
        raise KindError(f"it may be larger than {MAX_SIZE:.0e}, the most that is allowed")
    return Kind("number", low, high, exact, whole)


def option(*options: str) -> Kind:
    """Return the kind of these options."""
    return Kind("option", options=frozenset(options))


def joined(kinds: Sequence[Kind]) -> Kind:
    """Return the kind of a value that is of one of several kinds, which must go together.

    Raises
    ------
    KindError
        If they do not.
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
