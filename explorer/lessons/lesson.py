"""A lesson as data, read from a file that a teacher can write."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "PAGES",
    "Answer",
    "Block",
    "Facilitator",
    "Lesson",
    "LessonError",
    "Step",
    "cited",
    "lesson_of",
    "prose",
    "read_lesson",
]

SCHEMA = 1
MOST_BYTES = 200_000
PAGES = ("schedule", "play", "rewards", "transcripts")

# For each kind of block, its keys: what type of value, and is it needed?
_BLOCKS: Mapping[str, Mapping[str, tuple[type | tuple[type, ...], bool]]] = {
    "text": {"text": (str, True)},
    "game": {
        "game": (str, True),
        "role": (str, False),
        "settings": (dict, False),
        "text": (str, True),
    },
    "experiment": {"experiment": (str, True), "settings": (dict, False), "text": (str, True)},
    "predict": {
        "question": (str, True),
        "choices": (list, False),
        "low": ((int, float), False),
        "high": ((int, float), False),
        "unit": (str, False),
        "text": (str, True),
    },
    "quiz": {"question": (str, True), "answers": (list, True)},
    "open": {"page": (str, True), "label": (str, True), "settings": (dict, False)},
    "table": {"columns": (list, True), "rows": (list, True), "caption": (str, False)},
}
_LESSON: Mapping[str, tuple[type | tuple[type, ...], bool]] = {
    "schema": (int, True),
    "title": (str, True),
    "question": (str, True),
    "minutes": (int, True),
    "summary": (str, True),
    "block": (list, True),
    "source": (list, False),
    "facilitator": (dict, False),
}
# What would fetch something, or be read as a page's own markup.
_FORBIDDEN = re.compile(r"!\[|<[a-zA-Z/!]|\]\(|javascript:", re.IGNORECASE)
_CITATION = re.compile(r"\[@([\w-]+)\]")


class LessonError(ValueError):
    """A lesson's file cannot be used: which one, where in it, and what to do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a quiz question, and why it is right or wrong."""

    text: str
    why: str
    right: bool = False


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
    answers: tuple[Answer, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a plan: how long, and what."""

    minutes: int
    what: str


@dataclass(frozen=True, slots=True)
class Facilitator:
    """What whoever runs the lesson needs."""

    say: tuple[str, ...] = ()
    timing: tuple[Step, ...] = ()
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


def read_lesson(path: Path) -> Lesson:
    """Read a lesson's file.

    Raises
    ------
    LessonError
        Saying what is wrong and where.
    """
    name = path.name
    try:
        content = path.read_bytes()
        if len(content) > MOST_BYTES:
            raise LessonError(f"{name}: a lesson has at most {MOST_BYTES:,} bytes.")
        document = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise LessonError(f"{name}: it cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, LessonError):
            raise
        raise LessonError(f"{name}: it is not TOML: {error}") from error
    number, _, rest = path.stem.partition("_")
    return lesson_of(document, name, number, (rest or number).replace("_", "-"))


def lesson_of(document: object, name: str, number: str, slug: str) -> Lesson:
    """A lesson from a plain document, which may come from a stranger; `name` is for messages."""
    return _Reader(name).lesson(document, number, slug)


class _Reader:
    """Checks a document as it goes; every complaint names the file and the place."""

    def __init__(self, name: str) -> None:
        self._name = name

    def fail(self, place: str, message: str) -> LessonError:
        return LessonError(f"{self._name}, {place}: {message}")

    def fields(
        self, document: Any, place: str, shape: Mapping[str, tuple[Any, bool]]
    ) -> dict[str, Any]:
        if not isinstance(document, dict):
            raise self.fail(place, f"it must be a table with {', '.join(shape)}.")
        for key, value in document.items():
            if key not in shape:
                raise self.fail(place, f"{key!r} is not known here. Known: {', '.join(shape)}.")
            kinds = shape[key][0]
            if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
                raise self.fail(place, f"{key!r} is of the wrong type: {type(value).__name__}.")
            if isinstance(value, str):
                self.text(value, f"{place}, {key!r}")
        for key, (_, needed) in shape.items():
            if needed and key not in document:
                raise self.fail(place, f"{key!r} is missing.")
        return document

    def text(self, value: str, place: str) -> str:
        if found := _FORBIDDEN.search(value):
            raise self.fail(
                place,
                f"{found.group()!r} is not allowed: no pictures, links or HTML. Cite with [@key], "
                "link with a block of kind 'open'.",
            )
        return value

    def strings(self, values: list[Any], place: str) -> tuple[str, ...]:
        if not all(isinstance(value, str) for value in values):
            raise self.fail(place, "all of it must be text.")
        return tuple(self.text(value, place) for value in values)

    def lesson(self, document: Any, number: str, slug: str) -> Lesson:
        found = self.fields(document, "the lesson", _LESSON)
        if found["schema"] != SCHEMA:
            raise self.fail("the lesson", f"'schema' is {found['schema']!r}; it must be {SCHEMA}.")
        if not 1 <= found["minutes"] <= 240:
            raise self.fail("the lesson", "'minutes' must be from 1 to 240.")
        blocks = tuple(
            self.block(each, f"block {place}") for place, each in enumerate(found["block"], start=1)
        )
        sources: dict[str, str] = {}
        for place, each in enumerate(found.get("source", []), start=1):
            shape = {"key": (str, True), "text": (str, True)}
            source = self.fields(each, f"source {place}", shape)
            sources[source["key"]] = source["text"]
        for place, block in enumerate(blocks, start=1):
            for key in cited(block.text):
                if key not in sources:
                    raise self.fail(f"block {place}", f"[@{key}] cites a source that is not there.")
        return Lesson(
            slug=slug,
            number=number,
            title=found["title"],
            question=found["question"],
            summary=found["summary"],
            minutes=found["minutes"],
            blocks=blocks,
            sources=sources,
            facilitator=self.facilitator(found.get("facilitator", {})),
        )

    def block(self, document: Any, place: str) -> Block:
        kind = document.get("kind") if isinstance(document, dict) else None
        if kind not in _BLOCKS:
            raise self.fail(place, f"'kind' is {kind!r}; known: {', '.join(_BLOCKS)}.")
        found = dict(self.fields(document, place, {"kind": (str, True), **_BLOCKS[kind]}))
        for key in ("game", "experiment", "page"):
            if key in found:
                found["name"] = found.pop(key)
        if kind == "open" and found["name"] not in PAGES:
            raise self.fail(
                place, f"there is no page {found['name']!r}; known: {', '.join(PAGES)}."
            )
        if kind == "quiz":
            found["answers"] = self.answers(found["answers"], place)
        if kind == "predict":
            found["choices"] = self.strings(found.get("choices", []), place)
            if not found["choices"] and not found.get("low", 0) < found.get("high", 0):
                raise self.fail(place, "it needs 'choices', or 'low' below 'high'.")
        if kind == "table":
            found["columns"] = self.strings(found["columns"], place)
            found["rows"] = tuple(self.row(row, found["columns"], place) for row in found["rows"])
        return Block(**found)

    def row(self, row: Any, columns: tuple[str, ...], place: str) -> tuple[str, ...]:
        if not isinstance(row, list) or len(row) != len(columns):
            raise self.fail(place, f"every row needs {len(columns)} cells.")
        return self.strings(row, place)

    def answers(self, documents: list[Any], place: str) -> tuple[Answer, ...]:
        shape = {"text": (str, True), "why": (str, True), "right": (bool, False)}
        answers = tuple(Answer(**self.fields(each, place, shape)) for each in documents)
        if len(answers) < 2 or sum(answer.right for answer in answers) != 1:
            raise self.fail(place, "a question needs two answers or more, one of them right.")
        return answers

    def facilitator(self, document: Any) -> Facilitator:
        shape = {
            "say": (list, False),
            "timing": (list, False),
            "handout": (str, False),
            "answers": (str, False),
        }
        found = self.fields(document, "the facilitator's part", shape)
        step = {"minutes": (int, True), "what": (str, True)}
        return Facilitator(
            say=self.strings(found.get("say", []), "the facilitator's part"),
            timing=tuple(
                Step(**self.fields(each, "the timing", step)) for each in found.get("timing", [])
            ),
            handout=found.get("handout", ""),
            answers=found.get("answers", ""),
        )


def cited(text: str) -> list[str]:
    """The keys that a text cites, in order."""
    return _CITATION.findall(text)


def prose(lesson: Lesson) -> Iterator[str]:
    """All that a reader reads of a lesson, without answers, tables and the facilitator's part."""
    yield lesson.question
    for block in lesson.blocks:
        yield from (part for part in (block.text, block.question) if part)
