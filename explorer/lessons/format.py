"""What a lesson's file may hold, as a JSON Schema: for the reader, and for editors of TOML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nip_core.documents import Schema, schema

__all__ = ["BLOCKS", "LESSON", "LONGEST", "PAGES", "SCHEMA"]

LONGEST = 240
PAGES = ("schedule", "play", "rewards", "transcripts")


def _text(help: str, **more: Any) -> Schema:
    """Describe a text that may be empty: a cell of a table, an explanation to come."""
    return schema.text(help, minLength=0, **more)


def _texts(help: str) -> Schema:
    return schema.items(_text("A text."), help)


_MARKDOWN = _text("Markdown with $formulas$ and citations, [@key]; no links, pictures or HTML.")
_SETTINGS = schema.anything("How it is set up.")
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
    {"minutes": schema.whole("How long."), "what": _text("What happens.")},
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
    "predict": schema.table(
        {
            "question": _text("What is to be guessed."),
            "choices": _texts("The guesses to choose from; or low and high."),
            "low": schema.number("The smallest number that can be guessed."),
            "high": schema.number("The largest."),
            "unit": _text("What the number counts."),
            "truth": schema.number("The right number, if there is one."),
            "right": _text("The right choice, if there is one."),
            "text": _text("What is shown after the guess."),
        },
        "A guess before something is shown.",
        "question",
        "text",
    ),
    "quiz": schema.table(
        {
            "question": _text("The question."),
            "answers": schema.items(_ANSWER, "Two or more, one of them right.", minItems=2),
        },
        "A question with answers to choose from.",
        "question",
        "answers",
    ),
    "open": schema.table(
        {
            "page": _text(f"Where it leads: {', '.join(PAGES)}.", enum=[*PAGES]),
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
        "minutes": schema.whole(f"How long it takes, 1 to {LONGEST}.", 1, LONGEST),
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
            "What whoever runs the lesson needs.",
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
