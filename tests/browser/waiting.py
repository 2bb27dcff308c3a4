"""A page takes its time: what it shows is waited for, and never read just once.

Of an element, Playwright's `expect` waits for it. What has to be read in another way (a place on
the screen, what a script finds) is waited for here. Read once is only what must never have been
there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Error, expect

__all__ = ["PATIENCE", "at_rest", "becomes", "expect"]

# A machine that does other things too is slow; a fault is one on a slow machine as well.
PATIENCE = 180

expect.set_options(timeout=PATIENCE * 1_000)


def becomes(read: Callable[[], Any], wanted: Any = bool, *, patience: float = PATIENCE) -> None:
    """Wait until what is read is what is wanted, or passes a test.

    Examples
    --------
    >>> becomes(lambda: 2 + 2, 4)
    >>> becomes(lambda: [1], patience=0)
    """
    holds = wanted if callable(wanted) else lambda found: found == wanted
    end = time.monotonic() + patience
    while True:
        try:
            found = read()
            if holds(found):
                return
        except Error as error:  # the page went on to another address while it was read
            found = error
        if time.monotonic() > end:
            instead = "" if callable(wanted) else f" instead of {wanted!r}"
            raise AssertionError(f"after {patience} s it is still {found!r}{instead}")
        time.sleep(0.05)


def at_rest(read: Callable[[], Any], *, pause: float = 0.5, patience: float = PATIENCE) -> Any:
    """What is read, once it has stayed the same for a while."""
    seen = [read()]

    def again():
        time.sleep(pause)
        seen.append(read())
        return seen[-1] == seen[-2]

    becomes(again, patience=patience)
    return seen[-1]
