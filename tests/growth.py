"""Costs that can be compared for different sizes: not the wall clock, which is unreliable on a busy
machine.
"""

import time
from collections.abc import Callable

__all__ = ["seconds"]


def seconds(do: Callable[[], object], tries: int = 3) -> float:
    """Return the shortest processor time of several runs."""
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        do()
        best = min(best, time.process_time() - start)
    return best
