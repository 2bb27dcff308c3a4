"""How many seconds of the processor each visitor may use for pages, counted while they run."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nip_core.budget import Budget

__all__ = ["MINUTE", "SECONDS", "ProcessorTime", "ProcessorTimeError"]

# Of the processor's seconds, so many in a minute: half of one core. A page takes a twentieth.
SECONDS, MINUTE = 30.0, 60.0
MOST_VISITORS = 10_000


class ProcessorTimeError(Exception):
    """A visitor has used all its seconds for now. The text is for the visitor."""


@dataclass
class _Used:
    """The seconds that a visitor has used lately: of runs that have ended, and of present ones."""

    ended: deque[tuple[float, float]] = field(default_factory=deque[tuple[float, float]])
    running: dict[int, float] = field(default_factory=dict[int, float])

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.ended) + sum(self.running.values())


class ProcessorTime:
    """Counts the processor's seconds of each visitor. Thread-safe.

    Parameters
    ----------
    seconds : float
        The most in a minute for one visitor, all windows together.
    clock, spent : callable
        The time, and the seconds of the processor that this thread has used.
    """

    def __init__(
        self,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = time.thread_time,
    ) -> None:
        self.most = seconds
        self._clock, self._spent = clock, spent
        self._used: OrderedDict[str, _Used] = OrderedDict()
        self._lock = threading.Lock()

    def seconds(self, visitor: str) -> float:
        """Return the seconds that a visitor has used within the last minute."""
        with self._lock:
            return self._of(visitor).seconds

    @contextmanager
    def counted(self, visitor: str, check: Callable[[], None]) -> Generator[Budget]:
        """Count the seconds of a page's run, and end its work when they are used up.

        Parameters
        ----------
        visitor : str
        check : callable
            Called from time to time during long work (see :mod:`nip_core.budget`); it raises
            whatever ends the run if nobody waits for it any more.

        Raises
        ------
        ProcessorTimeError
            At once, or from within the work.
        """
        run, begun = threading.get_ident(), self._spent()

        def count() -> None:
            check()
            self._count(visitor, run, self._spent() - begun)

        self._count(visitor, run, 0.0)
        try:
            with Budget(check=count) as budget:
                yield budget
        finally:
            with self._lock:
                used = self._of(visitor)
                used.running.pop(run, None)
                used.ended.append((self._clock(), self._spent() - begun))

    def _count(self, visitor: str, run: int, seconds: float) -> None:
        with self._lock:
            used = self._of(visitor)
            used.running[run] = seconds
            if used.seconds <= self.most:
                return
            # What this run takes counts until a minute after its end.
            used.running.pop(run)
            first = used.ended[0][0] if used.ended else self._clock()
            wait = max(1, round(first + MINUTE - self._clock()))
        raise ProcessorTimeError(
            f"The pages that are open in this browser have used {self.most:g} seconds of the "
            f"server's processor within a minute, which is the most. Wait {wait} seconds, then "
            "reload the page. Choose a smaller protocol or fewer computations, or run the "
            "explorer on your own computer."
        )

    def _of(self, visitor: str) -> _Used:
        used = self._used.setdefault(visitor, _Used())
        self._used.move_to_end(visitor)
        while used.ended and self._clock() - used.ended[0][0] >= MINUTE:
            used.ended.popleft()
        while len(self._used) > MOST_VISITORS:
            self._used.popitem(last=False)
        return used
