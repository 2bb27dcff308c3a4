"""Errors of evaluations, and whether Inspect, an extra, is installed.

.. code-block:: text

    EvalsError
    ├── MissingExtraError   Inspect is not installed
    ├── KeyRefusedError     a key would go to an address that is not its provider's
    └── InspectModelError               a model was not asked, or has not answered
        ├── StudyHaltedError     its answer is not waited for any more
        └── StoppingError        every further request would fail, too
"""

from __future__ import annotations

import importlib.util

from explorer.players import LLMError
from explorer.project import install_extra
from nip_core.errors import NipError


class EvalsError(NipError):
    """An evaluation cannot be made, or its log cannot be used."""


class MissingExtraError(EvalsError, ImportError):
    """Inspect is not installed."""


class KeyRefusedError(EvalsError):
    """A key of the environment would go to an address that is not its provider's."""


class InspectModelError(EvalsError, LLMError):
    """A model was not asked, or has not answered; `may_pass` if it may answer the same later."""

    def __init__(self, message: str, *, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass


class StudyHaltedError(InspectModelError):
    """The answer is no longer waited for: the run was stopped, or its service was given up."""


class StoppingError(InspectModelError):
    """Every further episode would fail in the same way: a wrong key, an exhausted budget."""


def has_inspect() -> bool:
    """Return whether Inspect is installed, without importing it, which takes seconds."""
    return importlib.util.find_spec("inspect_ai") is not None


def need_inspect(what: str) -> None:
    """Raise a MissingExtraError if Inspect is not installed; `what` begins the sentence."""
    if not has_inspect():
        raise MissingExtraError(f"{what} needs Inspect: {install_extra('inspect')}")
