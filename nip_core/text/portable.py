"""Conversations in a form that every chat template accepts.

Some templates refuse or silently drop a second system message, two user messages in a row, a
conversation without a user message, or the names of speakers. So the form is: one system message,
then user and assistant in turn, the user first. The text says who wrote what and where, in a way
that cannot be forged: texts of others are quoted line by line, so that they cannot appear where a
name appears. Sequences that a template would read as its own markup are broken up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypedDict

from nip_core.text.thoughts import THOUGHT_NAMES

__all__ = ["PortableMessage", "answered", "fenced", "fold_system", "quoted", "unmarked"]

QUOTE = "| "


class PortableMessage(TypedDict):
    """One message of a chat."""

    role: Literal["system", "assistant", "user"]
    content: str


# Sequences with a special meaning in chat templates and tokenizers: turns, ends of texts, tools and
# reasoning.
_MARKS = re.compile(
    rf"""(?ix)
    < (?= [|\uff5c] [^\n]{{0,60}}? [|\uff5c] > )                 # <|im_start|>, <|eot_id|>
    | < (?= \|? channel \|? > )
    | < (?= /? (?: s | bos | eos | pad | unk | mask ) > )
    | < (?= /? (?: start | end ) _of_ (?: turn | text | image ) > )
    | < (?= /? (?: {THOUGHT_NAMES} | tool_call | tool_response | function_call ) > )
    | \u25c1 (?= /? think \u25b7 )
    | < (?= < /? SYS >> )
    | \[ (?= /? (?: INST | SYSTEM_PROMPT | AVAILABLE_TOOLS | TOOL_CALLS | TOOL_RESULTS
                 | TOOL_CONTENT | {THOUGHT_NAMES} | MODEL_SETTINGS
                 | IMG | PREFIX | SUFFIX | MIDDLE ) \] )
    """
)
# An invisible character, which occurs in none of these sequences.
_BREAK = "\u200b"


def unmarked(text: str) -> str:
    """Return a text without special sequences of templates; it looks the same."""
    return _MARKS.sub(lambda mark: mark[0] + _BREAK, text)


def quoted(text: str) -> str:
    """Return a text as quoted lines, which cannot be confused with others' words."""
    # Other characters than line feeds begin a line too.
    return "\n".join(f"{QUOTE}{line}".rstrip() for line in text.splitlines() or [""])


def fenced(text: str, language: str = "") -> str:
    """Return a fenced block around a text, with a fence that the text cannot close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{ticks}{language}\n{text}{end}{ticks}"


def answered(
    chat: Sequence[PortableMessage], completion: str, answer: str
) -> list[PortableMessage]:
    """Return the conversation with the model's answer and our reply added."""
    longer = [*chat]
    if completion.strip():
        longer.append({"role": "assistant", "content": unmarked(completion)})
        return [*longer, {"role": "user", "content": answer}]
    last = longer.pop()
    return [*longer, {"role": "user", "content": f"{last['content']}\n\n{answer}"}]


def fold_system(chat: Sequence[PortableMessage]) -> list[PortableMessage]:
    """Return the conversation with the system message at the start of the first user message."""
    first, second, *rest = chat
    opened: PortableMessage = {
        "role": "user",
        "content": f"{first['content']}\n\n---\n\n{second['content']}",
    }
    return [opened, *rest]
