"""A lesson as data, read from a file that a teacher can write; its format as a JSON Schema."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard
from zlib import crc32

from explorer.languages import ENGLISH, decimal, number_with_unit, tr, trn
from nip_core.displays import brief, displayed, line
from nip_core.documents import (
    WRITTEN,
    Schema,
    checked,
    leaves,
    parse_toml,
    read_file,
    schema,
    show,
    text_fault,
)
from nip_core.errors import NipError, did_you_mean, known_names

LONGEST = 240
CONTENT = Path(__file__).parent / "content"
OLD = 1_000  # numbers of blocks from here on are made from their content
FEWEST_STEPS = (
    20  # the least range of a guess in whole numbers; smaller ones are guessed in hundredths
)
PAGES = ("protocols", "play", "rewards", "transcripts")
FORMER_PAGE = "schedule"  # the first page, in lessons of earlier versions


def _text(help: str, **more: Any) -> Schema:
    """Return the schema of a text that may be empty: a cell of a table, or an explanation."""
    return schema.text(help, minLength=0, **more)


def _texts(help: str) -> Schema:
    return schema.items(_text("A text."), help)


_MARKDOWN = _text("Markdown with $formulas$ and citations, [@key]; no links, pictures or HTML.")
_SPREAD = schema.items(
    schema.number("A number."),
    "Where chance draws for each person: two numbers between which nine of ten find theirs. Then "
    "`truth` is the mean.",
    minItems=2,
    maxItems=2,
)
_SETTINGS = schema.anything("How it is set up.")
_TRANSFER = _text(
    '"before" for a question at the beginning (a guess with choices), and "after" for one of the '
    "same kind at the end (a quiz). They show what a lesson has taught.",
    enum=["before", "after"],
)
_ANSWER = schema.table(
    {
        "text": _text("The answer."),
        "why": _text("Why it is right or wrong."),
        "right": schema.flag("true for the one that is right."),
    },
    "An answer.",
    "text",
    "why",
)
_STEP = schema.table(
    {
        "minutes": schema.whole("How long.", 1, LONGEST),
        "what": _text("What happens."),
        "block": schema.whole("The block that it begins with, counted from 1.", 1),
        "say": schema.items(
            schema.whole("A line.", 1), "Which lines of `say` belong here, counted from 1."
        ),
    },
    "A step.",
    "minutes",
    "what",
)
_SOURCE = schema.table(
    {"key": _text("What texts cite."), "text": _text("The source.")}, "A source.", "key", "text"
)

# Every kind of block, without the key `kind`.
BLOCKS: Mapping[str, Schema] = {
    "text": schema.table({"text": _MARKDOWN}, "A text.", "text"),
    "game": schema.table(
        {
            "game": _text("Which game."),
            "role": _text("The side that is offered first."),
            "settings": _SETTINGS,
            "pairs": schema.flag(
                "true if two phones play it together in a room, where the game can."
            ),
            "text": _MARKDOWN,
        },
        "A game.",
        "game",
        "text",
    ),
    "experiment": schema.table(
        {
            "experiment": _text("Which experiment."),
            "settings": _SETTINGS,
            "text": _MARKDOWN,
        },
        "A live experiment.",
        "experiment",
        "text",
    ),
    "playable": schema.table(
        {
            "playable": _text("Which drawing to play with."),
            "text": _MARKDOWN,
            "question": _text("Which number people report from it. Needs low, high."),
            "low": schema.number("The smallest number that can be reported."),
            "high": schema.number("The largest."),
            "unit": _text("What the number counts."),
            "truth": schema.number("The right number, if there is one."),
            "spread": _SPREAD,
        },
        "A drawing to play with.",
        "playable",
        "text",
    ),
    "predict": schema.table(
        {
            "question": _text("What is to be guessed."),
            "choices": _texts("The guesses to choose from; or low and high."),
            "low": schema.number("The smallest number that can be guessed."),
            "high": schema.number("The largest."),
            "unit": _text("What the number counts."),
            "truth": schema.number("The right number, if there is one."),
            "spread": _SPREAD,
            "right": _text("The right choice, if there is one."),
            "answers": schema.items(
                _ANSWER,
                'With `transfer = "before"`, in place of `choices` and `right`: then chance draws '
                "for each person which of the two questions is asked first.",
                minItems=2,
            ),
            "text": _text("What is shown after the guess."),
            "transfer": _TRANSFER,
        },
        "A guess before something is shown.",
        "question",
        "text",
    ),
    "say": schema.table(
        {
            "question": _text("What people say something about."),
            "choices": _texts("The choices of a poll; without them, people write."),
        },
        "A poll, or words. A class sees them only if its facilitator lets them through.",
        "question",
    ),
    "quiz": schema.table(
        {
            "question": _text("The question."),
            "answers": schema.items(_ANSWER, "Two or more, one of them right.", minItems=2),
            "transfer": _TRANSFER,
        },
        "A question with answers to choose from.",
        "question",
        "answers",
    ),
    "open": schema.table(
        {
            "page": _text(f"Where it leads: {', '.join(PAGES)}.", enum=[*PAGES, FORMER_PAGE]),
            "label": _text("What the link says."),
            "settings": schema.anything("What stands in that page's address."),
        },
        "A link to a page of the explorer.",
        "page",
        "label",
    ),
    "table": schema.table(
        {
            "columns": _texts("The heads of the columns."),
            "rows": schema.items(_texts("A row."), "The cells of each row."),
            "caption": _text("What the table shows."),
        },
        "A table.",
        "columns",
        "rows",
    ),
}

LESSON = schema.table(
    {
        "schema": schema.whole("The version of this format: 1.", enum=[1]),
        "title": _text("A short name."),
        "question": _text("The question that the lesson begins with."),
        "minutes": schema.whole(f"How long a class takes, 1 to {LONGEST}.", 1, LONGEST),
        "summary": _text("One sentence for the list of lessons."),
        "block": schema.items(
            schema.one_of_kinds(BLOCKS), "The parts in order, each a [[block]] with its kind."
        ),
        "source": schema.items(_SOURCE, "What texts cite, each a [[source]]."),
        "facilitator": schema.table(
            {
                "say": _texts("What to say."),
                "timing": schema.items(_STEP, "A plan of the minutes."),
                "handout": _text("Markdown, to print."),
                "answers": _text("The handout's answers."),
            },
            "What the facilitator of the lesson needs.",
        ),
    },
    "A lesson: a question, and blocks that lead to its answer.",
    "schema",
    "title",
    "question",
    "minutes",
    "summary",
    "block",
)

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A lesson of NIP Explorer",
    **LESSON,
}

# Text that would load a resource or be treated as the page's own markup.
_FORBIDDEN = re.compile(r"!\[|<[a-zA-Z/!]|\]\(|javascript:", re.IGNORECASE)
CITATION = re.compile(r"\[@([\w-]+)\]")


WORDS_A_MINUTE = 200
# The minutes that a block of each kind takes in addition to reading it.
MINUTES_OF: Mapping[str, float] = {
    "game": 2,
    "playable": 3,
    "experiment": 1,
    "predict": 0.5,
    "quiz": 0.5,
    "say": 1,
}
MOST_SAID = 200  # characters that a person writes


class LessonError(NipError, ValueError):
    """A lesson's file cannot be used; the message names the place and the remedy."""


@displayed
@dataclass(frozen=True, slots=True)
class QuizOption:
    """An answer of a quiz question, with an explanation."""

    text: str
    why: str
    right: bool = False

    @property
    def verdict(self) -> str:
        """Whether it is right, in words."""
        return tr("Right.") if self.right else tr("Not quite.")


@displayed
@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers."""

    question: str
    answers: tuple[QuizOption, ...]

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the texts of the answers."""
        return tuple(answer.text for answer in self.answers)

    @property
    def right(self) -> str:
        """Return the text of the right answer; empty if it is not known."""
        return next((answer.text for answer in self.answers if answer.right), "")


@displayed
@dataclass(frozen=True, slots=True)
class Block:
    """A part of a lesson; which of the fields are filled depends on its kind."""

    kind: str  # one of `BLOCKS`
    text: str = ""
    question: str = ""
    label: str = ""
    caption: str = ""
    name: str = ""  # of the game, the experiment, the playable or the page
    role: str = ""  # the preselected side of a game
    settings: Mapping[str, Any] | None = None
    # Of a prediction; empty if it is a number between `low` and `high`.
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 100
    unit: str = ""
    # The right number of a prediction, or of what is found in a drawing, if there is one.
    truth: float | None = None
    # If chance draws for each person, nine of ten find a number between these, and `truth` is the
    # mean; else empty.
    spread: tuple[float, ...] = ()
    right: str = ""  # the right choice, if there is one
    transfer: str = ""  # {"", "before", "after"}: asked to see what the lesson has taught
    pairs: bool = False  # whether two phones play the game together
    answers: tuple[QuizOption, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    # Of the questions before and after a lesson: the other one, which some people are asked here,
    # so that a gain is not the difference of two questions' difficulty.
    instead: Question | None = None
    exchanged: bool = False  # whether the other one is asked here

    @property
    def asks(self) -> tuple[Question, ...]:
        """Return the questions that people may be asked here, the file's own one first."""
        own = Question(self.question, self.answers)
        if self.instead is None:
            return (own,)
        return (self.instead, own) if self.exchanged else (own, self.instead)

    @property
    def content(self) -> str:
        """Return the content that identifies the block, independent of its place."""
        first = self.text.strip().partition("\n")[0] if self.kind in ("text", "table") else ""
        said = self.question or self.caption or self.label or first
        found = [self.kind, self.name, self.role, self.settings, said]
        # Stored answers are numbers of options, so that in another order they are others.
        options = self.choices or tuple(answer.text for answer in self.answers)
        return json.dumps([*found, *options], sort_keys=True)

    @property
    def truth_in_words(self) -> str:
        """Return what the right number is; of a result of chance, its mean and its spread."""
        if self.truth is None:
            return ""
        number = number_with_unit(decimal(f"{round(self.truth, 1):g}"), self.unit)
        if not self.spread:
            return tr("The truth: {number}.", number=number)
        return f"{tr('On average: {number}.', number=number)} {self.spread_in_words}"

    @property
    def spread_in_words(self) -> str:
        """Return between which numbers most results of chance lie."""
        low, high = (decimal(f"{each:g}") for each in self.spread)
        return tr(
            "Chance draws for each person: nine in ten find {low} to {high}.",
            low=low,
            high=number_with_unit(high, self.unit),
        )

    @property
    def step(self) -> float:
        """The step of a guess: 1, unless the range is small or the number is a count."""
        span = self.high - self.low
        return 1.0 if span >= FEWEST_STEPS or self.kind == "playable" else span / 100

    def takes(self, value: object) -> TypeGuard[float]:
        """Return whether a value, which may be anything, is a number that can be guessed."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        # The range first: an integer from a browser may be too large to calculate with.
        if not self.low <= value <= self.high:
            return False
        steps = (value - self.low) / self.step
        return math.isclose(steps, round(steps), abs_tol=1e-6)


@displayed
@dataclass(frozen=True, slots=True)
class LessonStep:
    """A step of a plan."""

    minutes: int
    what: str
    block: int | None = None  # the block that it begins with, counted from 1
    say: tuple[int, ...] = ()  # the numbers of the facilitator's lines for it, from 1


@displayed
@dataclass(frozen=True, slots=True)
class Facilitator:
    """Notes for the person who leads the lesson."""

    say: tuple[str, ...] = ()
    timing: tuple[LessonStep, ...] = ()
    handout: str = ""
    answers: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class Former:
    """A lesson of ours in the form that it had when answers were stored by the places of blocks."""

    numbers: tuple[int, ...]  # of its blocks, made from their content as today
    steps: tuple[int, ...]  # the places, from 1, of the blocks that begin a step in a room


# Compared by identity, so that what is computed from a lesson can be kept: each file is read once.
@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A lesson."""

    slug: str  # its name in addresses: the file's name without the number
    number: str  # the number that its file's name begins with
    title: str
    question: str
    summary: str
    minutes: int  # in a class
    minutes_alone: int  # by oneself: reading, and a fixed time for each activity
    blocks: tuple[Block, ...]
    sources: Mapping[str, str]  # the sources by the keys in citations
    facilitator: Facilitator
    mark: str = ""  # a digest of its file
    # The number of each block in stored results. It stays the same when blocks are reordered, added
    # or removed.
    numbers: tuple[int, ...] = ()
    former: Former | None = None
    path: Path | None = None  # its file
    language: str = ENGLISH  # of its texts

    def place(self, number: int) -> int | None:
        """Return the place, from 1, of the block with this number; None if it was removed.

        Numbers below :data:`OLD` are places in the lesson's earlier form, as in older databases.
        """
        if number < OLD:
            known = self.former.numbers if self.former is not None else ()
            number = known[number - 1] if 1 <= number <= len(known) else 0
        return self.numbers.index(number) + 1 if number in self.numbers else None

    def former_place(self, place: int) -> int | None:
        """Return under which place older databases know the block at a place, if they know it."""
        number, known = self.numbers[place - 1], self.former.numbers if self.former else ()
        return known.index(number) + 1 if number in known else None

    @property
    def transfer(self) -> tuple[int, int] | None:
        """Return the places, from 0, of the questions before and after, if there are any."""
        found = {block.transfer: place for place, block in enumerate(self.blocks)}
        return (found["before"], found["after"]) if {"before", "after"} <= {*found} else None

    @property
    def draws(self) -> bool:
        """Whether chance draws for each person which of two questions is asked before it."""
        return any(block.instead is not None for block in self.blocks)

    @property
    def about(self) -> str:
        """Return the title and the minutes, as a sentence."""
        stop = "" if self.title.endswith(("?", "!", ".")) else "."
        about = tr(
            "About {alone} minutes by yourself, {together} with a class.",
            alone=self.minutes_alone,
            together=self.minutes,
        )
        return f"{self.title}{stop} {about}"

    def after_guess(self, place: int) -> str:
        """Return the text that replaces the blocks after an unanswered guess, which is at `place`.

        Places count from 1. The text is empty if the block needs no guess, or is the last one.
        """
        rest = len(self.blocks) - place
        if self.blocks[place - 1].kind != "predict" or not rest:
            return ""
        if self.blocks[place - 1].transfer:
            return trn(
                "{n} more part of the lesson after your answer.",
                "{n} more parts of the lesson after your answer.",
                rest,
            )
        return trn(
            "{n} more part of the lesson after your guess.",
            "{n} more parts of the lesson after your guess.",
            rest,
        )

    def __repr__(self) -> str:
        return line(self, self.number, brief(self.title), f"{self.minutes} minutes")


def exchange(block: Block) -> Block:
    """Return a block that asks the other one of the questions before and after its lesson."""
    other = block.instead
    if other is None:
        return block
    return replace(
        block,
        question=other.question,
        answers=other.answers,
        choices=other.choices if block.choices else (),
        right=other.right if block.choices else "",
        instead=Question(block.question, block.answers),
        exchanged=not block.exchanged,
    )


@lru_cache(64)
def exchanged(lesson: Lesson) -> Lesson:
    """Return a lesson that begins with the question that it ends with otherwise."""
    return replace(lesson, blocks=tuple(map(exchange, lesson.blocks)))


def words_of(value: object) -> str | None:
    """Return what somebody has written on one line, as it is kept; None if it cannot be."""
    words = " ".join(value.split()) if isinstance(value, str) else ""
    return None if text_fault(words, MOST_SAID) else words


def minutes_alone(question: str, blocks: Iterable[Block]) -> int:
    """Return the minutes that one person needs for a lesson's question and its blocks."""
    read, doing = [question], 0.0
    for block in blocks:
        read += [block.question, block.text, *(cell for row in block.rows for cell in row)]
        read += [text for answer in block.answers for text in (answer.text, answer.why)]
        doing += MINUTES_OF.get(block.kind, 0)
    return round(len(" ".join(read).split()) / WORDS_A_MINUTE + doing)


def read_lesson(path: Path) -> Lesson:
    """Read a lesson's file; a LessonError says what is wrong and where."""
    content = read_file(path, WRITTEN, LessonError, path.name)
    document = parse_toml(content, WRITTEN, LessonError, path.name)
    number, _, rest = path.stem.partition("_")
    lesson = lesson_of(document, path.name, number, (rest or number).replace("_", "-"))
    former = _former().get(lesson.slug) if path.parent == CONTENT else None
    return replace(lesson, mark=sha256(content).hexdigest()[:16], former=former, path=path)


@cache
def _former() -> Mapping[str, Former]:
    found = json.loads((CONTENT / "former.json").read_text("utf-8"))
    return {
        slug: Former(tuple(form["numbers"]), tuple(form["steps"])) for slug, form in found.items()
    }


def lesson_of(document: object, name: str, number: str, slug: str) -> Lesson:
    """Return the lesson in a plain document, which may be untrusted.

    Messages of a :class:`LessonError` begin with `name`, the file's.
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
    numbers = _numbers(blocks)
    blocks = _with_others(_check_transfer(blocks), blocks)
    sources = {source["key"]: source["text"] for source in found.get("source", [])}
    for place, block in enumerate(blocks):
        for key in CITATION.findall(block.text):
            if key not in sources:
                raise LessonError(
                    f"block[{place}].text cites [@{key}], and there is no [[source]] with this "
                    f"key.{did_you_mean(key, sources)}{known_names(sources)}"
                )
    notes = found.get("facilitator", {})
    return Lesson(
        slug=slug,
        number=number,
        title=found["title"],
        question=found["question"],
        summary=found["summary"],
        minutes=found["minutes"],
        minutes_alone=minutes_alone(found["question"], blocks),
        blocks=blocks,
        numbers=numbers,
        sources=sources,
        facilitator=Facilitator(
            say=tuple(notes.get("say", [])),
            timing=_timing(notes, len(blocks)),
            handout=notes.get("handout", ""),
            answers=notes.get("answers", ""),
        ),
    )


def _numbers(blocks: Iterable[Block]) -> tuple[int, ...]:
    """Return a number for each block that follows from its content, and not from its place."""
    before = Counter[str]()
    made: list[int] = []
    for block in blocks:
        text = f"{before[block.content]}/{block.content}"
        before[block.content] += 1
        made.append(OLD + crc32(text.encode()) % (2**31 - OLD))
    return tuple(made)


def _timing(notes: Mapping[str, Any], blocks: int) -> tuple[LessonStep, ...]:
    """Return the steps of the plan; they go through the blocks in order."""
    made: list[LessonStep] = []
    before = 0
    for place, step in enumerate(notes.get("timing", [])):
        at, lines = f"facilitator.timing[{place}]", len(notes.get("say", []))
        block = step.get("block")
        if block is not None:
            if not before < block <= blocks:
                raise LessonError(
                    f"{at}.block is {block}; it must be after {before}, where the step before "
                    f"begins, and at most {blocks}, the number of blocks."
                )
            before = block
        for said in step.get("say", []):
            if said > lines:
                raise LessonError(
                    f"{at}.say names line {said}, and facilitator.say has {lines} lines."
                )
        made.append(LessonStep(step["minutes"], step["what"], block, tuple(step.get("say", []))))
    return tuple(made)


def _block(found: dict[str, Any], at: str) -> Block:
    kind = found["kind"]
    if found.get("page") == FORMER_PAGE:
        found["page"] = PAGES[0]
    for key in ("game", "experiment", "playable", "page"):
        if key in found:
            found["name"] = found.pop(key)
    if "answers" in found:
        answers = found["answers"] = tuple(QuizOption(**answer) for answer in found["answers"])
        right = sum(each.right for each in answers)
        if right != 1:
            raise LessonError(
                f"{at}.answers has {right} answers with right = true; mark exactly one of them."
            )
        if kind == "predict":
            if found.get("transfer") != "before" or {"choices", "right"} & {*found}:
                raise LessonError(
                    f"{at}.answers takes the place of `choices` and `right`, in a block with "
                    "transfer = 'before'."
                )
            asked = Question(found["question"], answers)
            found["choices"], found["right"] = [*asked.choices], asked.right
    if kind == "predict" or (found.get("question") and kind == "playable"):
        _check_guess(found, at)
    if kind in ("predict", "say"):
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


def _check_transfer(blocks: Sequence[Block]) -> Sequence[Block]:
    """Return the questions before and after, or none; a LessonError says that one is missing."""
    asked = [block for block in blocks if block.transfer]
    if not asked:
        return asked
    if [block.transfer for block in asked] != ["before", "after"]:
        raise LessonError(
            "The blocks with `transfer` must be one with 'before', and later one with 'after'."
        )
    before, after = asked
    if before.kind != "predict" or not before.right or after.kind != "quiz":
        raise LessonError(
            "The block with transfer = 'before' must be a 'predict' with `answers`, or with "
            "`choices` and `right`, and the one with 'after' a 'quiz'."
        )
    return asked


def _with_others(asked: Sequence[Block], blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks; of two questions before and after, each knows the other one."""
    if not asked or not asked[0].answers:
        return tuple(blocks)
    before, after = (Question(block.question, block.answers) for block in asked)
    others = {"before": after, "after": before}
    return tuple(
        replace(block, instead=others[block.transfer]) if block.transfer else block
        for block in blocks
    )


def _check_guess(found: dict[str, Any], at: str) -> None:
    choices = found.get("choices", [])
    if not choices and not found.get("low", 0) < found.get("high", 0):
        raise LessonError(f"{at} needs `choices`, or `low` below `high`.")
    if found.get("right") and found["right"] not in choices:
        raise LessonError(
            f"{at}.right is {show(found['right'])}; it must be one of the `choices`."
            f"{did_you_mean(found['right'], choices)}"
        )
    if found.get("spread"):
        low, high = found["spread"] = tuple(found["spread"])
        if "truth" not in found or not found["low"] <= low <= high <= found["high"]:
            raise LessonError(
                f"{at}.spread needs a `truth`, and two numbers from `low` to `high`, the smaller "
                "one first."
            )
    if "truth" in found and choices:
        raise LessonError(f"{at}.truth is for a number; mark one of the `choices` by `right`.")
