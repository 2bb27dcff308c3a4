"""A model's turn without its wire: what it is sent, and what becomes of what it answers.

Whoever asks the model (our own client, or Inspect) sends `chat`, and hands in each answer, until
there is a move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256

from explorer.players.errors import LLMFailedError
from nip_core.displays import displayed
from nip_core.errors import IllegalMoveError, InvalidResponseError
from nip_core.play import Move, Refused, View, verify_move
from nip_core.text import UNCLOSED, PortableMessage, answered

__all__ = ["Answered", "Asking"]

# What the model is shown again of an answer that cannot be used.
MAX_ECHO = 4000
NO_TOOLS = "There are no tools here. Write your move as plain text."
# Models that know tools write calls into their text where a server does not read them.
_CALLS_TOOL = re.compile(
    r"(?is)\s*(?:```\w*\s*)?(?:<\|?/?(?:tool_calls?|function_calls?|function=\w+|invoke)\b[^>]*>"
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<\uff5ctool)"
    r"|.*^[ \t]*<(tool_call|function_call)>.*</\1>[ \t]*$",
    re.MULTILINE,
)


@displayed
@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one request, as far as a move depends on it.

    Parameters
    ----------
    text : str
        Without thoughts.
    reasoning : str
    finish : str
        Why it ended: ``stop``, ``length``, ``content_filter`` and others, or ``too_long`` if it was
        cut off on this side.
    refusal : str
        What was said instead of an answer.
    tools : bool
        Did it call a tool?
    unclosed : bool
        Does it begin a thought that it never ends?
    """

    text: str
    reasoning: str = ""
    finish: str = "stop"
    refusal: str = ""
    tools: bool = False
    unclosed: bool = False

    @property
    def fault(self) -> str:
        """What is wrong with it whatever it says, for the model; empty if nothing is."""
        if self.refusal or self.finish == "content_filter":
            return "You have refused. This is a game in which every seat must make its move."
        if self.finish == "too_long":
            return "The answer does not end. Write a short one."
        if self.finish == "length":
            return "The answer was cut off at the limit of tokens. Write a shorter one."
        if self.unclosed:
            return UNCLOSED
        if _CALLS_TOOL.match(self.text):
            return NO_TOOLS
        if not self.text.strip():
            if self.tools:
                return NO_TOOLS
            if self.reasoning:
                return (
                    "The answer holds thoughts only, and nothing that the others could read. Close "
                    "them, and write your move below."
                )
            return "The answer is empty. Write your move."
        return ""


@displayed
@dataclass
class Asking:
    """One turn of a model.

    Parameters
    ----------
    view : View
    corrections : int
        How often the model is told that its answer cannot be used, and asked again.
    scratchpad : bool
        Is it offered a place to think in?
    ask_confidence : bool
        Is a verifier asked how sure it is?
    refused : list of Refused
        Filled with the answers that cannot be used.

    Attributes
    ----------
    chat : list of PortableMessage
        What to send next.
    """

    view: View
    corrections: int = 2
    scratchpad: bool = True
    ask_confidence: bool = True
    refused: list[Refused] = field(default_factory=list[Refused])

    def __post_init__(self) -> None:
        if not self.view.legal.channels:
            raise IllegalMoveError(self.view.legal.reason)
        self.chat: list[PortableMessage] = self.view.portable_messages(
            scratchpad=self.scratchpad, ask_confidence=self.ask_confidence
        )
        self.instructions = sha256(self.chat[0]["content"].encode("utf-8", "replace")).hexdigest()
        self._left = self.corrections
        self._thoughts: list[str] = []

    @property
    def reasoning(self) -> str:
        """The thoughts before each answer."""
        return "\n\n---\n\n".join(filter(None, self._thoughts))

    def read(self, answer: Answered) -> Move | None:
        """The move in an answer; None if the model is to be asked again, with `chat`.

        Raises
        ------
        LLMFailedError
            With the last answer, if it may not be asked again.
        """
        self._thoughts.append(answer.reasoning)
        found = self._move_in(answer)
        if isinstance(found, Move):
            return found
        said = answer.text or answer.refusal
        self.refused.append(Refused(said, found))
        if not self._left:
            raise LLMFailedError(
                f"The model has answered {self.corrections + 1} times, but nothing that can be "
                f"played. {found} Try again, change the model, or make the move yourself.",
                said,
            )
        self._left -= 1
        correction = (
            f"That cannot be used as your move. {found} Write the whole move again, and only it."
        )
        self.chat = answered(self.chat, said[:MAX_ECHO], correction)
        return None

    def _move_in(self, answer: Answered) -> Move | str:
        """The move in an answer, or what is wrong with it."""
        if fault := answer.fault:
            return fault
        view = self.view
        try:
            move = view.read_answer(answer.text, ask_confidence=self.ask_confidence)
            verify_move(move, view.legal, view.spec, view.max_response_words)
        except (InvalidResponseError, IllegalMoveError) as error:
            return str(error)
        return move
