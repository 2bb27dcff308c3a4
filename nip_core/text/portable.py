"""Conversations in a form that every chat template accepts.

Some templates refuse or silently drop a second system message, two user messages in a row, a
conversation without a user message, or the names of speakers. So the form is: one system message,
then user and assistant in turn, the user first. The text says who wrote what and where, in a way
that cannot be forged: texts of others are quoted line by line, so that they cannot appear where a
name appears. Sequences that a template would read as its own markup are broken up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from nip_core.text.conversation import Line, OthersMessage, OwnText, Reminded
from nip_core.text.seats import LAST_TURN_MESSAGE
from nip_core.text.thoughts import THOUGHT_NAMES

__all__ = [
    "ChatState",
    "PortableMessage",
    "answered",
    "fold_system",
    "portable_messages",
    "quoted",
    "unmarked",
]

QUOTE = "| "
# Replaces the documented reminder, which allows nothing but the verdict.
LAST_TURN = (
    "You have no questions left. In this answer you must give your verdict: "
    '"Decision: accept" or "Decision: reject".'
)


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


@dataclass(frozen=True, slots=True)
class ChatState:
    """The state of a conversation.

    Parameters
    ----------
    round, rounds : int
        The present round, from 0, and the number of rounds.
    channels : int
        The number of channels that the seat reads.
    may_decide, last_turn : bool
        Whether the seat may decide now, and whether it must.
    """

    round: int
    rounds: int
    channels: int
    may_decide: bool = False
    last_turn: bool = False

    @property
    def wanted(self) -> str:
        """The instruction for what the seat has to write."""
        if not self.may_decide:
            return "Write your message."
        return "Write your verdict." if self.last_turn else "Write your question, or your verdict."


def portable_messages(
    lines: Iterable[Line], system_prompt: str, place: ChatState
) -> list[PortableMessage]:
    """Return the conversation so far in the portable form, ending with the seat's instruction.

    Parameters
    ----------
    lines : iterable of Line
        Lines from :func:`~nip_core.text.conversation.heard`, with reminders.
    system_prompt : str
        The system prompt, without special sequences of templates.
    place : ChatState
    """
    chat: list[PortableMessage] = [{"role": "system", "content": system_prompt}]
    heard: list[str] = []
    for line in lines:
        match line:
            case OwnText(text=text):
                chat.append(_asked(heard))
                chat.append({"role": "assistant", "content": unmarked(text)})
                heard = []
            case OthersMessage():
                heard.append(_heard(line, place))
            case Reminded(text=text):
                heard.append(LAST_TURN if text == LAST_TURN_MESSAGE else text)
    heard.append(f"It is your turn: round {place.round + 1} of {place.rounds}. {place.wanted}")
    chat.append(_asked(heard))
    return chat


def _asked(parts: Sequence[str]) -> PortableMessage:
    # Two messages of a model in a row are separated, although it may have written both.
    return {"role": "user", "content": "\n\n".join(parts) or "It is your turn. Write your message."}


def _heard(line: OthersMessage, place: ChatState) -> str:
    where = f" on the channel {line.channel}" if place.channels > 1 else ""
    who = line.name or "An expert whose name you are not told"
    return f"{who} wrote in round {line.round + 1}{where}:\n{quoted(unmarked(line.text))}"


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
