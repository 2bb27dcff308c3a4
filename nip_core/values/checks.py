"""What may be given: numbers of the right kind, or an error that names them."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from nip_core.errors import ModelError, show

__all__ = ["checked_chance", "checked_number", "checked_whole"]


def checked_whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number from `least` on."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    found = int(value) if is_whole else None
    if found is None or found < least or (most is not None and found > most):
        reach = f"from {least} on" if most is None else f"from {least} to {most}"
        raise ModelError(f"The {name} is {show(value)}; it must be a whole number {reach}.")
    return found


def checked_number(name: str, value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(float(value)):
        raise ModelError(f"The {name} is {show(value)}; it must be a finite number.")
    return float(value)


def checked_chance(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ModelError(f"The {name} is {show(value)}; a chance is a number from 0 to 1.")
    return float(value)
