"""Errors of players. Their messages say what to do.

.. code-block:: text

    PlayerError
    ├── WaitsForPersonError   a person must make the move
    └── LLMError              a language model cannot be used
        ├── LLMFailedError    its answers contain no legal move; the last text is kept
        ├── LLMBudgetError    the tokens for this episode are used up
        ├── LLMCancelledError a person stopped it
        ├── UnconfirmedError  nobody in this browser has allowed it to be asked
        └── AddressRefusedError  this server does not allow the address

None of them is chained to an exception of the model's client, which may contain a request and so
a key.
"""

from __future__ import annotations

from nip_core.errors import NipError


class PlayerError(NipError):
    """A player could not make its move."""


class WaitsForPersonError(PlayerError):
    """A person must make the move."""


class LLMError(PlayerError):
    """A language model cannot be used.

    The message is for the seat that the model plays. The one `for_others` has no quotes of the
    seat's prompt or draft.
    """

    def __init__(self, message: str, for_others: str | None = None) -> None:
        super().__init__(message)
        self.for_others = message if for_others is None else for_others


class LLMFailedError(LLMError):
    """A model's answers contain no legal move; `raw` is the last one, unchanged."""

    def __init__(self, message: str, raw: str = "") -> None:
        super().__init__(message, "The model made no legal move. Try again, or make it yourself.")
        self.args = message, raw
        self.raw = raw


class LLMBudgetError(LLMError):
    """The tokens for this episode are used up."""


class LLMCancelledError(LLMError):
    """A person stopped the model."""


class UnconfirmedError(LLMError):
    """Nobody in this browser has allowed the model to be asked."""


class AddressRefusedError(LLMError):
    """The server does not allow its visitors to use the address."""
