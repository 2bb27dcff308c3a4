"""How a time is taken: the best of several rounds, each long enough for the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def best_seconds(action: Callable[[], object], *, rounds: int = 7, at_least: float = 0.02) -> float:
    """The least time of one call. The least is what the code costs; the rest is the machine."""
    action()
    start = time.perf_counter()
    action()
    calls = max(1, int(at_least / max(1e-9, time.perf_counter() - start)))
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            action()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def show(row: dict[str, Any]) -> str:
    """One row for people."""
    cells = [
        f"{key} {value:,.2f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in row.items()
        if value is not None
    ]
    return "  ".join(cells)
