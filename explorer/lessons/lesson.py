"""A lesson as data, read from a file that a teacher can write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from explorer.lessons.format import LESSON
from nip_core.displays import displayed, line, told
from nip_core.documents import WRITTEN, checked, leaves, parse_toml, read_file, show
from nip_core.errors import NipError, did_you_mean

__all__ = [
    "CITATION",
    "Block",
    "Facilitator",
    "Lesson",
    "LessonError",
    "LessonStep",
    "QuizOption",
    "cited",
    "lesson_of",
    "prose",
    "read_lesson",
]

# What would fetch something, or be read as a page's own markup.
_FORBIDDEN = re.compile(r"!\[|<[a-zA-Z/!]|\]\(|javascript:", re.IGNORECASE)
CITATION = re.compile(r"\[@([\w-]+)\]")


class LessonError(NipError, ValueError):
    """A lesson's file cannot be used: which one, where in it, and what to do."""


@displayed
@dataclass(frozen=True, slots=True)
class QuizOption:
    """An answer of a quiz question, and why it is right or wrong."""

    text: str
    why: str
    right: bool = False


@displayed
@dataclass(frozen=True, slots=True)
class Block:
    """A part of a lesson; which of the fields are filled depends on its kind.

    Parameters
    ----------
    kind : {"text", "game", "experiment", "predict", "quiz", "open", "table"}
    text, question, label, caption : str
    name : str
        Of the game, the experiment or the page.
    role : str
        The side that a game offers first.
    settings : mapping
    choices : tuple of str
        Of a prediction; empty if it is a number between `low` and `high`.
    low, high, unit
    truth : float, optional
        The right number of a prediction, if there is one.
    right : str
        The right choice, if there is one.
    pairs : bool
        May two phones play the game together?
    answers : tuple of Answer
    columns, rows : tuple
    """

    kind: str
    text: str = ""
    question: str = ""
    label: str = ""
    caption: str = ""
    name: str = ""
    role: str = ""
    settings: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 100
    unit: str = ""
    truth: float | None = None
    right: str = ""
    pairs: bool = False
    answers: tuple[QuizOption, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@displayed
@dataclass(frozen=True, slots=True)
class LessonStep:
    """A step of a plan: how long, and what."""

    minutes: int
    what: str


@displayed
@dataclass(frozen=True, slots=True)
class Facilitator:
    """What whoever runs the lesson needs."""

    say: tuple[str, ...] = ()
    timing: tuple[LessonStep, ...] = ()
    handout: str = ""
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Parameters
    ----------
    slug : str
        Its name in the address: the file's, without its number.
    number : str
        The number that its file's name begins with.
    title, question, summary : str
    minutes : int
    blocks : tuple of Block
    sources : mapping of str to str
        By the keys that texts cite.
    facilitator : Facilitator
    mark : str
        Of its file: another one whenever anything in it has changed.
    """

    slug: str
    number: str
    title: str
    question: str
    summary: str
    minutes: int
    blocks: tuple[Block, ...]
    sources: Mapping[str, str]
    facilitator: Facilitator
    mark: str = ""

    def __repr__(self) -> str:
        return line(self, self.number, told(self.title), f"{self.minutes} minutes")


def read_lesson(path: Path) -> Lesson:
    """Read a lesson's file.

    Raises
    ------
    LessonError
        Saying what is wrong and where.
    """
    content = read_file(path, WRITTEN, LessonError, path.name)
    document = parse_toml(content, WRITTEN, LessonError, path.name)
    number, _, rest = path.stem.partition("_")
    lesson = lesson_of(document, path.name, number, (rest or number).replace("_", "-"))
    return replace(lesson, mark=sha256(content).hexdigest()[:16])


def lesson_of(document: object, name: str, number: str, slug: str) -> Lesson:
    """Return the lesson in a plain document, which may come from a stranger.

    Parameters
    ----------
    document : object
    name : str
        The file's, for messages.
    number, slug : str
        See :class:`Lesson`.

    Raises
    ------
    LessonError
    """
    try:
        return _lesson(document, number, slug)
    except LessonError as error:
        raise LessonError(f"{name}: {error}") from None


def _lesson(document: object, number: str, slug: str) -> Lesson:
    found = checked(document, LESSON, LessonError)
    for place, value in leaves(found):
        if isinstance(value, str) and (markup := _FORBIDDEN.search(value)):
            raise LessonError(
                f"{place} holds {markup[0]!r}, which is not allowed: no pictures, links or HTML. "
                "Cite with [@key], link with a block of kind 'open'."
            )
    blocks = tuple(_block(each, f"block[{place}]") for place, each in enumerate(found["block"]))
    sources = {source["key"]: source["text"] for source in found.get("source", [])}
    for place, block in enumerate(blocks):
        for key in cited(block.text):
            if key not in sources:
                raise LessonError(
                    f"block[{place}].text cites [@{key}], and there is no [[source]] with this "
                    f"key.{did_you_mean(key, sources)} Known: {', '.join(sources) or 'none'}."
                )
    notes = found.get("facilitator", {})
    return Lesson(
        slug=slug,
        number=number,
        title=found["title"],
        question=found["question"],
        summary=found["summary"],
        minutes=found["minutes"],
        blocks=blocks,
        sources=sources,
        facilitator=Facilitator(
            say=tuple(notes.get("say", [])),
            timing=tuple(LessonStep(**step) for step in notes.get("timing", [])),
            handout=notes.get("handout", ""),
            answers=notes.get("answers", ""),
        ),
    )


def _block(found: dict[str, Any], at: str) -> Block:
    kind = found["kind"]
    for key in ("game", "experiment", "page"):
        if key in found:
            found["name"] = found.pop(key)
    if kind == "quiz":
        found["answers"] = tuple(QuizOption(**answer) for answer in found["answers"])
        right = sum(each.right for each in found["answers"])
        if right != 1:
            raise LessonError(
                f"{at}.answers has {right} answers with right = true; mark exactly one of them."
            )
    if kind == "predict":
        _check_guess(found, at)
        found["choices"] = tuple(found.get("choices", []))
    if kind == "table":
        found["columns"] = tuple(found["columns"])
        found["rows"] = tuple(tuple(row) for row in found["rows"])
        for number, row in enumerate(found["rows"]):
            if len(row) != len(found["columns"]):
                raise LessonError(
                    f"{at}.rows[{number}] has {len(row)} cells; there are {len(found['columns'])} "
                    "columns, and every row needs a cell for each."
                )
    return Block(**found)


def _check_guess(found: dict[str, Any], at: str) -> None:
    choices = found.get("choices", [])
    if not choices and not found.get("low", 0) < found.get("high", 0):
        raise LessonError(f"{at} needs `choices`, or `low` below `high`.")
    if found.get("right") and found["right"] not in choices:
        raise LessonError(
            f"{at}.right is {show(found['right'])}; it must be one of the `choices`."
            f"{did_you_mean(found['right'], choices)}"
        )
    if "truth" in found and choices:
        raise LessonError(f"{at}.truth is for a number; mark one of the `choices` by `right`.")


def cited(text: str) -> list[str]:
    """The keys that a text cites, in order."""
    return CITATION.findall(text)


def prose(lesson: Lesson) -> Iterator[str]:
    """All that a reader reads of a lesson, without answers, tables and the facilitator's part."""
    yield lesson.question
    for block in lesson.blocks:
        yield from (part for part in (block.text, block.question) if part)
