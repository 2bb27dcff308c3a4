"""Threads that act at the same time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def in_threads(*acts: Callable[[], object]) -> None:
    """Run functions at once, each in a thread of its own; raise an error of one of them."""
    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result()
