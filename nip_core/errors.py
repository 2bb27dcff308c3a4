"""Every exception that ``nip_core`` raises on purpose, in one tree.

.. code-block:: text

    NipError
    ├── ParameterError (ValueError)        a hyper-parameter is unknown or impossible
    ├── SpecError (ValueError)             a protocol description contradicts itself
    │   └── TooLargeError                  a protocol takes too much work to be read or drawn
    ├── StoppedError                       work was ended by its time limit, or by another thread
    ├── EditError (ValueError)             a change does not fit the protocol that it is made to
    ├── UnknownNameError (KeyError)        no such agent, channel or protocol
    ├── UnsupportedError (NotImplementedError)  a combination that is not supported
    │   └── NoVerdictError                 a protocol does not have just one verdict
    ├── TaskError (ValueError)             what an episode is about is malformed
    │   └── TaskFileError                  a file of tasks cannot be used
    ├── StepInputError (ValueError)        a tensor handed to a handler is not as documented
    │   ├── MissingInputError (KeyError)   an entry is absent
    │   └── InputTypeError (TypeError)     an entry has the wrong dtype or kind
    ├── ModelError (ValueError)            a table of play, or a question about values, is malformed
    ├── PlayError (ValueError)             an episode, or its record, does not allow this
    │   ├── IllegalMoveError               a move that the rules do not allow, with the reason
    │   └── TranscriptError                a record of an episode that cannot be trusted or read
    ├── GenerationError                    a player's text cannot be used
    │   ├── InvalidResponseError           it cannot be read; the player may try again
    │   │   ├── InvalidDecisionError       it announces a decision and gives none, or two
    │   │   └── NotAllActiveChannelsInResponseError  a channel's header is missing
    │   └── AgentNotActiveInChannelError   there is no text of the player to learn from
    ├── InactiveAgentError (ValueError)    text of an agent that may not speak in the round
    ├── ChatHistoryError (ValueError)      a conversation, or an option about it, is impossible
    ├── PromptTemplateError (ValueError)   a prompt template is broken, with file and line
    │   └── MissingPromptVariableError (KeyError)  it needs a variable that was not given
    └── RoundError (IndexError)            a round outside the episode

Each is also the built-in exception that Python programmers expect, so that ``except KeyError``
works.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Set
from typing import cast

from nip_core.mistakes import Mistake

__all__ = [
    "AgentNotActiveInChannelError",
    "ChatHistoryError",
    "EditError",
    "GenerationError",
    "IllegalMoveError",
    "InactiveAgentError",
    "InputTypeError",
    "InvalidDecisionError",
    "InvalidResponseError",
    "MissingInputError",
    "MissingPromptVariableError",
    "ModelError",
    "NipError",
    "NoVerdictError",
    "NotAllActiveChannelsInResponseError",
    "ParameterError",
    "PlayError",
    "PromptTemplateError",
    "RoundError",
    "SpecError",
    "StepInputError",
    "StoppedError",
    "TaskError",
    "TaskFileError",
    "TooLargeError",
    "TranscriptError",
    "UnknownNameError",
    "UnsupportedError",
    "did_you_mean",
    "known_names",
    "nearest",
    "show",
]


def show(value: object, limit: int = 60) -> str:
    """Return a short text for a value in a message, also for untrusted values."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str | bytes):
        text = repr(value[: limit + 1])
    elif isinstance(value, int) and value.bit_length() > 200:
        text = "a huge number"  # converting it may be slow, or not allowed
    else:
        text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


class NipError(Exception):
    """Base class of all exceptions that this library raises on purpose."""

    # KeyError would show the repr of the message, with quotes and escapes.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ParameterError(NipError, ValueError):
    """A hyper-parameter is unknown or has an impossible value."""


class SpecError(NipError, ValueError):
    """A protocol description contradicts itself.

    Parameters
    ----------
    message : str
    mistakes : tuple of Mistake
        All mistakes that were found in the document; see :mod:`nip_core.mistakes`.
    """

    def __init__(self, message: str = "", mistakes: tuple[Mistake, ...] = ()) -> None:
        super().__init__(message, mistakes)
        self.mistakes = mistakes


class TooLargeError(SpecError):
    """A protocol takes more work than its budget allows; see :mod:`nip_core.budget`."""


class StoppedError(NipError):
    """Work was ended by its time limit, or by another thread; see :mod:`nip_core.budget`."""


class EditError(NipError, ValueError):
    """A change does not fit the protocol that it is made to."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a given one; None if no name is near."""
    # Bounded, since the given text is untrusted and finding near names takes time and memory.
    name, names = name[:100], list(known)
    same = [other for other in names if other.casefold() == name.casefold()]
    close = same or difflib.get_close_matches(name, names, n=1, cutoff=0.65)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with a near name, after a blank; empty if no known name is near."""
    near = nearest(name, known)
    return "" if near is None else f" Did you mean {near!r}?"


def known_names(known: Iterable[object], *, separator: str = ", ", most: int | None = None) -> str:
    """Return the end of a refusal of an unknown name, after a blank: the names that exist.

    Names of a set are sorted, since its own order differs from run to run. If there are more than
    `most`, only the first of them are listed.
    """
    names = [*map(str, _in_order(known))]
    more = ["..."] if most is not None and len(names) > most else []
    return f" Known: {separator.join([*names[:most], *more]) or 'none'}."


def _in_order(known: Iterable[object]) -> tuple[object, ...]:
    return tuple(sorted(known, key=str) if isinstance(known, Set) else known)


class UnknownNameError(NipError, KeyError, ValueError):
    """A name does not exist.

    Parameters
    ----------
    kind : str
        The kind of name, for the message: ``"agent"``, ``"channel"``, ...
    name : object
        The given name.
    known : iterable of str
        The existing names.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        # Pickling rebuilds an exception from its args, so they are the arguments themselves.
        super().__init__(kind, name, _in_order(known))

    def __str__(self) -> str:
        kind, name, known = cast("tuple[str, object, tuple[str, ...]]", self.args)
        unknown = name if isinstance(name, str) else show(name)
        hint = did_you_mean(unknown, known)
        return f"There is no {kind} {show(name, 110)}.{hint}{known_names(map(repr, known))}"


class UnsupportedError(NipError, NotImplementedError):
    """A combination is not supported, with the reason."""


class NoVerdictError(UnsupportedError):
    """A protocol does not have just one verdict, with `reason` as a part of a sentence."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class TaskError(NipError, ValueError):
    """A task is malformed."""


class TaskFileError(TaskError):
    """A file of tasks cannot be used at all."""


class StepInputError(NipError, ValueError):
    """A tensor handed to a handler is not as documented."""


class MissingInputError(StepInputError, KeyError):
    """An entry that a step needs is absent."""


class InputTypeError(StepInputError, TypeError):
    """An entry has the wrong dtype or kind."""


class RoundError(NipError, IndexError):
    """A round lies outside the episode."""


class ModelError(NipError, ValueError):
    """A model of play is malformed, or does not fit the protocol."""


class PlayError(NipError, ValueError):
    """An episode does not allow an action, or its record is malformed."""


class IllegalMoveError(PlayError):
    """The rules do not allow a move. The message is for the player who made it.

    Parameters
    ----------
    message : str
    channel : str, optional
        The channel with the invalid message, so that a screen can show the error beside it.
    for_people : str, optional
        The same for a screen, with titles in place of the names of a file.
    """

    def __init__(
        self, message: str = "", channel: str | None = None, *, for_people: str = ""
    ) -> None:
        super().__init__(message)
        self.channel = channel
        self.for_people = for_people or message


class TranscriptError(PlayError):
    """A transcript cannot be read, breaks the rules, or was changed."""


class GenerationError(NipError):
    """A player's text cannot be used.

    Parameters
    ----------
    response_text : str
        The offending text. It is never part of ``str(error)``: it may be long or private.
    reason : str, optional
        What is wrong and what to write instead, for the player.
    """

    default_reason = "The text cannot be used."

    def __init__(self, response_text: str = "", reason: str | None = None) -> None:
        super().__init__(response_text, reason)
        self.response_text = response_text
        self.reason = self.default_reason if reason is None else reason

    def __str__(self) -> str:
        return self.reason

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.response_text)} characters>, {self.reason!r})"


class InvalidResponseError(GenerationError):
    """A completion cannot be read as an answer. The player may see why and try again."""

    default_reason = "The answer cannot be read."


class InvalidDecisionError(InvalidResponseError):
    """A completion announces a decision, and then gives none or two that disagree."""

    default_reason = (
        'The answer announces a decision that cannot be read. To decide, write "Decision: accept" '
        'or "Decision: reject", and not both.'
    )


class NotAllActiveChannelsInResponseError(InvalidResponseError):
    """A completion lacks the header of a channel on which its author must write."""

    default_reason = "The answer must have a part for every channel, each below its header."


class AgentNotActiveInChannelError(GenerationError):
    """A conversation holds no message of the agent that should learn from it."""

    default_reason = "The conversation holds no message of this agent."


class InactiveAgentError(NipError, ValueError):
    """Text was given for an agent that may not speak in the round."""


class ChatHistoryError(NipError, ValueError):
    """A conversation, or a request about it, contradicts itself."""


class PromptTemplateError(NipError, ValueError):
    """A prompt template is broken.

    Parameters
    ----------
    reason : str
    name : str, optional
        The file, or another name of the template.
    line : int, optional
        Counted from 1.
    """

    def __init__(self, reason: str, name: str | None = None, line: int | None = None) -> None:
        super().__init__(reason, name, line)
        self.reason, self.name, self.line = reason, name, line

    def __str__(self) -> str:
        place = f"prompt template {self.name!r}" if self.name else "prompt template"
        place += f", line {self.line}" if self.line else ""
        return f"{place}: {self.reason}"


class MissingPromptVariableError(PromptTemplateError, KeyError):
    """A prompt template needs a variable that was not given."""


def __dir__() -> list[str]:
    return __all__
