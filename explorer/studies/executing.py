"""Playing episodes without models on any executor: local processes, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from typing import Any

from explorer.project import install_extra
from explorer.studies.points import Point
from explorer.studies.progress import Run
from explorer.studies.results import Failure, Finished, finished
from explorer.studies.study import StudyError

ENGINE = "executor"
# How many episodes a worker gets at a time; if it is killed, only these are repeated.
CHUNK = 4
# How many chunks are in progress at a time: enough for a cluster, few enough for the memory.
IN_FLIGHT = 256
# After this many dead workers, the cause is not a single episode.
MOST_BROKEN = 20

Played = list[Finished | Failure]


def processes(workers: int | None = None) -> Callable[[], Executor]:
    """Return a function that makes an executor of local processes, by default one per processor."""
    count = workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else workers

    def make() -> Executor:
        # Not forked, since the calling program and torch may have threads.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(count, context, _begin_worker)

    return make


def _begin_worker() -> None:
    """Ignore interrupts, which the run handles, and end with the run, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, name="follow", daemon=True).start()


def play_points(points: Sequence[Point]) -> Played:
    """Play episodes one after the other, in a worker."""
    return [_played(point) for point in points]


def _played(point: Point) -> Finished | Failure:
    # Imported here, since it loads code for people and models.
    from explorer.play import Table

    try:
        episode = point.episode()
        Table(episode, timed=False).play_to_the_end()
        if not episode.over:
            raise StudyError(f"No player moves for {', '.join(episode.to_move)}.")
        return finished(point, episode, engine=ENGINE)
    except Exception as error:
        # Any error concerns this episode only; the others go on.
        return Failure.of(point, error, ENGINE)


def play(points: Sequence[Point], run: Run) -> None:
    """Play points on the run's executor, until none is left or the run is stopped.

    If a worker dies, its episodes are played again, one at a time, so that an episode that kills
    its worker is found and recorded as a failure.
    """
    make = run.executor or processes()
    chunks = deque(tuple(points[n : n + CHUNK]) for n in range(0, len(points), CHUNK))
    suspects: deque[tuple[Point, ...]] = deque()
    broken = 0
    while (chunks or suspects) and not run.progress.stopped:
        with make() as executor:
            fallen = (
                _one_at_a_time(executor, suspects, run)
                if suspects
                else _together(executor, chunks, suspects, run)
            )
        broken += fallen
        if broken > MOST_BROKEN:
            raise StudyError(
                f"The workers have died {broken} times. Is there enough memory? What was finished "
                "is kept; run the study again with fewer workers (`--workers`)."
            )


def _one_at_a_time(executor: Executor, suspects: deque[tuple[Point, ...]], run: Run) -> bool:
    """Play episodes that were in progress when a worker died; return whether one died again."""
    while suspects and not run.progress.stopped:
        chunk = suspects.popleft()
        try:
            run.keep(executor.submit(play_points, chunk).result())
        except (BrokenExecutor, CancelledError) as error:
            run.keep([Failure.of(point, _died(error), ENGINE) for point in chunk])
            return True
        except StudyError:
            raise  # the record cannot be written any more
        except Exception as error:
            run.keep([Failure.of(point, _died(error), ENGINE) for point in chunk])
    return False


def _died(error: BaseException) -> StudyError:
    return StudyError(
        f"The worker that played it has died ({type(error).__name__}). Run it again with --failed."
    )


def _together(
    executor: Executor,
    chunks: deque[tuple[Point, ...]],
    suspects: deque[tuple[Point, ...]],
    run: Run,
) -> bool:
    """Play chunks concurrently; return whether a worker has died."""
    on_their_way: dict[Future[Played], tuple[Point, ...]] = {}
    fallen = False
    try:
        while (chunks or on_their_way) and not fallen:
            while chunks and len(on_their_way) < IN_FLIGHT and not run.progress.stopped:
                try:
                    future = executor.submit(play_points, chunks[0])
                except (BrokenExecutor, RuntimeError):
                    fallen = True
                    break
                on_their_way[future] = chunks.popleft()
                if future.done():
                    break  # an executor may run a task at once; keep finished ones first
            if run.progress.stopped:
                chunks.clear()
                for future in [waiting for waiting in on_their_way if waiting.cancel()]:
                    del on_their_way[future]
            if not on_their_way:
                break
            ended, _ = wait(on_their_way, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ended:
                chunk = on_their_way.pop(future)
                error = None if future.cancelled() else future.exception()
                if error is None and not future.cancelled():
                    run.keep(future.result())
                else:
                    suspects.extend((point,) for point in chunk)
                    fallen = fallen or isinstance(error, BrokenExecutor)
    finally:
        for future, chunk in on_their_way.items():
            future.cancel()
            suspects.extend((point,) for point in chunk)
    return fallen


def dask_cluster(address: str, timeout: float = 30) -> Callable[[], Executor]:
    """Return a function that makes the executor of a cluster whose workers have this library.

    The scheduler's address is such as ``tcp://host:8786``. A StudyError says that it does not
    answer in so many seconds, or that the extra is not installed.
    """
    try:
        import distributed
    except ImportError:
        raise StudyError(
            f"A cluster needs Dask: {install_extra('cluster')}, here and on all its machines."
        ) from None
    try:
        client: Any = distributed.Client(address, timeout=timeout)
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(
            f"No Dask scheduler answers at {address} ({type(error).__name__}). Start one with "
            "`dask scheduler`, or leave --dask out."
        ) from None
    return client.get_executor
