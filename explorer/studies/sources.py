"""Where a study's tasks come from, and which of them take part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from explorer.studies.study import StudyError, TaskSource, problem_of
from nip_core.documents import first_repeated, show, stable_hash
from nip_core.errors import TaskError
from nip_core.tasks import DIFFICULTIES, Difficulty, Task, bundled_tasks, graph_task, load_tasks

__all__ = ["drawn", "read_source"]

GRAPHS = 24
# Each pair takes tens of milliseconds: one with a certain difficulty has to be found.
MOST_GRAPHS = 1_000


def read_source(fields: Mapping[str, Any], seed: int, folder: Path, at: str) -> TaskSource:
    """The tasks that a table of the file means."""
    if ("source" in fields) == ("file" in fields):
        raise StudyError(f"{at} must have either `source` or `file`, and one of them only.")
    if "split" in fields and "file" not in fields:
        raise StudyError(f"{at}.split is for dataset folders: give `file`, or leave it out.")
    if "file" in fields:
        tasks = _from_file(folder / fields["file"], fields.get("split"), at)
    elif fields["source"] == "graphs":
        if "ids" in fields:
            raise StudyError(f"{at}.ids cannot be given for graphs, which are made; leave it out.")
        # Both labels of every size are made, so that a table without one of them is a choice.
        if fields.get("problems", GRAPHS) > MOST_GRAPHS:
            raise StudyError(
                f"{at}.problems is {fields['problems']:,}; at most {MOST_GRAPHS:,} pairs of graphs "
                "are made."
            )
        return TaskSource(_graphs(fields, seed), None)
    else:
        tasks = bundled_tasks()
    chosen = _selected(tasks, fields, at)
    return TaskSource(chosen, fields.get("problems"))


def _graphs(fields: Mapping[str, Any], seed: int) -> tuple[Task, ...]:
    labels = [fields["label"]] if "label" in fields else [1, 0]
    sizes = fields.get("difficulty", DIFFICULTIES)
    kinds = [(size, label) for size in sizes for label in labels]
    made: dict[str, Task] = {}
    number = 0
    while len(made) < fields.get("problems", GRAPHS):
        size, label = kinds[number % len(kinds)]
        task = _graph(seed, number, size, label)
        made[task.id] = task
        number += 1
    return tuple(made.values())


# A form asks for the same again at every change.
@lru_cache(2 * MOST_GRAPHS)
def _graph(seed: int, number: int, size: Difficulty, label: int) -> Task:
    drawn = stable_hash("nip-study-graph/1", seed, number)
    return graph_task(int.from_bytes(drawn[:4]), difficulty=size, isomorphic=label == 1)


def _from_file(path: Path, split: str | None, at: str) -> tuple[Task, ...]:
    try:
        report = load_tasks(path, split=split)
    except TaskError as error:
        raise StudyError(f"{at}.file: {error}") from None
    if report.problems:
        first = report.problems[0]
        raise StudyError(
            f"{at}.file: {len(report.problems):,} of the rows cannot be used. The first: {first}. "
            "Correct them, or take them out."
        )
    return tuple(report.tasks)


def _selected(tasks: Iterable[Task], fields: Mapping[str, Any], at: str) -> tuple[Task, ...]:
    found = tuple(
        task
        for task in tasks
        if task.difficulty in fields.get("difficulty", (task.difficulty,))
        and task.y == fields.get("label", task.y)
    )
    if "ids" in fields:
        by_id = {name: task for task in found for name in (task.id, task.source_id) if name}
        for index, name in enumerate(fields["ids"]):
            if name not in by_id:
                raise StudyError(f"{at}.ids[{index}]: there is no such task {show(name)} here.")
        wanted = {by_id[name].id for name in fields["ids"]}
        found = tuple(task for task in found if task.id in wanted)
    if not found:
        raise StudyError(f"{at} leaves no task; widen `difficulty` or `label`.")
    twice = first_repeated(task.id for task in found)
    if twice is not None:
        raise StudyError(f"{at} has the same statement twice (its id is {twice}); take one out.")
    problems = {problem_of(task) for task in found}
    if fields.get("problems", 1) > len(problems):
        raise StudyError(
            f"{at}.problems is {fields['problems']:,}, but there are {len(problems):,} problems."
        )
    return found


def drawn(sources: Iterable[TaskSource], *seed: str | int) -> tuple[Task, ...]:
    """The tasks that take part, in the order of their sources."""
    chosen: list[Task] = []
    for number, source in enumerate(sources):
        problems = {
            problem: stable_hash("nip-study-problem/1", *seed, number, problem)
            for problem in map(problem_of, source.tasks)
        }
        kept = set(sorted(problems, key=problems.__getitem__)[: source.problems])
        chosen.extend(task for task in source.tasks if problem_of(task) in kept)
    return tuple(chosen)
