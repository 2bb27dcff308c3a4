"""How many tokens an episode may use, over all its seats, and what a move has taken."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.players.errors import LLMBudgetError
from nip_core.play import Refused

__all__ = ["Spent", "TokenBudget", "Used", "estimate_tokens", "tokens_in_chat"]

# Of English text; the roles and separators of a message cost some too.
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, where a service does not say."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def tokens_in_chat(messages: Iterable[Mapping[str, Any]]) -> int:
    """About how many tokens a conversation has."""
    return sum(estimate_tokens(m["content"]) + TOKENS_PER_MESSAGE for m in messages)


@dataclass(slots=True)
class Used:
    """What a move has taken so far, with all that came to nothing.

    Parameters
    ----------
    requests : int
    tokens_in, tokens_out : int
    seconds : float
    estimated : bool
        Has a service not said how many tokens it were?
    refused : list of Refused
        The answers that were no legal move.
    """

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    estimated: bool = False
    refused: list[Refused] = field(default_factory=list[Refused])

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.tokens_in + self.tokens_out


class Spent:
    """A count of tokens, to which several threads add."""

    def __init__(self) -> None:
        self.tokens = 0
        self.held = 0
        self.lock = threading.Lock()


class TokenBudget:
    """A cap that the seats of an episode share.

    Parameters
    ----------
    most : int
    spent : Spent, optional
        What was used, under this cap and under others.
    """

    def __init__(self, most: int, spent: Spent | None = None) -> None:
        self.most = most
        self._spent = spent or Spent()

    @property
    def used(self) -> int:
        """Tokens sent and received so far."""
        return self._spent.tokens

    def hold(self, prompt: int, wanted: int) -> int:
        """Keep tokens for a request, until :meth:`charge` lets go of them.

        Returns
        -------
        longest : int
            How long the answer may be: what is wanted, or what is left after the prompt. 0, and
            nothing is kept, while requests of other seats keep what they may not need.

        Raises
        ------
        LLMBudgetError
            If nothing is left.
        """
        with self._spent.lock:
            left = self.most - self.used - prompt
            if left < 1:
                raise LLMBudgetError(
                    f"This episode may use {self.most:,} tokens and has used {self.used:,}; the "
                    f"next move takes {prompt:,} or more. Raise the cap, or make the move "
                    "yourself.",
                    # How long the prompt is tells how much a seat has read.
                    f"This episode may use {self.most:,} tokens, which are used up. Raise the "
                    "cap, or make the move yourself.",
                )
            if self._spent.held and left - self._spent.held < wanted:
                return 0
            longest = min(wanted, left)
            self._spent.held += prompt + longest
            return longest

    def charge(self, tokens: int, held: int = 0) -> None:
        """Note what was used, and let go of what was kept for it."""
        with self._spent.lock:
            self._spent.tokens += tokens
            self._spent.held -= held
