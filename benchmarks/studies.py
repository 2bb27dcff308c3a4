"""Studies: scripted episodes per second, compared with their moves alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

from benchmarks.timing import size
from explorer.play.table import Table
from explorer.studies import (
    Point,
    Progress,
    Record,
    Run,
    play_points,
    points,
    processes,
)
from explorer.studies.baseline import baseline_study
from explorer.studies.executing import play
from nip_core.play import Episode

# The step through the baseline's episodes, so that all protocols and strategies take part.
STEP = 79


class Here(Executor):
    """Runs everything at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Kept(Executor):
    """Processes that continue after a run, so that starting them is not measured."""

    def __init__(self, workers: int) -> None:
        self._pool = processes(workers)()
        # Enough tasks that every worker has filled its caches.
        warm = points(baseline_study())[:: 20 * STEP]
        list(self._pool.map(play_points, [warm] * 4 * workers))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Do nothing: the processes continue."""

    def close(self) -> None:
        self._pool.shutdown()


def seconds_of(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def in_memory(chosen: list[Point]) -> list[Episode]:
    episodes = [point.episode() for point in chosen]
    for episode in episodes:
        Table(episode, timed=False).play_to_the_end()
    return episodes


def recorded(chosen: list[Point], make: Callable[[], Executor]) -> None:
    study = baseline_study()
    with tempfile.TemporaryDirectory() as folder:
        record = Record(f"{folder}/record")
        with record.writing(study):
            play(chosen, Run(study, record, Progress(len(chosen), 0, len(chosen)), make))
        assert len(record.results()) == len(chosen)


def measure() -> Iterator[dict[str, Any]]:
    """Measure episodes per second: moves alone, with their players, and as a study."""
    chosen = points(baseline_study())[:: size(STEP, 100 * STEP)]
    played = in_memory(chosen)  # and everything that is cached is computed
    moves = seconds_of(lambda: [Episode.from_setup(e.setup, e.events) for e in played])
    thought = seconds_of(lambda: in_memory(chosen))
    count = len(chosen)
    yield {"what": "the moves alone", "episodes/s": count / moves}
    yield {"what": "played by scripts", "episodes/s": count / thought}
    alone = seconds_of(lambda: recorded(chosen, Here))
    yield {
        "what": "a study in one process",
        "episodes/s": count / alone,
        "of playing them": thought / alone,
    }
    for workers in size((1, 2), ()):
        kept = Kept(workers)
        spread = seconds_of(lambda kept=kept: recorded(chosen, lambda: kept))
        kept.close()
        yield {
            "what": f"a study over {workers} process{'es' * (workers > 1)}",
            "episodes/s": count / spread,
            "of one process": alone / spread,
        }
