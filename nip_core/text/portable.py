"""A conversation in the one shape that every chat template takes.

Templates differ in what they refuse or silently leave out: a second system message, two messages of
a user in a row, a conversation without a user's message, the names of speakers. So this is sent:
one system message, then user and assistant in turn, the user first. Who wrote what and where is
written in the text, where no template loses it, and so that nobody can forge it: what others write
is quoted line by line, and none of it can stand where a name stands. What a template would take for
marks of its own is broken up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from nip_core.text.conversation import Heard, Line, Reminded, Said
from nip_core.text.seats import LAST_TURN_MESSAGE
from nip_core.text.thoughts import THOUGHT_NAMES

__all__ = [
    "Place",
    "PortableMessage",
    "answered",
    "fold_system",
    "portable_messages",
    "quoted",
    "unmarked",
]

QUOTE = "| "
# In the place of the documented reminder, which leaves no room for anything but the verdict.
LAST_TURN = (
    "You have no questions left. In this answer you must give your verdict: "
    '"Decision: accept" or "Decision: reject".'
)


class PortableMessage(TypedDict):
    """One message of a chat."""

    role: Literal["system", "assistant", "user"]
    content: str


# What chat templates and tokenizers take for more than text: marks of turns, ends of texts, tools
# and thoughts.
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
# Takes no room, and is in no mark.
_BREAK = "\u200b"


def unmarked(text: str) -> str:
    """Return a text in which nothing is a template's mark any more; it looks as it did."""
    return _MARKS.sub(lambda mark: mark[0] + _BREAK, text)


def quoted(text: str) -> str:
    """Return a text as lines that cannot be taken for anybody else's."""
    # Not only line feeds begin a line for a reader.
    return "\n".join(f"{QUOTE}{line}".rstrip() for line in text.splitlines() or [""])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation stands.

    Parameters
    ----------
    round, rounds : int
        The present round, counted from 0, and how many there are.
    channels : int
        How many channels the seat reads.
    may_decide, last_turn : bool
        May the seat decide now, and must it?
    """

    round: int
    rounds: int
    channels: int
    may_decide: bool = False
    last_turn: bool = False

    @property
    def wanted(self) -> str:
        """What the seat is to write."""
        if not self.may_decide:
            return "Write your message."
        return "Write your verdict." if self.last_turn else "Write your question, or your verdict."


def portable_messages(
    lines: Iterable[Line], system_prompt: str, place: Place
) -> list[PortableMessage]:
    """The conversation so far in the portable shape, ending with the word that it is one's turn.

    Parameters
    ----------
    lines : iterable of Line
        As :func:`~nip_core.text.conversation.heard` gives them, with reminders.
    system_prompt : str
        With nothing in it any more that a template could take for a mark.
    place : Place
    """
    chat: list[PortableMessage] = [{"role": "system", "content": system_prompt}]
    heard: list[str] = []
    for line in lines:
        match line:
            case Said(text=text):
                chat.append(_asked(heard))
                chat.append({"role": "assistant", "content": unmarked(text)})
                heard = []
            case Heard():
                heard.append(_heard(line, place))
            case Reminded(text=text):
                heard.append(LAST_TURN if text == LAST_TURN_MESSAGE else text)
    heard.append(f"It is your turn: round {place.round + 1} of {place.rounds}. {place.wanted}")
    chat.append(_asked(heard))
    return chat


def _asked(parts: Sequence[str]) -> PortableMessage:
    # A model's own words never follow one another, though it may have written twice in a row.
    return {"role": "user", "content": "\n\n".join(parts) or "It is your turn. Write your message."}


def _heard(line: Heard, place: Place) -> str:
    where = f" on the channel {line.channel}" if place.channels > 1 else ""
    who = line.name or "An expert whose name you are not told"
    return f"{who} wrote in round {line.round + 1}{where}:\n{quoted(unmarked(line.text))}"


def answered(chat: Sequence[PortableMessage], said: str, answer: str) -> list[PortableMessage]:
    """Return the conversation with the model's answer and our reply to it added."""
    longer = [*chat]
    if said.strip():
        longer.append({"role": "assistant", "content": unmarked(said)})
        return [*longer, {"role": "user", "content": answer}]
    last = longer.pop()
    return [*longer, {"role": "user", "content": f"{last['content']}\n\n{answer}"}]


def fold_system(chat: Sequence[PortableMessage]) -> list[PortableMessage]:
    """The same for a template that takes no system message: it opens the first user's message."""
    first, second, *rest = chat
    opened: PortableMessage = {
        "role": "user",
        "content": f"{first['content']}\n\n---\n\n{second['content']}",
    }
    return [opened, *rest]
