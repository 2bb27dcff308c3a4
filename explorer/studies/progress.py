"""A run of a study: its progress, whether services answer, and the arguments of engines."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import anyio

from explorer.studies.inspect import Pair
from explorer.studies.record import Record
from explorer.studies.results import Failure, Finished
from explorer.studies.study import Study
from explorer.usage import Usage, UsageBudget
from nip_core.displays import displayed, line

# A service that has returned only errors for this many seconds and times is given up.
FAILING_FOR = 120.0
FEWEST = 3
# A request that has waited this long without an error does not count: the service may be slow.
SLOW = 10.0
# Seconds without an answer after which the screen says so.
SILENT = 30.0


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of a run in seconds, and how a run waits. Tests have a time that passes at once."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = anyio.sleep


CLOCK = Clock()


class Health:
    """Records whether a model's service answers. Thread-safe.

    `dead` is why it was given up, or empty.
    """

    def __init__(self, name: str, clock: Clock = CLOCK) -> None:
        self.name = name
        self.dead = ""
        self._now = clock.now
        self._lock = threading.Lock()
        self._running: dict[int, float] = {}
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
        """How long the service has not responded at all, in words, if that is long."""
        with self._lock:
            longest = self._now() - min(self._running.values(), default=self._now())
        return f"{self.name} has not answered for {longest:.0f} s" if longest >= SILENT else ""

    @contextmanager
    def asked(self) -> Generator[None]:
        """Mark the time during which a request is in progress."""
        number = next(self._numbers)
        with self._lock:
            self._running[number] = self._now()
        try:
            yield
        finally:
            with self._lock:
                self._running.pop(number)

    def answered(self) -> None:
        """Record an answer, which clears earlier errors."""
        with self._lock:
            self._count = 0

    def failed(self, problem: str) -> None:
        """Record an error that may be temporary."""
        now = self._now()
        with self._lock:
            self._first = self._first if self._count else now
            self._count, self._latest = self._count + 1, problem
            slow = any(now - begun > SLOW for begun in self._running.values())
            if self._count >= FEWEST and now - self._first >= FAILING_FOR and not slow:
                minutes = (now - self._first) / 60
                self.dead = (
                    f"{self.name} was given up: for {minutes:.0f} minutes it has given nothing but "
                    f"errors. The latest: {problem}"
                )


# The pace is estimated after this many episodes, or a quarter of all.
ENOUGH = 20
# There is no estimate if no episode has ended for this many seconds or multiples of an episode's
# usual time.
QUIET = 10.0
STUCK = 10.0


@displayed
@dataclass(frozen=True, slots=True)
class RunStage:
    """The progress of a run."""

    total: int  # episodes of the study
    before: int  # episodes finished before the run began
    # By this run.
    done: int
    failed: int
    left: int  # episodes that this run still has to play
    used: Usage  # by this run
    seconds: float  # seconds since it began
    why_stopped: str  # why it was stopped; empty while it goes on
    # The present problem: the latest error of a service that has not answered since, or a long
    # silence. Empty if there is none.
    problem: str = ""
    waits_for: str = ""  # the other study for which it waits, if any
    given_up: tuple[str, ...] = ()  # the reasons why conditions were given up in this run
    quiet: float = 0.0  # seconds since the last episode ended
    # How many episodes other engines have played in this run, and in how many seconds.
    earlier: int = 0
    earlier_seconds: float = 0.0
    more: bool = False  # whether another engine plays after this one, whose pace is unknown

    @property
    def seconds_left(self) -> float | None:
        """The estimated seconds for the rest at the present pace; None if there is no estimate.

        There is none before enough episodes have ended, while a service has a problem, once the run
        is being stopped, or if no episode has ended for much longer than usual.
        """
        if self.why_stopped or self.problem or self.waits_for or self.given_up or self.more:
            return None
        played = self.done + self.failed - self.earlier
        # The first few include the time to start.
        if played <= 0 or played < min(ENOUGH, (played + self.left) / 4):
            return None
        pace = (self.seconds - self.earlier_seconds) / played
        return pace * self.left if self.quiet <= max(QUIET, STUCK * pace) else None


class Progress:
    """Counts the progress of a run. Thread-safe.

    The numbers of episodes are those of the study, finished before this run, and to be played now.
    `watch` is called with the :class:`RunStage` after every change. Services wait by the same
    `clock`.
    """

    def __init__(
        self,
        total: int,
        before: int,
        todo: int,
        budget: UsageBudget | None = None,
        watch: Callable[[RunStage], object] | None = None,
        clock: Clock = CLOCK,
    ) -> None:
        self.clock = clock
        self._budget, self._watch = budget or UsageBudget(), watch
        self._stage = RunStage(
            total, before, done=0, failed=0, left=todo, used=Usage(), seconds=0.0, why_stopped=""
        )
        self._halted = ""
        self._given_up: dict[str, str] = {}
        self._health: list[Health] = []
        self._begun = self._last = self.clock.now()
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        now = self._stage
        total = now.done + now.failed + now.left
        return line(self, f"{now.done:,} done", f"{now.failed:,} failed", f"of {total:,}")

    @property
    def stage(self) -> RunStage:
        """The present progress."""
        now = self.clock.now()
        alive = [health for health in self._health if not health.dead]
        problem = next(filter(None, (health.problem or health.silence for health in alive)), "")
        return replace(
            self._stage, seconds=now - self._begun, quiet=now - self._last, problem=problem
        )

    def _note(self, **changes: Any) -> None:
        with self._lock:
            self._stage = replace(self._stage, **changes)

    def begin(self, *, last: bool) -> None:
        """Restart the estimate of the pace for another engine; `last` if no other follows."""
        self._last = self.clock.now()
        played = self._stage.done + self._stage.failed
        seconds = self._last - self._begun if played else 0.0
        self._note(earlier=played, earlier_seconds=seconds, more=not last)

    def watch(self, health: Health) -> Health:
        """Show a service's problems from now on."""
        self._health.append(health)
        return health

    def wait_for(self, study: str) -> None:
        """Show that the run waits for another study; an empty name ends that."""
        self._note(waits_for=study)
        self._last = self.clock.now()
        self.tell()

    def give_up(self, condition: str, why: str) -> None:
        """Give up a condition in this run."""
        if condition not in self._given_up:
            self._given_up[condition] = f"{condition}: {why}"
            self._note(given_up=tuple(self._given_up.values()))
            self.tell()

    @property
    def stopped(self) -> bool:
        """Whether no further episode may begin."""
        limit = self._budget.minutes
        if limit is not None and self.clock.now() - self._begun >= limit * 60:
            self.stop("The budget's minutes are used up.")
        return bool(self._stage.why_stopped)

    def stop(self, why: str, *, at_once: bool = False) -> None:
        """Let no further episode begin, or `at_once` go on. The first reason counts."""
        with self._lock:
            self._note(why_stopped=self._stage.why_stopped or why)
        if at_once:
            self._halted = self._stage.why_stopped

    @property
    def asks(self) -> bool:
        """Whether the present engine asks services, whose requests are dropped on stopping."""
        return bool(self._health)

    @property
    def halted(self) -> str:
        """Why episodes in progress are dropped; empty if they are not."""
        return self._halted

    def done(self, count: int) -> None:
        """Count finished episodes."""
        self._count(done=count)

    def failed(self, count: int = 1) -> None:
        """Count failures."""
        self._count(failed=count)

    def _count(self, done: int = 0, failed: int = 0) -> None:
        with self._lock:
            now = self._stage
            left = now.left - done - failed
            self._note(done=now.done + done, failed=now.failed + failed, left=left)
            self._last = self.clock.now()
        self.tell()

    def spend(self, used: Usage) -> None:
        """Add a request's usage; stop the run if the budget is exhausted."""
        with self._lock:
            self._note(used=self._stage.used + used)
            if why := self._budget.exhausted_by(self._stage.used):
                self.stop(why)

    def tell(self) -> None:
        """Report the progress to `watch`."""
        if self._watch is not None:
            self._watch(self.stage)


@displayed
@dataclass(frozen=True, slots=True)
class Run:
    """What an engine gets besides the points to play."""

    study: Study
    record: Record  # locked by this run
    progress: Progress  # once it is `stopped`, no further episode begins
    # Makes the executor for conditions without models; by default processes of this machine.
    executor: Callable[[], Executor] | None = None
    # Variables whose keys may go to addresses that are not their providers'.
    allowed: frozenset[Pair] = frozenset()

    def keep(self, episodes: Sequence[Finished | Failure]) -> None:
        """Keep finished episodes and failures, and count them once they are on the disk."""
        finished = [episode for episode in episodes if isinstance(episode, Finished)]
        failures = [episode for episode in episodes if isinstance(episode, Failure)]
        if finished:
            self.record.keep(finished)
            self.progress.done(len(finished))
        if failures:
            self.record.fail(failures)
            self.progress.failed(len(failures))
