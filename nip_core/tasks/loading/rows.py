"""Turn the rows of a file into tasks, and report every problem."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import show, text_fault
from nip_core.errors import TaskFileError
from nip_core.tasks.collection import Tasks
from nip_core.tasks.parts import MAX_LABEL
from nip_core.tasks.task import Task

__all__ = [
    "COLUMNS",
    "LABELS",
    "MAX_CHARACTERS",
    "MAX_ROWS",
    "REQUIRED",
    "BadRow",
    "LoadReport",
    "Row",
    "RowProblem",
    "Source",
    "check_rows",
    "need_columns",
]

REQUIRED = ("question", "solution", "y")
COLUMNS = (*REQUIRED, "id", "prover_stance", "explanation")

MAX_ROWS = 1_000_000
# The most characters in all texts, since a compressed file may contain far more than its size.
MAX_CHARACTERS = 200_000_000
# The most problems that are kept. With more, the file probably has another format.
MAX_PROBLEMS = 100_000

# The accepted forms of the label and the stance, in any case.
LABELS: dict[str, Literal[0, 1]] = {
    "0": 0,
    "0.0": 0,
    "false": 0,
    "reject": 0,
    "incorrect": 0,
    "1": 1,
    "1.0": 1,
    "true": 1,
    "accept": 1,
    "correct": 1,
}
_LABELS_ALLOWED = "0 or 1 (or false/true, reject/accept, incorrect/correct)"


class BadRow(NamedTuple):
    """A row that cannot be parsed, with the reason."""

    fault: str


# The line of the file in which the row begins, for text files.
Row = tuple[int | None, Mapping[str, object] | BadRow]


class Source(NamedTuple):
    """The rows of a file, and its columns if they are fixed."""

    rows: Iterable[Row]
    columns: tuple[str, ...] | None


@displayed
@dataclass(frozen=True, slots=True)
class RowProblem:
    """A problem with a row, which is left out.

    Parameters
    ----------
    row : int
        Counted from 1; a line with the columns' names does not count.
    line : int, optional
        The line of the file in which the row begins, for text files.
    column : str, optional
        None if the problem is about the whole row.
    given, allowed : str
        The value in the file, shortened, and what is allowed. For a whole row, `given` is the
        description.
    """

    row: int
    line: int | None
    column: str | None
    given: str
    allowed: str

    def __str__(self) -> str:
        place = f"row {self.row:,}" + (f" (line {self.line:,})" if self.line else "")
        if self.column is None:
            return f"{place} {self.given}"
        return f"{place}: {self.column} is {self.given}; it must be {self.allowed}"


@dataclass(frozen=True, slots=True)
class LoadReport(Tabular):
    """The result of loading a file of tasks.

    Parameters
    ----------
    source : str
        The name of the file.
    tasks : Tasks
        The valid rows, in the order of the file.
    problems : tuple of RowProblem
        The problems of the others, in the order of the file; a row may have several.
    rows : int
        The number of rows, valid or not. Empty lines do not count.
    ignored : tuple of str
        Unknown columns.
    """

    source: str
    tasks: Tasks
    problems: tuple[RowProblem, ...]
    rows: int
    ignored: tuple[str, ...] = ()

    def __repr__(self) -> str:
        usable = f"{len(self.tasks):,} of {self.rows:,} rows can be used"
        return line(self, brief(self.source), usable)

    def table(self) -> Table:
        """Return the problems with their places."""
        head = ("row", "line", "column", "given", "allowed")
        return Table(head, [(p.row, p.line, p.column, p.given, p.allowed) for p in self.problems])

    def summary(self, most: int = 10) -> str:
        """Return a summary for people: the numbers, and the first problems."""
        lines = [f"{self.source}: {len(self.tasks):,} of {self.rows:,} rows can be used."]
        if self.ignored:
            shown = ", ".join(map(show, self.ignored[:most]))
            lines.append(f"Ignored columns: {shown}{', ...' * (len(self.ignored) > most)}.")
        lines += [f"- {problem}" for problem in self.problems[:most]]
        if len(self.problems) > most:
            lines.append(f"- and {len(self.problems) - most:,} more problems")
        return "\n".join(lines)


def need_columns(columns: Iterable[str]) -> None:
    """Check that all required columns exist."""
    there = list(columns)
    missing = [name for name in REQUIRED if name not in there]
    if not missing:
        return
    hints: list[str] = []
    if {"article", "questions"} <= set(there):
        hints.append(" Files with articles and questions about them are read by load_quality.")
    for name in missing:
        for close in difflib.get_close_matches(name, [c.strip().lower() for c in there[:50]], n=1):
            original = next(c for c in there if c.strip().lower() == close)
            hints.append(f" Rename {show(original)} to {name!r}?")
    shown = ", ".join(show(name) for name in there[:10]) + (", ..." if len(there) > 10 else "")
    raise TaskFileError(
        f"There is no column {' and none '.join(map(repr, missing))}. Found: {shown or 'none'}. "
        f"Needed: {', '.join(REQUIRED)}; optional: {', '.join(COLUMNS[len(REQUIRED) :])}."
        + "".join(hints)
    )


def check_rows(name: str, source: Source, most: int) -> LoadReport:
    """Turn rows into tasks and problems; refuse more than `most` rows.

    Raises
    ------
    TaskFileError
        If there are no rows or too many, or no row has the required columns.
    """
    checker = _Checker()
    rows = 0
    for place, row in source.rows:
        rows += 1
        if rows > most:
            raise TaskFileError(f"The file has more than {most:,} rows.")
        if isinstance(row, BadRow):
            checker.problems.append(RowProblem(rows, place, None, row.fault, ""))
        else:
            checker.check(rows, place, row)
        if len(checker.problems) > MAX_PROBLEMS:
            raise TaskFileError(
                f"The file has more than {MAX_PROBLEMS:,} rows that cannot be used. "
                f"The first: {checker.problems[0]}."
            )
    if not rows:
        raise TaskFileError("The file has no rows, so there is no task in it.")
    columns = checker.seen if source.columns is None else source.columns
    if columns and not checker.tasks:
        need_columns(columns)
    return LoadReport(
        source=name,
        tasks=Tasks(checker.tasks),
        problems=tuple(checker.problems),
        rows=rows,
        ignored=tuple(column for column in columns if column not in COLUMNS),
    )


_MISSING = object()


class _Checker:
    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.problems: list[RowProblem] = []
        self.seen: dict[str, None] = {}  # columns, in the order of their first occurrence
        self.row_of_task: dict[str, int] = {}
        self.row_of_id: dict[str, int] = {}
        self.characters = 0

    def check(self, number: int, line: int | None, row: Mapping[str, object]) -> None:
        """Add the row's task, or its problems."""
        if len(self.seen) < 100 and not self.seen.keys() >= row.keys():
            self.seen.update(dict.fromkeys(row))
        self._count(row)
        faults = list(_faults(row))
        source_id = _source_id(row.get("id"))
        if (
            source_id is not None
            and (first := self.row_of_id.setdefault(source_id, number)) < number
        ):
            faults.append(("id", show(source_id), f"new, but row {first:,} has it"))
        if not faults:
            task = _task(row, source_id)
            first = self.row_of_task.setdefault(task.id, number)
            if first == number:
                self.tasks.append(task)
                return
            faults.append(
                (None, f"has the same question and solution as row {first:,}; it is left out", "")
            )
        self.problems += [RowProblem(number, line, *fault) for fault in faults]

    def _count(self, row: Mapping[str, object]) -> None:
        # Invalid rows count too, since checking them takes time.
        self.characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if self.characters > MAX_CHARACTERS:
            raise TaskFileError(f"The file holds more than {MAX_CHARACTERS:,} characters.")


Fault = tuple[str | None, str, str]


def _faults(row: Mapping[str, object]) -> Iterator[Fault]:
    for column in ("question", "solution"):
        value = row.get(column, _MISSING)
        fault = text_fault(value)
        if fault:
            yield column, _given(value), fault
    if _label(row.get("y")) is None:
        yield "y", _given(row.get("y", _MISSING)), _LABELS_ALLOWED
    stance = row.get("prover_stance")
    if not _absent(stance) and _label(stance) is None:
        yield "prover_stance", _given(stance), f"{_LABELS_ALLOWED}, or empty"
    explanation = row.get("explanation")
    if not _absent(explanation) and (fault := text_fault(explanation)):
        yield "explanation", _given(explanation), f"{fault}, or left out"
    given_id = row.get("id")
    if not _absent(given_id):
        fault = text_fault(_source_id(given_id), MAX_LABEL)
        if fault:
            yield "id", _given(given_id), f"{fault}, a whole number, or empty"


def _task(row: Mapping[str, object], source_id: str | None) -> Task:
    explanation = row.get("explanation")
    return Task(
        question=str(row["question"]),
        solution=str(row["solution"]),
        y=_label(row["y"]) or 0,
        prover_stance=_label(row.get("prover_stance")),
        explanation=None if _absent(explanation) else str(explanation),
        source_id=source_id,
    )


def _given(value: object) -> str:
    if value is _MISSING:
        return "missing"
    return "empty" if _absent(value) else show(value)


def _absent(value: object) -> bool:
    """Return whether a value means that there is none. (Some Parquet files contain NaN.)"""
    return value is None or value == "" or (isinstance(value, float) and value != value)


def _label(value: object) -> Literal[0, 1] | None:
    if isinstance(value, str):
        return LABELS.get(value.strip().lower()) if len(value) < 100 else None
    if isinstance(value, int | float) and value in (0, 1):
        return 1 if value else 0
    return None


def _source_id(value: object) -> str | None:
    """Return an id, which may be a number, as text; None if it is absent or unusable."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # whole numbers become floats in a column with missing values
    if type(value) is int and value.bit_length() <= 256:
        return str(value)
    return None
