"""What all solvers share: the kinds of their arguments, and how their results say what they are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nip_core.displays import Tabular
from nip_core.errors import ModelError, TooLargeError, show
from nip_core.language import Habit, Specification
from nip_core.values.checks import Kind, checked_positive, instance, optional, refuse, whole
from nip_core.values.features import Goal

__all__ = [
    "A_GOAL",
    "GOAL",
    "HABITS",
    "LIMITS",
    "SOLVING",
    "Solved",
    "a_side",
    "all_are",
    "not_computed",
    "pay_of",
    "sides_of",
    "why",
]

NOT_COMPUTED = "not computed: "


class Solved(Tabular):
    """A mixin for results: exact, an interval of which both ends are certain, or a reason."""

    how: str

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.how == "exact"

    @property
    def reason(self) -> str:
        """Why it was not computed; empty if it was."""
        is_missing = self.how.startswith(NOT_COMPUTED)
        return self.how.removeprefix(NOT_COMPUTED) if is_missing else ""


def why(error: Exception, most: int | None = None, what: str = "moves") -> str:
    """Return why work was stopped, as the end of a sentence; `most` is its limit of moves."""
    if isinstance(error, TooLargeError) and most is not None:
        return f"more than {most:,} {what}"
    text = str(error)
    return text[0].lower() + text[1:].rstrip(".")


def not_computed(error: Exception, most: int | None = None, what: str = "moves") -> str:
    """Return how a result was found whose computation was stopped."""
    return NOT_COMPUTED + why(error, most, what)


def sides_of(spec: Specification, *sides: str | Iterable[str]) -> list[frozenset[str]]:
    """Return the seats of each side, given one or several, if each belongs to one side only."""
    found = [frozenset([seats] if isinstance(seats, str) else seats) for seats in sides]
    met = set[str]()
    for side in found:
        for seat in sorted(side):
            spec.seat(seat)
            if seat in met:
                raise ModelError(f"The seat {show(seat)} must be on one side only.")
            met.add(seat)
    return found


def pay_of(side: Iterable[str]) -> Goal:
    """Return the goal of a side that wants what its seats are paid."""
    return dict.fromkeys(sorted(side), 1)


# -- kinds of arguments ----------------------------------------------------------------------------


def a_side(name: str, value: Any) -> None:
    """Return a seat, or several."""
    if isinstance(value, str):
        return
    if not isinstance(value, Iterable) or not all(isinstance(seat, str) for seat in _items(value)):
        refuse(name, value, "the name of a seat, or names of seats that pool what they know")


def _items(value: Any) -> Iterable[object]:
    return value


def all_are(is_one: Callable[[object], bool], allowed: str) -> Kind:
    """Return a kind of lists and tuples."""

    def each_is(name: str, value: Any) -> None:
        if not isinstance(value, list | tuple) or not all(map(is_one, _items(value))):
            refuse(name, value, f"a list or tuple of {allowed}")

    return each_is


def _is_player(value: object) -> bool:
    # What the protocol `Player` of turns.py says.
    asked = ("seats", "noticed", "begin", "chances", "after")
    return all(hasattr(value, part) for part in asked)


A_GOAL = instance(Mapping, "a goal: the weight of each feature, such as {'judge': 1}")
GOAL = optional(A_GOAL)
HABITS = all_are(lambda one: isinstance(one, Habit), "habits")
LIMITS: dict[str, Kind] = {
    "seconds": optional(checked_positive),
    "most": optional(whole(0)),
    "cancelled": optional(instance(threading.Event, "a threading.Event")),
}
SOLVING: dict[str, Kind] = {
    "spec": instance(Specification, "a Specification"),
    "habits": HABITS,
    "players": all_are(_is_player, "players, such as plans"),
    **LIMITS,
}
"""The arguments that all solvers take."""
