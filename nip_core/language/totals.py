"""Choices of numbers with a required total: the options that are still open for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from nip_core.budget import TOTALS, spend

__all__ = ["open_for_total", "reachable_total"]

# The most sums that are kept for the choices of one act, and the most additions to find them.
MAX_SUMS = 20_000
MAX_ADDITIONS = 2_000_000


@lru_cache(maxsize=256)
def _sums(choices: tuple[tuple[int, ...], ...]) -> tuple[frozenset[int] | None, int]:
    """Return all possible sums of some choices (None if there are too many), and the additions."""
    if not choices:
        return frozenset([0]), 0
    rest, additions = _sums(choices[1:])
    additions += len(choices[0]) * len(rest or ())
    if rest is None or additions > MAX_ADDITIONS:
        return None, min(additions, MAX_ADDITIONS)
    sums = frozenset(one + other for one in choices[0] for other in rest)
    return sums if len(sums) <= MAX_SUMS else None, additions


def reachable_total(choices: Sequence[tuple[int, ...]], total: int) -> bool:
    """Return whether one option of each choice can add up to the total."""
    sums, additions = _sums(tuple(choices))
    # Also if the sums were known, so that a document is refused or accepted every time.
    spend(additions // 8, TOTALS)
    return sums is not None and total in sums


def open_for_total(
    options: tuple[int, ...], rest: Sequence[tuple[int, ...]], left: int
) -> tuple[int, ...]:
    """Return the options with which the other choices can still reach the total."""
    sums, _ = _sums(tuple(rest))
    return tuple(option for option in options if left - option in (sums or ()))
