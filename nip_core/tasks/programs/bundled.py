"""The bundled code-validation problems, one TOML file each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, cast

from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import python_literal, show, stable_hash
from nip_core.errors import TaskError, UnknownNameError
from nip_core.tasks.collection import Tasks
from nip_core.tasks.documents import as_list, as_object
from nip_core.tasks.parts import DIFFICULTIES, VERDICTS, Chip, Difficulty, Exposing, Note, asks_in
from nip_core.tasks.task import Statement, Task

__all__ = [
    "Example",
    "Problem",
    "bundled_task",
    "bundled_tasks",
    "deal",
    "is_bundled",
    "load_problem",
    "problems",
    "surprise",
]

Version = Literal["correct", "wrong"]
VERSIONS: tuple[Version, ...] = ("correct", "wrong")


@displayed
@dataclass(frozen=True, slots=True)
class Example:
    """A call of a problem's function, and the right result.

    Parameters
    ----------
    args, expected : str
        Python literals: the positional arguments as a tuple or list, and the result.
    obvious : bool
        Whether it is an obvious test. The wrong solution passes all of these.
    """

    args: str
    expected: str
    obvious: bool = False

    def values(self) -> tuple[tuple[Any, ...], Any]:
        """Return fresh arguments and the right result."""
        return tuple(python_literal(self.args)), python_literal(self.expected)


@dataclass(frozen=True, slots=True)
class Problem(Tabular):
    """A bundled problem with both versions of its solution.

    Never show people both versions at once, since exactly one of them is right. Show the problem,
    or a task from :func:`surprise`, :func:`deal` or :meth:`pick`.

    Parameters
    ----------
    slug : str
        The name of its file. Links may contain it, with a seed for :meth:`pick`.
    title : str
    difficulty : {"easy", "medium", "hard"}
    function : str
        The function that the cases call.
    cases : tuple of Example
    exposing : Example
        A case in which the wrong solution fails.
    correct, wrong : Task
    fools_quick_reader : bool
        Whether the bug is hard to see in a quick read.
    notes : tuple of Note
        What scripted provers can say besides the answers of its tasks.
    """

    slug: str
    title: str
    difficulty: Difficulty
    function: str
    cases: tuple[Example, ...]
    exposing: Example
    correct: Task
    wrong: Task
    fools_quick_reader: bool
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        return line(self, brief(self.slug), brief(self.title), self.difficulty)

    def table(self) -> Table:
        """Return the calls with their right results, and whether each is an obvious test."""
        rows = [(case.args, case.expected, case.obvious) for case in self.cases]
        return Table(("arguments", "expected", "obvious"), rows)

    def pick(self, seed: int) -> Task:
        """Return one of the two versions, by a fair coin from the slug and the seed."""
        return (self.wrong, self.correct)[stable_hash("nip-version/1", self.slug, int(seed))[0] & 1]


def problems(difficulty: Difficulty | None = None) -> tuple[Problem, ...]:
    """Return all bundled problems, or those of one difficulty; easy ones first, then by slug."""
    return tuple(problem for problem in _all_problems() if _wanted(problem.difficulty, difficulty))


def bundled_tasks(difficulty: Difficulty | None = None) -> Tasks:
    """Return both tasks of all bundled problems, easy ones first, then by id.

    Ids are hashes, so a task's position reveals nothing about its label or its other version. The
    table has no labels; ``bundled_tasks().to_frame(labels=True)`` has.
    """
    return Tasks(task for task in _all_tasks().values() if _wanted(task.difficulty, difficulty))


def bundled_task(task_id: str) -> Task:
    """Return the bundled task with this id."""
    task = _all_tasks().get(task_id)
    if task is None:
        # Without a list of known ids, since similar ids are no typing errors.
        raise UnknownNameError("bundled task", task_id, ())
    return task


def is_bundled(statement: Statement) -> bool:
    """Return whether a statement is one of the bundled tasks, of which half are wrong."""
    return statement.id in _all_tasks()


def deal(seed: int, difficulty: Difficulty | None = None) -> Tasks:
    """Return one task of each problem, in an order and in versions that depend on the seed alone.

    A fair coin is tossed for each problem independently, so earlier tasks reveal nothing about
    later ones. (Excluding *tasks* that somebody has seen, instead of problems, would: after the
    correct version of a problem, only the wrong one is left.)
    """

    def rank(problem: Problem) -> bytes:
        return stable_hash("nip-deal/1", problem.slug, int(seed))

    return Tasks(problem.pick(seed) for problem in sorted(problems(difficulty), key=rank))


def surprise(seed: int, difficulty: Difficulty | None = None) -> Task:
    """Return a bundled task: the first of :func:`deal`."""
    return deal(seed, difficulty)[0]


def _wanted(difficulty: Difficulty | None, wanted: Difficulty | None) -> bool:
    if wanted is not None and wanted not in DIFFICULTIES:
        raise UnknownNameError("difficulty", wanted, DIFFICULTIES)
    return wanted is None or difficulty == wanted


@cache
def _all_problems() -> tuple[Problem, ...]:
    # With importlib.resources, so that it works from a zipped wheel too.
    folder = resources.files("nip_core.tasks.programs") / "problems"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    loaded = [load_problem(file.name, file.read_text("utf-8")) for file in files]
    _need_distinct(loaded)
    return tuple(sorted(loaded, key=lambda p: (DIFFICULTIES.index(p.difficulty), p.slug)))


@cache
def _all_tasks() -> dict[str, Task]:
    tasks = [task for problem in _all_problems() for task in (problem.correct, problem.wrong)]
    return {
        task.id: task
        for difficulty in DIFFICULTIES
        for task in sorted(tasks, key=lambda task: task.id)
        if task.difficulty == difficulty
    }


def _need_distinct(all_problems: list[Problem]) -> None:
    names: dict[str, str] = {}
    for problem in all_problems:
        for name in (problem.title, problem.correct.id, problem.wrong.id):
            if name in names:
                raise TaskError(
                    f"{problem.slug}.toml has the title or a solution of {names[name]}.toml."
                )
            names[name] = problem.slug


_TOP = ("title", "difficulty", "function", "question", "cases", "correct", "wrong", "questions")


def load_problem(file_name: str, text: str) -> Problem:
    """Read one problem file.

    Raises
    ------
    TaskError
        If it is invalid; names the file, the key and what is allowed there.
    """
    try:
        return _read(file_name.removesuffix(".toml"), tomllib.loads(text))
    except (tomllib.TOMLDecodeError, TaskError) as error:
        raise TaskError(f"{file_name}: {error}") from error


def _read(slug: str, document: Mapping[str, object]) -> Problem:
    top = as_object(document, "the file", _TOP, ("more",))
    cases = tuple(
        Example(*_literals(case, at), obvious=_flag(case.get("obvious", False), f"{at}.obvious"))
        for case, at in _tables(top, "cases", ("args", "expected"), ("obvious",))
    )
    if len(cases) < 6 or sum(case.obvious for case in cases) < 3:
        raise TaskError("cases must be at least 6, of which at least 3 are obvious.")
    questions = list(_tables(top, "questions", ("ask", *VERSIONS)))
    if not 4 <= len(questions) <= 8:
        raise TaskError(f"questions has {len(questions)} tables; it must be 4 to 8.")
    function = top["function"]
    if not isinstance(function, str) or not function.isidentifier():
        raise TaskError(f"function is {show(function)}; it must be a Python name.")

    wrong = as_object(
        top["wrong"],
        "wrong",
        ("solution", "explanation", "opening", "exposing", "fools_quick_reader"),
    )
    correct = as_object(top["correct"], "correct", ("solution", "explanation", "opening"))
    exposing = as_object(wrong["exposing"], "wrong.exposing", ("args", "expected", "got"))
    case = Example(*_literals(exposing, "wrong.exposing"))
    call = f"{function}({', '.join(map(repr, case.values()[0]))})"

    def task(version: Version, table: dict[str, object], shown: Exposing | None) -> Task:
        return Task(
            question=_text(top, "question"),
            solution=_text(table, "solution", version),
            y=1 if version == "correct" else 0,
            title=_text(top, "title"),
            difficulty=top["difficulty"],
            explanation=_text(table, "explanation", version),
            exposing=shown,
            openings=_by_stance(table["opening"], f"{version}.opening"),
            questions=tuple(
                Chip(_text(question, "ask", at), _by_stance(question[version], f"{at}.{version}"))
                for question, at in questions
            ),
        )

    problem = Problem(
        slug=slug,
        title=_text(top, "title"),
        difficulty=top["difficulty"],
        function=function,
        cases=cases,
        exposing=case,
        correct=task("correct", correct, None),
        wrong=task("wrong", wrong, Exposing(call, case.expected, _got(exposing))),
        fools_quick_reader=_flag(wrong["fools_quick_reader"], "wrong.fools_quick_reader"),
        notes=tuple(_notes(top, (wrong["solution"], correct["solution"]))),
    )
    if problem.correct.id == problem.wrong.id:
        raise TaskError("wrong.solution is the same as correct.solution.")
    return problem


def _tables(
    top: Mapping[str, object], key: str, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterator[tuple[dict[str, object], str]]:
    """Yield the tables of an array, each with its position in the file, counted from 1."""
    for number, table in enumerate(as_list(top[key], key), start=1):
        at = f"{key}[{number}]"
        yield as_object(table, at, required, optional), at


def _notes(top: Mapping[str, object], programs: tuple[object, object]) -> Iterator[Note]:
    if "more" not in top:
        return
    for table, at in _tables(top, "more", ("asks",), ("line", "always", *VERSIONS)):
        if table.keys() & {"always", *VERSIONS} not in ({"always"}, {*VERSIONS}):
            raise TaskError(f"{at} must have either always, or correct and wrong.")
        asks = asks_in(table, at)
        line = _text(table, "line", at) if "line" in table else ""
        if not any(line in str(program) for program in programs):
            raise TaskError(f"{at}.line is {show(line)}, which stands in neither solution.")
        told = [
            _text(table, key, at)
            if isinstance(table[key], str)
            else _by_stance(table[key], f"{at}.{key}")
            for key in (("always", "always") if "always" in table else VERSIONS[::-1])
        ]
        wrong, correct = ((each, each) if isinstance(each, str) else each for each in told)
        yield Note(asks, (*wrong, *correct), line)


def _text(table: Mapping[str, object], key: str, at: str = "") -> str:
    place = f"{at}.{key}" if at else key
    value = table[key]
    if not isinstance(value, str) or not value.strip():
        raise TaskError(f"{place} is {show(value)}; it must be a text that is not empty.")
    # Blank lines around a block are not part of the code, but its indentation is.
    return value.strip("\n").rstrip()


def _flag(value: object, at: str) -> bool:
    if not isinstance(value, bool):
        raise TaskError(f"{at} is {show(value)}; it must be true or false.")
    return value


def _by_stance(value: object, at: str) -> tuple[str, str]:
    texts = as_object(value, at, VERDICTS)
    return _text(texts, "reject", at), _text(texts, "accept", at)


def _literals(table: Mapping[str, object], at: str) -> tuple[str, str]:
    args = _literal(table, "args", at)
    if not isinstance(args, tuple | list):
        raise TaskError(f"{at}.args is {show(args)}; it must be a tuple or list of arguments.")
    _literal(table, "expected", at)
    return cast("str", table["args"]).strip(), cast("str", table["expected"]).strip()


def _literal(table: Mapping[str, object], key: str, at: str) -> object:
    text = table[key]
    try:
        return python_literal(_text(table, key, at).strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise TaskError(f"{at}.{key} is {show(text)}; it must be a Python literal.") from error


def _got(exposing: Mapping[str, object]) -> str:
    got = _text(exposing, "got", "wrong.exposing").strip()
    if not got.startswith("raises "):
        _literal(exposing, "got", "wrong.exposing")
    return got
