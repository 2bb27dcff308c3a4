"""What protocols are played on: bundled tasks of any kind, by their names in addresses."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, cast

from nip_core.documents import stable_hash
from nip_core.errors import UnknownNameError
from nip_core.language import Specification
from nip_core.play import Material
from nip_core.tasks import (
    DIFFICULTIES,
    VERDICTS,
    Difficulty,
    Passage,
    Problem,
    Task,
    bundled_task,
    bundled_tasks,
    passages,
    problems,
    task_kinds,
)

# Kinds of task for a protocol, by the parts of a task that it uses.
OF_PASSAGE = frozenset(("question", "answers", "passage"))
STATEMENT = "problem"
# The prefix of a bundled problem's name.
PROBLEM = "problem"


def materials(spec: Specification) -> dict[str, str]:
    """Return the titles of the tasks that a protocol can be played on, by name; may be empty."""
    return {name: _title(each) for name, each in _known(spec).items()}


def _title(each: Any) -> str:
    return str(each.title if hasattr(each, "title") else each["title"])


def _known(spec: Specification) -> dict[str, Any]:
    """Return the bundled material that provides all parts and facts that a protocol uses."""
    parts, facts = _parts_and_facts(spec)
    answers = spec.roles.answers
    if reads_passages(spec) and len(answers) == 2:
        return {each.slug: each for each in passages()}
    in_one = parts == {STATEMENT} and facts == {spec.roles.truth} and {*answers} == {*VERDICTS}
    if in_one or takes_statements(spec):
        return {each.slug: each for each in problems()}
    return {
        _slug(task["title"]): task
        for task in _own()
        if parts <= task.keys() <= {*parts, *facts, "title", "for"}
    }


def _slug(title: str) -> str:
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def takes_statements(spec: Specification) -> bool:
    """Return whether a protocol is about a question and a solution, which holds or does not."""
    parts, facts = _parts_and_facts(spec)
    return parts == {"question", "solution"} and facts <= {spec.roles.truth}


def reads_passages(spec: Specification) -> bool:
    """Return whether a protocol is about a passage, a question and its answers."""
    parts, facts = _parts_and_facts(spec)
    return {"question", "answers"} <= parts <= OF_PASSAGE and facts <= {spec.roles.truth}


def _parts_and_facts(spec: Specification) -> tuple[set[str], set[str]]:
    """Return the names of parts and facts; of a family its own, as tasks have a list for it."""
    named = {member: family.name for family in spec.families for member in family.members}
    facts = {choice.name for choice in spec.drawn if choice.by == "task"}
    parts = {part.name for part in spec.parts}
    return {named.get(name, name) for name in parts}, {named.get(name, name) for name in facts}


@cache
def _own() -> tuple[Mapping[str, Any], ...]:
    text = files("explorer.play").joinpath("materials.toml").read_text("utf-8")
    return tuple(tomllib.loads(text)["tasks"])


def _made(spec: Specification, known: Any, seed: int) -> Any:
    """Return an episode's material; for a problem, the seed draws a right or a wrong version."""
    if isinstance(known, Passage):
        return known
    if isinstance(known, dict):
        own = cast("dict[str, Any]", known)
        return {name: text for name, text in own.items() if name != "for"}
    return task_for(spec, known.pick(seed), seed)


def find_task(spec: Specification, name: str, seed: int) -> Any:
    """Return what an episode of a protocol is about; raise an UnknownNameError for other names.

    Parameters
    ----------
    spec : Specification
    name : str
        A name of :func:`materials`, or empty for one that the seed draws. Of statements also a kind
        of task by its name in addresses, optionally with a difficulty (``"code:easy"``);
        ``"problem:..."``, a bundled problem by its name, of which the seed draws a version; or
        ``"id:..."``, a bundled task by its opaque id.
    seed : int
    """
    known = _known(spec)
    if not name and not known:
        # A protocol without parts and facts needs no task; others are refused with a reason.
        return {}
    if not name:
        drawn = int.from_bytes(stable_hash("nip-turn-task/1", seed)[:4], "big")
        return _made(spec, [*known.values()][drawn % len(known)], seed)
    if name in known:
        return _made(spec, known[name], seed)
    kind, _, rest = name.partition(":")
    if kind == "id":
        return bundled_task(rest)
    if kind == PROBLEM:
        named = {problem.slug: problem for problem in problems()}
        if rest not in named:
            raise UnknownNameError("problem", rest, list(named))
        # The seed picks the version, so that a chosen problem may be right or wrong.
        return named[rest].pick(seed)
    if name not in task_choices():
        what = ("kind of task", task_choices()) if takes_statements(spec) else ("task", [*known])
        raise UnknownNameError(what[0], name, what[1])
    (chosen,) = (each for each in task_kinds() if each.choice == kind)
    return chosen.deal(seed, cast("Difficulty | None", rest or None))


def task_choices() -> list[str]:
    """Return the choices of a kind of task, with and without a difficulty."""
    return [
        choice
        for kind in task_kinds()
        for choice in (kind.choice, *(f"{kind.choice}:{d}" for d in DIFFICULTIES))
    ]


def _as_problem(spec: Specification, task: Task) -> dict[str, str]:
    """Return a statement as the task of a protocol about a problem."""
    text, truth = f"{task.question}\n\n{task.solution}", spec.roles.truth
    return {STATEMENT: text, str(truth): VERDICTS[task.y], "title": task.title or ""}


def task_for(spec: Specification, task: Any, seed: int) -> Any:
    """Return a task of any kind in the form that a protocol is played on.

    Of a passage, the seed draws an answer as the statement that a protocol may be about.
    """
    if isinstance(task, Passage) and takes_statements(spec):
        return task.pick(seed)
    if isinstance(task, Task) and [part.name for part in spec.parts] == [STATEMENT]:
        return _as_problem(spec, task)
    return task


def prepared_for(spec: Specification) -> list[Task | Passage | Material]:
    """Return all bundled material that a protocol can be played on."""
    known = [*_known(spec).values()]
    if known and isinstance(known[0], Problem):
        return [*bundled_tasks()]
    return [
        each if isinstance(each, Passage) else Material.of(spec, _made(spec, each, 0))
        for each in known
    ]
