"""A lesson as data, read from a file that a teacher can write."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from explorer.lessons.format import BLOCKS, LESSON, LONGEST, PAGES, SCHEMA, Kind, Shape, block_shape
from nip_core.displays import displayed, line, told

__all__ = [
    "CITATION",
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

MOST_BYTES = 200_000
# What would fetch something, or be read as a page's own markup.
_FORBIDDEN = re.compile(r"!\[|<[a-zA-Z/!]|\]\(|javascript:", re.IGNORECASE)
CITATION = re.compile(r"\[@([\w-]+)\]")


class LessonError(ValueError):
    """A lesson's file cannot be used: which one, where in it, and what to do."""


@displayed
@dataclass(frozen=True, slots=True)
class Answer:
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
    answers: tuple[Answer, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@displayed
@dataclass(frozen=True, slots=True)
class Step:
    """A step of a plan: how long, and what."""

    minutes: int
    what: str


@displayed
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
    lesson = lesson_of(document, name, number, (rest or number).replace("_", "-"))
    return replace(lesson, mark=sha256(content).hexdigest()[:16])


def lesson_of(document: object, name: str, number: str, slug: str) -> Lesson:
    """A lesson from a plain document, which may come from a stranger; `name` is for messages."""
    return _Reader(name).lesson(document, number, slug)


class _Reader:
    """Checks a document as it goes; every complaint names the file and the place."""

    def __init__(self, name: str) -> None:
        self._name = name

    def fail(self, place: str, message: str) -> LessonError:
        return LessonError(f"{self._name}, {place}: {message}")

    def fields(self, document: object, place: str, shape: Shape) -> dict[str, Any]:
        if not isinstance(document, dict):
            raise self.fail(place, f"it must be a table with {', '.join(shape)}.")
        table = cast("dict[str, Any]", document)
        for name, value in table.items():
            if name not in shape:
                raise self.fail(place, f"{name!r} is not known here. Known: {', '.join(shape)}.")
            self.value(value, f"{place}, {name!r}", shape[name].kind)
        for name, key in shape.items():
            if key.needed and name not in table:
                raise self.fail(place, f"{name!r} is missing.")
        return table

    def value(self, value: Any, place: str, kind: Kind) -> None:
        """Check a value and all that it holds."""
        if isinstance(kind, Mapping):
            self.fields(value, place, cast("Shape", kind))
            return
        wanted = list if isinstance(kind, list) else (int, float) if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            raise self.fail(place, f"it is of the wrong type: {type(value).__name__}.")
        if isinstance(kind, list):
            (each_kind,) = cast("list[Kind]", kind)
            for number, each in enumerate(cast("list[Any]", value), start=1):
                self.value(each, f"{place}, number {number}", each_kind)
        elif isinstance(value, str) and (found := _FORBIDDEN.search(value)):
            raise self.fail(
                place,
                f"{found.group()!r} is not allowed: no pictures, links or HTML. Cite with [@key], "
                "link with a block of kind 'open'.",
            )

    def lesson(self, document: object, number: str, slug: str) -> Lesson:
        found = self.fields(document, "the lesson", LESSON)
        if found["schema"] != SCHEMA:
            raise self.fail("the lesson", f"'schema' is {found['schema']!r}; it must be {SCHEMA}.")
        if not 1 <= found["minutes"] <= LONGEST:
            raise self.fail("the lesson", f"'minutes' must be from 1 to {LONGEST}.")
        blocks = tuple(
            self.block(each, f"block {place}") for place, each in enumerate(found["block"], start=1)
        )
        sources = {source["key"]: source["text"] for source in found.get("source", [])}
        for place, block in enumerate(blocks, start=1):
            for key in cited(block.text):
                if key not in sources:
                    raise self.fail(f"block {place}", f"[@{key}] cites a source that is not there.")
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
                timing=tuple(Step(**step) for step in notes.get("timing", [])),
                handout=notes.get("handout", ""),
                answers=notes.get("answers", ""),
            ),
        )

    def block(self, document: dict[str, Any], place: str) -> Block:
        kind = document.get("kind")
        if not isinstance(kind, str) or kind not in BLOCKS:
            raise self.fail(place, f"'kind' is {kind!r}; known: {', '.join(BLOCKS)}.")
        found = dict(self.fields(document, place, block_shape(kind)))
        for key in ("game", "experiment", "page"):
            if key in found:
                found["name"] = found.pop(key)
        if kind == "open" and found["name"] not in PAGES:
            raise self.fail(
                place, f"there is no page {found['name']!r}; known: {', '.join(PAGES)}."
            )
        if kind == "quiz":
            found["answers"] = tuple(Answer(**answer) for answer in found["answers"])
            if len(found["answers"]) < 2 or sum(each.right for each in found["answers"]) != 1:
                raise self.fail(place, "a question needs two answers or more, one of them right.")
        if kind == "predict":
            found["choices"] = tuple(found.get("choices", []))
            if not found["choices"] and not found.get("low", 0) < found.get("high", 0):
                raise self.fail(place, "it needs 'choices', or 'low' below 'high'.")
            if found.get("right") and found["right"] not in found["choices"]:
                raise self.fail(place, "'right' must be one of the 'choices'.")
            if found.get("truth") is not None and found["choices"]:
                raise self.fail(place, "'truth' is a number's; of choices one is 'right'.")
        if kind == "table":
            found["columns"] = tuple(found["columns"])
            found["rows"] = tuple(tuple(row) for row in found["rows"])
            if any(len(row) != len(found["columns"]) for row in found["rows"]):
                raise self.fail(place, f"every row needs {len(found['columns'])} cells.")
        return Block(**found)


def cited(text: str) -> list[str]:
    """The keys that a text cites, in order."""
    return CITATION.findall(text)


def prose(lesson: Lesson) -> Iterator[str]:
    """All that a reader reads of a lesson, without answers, tables and the facilitator's part."""
    yield lesson.question
    for block in lesson.blocks:
        yield from (part for part in (block.text, block.question) if part)
