"""Runs of studies that the server owns: whoever closes the page does not end them."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from explorer.studies import Progress, Stage, StudyError, run_study
from explorer.studies.inspect import Pair
from explorer.studies.store.folders import Kept
from nip_core.displays import line, told

__all__ = ["Work", "work_at"]

log = logging.getLogger("explorer")

STOPPED = "It was stopped here."

_lock = threading.Lock()
_works: dict[Path, Work] = {}


class Work:
    """A run of one study.

    Parameters
    ----------
    kept : Kept
    failed : bool
        Only what has failed, again.
    allowed : frozenset of (str, str)
        Variables whose keys may go to addresses that are not their providers'. They are kept
        nowhere: whoever starts the study again is asked again.

    Attributes
    ----------
    trouble : str
        What has ended it; empty if nothing has.
    """

    def __init__(
        self, kept: Kept, *, failed: bool = False, allowed: frozenset[Pair] = frozenset()
    ) -> None:
        self.kept, self.failed, self.allowed = kept, failed, allowed
        self._stage: Stage | None = None
        self.trouble = ""
        self._progress: Progress | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="study", daemon=True)

    def __repr__(self) -> str:
        return line(self, told(self.kept.name), *([repr(self.stage)] if self.stage else []))

    @classmethod
    def begin(
        cls, kept: Kept, *, failed: bool = False, allowed: frozenset[Pair] = frozenset()
    ) -> Work:
        """The run of a study; a new one if none is at it."""
        key = kept.folder.resolve()
        with _lock:
            work = _works.get(key)
            if work is None or not work.going:
                work = _works[key] = cls(kept, failed=failed, allowed=allowed)
                work._thread.start()
            return work

    @property
    def going(self) -> bool:
        """Is it at work?"""
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Was it told to stop, and lets only finish what is on its way?"""
        return self.going and self._stopped.is_set()

    @property
    def stage(self) -> Stage | None:
        """How far it is now; None until that is known."""
        return self._stage or (None if self._progress is None else self._progress.stage)

    def stop(self) -> None:
        """Begin nothing new. What is on its way is let finish; the second time, it is dropped."""
        at_once = self._stopped.is_set()
        self._stopped.set()
        if self._progress is not None:
            self._progress.stop(STOPPED, at_once=at_once)

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        self._thread.join(timeout)

    def _begun(self, progress: Progress) -> None:
        self._progress = progress
        if self._stopped.is_set():
            progress.stop(STOPPED)

    def _run(self) -> None:
        try:
            self._stage = run_study(
                self.kept.study(),
                self.kept.record,
                failed=self.failed,
                allowed=self.allowed,
                progress_made=self._begun,
            )
        except StudyError as error:
            self.trouble = str(error)
        # A thread that nobody waits for would take what went wrong with it.
        except Exception:
            log.exception("A study broke off")
            self.trouble = "It broke off; the server's log says why. What was finished is kept."


def work_at(kept: Kept) -> Work | None:
    """The last run of a study by this server; None if there was none."""
    with _lock:
        return _works.get(kept.folder.resolve())
