"""Queues of computations, each with a process, and what pages hold of a computation."""

from __future__ import annotations

import atexit
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Hashable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import nip_core
from explorer.computations import worker
from explorer.kept_results import KeptResults
from explorer.programs import end_process
from nip_core.displays import brief, line

Lane = Literal["quick", "slow"]
# The most computations that wait in each queue.
MOST_WAITING = 32
# Seconds. A page looks several times a second; once it is left, nobody does.
LOOKED_FOR, LOOK = 8.0, 0.05
# The longest computations of each queue, without the time to end.
MOST_SECONDS: dict[Lane, float] = {"quick": 3.0, "slow": 60.0}
# The time that a computation has to end, once it is cancelled, before its process is ended.
GRACE = 1.0
START_TIMEOUT = 30.0
KEPT_BYTES = 64 << 20
FORGOTTEN = "Nobody waited for it."
BUSY = "The server is computing for many visitors. Try again soon."
# The modules that are loaded before the first request.
LOADED = ("explorer.rewards.chance",)

log = logging.getLogger("explorer")


class BusyError(Exception):
    """Too many computations wait already. The text is for the visitor."""


class Computation:
    """A computation that has been asked for, in a page that looks at it from time to time.

    Attributes
    ----------
    result : object
        The last result so far; None if there is none yet.
    problem : str
        Why it has failed; empty if it has not.
    """

    def __init__(self, name: str, arguments: tuple[Any, ...], key: Hashable = None) -> None:
        self.name, self.arguments, self.key = name, arguments, key
        self.result: Any = None
        self.problem = ""
        self.number = 0  # of results so far
        self._ended, self._cancelled = threading.Event(), threading.Event()
        self._news = threading.Condition()
        self._looked = time.monotonic()

    def __repr__(self) -> str:
        return line(self, brief(self.name), "done" if self.done else "under way")

    @property
    def done(self) -> bool:
        """Whether no better result will come."""
        return self._ended.is_set()

    def look(self, wait: float = 0.0) -> Any:
        """Return the last result, after waiting for the first one; it goes on while pages look."""
        self._looked = time.monotonic()
        until = self._looked + wait
        with self._news:
            while self.result is None and not self.done and self._looked < until:
                self._news.wait(min(1.0, until - self._looked))
                self._looked = time.monotonic()
        return self.result

    def cancel(self) -> None:
        """End it: nobody needs it any more."""
        self._cancelled.set()

    @property
    def is_lost(self) -> bool:
        """Whether it was forgotten or found no place, so that it has to begin again."""
        return self.problem in (FORGOTTEN, BUSY)

    @property
    def is_wanted(self) -> bool:
        """Whether it is neither cancelled nor forgotten."""
        forgotten = time.monotonic() - self._looked > LOOKED_FOR
        return not self._cancelled.is_set() and not forgotten

    def take(self, result: Any) -> None:
        """Take a result."""
        with self._news:
            self.result = result
            self.number += 1
            self._news.notify_all()

    def end(self, problem: str = "") -> None:
        """Note that no further result comes."""
        with self._news:
            self.problem = problem
            self._ended.set()
            self._news.notify_all()


def finished(result: Any) -> Computation:
    """Return a computation of which the result is known already."""
    computation = Computation("", ())
    computation.take(result)
    computation.end()
    return computation


class _Process:
    """A process that computes, started when it is needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._number = 0

    def start(self) -> bool:
        """Start it if it does not run; return whether it runs."""
        if self._process is not None and self._process.poll() is None:
            return True
        self.end()
        library = Path(nip_core.__file__).parent.parent
        kept = {n: os.environ[n] for n in ("SYSTEMROOT", "PATH", "HOME") if n in os.environ}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", worker.__file__, str(library), *LOADED],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                # One thread each, so that the other cores are left to pages.
                env={**kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
        except OSError:
            return False
        self._answers = queue.SimpleQueue()
        reading = (self._process, self._answers)
        threading.Thread(target=_read, args=reading, name="computed", daemon=True).start()
        with suppress(queue.Empty):
            if self._answers.get(timeout=START_TIMEOUT) is not None:
                return True
        self.end()
        return False

    def end(self) -> None:
        """End it."""
        process, self._process = self._process, None
        if process is not None:
            end_process(process)

    def compute(self, computation: Computation, seconds: float) -> None:
        """Compute until it is done, nobody wants it any more, or the time is up."""
        if not self.start():
            computation.end("The server cannot start a process for computations.")
            return
        self._number += 1
        self._send((self._number, computation.name, computation.arguments))
        deadline = time.monotonic() + seconds
        ends: float | None = None
        while True:
            now = time.monotonic()
            if ends is None and (now > deadline or not computation.is_wanted):
                self._send(self._number)
                ends = now + GRACE
            if ends is not None and now > ends:
                self.end()
                computation.end("It took too long." if computation.is_wanted else FORGOTTEN)
                return
            try:
                answer = self._answers.get(timeout=LOOK)
            except queue.Empty:
                continue
            if answer is None:
                self.end()
                computation.end("It needed too much memory.")
                return
            number, kind, value = answer
            if number != self._number:
                continue
            if kind == worker.RESULT:
                computation.take(value)
            elif kind in (worker.END, worker.FAILED):
                computation.end(FORGOTTEN if not computation.is_wanted else value or "")
                return

    def _send(self, message: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError):
            worker.write(cast("BinaryIO", self._process.stdin), message)


class _Queue:
    """The computations of one kind, one after the other."""

    def __init__(self, lane: Lane, kept: KeptResults) -> None:
        self.lane: Lane = lane
        self.kept = kept
        self.waiting: deque[Computation] = deque()
        self.process = _Process()
        self._more = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def begin(self, computation: Computation | None) -> None:
        """Queue a computation; None starts the process only."""
        with self._more:
            if computation is not None:
                wanted = [each for each in self.waiting if each.is_wanted]
                if len(wanted) >= MOST_WAITING:
                    raise BusyError(BUSY)
                self.waiting = deque([*wanted, computation])
            if self._thread is None:
                name = f"{self.lane} computations"
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
            self._more.notify_all()

    def _run(self) -> None:
        self.process.start()
        while True:
            with self._more:
                self._more.wait_for(lambda: self.waiting or self._closed)
                if self._closed:
                    return
                computation = self.waiting.popleft()
            if not computation.is_wanted:
                computation.end(FORGOTTEN)
                continue
            try:
                self.process.compute(computation, MOST_SECONDS[self.lane])
            except Exception:
                log.exception("A computation failed")
                self.process.end()
                computation.end("It failed.")
            if not computation.problem and computation.key is not None:
                self.kept.get(computation.key, lambda done=computation: done.result)

    def close(self) -> None:
        """End the process."""
        with self._more:
            self._closed = True
            self._more.notify_all()
            for each in self.waiting:
                each.end("The server is stopping.")
        self.process.end()


class Computations:
    """The queues of one server, and the results that were asked for last. Thread-safe."""

    def __init__(self) -> None:
        self.kept = KeptResults(KEPT_BYTES)
        self._queues: dict[Lane, _Queue] = {
            "quick": _Queue("quick", self.kept),
            "slow": _Queue("slow", self.kept),
        }

    def __repr__(self) -> str:
        return line(self, f"{len(self._queues)} queues")

    def begin(
        self, function: str, *arguments: Any, key: Hashable = None, lane: Lane = "slow"
    ) -> Computation:
        """Begin a computation, or return a finished one with the same function and key.

        Parameters
        ----------
        function : str
            Its module and name. It takes the arguments and an event ``cancelled``, and yields
            results, each better than the one before.
        key : hashable, optional
            What the result depends on; without it, the result is not kept.

        Raises
        ------
        BusyError
            If too many wait already.
        """
        known = None if key is None else (function, key)
        computation = Computation(function, arguments, known)
        with suppress(_NothingKeptError):
            computation.take(self.kept.get(known, _nothing))
            computation.end()
            return computation
        self._queues[lane].begin(computation)
        return computation

    def warm_up(self) -> None:
        """Start the processes, which takes about a second, before somebody waits for them."""
        for each in self._queues.values():
            each.begin(None)

    def close(self) -> None:
        """End the processes."""
        for each in self._queues.values():
            each.close()


class _NothingKeptError(Exception):
    """There is no such result."""


def _nothing() -> Any:
    raise _NothingKeptError


def _read(process: subprocess.Popen[bytes], answers: queue.SimpleQueue[Any]) -> None:
    """Forward a process's answers, and finally None."""
    assert process.stdout is not None
    with suppress(EOFError, OSError, ValueError):
        while True:
            answers.put(worker.read(cast("BinaryIO", process.stdout)))
    answers.put(None)


@cache
def computations() -> Computations:
    """Return the computations of this process."""
    return Computations()


@atexit.register
def end_computations() -> None:
    """End the processes that compute; what is begun later starts new ones."""
    if computations.cache_info().currsize:
        computations().close()
        computations.cache_clear()
