"""A page takes its time: what it shows is waited for, and never read just once.

Of an element, Playwright's `expect` waits for it. What has to be read in another way (a place on
the screen, what a script finds) is waited for here. Read once is only what must never have been
there.
"""

from __future__ import annotations

import subprocess
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Error, Page, expect

__all__ = ["TIMEOUT", "answering", "at_rest", "becomes", "expect", "fits"]

# A machine that does other things too is slow; a fault is one on a slow machine as well.
TIMEOUT = 180

expect.set_options(timeout=TIMEOUT * 1_000)


def becomes(
    read: Callable[[], Any],
    wanted: Any = bool,
    *,
    page: Page | None = None,
    timeout: float = TIMEOUT,
) -> None:
    """Wait until what is read is what is wanted, or passes a test.

    Parameters
    ----------
    read : callable
    wanted : object or callable
    page : Page, optional
        Whose events are listened to meanwhile, where what is read comes by one: they are heard
        only while a page is asked for something.
    timeout : float
        In seconds.

    Examples
    --------
    >>> becomes(lambda: 2 + 2, 4)
    >>> becomes(lambda: [1], timeout=0)
    """
    holds = wanted if callable(wanted) else lambda found: found == wanted
    end = time.monotonic() + timeout
    while True:
        try:
            found = read()
            if holds(found):
                return
        except Error as error:  # the page went on to another address while it was read
            found = error
        if time.monotonic() > end:
            instead = "" if callable(wanted) else f" instead of {wanted!r}"
            raise AssertionError(f"after {timeout} s it is still {found!r}{instead}")
        if page is None:
            time.sleep(0.05)
        else:
            page.wait_for_timeout(50)


def fits(page: Page) -> None:
    """Wait until nothing of a page is wider than what it is seen in."""
    becomes(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def answering(address: str, process: subprocess.Popen) -> None:
    """Wait until a server that was started answers."""

    def answers() -> bool:
        assert process.poll() is None, f"{address} has ended"
        try:
            urllib.request.urlopen(address, timeout=10).close()
        except OSError:
            return False
        return True

    becomes(answers)


def at_rest(read: Callable[[], Any], *, pause: float = 0.5, timeout: float = TIMEOUT) -> Any:
    """What is read, once it has stayed the same for a while."""
    seen = [read()]

    def again():
        time.sleep(pause)
        seen.append(read())
        return seen[-1] == seen[-2]

    becomes(again, timeout=timeout)
    return seen[-1]
