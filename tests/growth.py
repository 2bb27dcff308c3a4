"""Costs that can be compared for different sizes: not the wall clock, which is unreliable on a busy
machine.
"""

import gc
import time
from collections.abc import Callable

__all__ = ["seconds"]


def seconds(do: Callable[[], object], tries: int = 3, enough: float = 0) -> float:
    """Return the shortest processor time of several runs; one as short as `enough` is the last.

    What was there before is not searched for garbage any more: that takes longer, the more tests
    have run in this process.
    """
    best = float("inf")
    gc.freeze()
    for _ in range(tries):
        start = time.process_time()
        do()
        best = min(best, time.process_time() - start)
        if best < enough:
            break
    return best
