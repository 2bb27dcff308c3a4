"""How many tokens an episode may use, over all its seats, and what a move has taken."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.players.errors import LLMBudgetError
from explorer.players.llm.settings import Prices
from nip_core.displays import displayed, line
from nip_core.play import Refused

__all__ = ["Spent", "TokenBudget", "Used", "estimate_tokens", "tokens_in_chat"]

# Of English text; the roles and separators of a message cost some too.
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
ANY = 10**12
RAISE_TOKENS = "Raise “Tokens for the whole episode”, or let somebody else make the move."
RAISE_MONEY = "Raise “Money for the whole episode”, or let somebody else make the move."


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, where a service does not say."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def tokens_in_chat(messages: Iterable[Mapping[str, Any]]) -> int:
    """About how many tokens a conversation has."""
    return sum(estimate_tokens(m["content"]) + TOKENS_PER_MESSAGE for m in messages)


@displayed
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
    """A count of tokens and money, to which several threads add, each while it has the lock."""

    def __init__(self) -> None:
        self.tokens = 0
        self.money = 0.0
        self.held = 0
        self.held_money = 0.0
        self.lock = threading.Lock()

    def __repr__(self) -> str:
        return line(self, f"{self.tokens:,} tokens", f"{self.money:.4g}")

    def add(self, tokens: int, money: float) -> None:
        """Count some more."""
        self.tokens += tokens
        self.money += money


class TokenBudget:
    """A cap that the seats of an episode share.

    Parameters
    ----------
    most : int
    spent : Spent, optional
        What was used, under this cap and under others.
    most_money : float, optional
        By the prices; None for any.
    prices : Prices, optional
        Of the model that asks.
    """

    def __init__(
        self,
        most: int,
        spent: Spent | None = None,
        *,
        most_money: float | None = None,
        prices: Prices | None = None,
    ) -> None:
        self.most = most
        self.most_money = most_money
        self._prices = prices or Prices()
        self._spent = spent or Spent()

    def __repr__(self) -> str:
        return line(self, f"{self.used:,} of {self.most:,} tokens")

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
            left = self._left_of_tokens(prompt)
            free = left - self._spent.held
            if self.most_money is not None:
                money = self.most_money - self._spent.money
                left = min(left, self._left_of_money(prompt, money))
                free = min(free, self._answer_for(prompt, money - self._spent.held_money))
            # With nothing held by others, all that is left is free.
            if free < min(wanted, left) and free < left:
                return 0
            longest = min(wanted, left)
            self._spent.held += prompt + longest
            self._spent.held_money += self._prices.cost(prompt, longest) or 0.0
            return longest

    def charge(self, tokens_in: int, tokens_out: int, held: tuple[int, int] = (0, 0)) -> None:
        """Note what was used, and let go of what was kept for it: a prompt and an answer."""
        with self._spent.lock:
            self._spent.held -= sum(held)
            self._spent.held_money -= self._prices.cost(*held) or 0.0
            self._spent.add(tokens_in + tokens_out, self._prices.cost(tokens_in, tokens_out) or 0.0)

    def _left_of_tokens(self, prompt: int) -> int:
        left = self.most - self.used - prompt
        if left < 1:
            raise LLMBudgetError(
                f"This episode may use {self.most:,} tokens and has used {self.used:,}; the "
                f"next move takes {prompt:,} or more. {RAISE_TOKENS}",
                # How long the prompt is tells how much a seat has read.
                f"This episode may use {self.most:,} tokens, which are used up. {RAISE_TOKENS}",
            )
        return left

    def _left_of_money(self, prompt: int, money: float) -> int:
        if self._prices.cost(0, 0) is None:
            raise LLMBudgetError(
                "There is a cap on money, and the model has no prices. Give both prices under "
                "“More settings”, or empty “Money for the whole episode”."
            )
        left = self._answer_for(prompt, money)
        if left < 1:
            words = f"This episode may cost {self.most_money:g} by your own figures"
            raise LLMBudgetError(
                f"{words} and has cost {self._spent.money:.4g}; that is too little for the next "
                f"move. {RAISE_MONEY}",
                f"{words}, which is used up. {RAISE_MONEY}",
            )
        return left

    def _answer_for(self, prompt: int, money: float) -> int:
        """How many tokens of an answer money pays for, after the prompt."""
        rest = money - (self._prices.cost(prompt, 0) or 0.0)
        if rest < 0:
            return 0
        written = self._prices.written or 0.0
        return int(min(rest * 1e6 / written, ANY)) if written else ANY
