"""Passages and questions from files in the format of QuALITY (Pang et al. 2022).

Each line of such a file is a JSON object with an article and several questions about it. The
published files end in ``.train``, ``.dev`` and ``.test``, so the name does not show the format.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from nip_core.displays import Table, Tabular, brief, line
from nip_core.documents import Limits, printable, read_file, show, text_fault
from nip_core.errors import TaskFileError
from nip_core.tasks.loading.rows import BadRow, RowProblem
from nip_core.tasks.loading.text_files import TEXT_FORMATS
from nip_core.tasks.parts import MAX_LABEL, Difficulty
from nip_core.tasks.passages.passage import (
    LETTERS,
    MAX_ANSWER,
    MAX_PASSAGE,
    MAX_QUESTION,
    Answer,
    Passage,
)
from nip_core.tasks.passages.plain_text import plain_text

__all__ = ["PassageReport", "load_quality"]

# Several times the size of the largest published file.
MAX_FILE_BYTES = 32 * 2**20
MAX_LINES = 20_000
MAX_QUESTIONS = 100  # questions about one article
MAX_PROBLEMS = 1_000

_OF_LINES = ("article", "questions")
_MISSING = object()


@dataclass(frozen=True, slots=True)
class PassageReport(Tabular):
    """The result of loading a file of passages.

    Parameters
    ----------
    source : str
        The name of the file.
    passages : tuple of Passage
        One for each valid question, in the order of the file. Questions about the same article
        share its text.
    problems : tuple of RowProblem
        The problems of the others: the line, the place in it such as ``questions[2].options``
        (counted from 0), the value and what is allowed.
    questions : int
        The number of questions, valid or not, in readable lines.
    """

    source: str
    passages: tuple[Passage, ...]
    problems: tuple[RowProblem, ...]
    questions: int

    def __repr__(self) -> str:
        usable = f"{len(self.passages):,} of {self.questions:,} questions can be used"
        return line(self, brief(self.source), usable)

    def table(self) -> Table:
        """Return the problems with their places."""
        head = ("line", "place", "given", "allowed")
        return Table(head, [(p.line, p.column, p.given, p.allowed) for p in self.problems])


def load_quality(
    source: str | os.PathLike[str] | bytes, filename: str | None = None
) -> PassageReport:
    """Read passages with questions from a file in QuALITY's format: JSON, one article a line.

    A line needs `article` (text or HTML) and `questions`; `title`, `set_unique_id` and `article_id`
    may be there too. A question needs `question`, `options` (two to four texts) and `gold_label`
    (the number of the right option, counted from 1); `question_unique_id`, `writer_label` and
    `difficult` (0 or 1) may be there too. Other fields are ignored. Problems with a line or a
    question are reported, and the others are read.

    Parameters
    ----------
    source : path or bytes
        A file, or its bytes.
    filename : str, optional
        The name of the file in messages.

    Raises
    ------
    TaskFileError
        If nothing in the file can be used, with the reason and what to do. At most 32 MiB, 20,000
        lines of 2 MB each, 100 questions a line, and articles of 90,000 characters are read.
    """
    name = printable(filename or _name(source))[:100]
    try:
        return _read(name, _bytes(source))
    except TaskFileError as error:
        raise TaskFileError(f"{name}: {error}") from error


def _name(source: str | os.PathLike[str] | bytes) -> str:
    return "The file" if isinstance(source, bytes) else os.path.basename(source) or "The file"


def _bytes(source: str | os.PathLike[str] | bytes) -> bytes:
    if not isinstance(source, bytes):
        path = Path(source)
        try:
            regular = path.is_file()
        except (OSError, ValueError):  # an impossible path
            regular = False
        if not regular:
            raise TaskFileError("There is no such file. Check the path.")
        source = read_file(path, Limits(size=MAX_FILE_BYTES), TaskFileError, "It")
    if len(source) > MAX_FILE_BYTES:
        raise TaskFileError(
            f"The file has more than {MAX_FILE_BYTES // 2**20} MiB. Split it by lines."
        )
    if source.count(b"\n") > MAX_LINES:
        raise TaskFileError(f"The file has more than {MAX_LINES:,} lines. Split it by lines.")
    return source


def _read(name: str, data: bytes) -> PassageReport:
    if data.lstrip().startswith(b"["):
        raise TaskFileError(
            "The file holds a JSON list. It must have one object a line: write each object of the "
            "list to a line of its own."
        )
    reader = _Reader()
    fields: dict[str, None] = {}
    for number, row in TEXT_FORMATS[".jsonl"](data).rows:
        reader.line = number or 0
        if isinstance(row, BadRow):
            reader.fail(None, row.fault, "")
            continue
        if len(fields) < 100:
            fields.update(dict.fromkeys(row))
        reader.read_line(row)
    if not reader.questions and not any(name in fields for name in _OF_LINES):
        _refuse_other_file(fields, reader.problems)
    return PassageReport(name, tuple(reader.found), tuple(reader.problems), reader.questions)


def _refuse_other_file(fields: Mapping[str, object], problems: list[RowProblem]) -> None:
    if not fields:
        first = str(problems[0]).rstrip(".")
        raise TaskFileError(f"No line of the file can be read. The first: {first}.")
    names = ", ".join(show(name) for name in list(fields)[:10]) + ", ..." * (len(fields) > 10)
    hint = "".join(_renaming(name, fields) for name in _OF_LINES)
    if {"question", "solution", "y"} <= fields.keys():
        hint = " Files with question, solution and y are read by load_tasks."
    raise TaskFileError(
        f"No line has the fields {' and '.join(map(repr, _OF_LINES))}. Found: {names}.{hint}"
    )


class _Reader:
    """Reads lines one after the other, and collects questions and problems."""

    def __init__(self) -> None:
        self.found: list[Passage] = []
        self.problems: list[RowProblem] = []
        self.questions = 0
        self.line = 0
        self._line_of_slug: dict[str, int] = {}

    def fail(self, place: str | None, value: str, allowed: str) -> None:
        problem = RowProblem(self.line, self.line, place, value, allowed)
        self.problems.append(problem)
        if len(self.problems) > MAX_PROBLEMS:
            raise TaskFileError(
                f"The file has more than {MAX_PROBLEMS:,} faults, so it may be of another kind. "
                f"The first: {self.problems[0]}."
            )

    def read_line(self, row: Mapping[str, object]) -> None:
        """Add the valid questions of a line."""
        before = len(self.problems)
        article = self._article(row)
        title = self._text(row, "title", "", MAX_LABEL, "Untitled")
        known = self._text(row, "set_unique_id", "", MAX_LABEL - 10, f"line_{self.line}")
        questions = row.get("questions", _MISSING)
        if not isinstance(questions, list) or not questions:
            self._fault(row, "questions", "", "a list of at least one question")
            return
        questions = cast("list[object]", questions)
        if len(questions) > MAX_QUESTIONS:
            allowed = f"a list of at most {MAX_QUESTIONS} questions"
            self.fail("questions", f"a list of {len(questions):,}", allowed)
            return
        self.questions += len(questions)
        if len(self.problems) > before:
            return
        for number, question in enumerate(questions):
            self._question(
                question, f"questions[{number}]", f"{known}_{number + 1}", title, article
            )

    def _article(self, row: Mapping[str, object]) -> str:
        value = row.get("article", _MISSING)
        if text_fault(value, 2_000_000):
            self._fault(row, "article", "", "a text that is not empty, without NUL characters")
            return ""
        article = plain_text(cast("str", value))
        if fault := text_fault(article, MAX_PASSAGE):
            length = f"a text of {len(article):,} characters without its tags"
            self.fail("article", length, f"{fault}; shorten it, or take the line out")
        return article

    def _question(self, value: object, at: str, slug: str, title: str, article: str) -> None:
        if not isinstance(value, dict):
            self.fail(at, show(value), "an object with question, options and gold_label")
            return
        fields, before = cast("dict[str, object]", value), len(self.problems)
        at += "."
        question = self._text(fields, "question", at, MAX_QUESTION, None)
        options = self._options(fields, at)
        most = len(options) or len(LETTERS)
        right = self._label(fields, "gold_label", at, most, optional=False)
        self._label(fields, "writer_label", at, most, optional=True)
        difficulty = self._difficulty(fields, at)
        slug = self._text(fields, "question_unique_id", at, MAX_LABEL, slug)
        if slug in self._line_of_slug:
            key = f"{at}question_unique_id" if "question_unique_id" in fields else "set_unique_id"
            allowed = f"new, but line {self._line_of_slug[slug]:,} has it; rename one of them"
            self.fail(key, show(slug), allowed)
        if len(self.problems) > before:
            return
        self._line_of_slug[slug] = self.line
        answers = tuple(Answer(option) for option in options)
        self.found.append(
            Passage(slug, title, article, question, answers, right - 1, difficulty=difficulty)
        )

    def _options(self, fields: Mapping[str, object], at: str) -> list[str]:
        value = fields.get("options", _MISSING)
        if not isinstance(value, list) or not 2 <= len(cast("list[object]", value)) <= len(LETTERS):
            self._fault(fields, "options", at, f"a list of 2 to {len(LETTERS)} texts")
            return []
        texts: list[str] = []
        for number, option in enumerate(cast("list[object]", value)):
            place, text = f"{at}options[{number}]", str(option).strip()
            if fault := text_fault(option, MAX_ANSWER):
                self.fail(place, show(option), fault)
            elif text in texts:
                allowed = f"another text than options[{texts.index(text)}]"
                self.fail(place, show(option), allowed)
            # Including invalid ones, so that the label is checked against the number of options.
            texts.append(text)
        return texts

    def _label(
        self, fields: Mapping[str, object], key: str, at: str, most: int, *, optional: bool
    ) -> int:
        value = fields.get(key)
        if value is None and optional:
            return 0
        # Excludes True, which equals 1.
        if type(value) is int and 1 <= value <= most:
            return value
        hint = ""
        if key not in fields:
            hint = ". The published test file has no labels: read the train or the dev file"
        self._fault(fields, key, at, f"the number of an option, from 1 to {most}{hint}")
        return 0

    def _difficulty(self, fields: Mapping[str, object], at: str) -> Difficulty | None:
        value = fields.get("difficult")
        if value is None:
            return None
        if type(value) is not int or value not in (0, 1):
            self._fault(fields, "difficult", at, "0 or 1, or left out")
            return None
        return "hard" if value else "medium"

    def _text(
        self, fields: Mapping[str, object], key: str, at: str, most: int, default: str | None
    ) -> str:
        """Return the text of a field, or the default, if given, for a missing one or null."""
        value = fields.get(key)
        if default is not None and (value is None or value == ""):
            return default
        if fault := text_fault(value, most):
            self._fault(fields, key, at, fault)
            return ""
        return str(value).strip()

    def _fault(self, fields: Mapping[str, object], key: str, at: str, allowed: str) -> None:
        if key not in fields:
            self.fail(f"{at}{key}", "missing", f"{allowed}.{_renaming(key, fields)}".rstrip("."))
            return
        value = fields[key]
        if isinstance(value, list):
            shown = f"a list of {len(cast('list[object]', value)):,}"
        else:
            shown = show(value)
        self.fail(f"{at}{key}", shown, allowed)


def _renaming(name: str, fields: Iterable[str]) -> str:
    """Return a hint if a field has nearly the right name."""
    lower = {field[:100].strip().lower(): field for field in list(fields)[:50]}
    close = difflib.get_close_matches(name, lower, n=1)
    return f" Rename {show(lower[close[0]])} to {name!r}?" if close else ""
