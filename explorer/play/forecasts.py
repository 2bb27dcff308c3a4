"""How good stated probabilities are: their scores, and how often those of each size came true.

A forecast is a whole number of percent, and whether the event happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from nip_core.language import log_score

T = TypeVar("T")

TENTH = 10
# Logarithmic scores clip probabilities to these percentages. If only the loss were bounded, it
# would pay to exaggerate near 0 and 100.
LEAST_SAID, MOST_SAID = 1, 99


def brier_score(percent: int, held: bool) -> float:
    """Return a forecast's Brier score: 0 is best, and always saying 50 costs 0.25."""
    return (percent / 100 - held) ** 2


def clipped_log_score(percent: int, held: bool) -> float:
    """Return a forecast's logarithmic score, to the base 2: 0 is best."""
    return log_score(min(max(percent, LEAST_SAID), MOST_SAID), held, 2, LEAST_SAID)


def by_tenth(stated: Iterable[T], percent: Callable[[T], int]) -> dict[tuple[int, int], list[T]]:
    """Return what was stated by the bounds of its tenth, in percent, from the lowest tenth on.

    Tenths without a probability are left out. The last tenth includes 100.
    """
    found: dict[tuple[int, int], list[T]] = {}
    for each in stated:
        low = min(percent(each) // TENTH, 100 // TENTH - 1) * TENTH
        found.setdefault((low, low + TENTH), []).append(each)
    return dict(sorted(found.items()))
