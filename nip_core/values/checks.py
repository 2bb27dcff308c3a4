"""Checks of arguments; an error names the argument, its value and the allowed kind.

Public functions declare the kinds of their arguments in one line::

    @checked(handler=a_protocol, prior=checked_chance)
    def random_play(handler, *, prior): ...
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, NoReturn, ParamSpec, TypeVar

from nip_core.errors import ModelError, did_you_mean, known_names, show
from nip_core.handler import ProtocolHandler
from nip_core.language.rounds import Rounds
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_names, published_names, version_2
from nip_core.spec import ProtocolSpec

__all__ = [
    "Kind",
    "a_protocol",
    "check",
    "checked",
    "checked_array",
    "checked_chance",
    "checked_level",
    "checked_limit",
    "checked_positive",
    "checked_records",
    "checked_switch",
    "checked_whole",
    "instance",
    "optional",
    "refuse",
    "whole",
]

P = ParamSpec("P")
T = TypeVar("T")

Kind = Callable[[str, Any], object]
"""Takes the name of an argument and its value; returns the value or raises an error."""

MOST_WHOLE = (1 << 63) - 1


def checked(**kinds: Kind) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a function refuse arguments of other kinds."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            check(bound.arguments, kinds)
            return function(*args, **kwargs)

        return guarded

    return decorate


def check(given: Mapping[str, Any], kinds: Mapping[str, Kind]) -> None:
    """Refuse values that are not of their kinds."""
    for name, kind in kinds.items():
        kind(f"argument {name!r}", given[name])


def refuse(name: str, value: Any, allowed: str, hint: str = "") -> NoReturn:
    """Say what is wrong with a value."""
    raise ModelError(f"The {name} is {show(value)}; it must be {allowed}.{hint}")


# -- kinds -----------------------------------------------------------------------------------------


def instance(kind: type | tuple[type, ...], allowed: str) -> Kind:
    """Return an object of a class."""

    def of_class(name: str, value: Any) -> None:
        if not isinstance(value, kind):
            refuse(name, value, allowed)

    return of_class


def a_protocol(name: str, value: Any) -> None:
    """Return a protocol with one verdict from anything that identifies one.

    Others are refused with the first part that does not fit, and with what to use instead.
    """
    spec = version_2(value)
    if spec is not None:
        Rounds.of(spec)
        return
    if isinstance(value, str):
        known = [*protocol_names(), *published_names()]
        if value not in known:
            hint = did_you_mean(value, known)
            refuse(name, value, "a protocol", f"{hint}{known_names(map(repr, known))}")
        return
    known = ProtocolSpec | ProtocolHandler | HyperParameters
    is_class = isinstance(value, type) and issubclass(value, ProtocolHandler)
    if not (is_class or isinstance(value, known)):
        refuse(
            name,
            value,
            "a protocol: its name, a specification, a handler, or HyperParameters",
        )


checked_switch = instance(bool, "True or False")


def optional(kind: Kind) -> Kind:
    """Return None or a value of a kind."""
    return lambda name, value: None if value is None else kind(name, value)


def whole(least: int, most: int = MOST_WHOLE) -> Kind:
    """Return a whole number within bounds."""
    return lambda name, value: checked_whole(name, value, least, most)


def checked_whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number from `least` on."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    found = int(value) if is_whole else None
    if found is None or found < least or (most is not None and found > most):
        is_open = most is None or most == MOST_WHOLE
        reach = f"from {least} on" if is_open else f"from {least} to {most}"
        refuse(name, value, f"a whole number {reach}")
    return found


def _is_number(value: Any) -> bool:
    """Return whether a value is a real number that a float can represent, including infinity."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(value)
    except OverflowError:
        return False


def checked_limit(name: str, value: Any) -> None:
    """Return a number or infinity."""
    if not _is_number(value):
        refuse(name, value, "a number, which may be infinite")


def checked_positive(name: str, value: Any) -> None:
    """Return a finite number above 0."""
    if not _is_number(value) or not 0 < value < math.inf:
        refuse(name, value, "a finite number above 0")


def checked_chance(name: str, value: Any) -> float:
    """Return a number from 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        refuse(name, value, "a number from 0 to 1")
    return float(value)


def checked_level(name: str, value: Any) -> None:
    """Return a number between 0 and 1."""
    if not _is_number(value) or not 0 < value < 1:
        refuse(name, value, "a number above 0 and below 1")


def checked_array(name: str, value: Any) -> None:
    """Return finite numbers in any shape."""
    # Imported here, since browsers lack it.
    import numpy as np

    try:
        floats = np.asarray(value, dtype=float)
        is_fit = np.asarray(value).dtype.kind in "iufO" and np.isfinite(floats).all()
    except (TypeError, ValueError, OverflowError):
        is_fit = False
    if not is_fit:
        refuse(name, value, "an array of finite numbers")


def checked_records(name: str, value: Any) -> None:
    """Return an iterable of records."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        refuse(name, value, "records, one after the other")
