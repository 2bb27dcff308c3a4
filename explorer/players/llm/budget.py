"""How many tokens an episode may use, over all its seats."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from explorer.players.errors import LLMBudgetError

__all__ = ["Spent", "TokenBudget", "estimate_tokens", "tokens_in_chat"]

# Of English text; the roles and separators of a message cost some too.
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, where a service does not say."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def tokens_in_chat(messages: Iterable[Mapping[str, Any]]) -> int:
    """About how many tokens a conversation has."""
    return sum(estimate_tokens(m["content"]) + TOKENS_PER_MESSAGE for m in messages)


class Spent:
    """A count of tokens, to which several threads add."""

    def __init__(self) -> None:
        self.tokens = 0
        self._lock = threading.Lock()

    def add(self, tokens: int) -> None:
        """Count some more."""
        with self._lock:
            self.tokens += tokens


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

    def room(self, prompt: int, wanted: int) -> int:
        """How long an answer may be: what is wanted, or what is left after the prompt.

        Raises
        ------
        LLMBudgetError
            If nothing is.
        """
        room = min(wanted, self.most - self.used - prompt)
        if room < 1:
            raise LLMBudgetError(
                f"This episode may use {self.most:,} tokens and has used {self.used:,}; the next "
                f"move takes {prompt:,} or more. Raise the cap, or make the move yourself.",
                # How long the prompt is tells how much a seat has read.
                f"This episode may use {self.most:,} tokens, which are used up. Raise the cap, or "
                "make the move yourself.",
            )
        return room

    def charge(self, tokens: int) -> None:
        """Note what was used."""
        self._spent.add(tokens)
