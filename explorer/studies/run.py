"""Running a study: what is left of it goes to the engines, and what they finish into the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor
from typing import TypeAlias

from explorer.studies.inspect import Pair, has_inspect
from explorer.studies.models import check_players
from explorer.studies.points import Point, points, seed_of
from explorer.studies.progress import Progress, Run, Stage
from explorer.studies.record import Record
from explorer.studies.study import Study, StudyError

__all__ = ["Engine", "check_unchanged", "run_study"]

# Plays points, and hands their results to `run.keep`, until none is left or
# `run.progress.stopped`. What ends the whole run (a key that is refused) it raises as a StudyError.
Engine: TypeAlias = Callable[[Sequence[Point], Run], None]


def engine_named(name: str) -> Engine:
    """Return the engine of a condition; models are asked by Inspect where it is installed."""
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
    watch: Callable[[Stage], object] | None = None,
    progress_made: Callable[[Progress], object] | None = None,
) -> Stage:
    """Play what is left of a study, or what has failed.

    Parameters
    ----------
    study : Study
    record : Record
    failed : bool
        Only what has failed, again; else what was neither finished nor has failed.
    executor : callable, optional
        Makes the executor; processes of this machine if it is left out.
    allowed : collection of (str, str)
        Variables and addresses: a key of the environment goes to its provider's own address, and
        to these.
    watch : callable, optional
        Called with the stage after every change.
    progress_made : callable, optional
        Called once with the :class:`Progress`, by which the run can be stopped.

    Returns
    -------
    Stage
        How far it has come.

    Raises
    ------
    StudyError
        What ends the run; all that was finished is kept.
    """
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
        progress = Progress(len(everything), before, len(todo), study.budget, watch)
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
    """Look whether a record holds other episodes in the places of these: tables would mix them.

    Parameters
    ----------
    everything : iterable of Point
        All of its episodes.

    Raises
    ------
    StudyError
        If a condition, a task or the seed is not what it was. More of them are no change.
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
    found: dict[str, list[Point]] = {}
    for point in todo:
        found.setdefault(point.condition.engine, []).append(point)
    return found
