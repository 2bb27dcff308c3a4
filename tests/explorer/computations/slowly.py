"""Computations of the tests, run in a process by their names."""

import os
import time

from nip_core.budget import PLAYS, Budget, spend


def count(most, *, cancelled=None):
    """Yield the numbers up to a number."""
    yield from range(1, most + 1)


def forever(*, cancelled=None):
    """Yield a number, then never end, unless it is cancelled."""
    yield 1
    with Budget(cancelled=cancelled):
        while True:
            time.sleep(0.001)
            spend(10_000, PLAYS)


def deaf(*, cancelled=None):
    """Never end, even if it is cancelled."""
    yield 1
    while True:
        time.sleep(0.01)


def fail(*, cancelled=None):
    """Fail."""
    yield 1
    raise ValueError("It cannot be done.")


def die(*, cancelled=None):
    """End the process."""
    yield 1
    os._exit(3)


def where(*, cancelled=None):
    """Yield the process and its priority."""
    yield os.getpid(), os.nice(0)
