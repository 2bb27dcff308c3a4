"""How far a run is: what is shown of it, and what stops it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from explorer.studies.results import Use
from explorer.studies.study import Budget
from nip_core.displays import displayed, line

__all__ = ["Progress", "Stage"]

# So many episodes, or a quarter of all, tell how fast the others will be.
ENOUGH = 20


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
    used : Use
        By this run.
    seconds : float
        Since it began.
    why_stopped : str
        Empty while it goes on.
    """

    total: int
    before: int
    done: int
    failed: int
    left: int
    used: Use
    seconds: float
    why_stopped: str

    @property
    def seconds_left(self) -> float | None:
        """What the rest will take at the pace so far; None before that says much."""
        played = self.done + self.failed
        # The first few are as slow as it takes to begin.
        enough = played >= min(ENOUGH, (played + self.left) / 4)
        return self.seconds / played * self.left if played and enough else None


class Progress:
    """Counts what a run does; told from any thread.

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
        self._used = Use()
        self._why = ""
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return line(self, f"{self._done:,} done", f"{self._failed:,} failed", f"of {self._todo:,}")

    @property
    def stage(self) -> Stage:
        """How far it is now."""
        played = self._done + self._failed
        return Stage(
            self._total,
            self._before,
            self._done,
            self._failed,
            self._todo - played,
            self._used,
            time.monotonic() - self._begun,
            self._why,
        )

    @property
    def stopped(self) -> bool:
        """Should nothing new be begun?"""
        limit = self._budget.minutes
        if limit is not None and time.monotonic() - self._begun >= limit * 60:
            self.stop("The minutes of the budget are over.")
        return bool(self._why)

    def stop(self, why: str) -> None:
        """Begin nothing new; what is on its way is let finish. The first reason counts."""
        self._why = self._why or why

    def done(self, used: Sequence[Use]) -> None:
        """Count finished episodes by what each took."""
        with self._lock:
            self._done += len(used)
            self._add(sum(used, Use()))
        self._tell()

    def failed(self, used: Use | None = None) -> None:
        """Count a failure, and what it took."""
        with self._lock:
            self._failed += 1
            self._add(used or Use())
        self._tell()

    def _add(self, used: Use) -> None:
        self._used += used
        self.check(self._used)

    def check(self, used: Use) -> None:
        """Stop if this run's episodes, those on their way included, have taken too much."""
        spent = {
            "calls": used.calls,
            "tokens": used.tokens_in + used.tokens_out,
            "money": used.money,
        }
        for name, amount in spent.items():
            most = getattr(self._budget, name)
            if most is not None and amount >= most:
                self.stop(f"The budget's {name} ({most:,}) are used up: {amount:,.6g}.")

    def _tell(self) -> None:
        if self._watch is not None:
            self._watch(self.stage)
