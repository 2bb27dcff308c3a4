"""Measuring times: the best of several rounds, each long enough for the clock.

A measurement has a tiny form, which only shows that it still runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Size = TypeVar("Size")
_tiny = False


@contextmanager
def tiny() -> Iterator[None]:
    """Measure in the tiny form during the block."""
    global _tiny
    _tiny = True
    try:
        yield
    finally:
        _tiny = False


def size(full: Size, least: Size) -> Size:
    """Return the size of a measurement: the full one, or the smallest in the tiny form."""
    return least if _tiny else full


def best_seconds(action: Callable[[], object], *, rounds: int = 7, at_least: float = 0.02) -> float:
    """Return the shortest time of one call, which is closest to the cost of the code alone."""
    if not _tiny:
        action()
    start = time.perf_counter()
    action()
    calls = max(1, int(size(at_least, 0) / max(1e-9, time.perf_counter() - start)))
    best = float("inf")
    for _ in range(size(rounds, 1)):
        start = time.perf_counter()
        for _ in range(calls):
            action()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def show(row: dict[str, Any]) -> str:
    """Return a row for people."""
    cells = [
        f"{key} {value:,.2f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in row.items()
        if value is not None
    ]
    return "  ".join(cells)
