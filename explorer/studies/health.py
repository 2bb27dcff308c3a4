"""Whether a service that models are asked at is still there."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from nip_core.displays import line

__all__ = ["Health"]

# A service that has given nothing but errors for so long, and so often, is given up; seconds.
PATIENCE = 120.0
FEWEST = 3
# A request that has waited so long without an error may be answered yet: the service is slow.
SLOW = 10.0
# After so long without an answer that is said; seconds.
SILENT = 30.0


class Health:
    """What is known of a service while it is asked; told from any thread.

    Parameters
    ----------
    name : str
        The model that is asked there.
    clock : callable
        Seconds.

    Attributes
    ----------
    dead : str
        Why it is given up; empty while it is not.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.dead = ""
        self._clock = clock
        self._lock = threading.Lock()
        self._asking: dict[int, float] = {}
        self._numbers = itertools.count()
        self._count, self._first, self._latest = 0, 0.0, ""

    def __repr__(self) -> str:
        return line(self, self.dead or self.problem or "answers")

    @property
    def problem(self) -> str:
        """The latest error since it last answered, and how often; empty if there is none."""
        if not self._count:
            return ""
        often = f", {self._count:,} times since it last answered" if self._count > 1 else ""
        return f"{self._latest.rstrip('.')}{often}"

    @property
    def silence(self) -> str:
        """Since when nothing has come at all, if that is long."""
        with self._lock:
            longest = self._clock() - min(self._asking.values(), default=self._clock())
        return f"{self.name} has not answered for {longest:.0f} s" if longest >= SILENT else ""

    @contextmanager
    def asked(self) -> Generator[None]:
        """While a request is on its way."""
        number = next(self._numbers)
        with self._lock:
            self._asking[number] = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._asking.pop(number)

    def answered(self) -> None:
        """It has answered: what was before does not count any more."""
        with self._lock:
            self._count = 0

    def failed(self, problem: str) -> None:
        """It has given an error that may pass."""
        now = self._clock()
        with self._lock:
            self._first = self._first if self._count else now
            self._count, self._latest = self._count + 1, problem
            slow = any(now - begun > SLOW for begun in self._asking.values())
            if self._count >= FEWEST and now - self._first >= PATIENCE and not slow:
                minutes = (now - self._first) / 60
                self.dead = (
                    f"{self.name} was given up: for {minutes:.0f} minutes it has given nothing but "
                    f"errors. The latest: {problem}"
                )
