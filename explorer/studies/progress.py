"""One run of a study: how far it is, whether its services answer, and what engines are given."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass

from explorer.studies.inspect import Pair
from explorer.studies.record import Record
from explorer.studies.results import Failure, Finished
from explorer.studies.study import Study
from explorer.usage import Budget, Usage
from nip_core.displays import displayed, line

__all__ = ["Health", "Progress", "Run", "Stage"]

# A service that has given nothing but errors for so long, and so often, is given up; seconds.
FAILING_FOR = 120.0
FEWEST = 3
# A request that has waited so long without an error may be answered yet: the service is slow.
SLOW = 10.0
# After so long without an answer that is said; seconds.
SILENT = 30.0


class Health:
    """What is known of a service while it is asked; may be called from any thread.

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
        """Since when nothing has come at all, if that is long."""
        with self._lock:
            longest = self._clock() - min(self._running.values(), default=self._clock())
        return f"{self.name} has not answered for {longest:.0f} s" if longest >= SILENT else ""

    @contextmanager
    def asked(self) -> Generator[None]:
        """While a request is on its way."""
        number = next(self._numbers)
        with self._lock:
            self._running[number] = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._running.pop(number)

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
            slow = any(now - begun > SLOW for begun in self._running.values())
            if self._count >= FEWEST and now - self._first >= FAILING_FOR and not slow:
                minutes = (now - self._first) / 60
                self.dead = (
                    f"{self.name} was given up: for {minutes:.0f} minutes it has given nothing but "
                    f"errors. The latest: {problem}"
                )


# So many episodes, or a quarter of all, tell how fast the others will be.
ENOUGH = 20
# Without an end for so long, or for so many times what an episode takes, they tell nothing.
QUIET = 10.0
STUCK = 10.0


@displayed
@dataclass(frozen=True, slots=True)
class Stage:
    """How far a run is.

    Parameters
    ----------
    total : int
        Episodes of the study.
    before : int
        Finished when the run began.
    done, failed : int
        By this run.
    left : int
        What this run has still to do.
    used : Usage
        By this run.
    seconds : float
        Since it began.
    why_stopped : str
        Empty while it goes on.
    problem : str
        What is wrong at the moment: the latest error of a service that has not answered since, or
        that it has not answered for long. Empty if nothing is.
    waits_for : str
        The study that is played first, if it waits for one.
    given_up : tuple of str
        Why conditions are not played any further in this run.
    quiet : float
        Seconds since an episode has ended.
    earlier, earlier_seconds : int, float
        Episodes that other engines have played, and for how long.
    more : bool
        Does another engine come after this one, of which nothing is known yet?
    """

    total: int
    before: int
    done: int
    failed: int
    left: int
    used: Usage
    seconds: float
    why_stopped: str
    problem: str = ""
    waits_for: str = ""
    given_up: tuple[str, ...] = ()
    quiet: float = 0.0
    earlier: int = 0
    earlier_seconds: float = 0.0
    more: bool = False

    @property
    def seconds_left(self) -> float | None:
        """What the rest will take at the pace so far; None if that is not known yet.

        It cannot before enough episodes have ended, while a service has a problem, once a run is
        being stopped, and where none has ended for much longer than they took.
        """
        if self.why_stopped or self.problem or self.waits_for or self.given_up or self.more:
            return None
        played = self.done + self.failed - self.earlier
        # The first few are as slow as it takes to begin.
        if played <= 0 or played < min(ENOUGH, (played + self.left) / 4):
            return None
        pace = (self.seconds - self.earlier_seconds) / played
        return pace * self.left if self.quiet <= max(QUIET, STUCK * pace) else None


class Progress:
    """Counts what a run does; may be called from any thread.

    Parameters
    ----------
    total, before, todo : int
        Episodes of the study, finished before, and to be played now.
    budget : Budget
    watch : callable, optional
        Called with the :class:`Stage` after every change.
    """

    def __init__(
        self,
        total: int,
        before: int,
        todo: int,
        budget: Budget | None = None,
        watch: Callable[[Stage], object] | None = None,
    ) -> None:
        self._total, self._before, self._todo = total, before, todo
        self._budget, self._watch = budget or Budget(), watch
        self._done = self._failed = 0
        self._used = Usage()
        self._why = ""
        self._now = self._waits_for = ""
        self._given_up: dict[str, str] = {}
        self._health: list[Health] = []
        self._begun = self._last = time.monotonic()
        self._earlier, self._earlier_seconds, self._more = 0, 0.0, False
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return line(self, f"{self._done:,} done", f"{self._failed:,} failed", f"of {self._todo:,}")

    @property
    def stage(self) -> Stage:
        """How far it is now."""
        played, now = self._done + self._failed, time.monotonic()
        return Stage(
            self._total,
            self._before,
            self._done,
            self._failed,
            self._todo - played,
            self._used,
            now - self._begun,
            self._why,
            self._problem,
            self._waits_for,
            tuple(self._given_up.values()),
            now - self._last,
            self._earlier,
            self._earlier_seconds,
            self._more,
        )

    @property
    def _problem(self) -> str:
        alive = [each for each in self._health if not each.dead]
        return next(filter(None, (each.problem or each.silence for each in alive)), "")

    def begin(self, *, last: bool) -> None:
        """Count anew how fast it goes: another engine plays now; is it the last?"""
        self._last = time.monotonic()
        self._earlier = self._done + self._failed
        self._earlier_seconds = self._last - self._begun if self._earlier else 0.0
        self._more = not last

    def watch(self, health: Health) -> Health:
        """Show a service's problems from now on."""
        self._health.append(health)
        return health

    def wait_for(self, study: str) -> None:
        """Show that another study is played first; empty once it is not."""
        self._waits_for = study
        self._last = time.monotonic()
        self.tell()

    def give_up(self, condition: str, why: str) -> None:
        """Play no more of a condition in this run."""
        if condition not in self._given_up:
            self._given_up[condition] = f"{condition}: {why}"
            self.tell()

    @property
    def stopped(self) -> bool:
        """Should nothing new be begun?"""
        limit = self._budget.minutes
        if limit is not None and time.monotonic() - self._begun >= limit * 60:
            self.stop("The minutes of the budget are over.")
        return bool(self._why)

    def stop(self, why: str, *, at_once: bool = False) -> None:
        """Begin nothing new. The first reason counts.

        Parameters
        ----------
        why : str
        at_once : bool
            Drop episodes on their way, too; else they are finished.
        """
        self._why = self._why or why
        if at_once:
            self._now = self._why

    @property
    def asks(self) -> bool:
        """Does an engine play that asks services, whose requests are dropped on stopping?"""
        return bool(self._health)

    @property
    def halted(self) -> str:
        """Why what is on its way is dropped; empty if it is not."""
        return self._now

    def done(self, count: int) -> None:
        """Count finished episodes."""
        with self._lock:
            self._done += count
            self._last = time.monotonic()
        self.tell()

    def failed(self, count: int = 1) -> None:
        """Count failures."""
        with self._lock:
            self._failed += count
            self._last = time.monotonic()
        self.tell()

    def spend(self, used: Usage) -> None:
        """Count what a request has taken; stop if that is too much, with those before it."""
        with self._lock:
            self._used += used
            if why := self._budget.exhausted_by(self._used):
                self.stop(why)

    def tell(self) -> None:
        """Show how far it is."""
        if self._watch is not None:
            self._watch(self.stage)


@displayed
@dataclass(frozen=True, slots=True)
class Run:
    """What an engine is given besides the points that it is to play.

    Parameters
    ----------
    study : Study
    record : Record
        Held by this run.
    progress : Progress
        An engine begins nothing new once it says ``stopped``.
    executor : callable, optional
        Makes the executor on which conditions without models are played; processes of this
        machine if it is left out.
    allowed : frozenset of (str, str)
        Variables whose keys may go to addresses that are not their providers'.
    """

    study: Study
    record: Record
    progress: Progress
    executor: Callable[[], Executor] | None = None
    allowed: frozenset[Pair] = frozenset()

    def keep(self, episodes: Sequence[Finished | Failure]) -> None:
        """Keep finished episodes and failures, and count them once they are on the disk."""
        finished = [each for each in episodes if isinstance(each, Finished)]
        failures = [each for each in episodes if isinstance(each, Failure)]
        if finished:
            self.record.keep(finished)
            self.progress.done(len(finished))
        if failures:
            self.record.fail(failures)
            self.progress.failed(len(failures))
