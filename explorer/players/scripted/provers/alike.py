"""The similarity of two texts, by the letters that they have in common in the same order."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

__all__ = ["likeness", "most_alike"]


@lru_cache(maxsize=65_536)
def likeness(first: str, second: str) -> float:
    """Return how alike two texts are, of 100: twice the letters in common, of all letters."""
    both = len(first) + len(second)
    # Written as distances, so that rounding gives the same figures as RapidFuzz's ratio.
    return (1.0 - (both - 2 * _in_common(first, second)) / both) * 100 if both else 100.0


def most_alike(
    text: str, choices: Iterable[str], *, at_least: float = 0.0
) -> tuple[str, float] | None:
    """Return the first of the most similar choices, and how alike; None if none is enough."""
    best: tuple[str, float] | None = None
    for choice in choices:
        # No two texts are more alike than their lengths allow.
        shorter, longer = sorted((len(text), len(choice)))
        needed = at_least if best is None else best[1]
        if shorter < longer and 200.0 * shorter / (shorter + longer) < needed - 1e-9:
            continue
        found = likeness(text, choice)
        if found > needed or (best is None and found >= at_least):
            best = choice, found
    return best


def _in_common(first: str, second: str) -> int:
    """Return the length of the longest common subsequence, with a row of its table as one integer.

    Hyyrö's bit-parallel algorithm: a bit for each letter of the first text, cleared where the row
    goes up by one.
    """
    places: dict[str, int] = {}
    for place, letter in enumerate(first):
        places[letter] = places.get(letter, 0) | 1 << place
    full = (1 << len(first)) - 1
    row = full
    for letter in second:
        met = row & places.get(letter, 0)
        row = ((row + met) | (row - met)) & full
    return len(first) - row.bit_count()
