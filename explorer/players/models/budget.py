"""The limit on the tokens of an episode, shared by all its seats, and what each move has used."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from explorer.players.errors import LLMBudgetError
from explorer.usage import Prices, Usage
from nip_core.displays import line

# Averages for English text; a message's role and separators cost tokens too.
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
ANY = 10**12
RAISE_TOKENS = "Raise “Tokens for the whole episode”, or let somebody else make the move."
RAISE_MONEY = "Raise “Money for the whole episode”, or let somebody else make the move."


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has, for services that do not report it."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def tokens_in_chat(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return about how many tokens a conversation has."""
    return sum(estimate_tokens(m["content"]) + TOKENS_PER_MESSAGE for m in messages)


class Account:
    """What the seats of a budget have used, and what is reserved for their open requests.

    Hold the lock while reading or counting.
    """

    def __init__(self) -> None:
        self.used = Usage()
        self.held = Usage()
        self.lock = threading.Lock()

    def __repr__(self) -> str:
        return line(self, f"{self.used.tokens:,} tokens", f"{self.used.money:.4g}")

    def count(self, usage: Usage) -> None:
        """Count what a request has used."""
        self.used += usage


class TokenBudget:
    """A cap that the seats of an episode share.

    Parameters
    ----------
    account : Account, optional
        Where the usage is counted, if several budgets share it.
    most_money : float, optional
        The limit in money, by the prices; None for no limit.
    prices : Prices, optional
        The prices of the model that makes requests.
    """

    def __init__(
        self,
        most: int,
        account: Account | None = None,
        *,
        most_money: float | None = None,
        prices: Prices | None = None,
    ) -> None:
        self.most = most
        self.most_money = most_money
        self._prices = prices or Prices()
        self._account = account or Account()

    def __repr__(self) -> str:
        return line(self, f"{self.used:,} of {self.most:,} tokens")

    @property
    def used(self) -> int:
        """Tokens sent and received so far."""
        return self._account.used.tokens

    def hold(self, prompt: int, wanted: int) -> int:
        """Reserve tokens for a request, until :meth:`charge` releases them.

        Return the most tokens that the answer may have: the wanted number, or what is left after
        the prompt. It is 0, and nothing is reserved, while other seats' requests have reserved what
        they may not need. An LLMBudgetError says that nothing is left.
        """
        with self._account.lock:
            left = self._left_of_tokens(prompt)
            free = left - self._account.held.tokens
            if self.most_money is not None:
                money = self.most_money - self._account.used.money
                left = min(left, self._left_of_money(prompt, money))
                free = min(free, self._answer_for(prompt, money - self._account.held.money))
            # If no other seat holds tokens, all that is left is free.
            if free < min(wanted, left) and free < left:
                return 0
            longest = min(wanted, left)
            self._account.held += self._usage(prompt, longest)
            return longest

    def charge(self, tokens_in: int, tokens_out: int, held: tuple[int, int] = (0, 0)) -> None:
        """Count the tokens that a request has used, and release those reserved for it."""
        with self._account.lock:
            self._account.held += self._usage(-held[0], -held[1])
            self._account.count(self._usage(tokens_in, tokens_out))

    def _usage(self, tokens_in: int, tokens_out: int) -> Usage:
        money = self._prices.cost(tokens_in, tokens_out) or 0.0
        return Usage(tokens_in=tokens_in, tokens_out=tokens_out, money=money)

    def _left_of_tokens(self, prompt: int) -> int:
        left = self.most - self.used - prompt
        if left < 1:
            raise LLMBudgetError(
                f"This episode may use {self.most:,} tokens and has used {self.used:,}; the "
                f"next move takes {prompt:,} or more. {RAISE_TOKENS}",
                # The error names no length, since that would reveal how much the seat has read.
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
                f"{words} and has cost {self._account.used.money:.4g}; that is too little for the "
                f"next move. {RAISE_MONEY}",
                f"{words}, which is used up. {RAISE_MONEY}",
            )
        return left

    def _answer_for(self, prompt: int, money: float) -> int:
        """Return how many tokens of an answer money pays for, after the prompt."""
        rest = money - (self._prices.cost(prompt, 0) or 0.0)
        if rest < 0:
            return 0
        price = self._prices.output or 0.0
        return int(min(rest * 1e6 / price, ANY)) if price else ANY
