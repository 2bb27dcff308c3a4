"""How many tokens an episode may use, over all its seats."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from explorer.players.llm.errors import LLMError

__all__ = ["TokenBudget", "estimate_tokens", "tokens_in_chat"]

# Of English text; the roles and separators of a message cost some too.
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, where a service does not say."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def tokens_in_chat(messages: Iterable[Mapping[str, Any]]) -> int:
    """About how many tokens a conversation has."""
    return sum(estimate_tokens(m["content"]) + TOKENS_PER_MESSAGE for m in messages)


class TokenBudget:
    """A cap that the seats of an episode share.

    Parameters
    ----------
    limit : int
    spent : int
        What was used before.
    """

    def __init__(self, limit: int, spent: int = 0) -> None:
        self.limit = limit
        self._spent = spent
        self._lock = threading.Lock()

    @property
    def spent(self) -> int:
        """Tokens used, sent and received."""
        return self._spent

    @property
    def left(self) -> int:
        """Tokens that may still be used."""
        return max(0, self.limit - self._spent)

    def room(self, prompt: int, wanted: int) -> int:
        """How long an answer may be: what is wanted, or what is left after the prompt.

        Raises
        ------
        LLMError
            If nothing is.
        """
        room = min(wanted, self.left - prompt)
        if room < 1:
            raise LLMError(
                f"This episode may use {self.limit:,} tokens and has used {self.spent:,}; the next "
                f"question takes about {prompt:,}. Raise the cap to go on.",
                "budget",
            )
        return room

    def charge(self, tokens: int) -> None:
        """Note what was used."""
        with self._lock:
            self._spent += tokens
