"""What can go wrong with a player, in words that say what to do.

.. code-block:: text

    PlayerError
    ├── WaitsForPersonError   the move is a person's to make
    └── LLMError              a language model cannot be used
        ├── LLMFailedError    it answered, but its answer could not be played; the text is kept
        ├── LLMBudgetError    the tokens for this episode are used up
        ├── LLMCancelledError somebody stopped it
        ├── UnconfirmedError  nobody at this browser has said that it may be asked
        └── AddressRefusedError  this server does not allow the address

None of them is ever chained to an exception of the model's client: those hold requests, and
requests hold keys.
"""

from __future__ import annotations

from nip_core.errors import NipError


class PlayerError(NipError):
    """A player could not make its move."""


class WaitsForPersonError(PlayerError):
    """The move is a person's to make."""


class LLMError(PlayerError):
    """A language model cannot be used, with what to do.

    Parameters
    ----------
    message : str
        For the seat that the model plays.
    for_others : str, optional
        What the other seats read: the message without what may quote the seat's prompt or draft.
    """

    def __init__(self, message: str, for_others: str | None = None) -> None:
        super().__init__(message)
        self.for_others = message if for_others is None else for_others


class LLMFailedError(LLMError):
    """A model's answers could not be played.

    Parameters
    ----------
    message : str
    raw : str
        The last answer, as it came.
    """

    def __init__(self, message: str, raw: str = "") -> None:
        super().__init__(message, "The model made no legal move. Try again, or make it yourself.")
        self.args = message, raw
        self.raw = raw


class LLMBudgetError(LLMError):
    """The tokens for this episode are used up."""


class LLMCancelledError(LLMError):
    """Somebody stopped the model."""


class UnconfirmedError(LLMError):
    """Nobody at this browser has said that the model may be asked."""


class AddressRefusedError(LLMError):
    """The server does not let its visitors use the address."""
