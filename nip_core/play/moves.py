"""A move, and the measures of its messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nip_core.displays import displayed
from nip_core.documents import MAX_TEXT, as_object
from nip_core.errors import PlayError
from nip_core.text.parsing import Decision

__all__ = [
    "DEFAULT_MAX_WORDS",
    "MAX_CONFIDENCE",
    "MAX_WORDS",
    "Move",
    "count_words",
    "most_characters",
]

MAX_CONFIDENCE = 100
# The default and the greatest limit on a message's words.
DEFAULT_MAX_WORDS = 150
MAX_WORDS = 100_000
# Generous, since an English word has five letters on average.
CHARACTERS_OF_A_WORD = 20
CHARACTERS = 200
NO_DECISION: Decision = 2


@displayed
@dataclass(frozen=True)
class Move:
    """What a seat does in one round: a message on each of its active channels, or a decision.

    Parameters
    ----------
    agent : str
    messages : mapping of str to str
        By channel.
    decision : {0, 1, 2}
        0 reject, 1 accept, 2 none: in a protocol of rounds, the short form of the verdict.
    confidence : int, optional
        A verifier's private probability that the statement is true, from 0 to 100. The rules ignore
        it.
    raw : str, optional
        The unchanged completion from which the move was read.
    choices : mapping of str to (str or int)
        Its choices by name.
    """

    agent: str
    messages: Mapping[str, str] = field(default_factory=dict[str, str])
    decision: Decision = NO_DECISION
    confidence: int | None = None
    raw: str | None = None
    choices: Mapping[str, str | int] = field(default_factory=dict[str, str | int])

    def __post_init__(self) -> None:
        # The move is kept, so the caller must not be able to change it afterwards.
        if isinstance(self.messages, Mapping):
            object.__setattr__(self, "messages", dict(self.messages))
        if isinstance(self.choices, Mapping):
            object.__setattr__(self, "choices", dict(self.choices))

    def to_dict(self) -> dict[str, Any]:
        """Return the move as a plain document, without empty fields."""
        document: dict[str, Any] = {"agent": self.agent}
        if self.messages:
            document["messages"] = dict(self.messages)
        if self.decision != NO_DECISION:
            document["decision"] = self.decision
        if self.confidence is not None:
            document["confidence"] = self.confidence
        if self.raw is not None:
            document["raw"] = self.raw
        if self.choices:
            document["choices"] = dict(self.choices)
        return document

    @classmethod
    def from_dict(cls, document: object) -> Move:
        """Read what :meth:`to_dict` made. The move is checked when it is played."""
        optional = ("messages", "decision", "confidence", "raw", "choices")
        fields = as_object(document, "the move", ("agent",), optional, error=PlayError)
        return cls(**fields)


def count_words(text: str) -> int:
    """Return the number of a message's words, for the limit."""
    return len(text.split())


def most_characters(max_words: int) -> int:
    """Return the most characters of a message with a limit of words, including spaces."""
    return min(CHARACTERS + CHARACTERS_OF_A_WORD * max_words, MAX_TEXT)
