"""Running a study: engines play the remaining episodes and add them to the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor
from typing import TypeAlias

from explorer.studies.inspect import Pair, has_inspect
from explorer.studies.models import check_players
from explorer.studies.points import Point, points, seed_of
from explorer.studies.progress import CLOCK, Clock, Progress, Run, RunStage
from explorer.studies.record import Record
from explorer.studies.study import Study, StudyError

# Plays points and passes results to `run.keep`, until none is left or `run.progress.stopped`.
# Raises a StudyError for errors that end the whole run, such as a refused key.
Engine: TypeAlias = Callable[[Sequence[Point], Run], None]


def engine_named(name: str) -> Engine:
    """Return the engine of a condition; models are asked through Inspect if it is installed."""
    if name == "executor":
        from explorer.studies.executing import play

        return play
    if has_inspect():
        from explorer.studies.inspecting import play_on_inspect

        return play_on_inspect
    from explorer.studies.http_engine import play_over_http

    return play_over_http


def run_study(
    study: Study,
    record: Record,
    *,
    failed: bool = False,
    executor: Callable[[], Executor] | None = None,
    allowed: Collection[Pair] = frozenset(),
    watch: Callable[[RunStage], object] | None = None,
    progress_made: Callable[[Progress], object] | None = None,
    clock: Clock = CLOCK,
) -> RunStage:
    """Play the remaining episodes of a study, or those that failed.

    Parameters
    ----------
    failed : bool
        Whether to repeat only failed episodes, instead of playing those that were not begun.
    executor : callable, optional
        Makes the executor; by default processes of this machine.
    allowed : collection of (str, str)
        Pairs of a variable and an address. A key of the environment is sent only to its provider's
        own address and to these.
    watch : callable, optional
        Called with the stage after every change.
    progress_made : callable, optional
        Called once with the :class:`Progress`, with which the run can be stopped.
    clock : Clock
        By which services are waited for and given up.

    Returns
    -------
    RunStage
        The final progress.

    Raises
    ------
    StudyError
        If the run ends with an error; finished episodes are kept.
    """
    if study.people is not None:
        raise StudyError(
            "People take part in this study, so it cannot be played here. Open it for them: "
            "nip-explorer people open FILE."
        )
    everything = points(study)
    check_players(study.conditions, allowed)
    check_unchanged(study, everything, record)
    with record.writing(study, Counter(point.condition.name for point in everything)):
        done = {result.key for result in record.results()}
        broken = {failure.key for failure in record.failures()}
        todo = [
            point
            for point in everything
            if point.key not in done and (point.key in broken) == failed
        ]
        before = sum(point.key in done for point in everything)
        progress = Progress(len(everything), before, len(todo), study.budget, watch, clock)
        if progress_made is not None:
            progress_made(progress)
        run = Run(study, record, progress, executor, frozenset(allowed))
        by_engine = _by_engine(todo)
        for number, (name, chosen) in enumerate(by_engine.items(), 1):
            if not progress.stopped:
                progress.begin(last=number == len(by_engine))
                engine_named(name)(chosen, run)
        return progress.stage


def check_unchanged(study: Study, everything: Iterable[Point], record: Record) -> None:
    """Refuse a record with different episodes under the same names, which tables would mix.

    A StudyError says that a condition, a task or the seed has changed. Added ones are allowed.
    """
    if not record.folder.is_dir():
        return
    now = {(p.condition.name, p.task.id, p.epoch, p.arm.name): p.key for p in everything}
    there = {condition.name for condition in study.conditions}
    other = [
        row.condition
        for row in record.results()
        if now.get((row.condition, row.task, row.epoch, row.arm), row.key) != row.key
        or (
            row.condition in there
            and row.seed != seed_of(study, row.condition, row.task, row.epoch)
        )
    ]
    if other:
        names = ", ".join(f"“{name}”" for name in dict.fromkeys(other))
        raise StudyError(
            f"{record.folder} holds {len(other):,} episodes of {names} that were played otherwise: "
            "the file has since changed a player, a protocol, a task or the seed, and one table "
            "would mix both. Give what has changed a new name, or play it into another folder "
            "(--to)."
        )


def _by_engine(todo: Iterable[Point]) -> dict[str, list[Point]]:
    by_engine: dict[str, list[Point]] = {}
    for point in todo:
        by_engine.setdefault(point.condition.engine, []).append(point)
    return by_engine
