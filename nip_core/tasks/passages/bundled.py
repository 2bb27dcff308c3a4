"""The bundled passages, one TOML file each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources

from nip_core.documents import WRITTEN, parse_toml, show, stable_hash
from nip_core.errors import TaskError, UnknownNameError
from nip_core.tasks.documents import as_list, as_object
from nip_core.tasks.parts import DIFFICULTIES, Difficulty, Note, asks_in
from nip_core.tasks.passages.passage import LETTERS, Answer, Passage, quotes_in
from nip_core.tasks.task import Statement, Task

__all__ = ["is_dealt", "load_passage", "passage_task", "passages"]

_TOP = ("title", "difficulty", "right", "rival", "question", "passage", "answers")
_SIDES = ("always", "right", "rival")
_ANSWER = ("text", "support", "argument", "rebuttal")


def passages(difficulty: Difficulty | None = None) -> tuple[Passage, ...]:
    """Return all bundled passages, or those of one difficulty; easy ones first, then by slug."""
    if difficulty is not None and difficulty not in DIFFICULTIES:
        raise UnknownNameError("difficulty", difficulty, DIFFICULTIES)
    return tuple(passage for passage in _all() if difficulty in (None, passage.difficulty))


def passage_task(seed: int, difficulty: Difficulty | None = None) -> Task:
    """Return a statement about a bundled passage, determined by the seed.

    A fair coin decides whether it is true.
    """

    def rank(passage: Passage) -> bytes:
        return stable_hash("nip-passage-deal/1", passage.slug, int(seed))

    return min(passages(difficulty), key=rank).pick(seed)


def is_dealt(statement: Statement) -> bool:
    """Return whether a statement is about a bundled passage; half of those dealt are wrong."""
    return statement.id in _ids()


def load_passage(file_name: str, text: str | bytes) -> Passage:
    """Read one file with a passage.

    Raises
    ------
    TaskError
        If it is invalid; names the file, the key and what is allowed there.
    """
    document = parse_toml(text, WRITTEN, TaskError, file_name)
    try:
        return _read(file_name.removesuffix(".toml"), document)
    except TaskError as error:
        raise TaskError(f"{file_name}: {error}") from error


@cache
def _all() -> tuple[Passage, ...]:
    folder = resources.files("nip_core.tasks.passages") / "texts"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    bundled = [load_passage(file.name, file.read_bytes()) for file in files]

    def order(passage: Passage) -> tuple[int, str]:
        return DIFFICULTIES.index(passage.difficulty or "hard"), passage.slug

    return tuple(sorted(bundled, key=order))


@cache
def _ids() -> frozenset[str]:
    return frozenset(
        passage.task(place).id for passage in _all() for place in range(len(passage.answers))
    )


def _read(slug: str, document: Mapping[str, object]) -> Passage:
    top = as_object(document, "the file", _TOP, ("more",))
    answers = tuple(
        _answer(table, f"answers[{number}]")
        for number, table in enumerate(as_list(top["answers"], "answers"), start=1)
    )
    passage = Passage(
        slug=slug,
        title=top["title"],
        text=_text(top["passage"], "passage"),
        question=_text(top["question"], "question"),
        answers=answers,
        right=_place(top["right"], "right", len(answers)),
        rival=_place(top["rival"], "rival", len(answers)),
        difficulty=top["difficulty"],
    )
    more = as_list(top.get("more", []), "more")
    notes = (_note(table, f"more[{n}]", passage) for n, table in enumerate(more, start=1))
    return replace(passage, notes=tuple(notes))


def _note(table: object, at: str, passage: Passage) -> Note:
    fields = as_object(table, at, ("asks",), _SIDES)
    if fields.keys() & {*_SIDES} not in ({"always"}, {*_SIDES[1:]}):
        raise TaskError(f"{at} must have either always, or right and rival.")
    said = {key: _text(fields[key], f"{at}.{key}") for key in fields.keys() & {*_SIDES}}
    for key, text in said.items():
        for quote in quotes_in(text):
            if quote not in passage.text:
                raise TaskError(f"{at}.{key} quotes {show(quote)}, which is not in the passage.")
    places = range(len(passage.answers))
    known = {passage.right: said.get("right", ""), passage.rival: said.get("rival", "")}
    answers = tuple(said.get("always") or known.get(place, "") for place in places)
    return Note(asks_in(fields, at), answers)


def _answer(table: object, at: str) -> Answer:
    fields = as_object(table, at, _ANSWER)
    support = as_list(fields["support"], f"{at}.support")
    if not support:
        raise TaskError(f"{at}.support is empty; quote what speaks for this answer.")
    return Answer(
        text=_text(fields["text"], f"{at}.text"),
        support=tuple(_text(quote, f"{at}.support") for quote in support),
        argument=_text(fields["argument"], f"{at}.argument"),
        rebuttal=_text(fields["rebuttal"], f"{at}.rebuttal"),
    )


def _text(value: object, at: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TaskError(f"{at} is {show(value)}; it must be a text that is not empty.")
    return value.strip()


def _place(value: object, at: str, count: int) -> int:
    letters = LETTERS[:count]
    if not isinstance(value, str) or len(value) != 1 or value not in letters:
        raise TaskError(f"{at} is {show(value)}; it must be one of {', '.join(letters)}.")
    return letters.index(value)
