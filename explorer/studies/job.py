"""What an engine is given: where to put what it has played, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from explorer.studies.inspect import Pair
from explorer.studies.progress import Progress
from explorer.studies.record import Record
from explorer.studies.results import Failure, Finished
from explorer.studies.study import Study
from explorer.usage import Usage
from nip_core.displays import displayed

__all__ = ["Run"]


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

    def keep(self, episodes: Sequence[Finished]) -> None:
        """Keep finished episodes, and count them once they are on the disk."""
        self.record.keep(episodes)
        self.progress.done([each.result.used for each in episodes])

    def fail(self, failures: Sequence[Failure], used: Usage | None = None) -> None:
        """Keep failures, and count them."""
        self.record.fail(failures)
        for _ in failures:
            self.progress.failed(used)
