"""Choices of numbers with a required total: the options that are still open for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

__all__ = ["open_for_total", "reachable_total"]

# The most sums that are kept for the choices of one act, and the most additions.
MAX_SUMS = 20_000
MAX_ADDITIONS = 2_000_000


@lru_cache(maxsize=256)
def _sums(choices: tuple[tuple[int, ...], ...]) -> frozenset[int] | None:
    """Return all possible sums of some choices; None if there are too many to compute."""
    found = frozenset([0])
    if not choices:
        return found
    rest = _sums(choices[1:])
    if rest is None or len(rest) * len(choices[0]) > MAX_ADDITIONS:
        return None
    found = frozenset(one + other for one in choices[0] for other in rest)
    return found if len(found) <= MAX_SUMS else None


def reachable_total(choices: Sequence[tuple[int, ...]], total: int) -> bool:
    """Return whether one option of each choice can add up to the total."""
    sums = _sums(tuple(choices))
    return sums is not None and total in sums


def open_for_total(
    options: tuple[int, ...], rest: Sequence[tuple[int, ...]], left: int
) -> tuple[int, ...]:
    """Return the options with which the other choices can still reach the total."""
    sums = _sums(tuple(rest)) or frozenset()
    return tuple(option for option in options if left - option in sums)
