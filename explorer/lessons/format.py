"""What a lesson's file may hold, as data: the reader checks it, and editors are told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

__all__ = [
    "BLOCKS",
    "LESSON",
    "LONGEST",
    "PAGES",
    "SCHEMA",
    "Key",
    "Kind",
    "Shape",
    "block_shape",
    "json_schema",
]

SCHEMA, LONGEST = 1, 240
PAGES = ("schedule", "play", "rewards", "transcripts")

Kind = Any
"""A type; a list of one kind; or a :data:`Shape`."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table.

    Parameters
    ----------
    kind : type, list of one kind, or Shape
        A float may be written as a whole number; ``dict`` is a table of settings.
    says : str
        What it is for.
    needed : bool
    """

    kind: Kind
    says: str
    needed: bool = True


Shape = Mapping[str, Key]

_TEXT = Key(str, "Markdown with $formulas$ and citations, [@key]; no links, pictures or HTML.")
_SETTINGS = Key(dict, "How it is set up.", needed=False)
_ANSWER: Shape = {
    "text": Key(str, "The answer."),
    "why": Key(str, "Why it is right or wrong."),
    "right": Key(bool, "true for the one that is right.", needed=False),
}
_STEP: Shape = {"minutes": Key(int, "How long."), "what": Key(str, "What happens.")}

BLOCKS: Mapping[str, Shape] = {
    "text": {"text": _TEXT},
    "game": {
        "game": Key(str, "Which game."),
        "role": Key(str, "The side that is offered first.", needed=False),
        "settings": _SETTINGS,
        "pairs": Key(
            bool, "true if two phones play it together in a room, where the game can.", needed=False
        ),
        "text": _TEXT,
    },
    "experiment": {
        "experiment": Key(str, "Which experiment."),
        "settings": _SETTINGS,
        "text": _TEXT,
    },
    "predict": {
        "question": Key(str, "What is to be guessed."),
        "choices": Key([str], "The guesses to choose from; or low and high.", needed=False),
        "low": Key(float, "The smallest number that can be guessed.", needed=False),
        "high": Key(float, "The largest.", needed=False),
        "unit": Key(str, "What the number counts.", needed=False),
        "truth": Key(float, "The right number, if there is one.", needed=False),
        "right": Key(str, "The right choice, if there is one.", needed=False),
        "text": Key(str, "What is shown after the guess."),
    },
    "quiz": {
        "question": Key(str, "The question."),
        "answers": Key([_ANSWER], "Two or more, one of them right."),
    },
    "open": {
        "page": Key(str, f"Where it leads: {', '.join(PAGES)}."),
        "label": Key(str, "What the link says."),
        "settings": Key(dict, "What stands in that page's address.", needed=False),
    },
    "table": {
        "columns": Key([str], "The heads of the columns."),
        "rows": Key([[str]], "The cells of each row."),
        "caption": Key(str, "What the table shows.", needed=False),
    },
}
LESSON: Shape = {
    "schema": Key(int, f"The version of this format: {SCHEMA}."),
    "title": Key(str, "A short name."),
    "question": Key(str, "The question that the lesson begins with."),
    "minutes": Key(int, f"How long it takes, 1 to {LONGEST}."),
    "summary": Key(str, "One sentence for the list of lessons."),
    "block": Key([dict], "The parts in order, each a [[block]] with its kind."),
    "source": Key(
        [{"key": Key(str, "What texts cite."), "text": Key(str, "The source.")}],
        "What texts cite, each a [[source]].",
        needed=False,
    ),
    "facilitator": Key(
        {
            "say": Key([str], "What to say.", needed=False),
            "timing": Key([_STEP], "A plan of the minutes.", needed=False),
            "handout": Key(str, "Markdown, to print.", needed=False),
            "answers": Key(str, "The handout's answers.", needed=False),
        },
        "What whoever runs the lesson needs.",
        needed=False,
    ),
}


def block_shape(kind: str) -> Shape:
    """All keys of a block of a kind."""
    return {"kind": Key(str, "Which kind of block."), **BLOCKS[kind]}


def json_schema() -> dict[str, Any]:
    """The format as JSON Schema, which editors of TOML understand."""
    schema: dict[str, Any] = _table(LESSON)
    # A block's kind decides which other keys it has.
    blocks: list[dict[str, Any]] = [
        _table(block_shape(kind)) | {"description": f"A block of kind {kind!r}."} for kind in BLOCKS
    ]
    for kind, block in zip(BLOCKS, blocks, strict=True):
        block["properties"]["kind"] = {"const": kind}
    properties = schema["properties"]
    properties["schema"] = {"const": SCHEMA}
    properties["minutes"] |= {"minimum": 1, "maximum": LONGEST}
    properties["block"]["items"] = {"oneOf": blocks}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A lesson of NIP Explorer",
        **schema,
    }


_NAMES: Mapping[Kind, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
}


def _kind(kind: Kind) -> dict[str, Any]:
    if isinstance(kind, list):
        (each,) = cast("list[Kind]", kind)
        return {"type": "array", "items": _kind(each)}
    return _table(cast("Shape", kind)) if isinstance(kind, Mapping) else {"type": _NAMES[kind]}


def _table(shape: Shape) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            name: {**_kind(key.kind), "description": key.says} for name, key in shape.items()
        },
        "required": [name for name, key in shape.items() if key.needed],
        "additionalProperties": False,
    }
