"""Every exception that ``nip_core`` raises on purpose, in one tree.

.. code-block:: text

    NipError
    ├── ParameterError (ValueError)        a hyper-parameter is unknown or impossible
    ├── SpecError (ValueError)             a protocol description contradicts itself
    ├── UnknownNameError (KeyError)        no such agent, channel or protocol
    ├── UnsupportedError (NotImplementedError)  a combination that is not offered
    ├── TaskError (ValueError)             what an episode is about is malformed
    │   └── TaskFileError                  a file of tasks cannot be used
    ├── StepInputError (ValueError)        a tensor handed to a handler is not as documented
    │   ├── MissingInputError (KeyError)   an entry is absent
    │   └── InputTypeError (TypeError)     an entry has the wrong dtype or kind
    └── RoundError (IndexError)            a round outside the episode

Each is also the built-in exception that Python people expect in its place, so that
``except KeyError`` and friends keep working.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import cast

__all__ = [
    "InputTypeError",
    "MissingInputError",
    "NipError",
    "ParameterError",
    "RoundError",
    "SpecError",
    "StepInputError",
    "TaskError",
    "TaskFileError",
    "UnknownNameError",
    "UnsupportedError",
]


class NipError(Exception):
    """Base class of all exceptions that this library raises on purpose."""

    # KeyError would show the repr of its message, with quotes and escapes.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ParameterError(NipError, ValueError):
    """A hyper-parameter is unknown or has an impossible value."""


class SpecError(NipError, ValueError):
    """A protocol description contradicts itself."""


class UnknownNameError(NipError, KeyError, ValueError):
    """A name is not one of those that exist.

    Parameters
    ----------
    kind : str
        What was looked up, for the message: ``"agent"``, ``"channel"``, ...
    name : object
        What was given.
    known : iterable of str
        What exists.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        # Pickling rebuilds an exception from its args, so they are the arguments themselves.
        super().__init__(kind, name, tuple(known))

    def __str__(self) -> str:
        kind, name, known = cast("tuple[str, object, tuple[str, ...]]", self.args)
        close = difflib.get_close_matches(str(name), known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        listed = ", ".join(map(repr, known)) or "none"
        return f"There is no {kind} {name!r}.{hint} Known: {listed}."


class UnsupportedError(NipError, NotImplementedError):
    """A combination that is not offered, with the reason."""


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
