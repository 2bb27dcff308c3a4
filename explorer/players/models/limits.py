"""What is checked before a model is asked: its address, the key, and the tokens and money left.

The operator decides which addresses and keys may be used. Keys are never shown. The seats of an
episode share one limit of tokens and money.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Self

from explorer.hosts import is_public
from explorer.players.errors import AddressRefusedError, LLMBudgetError, LLMError
from explorer.players.models.settings import PRESETS, LLMSettings
from explorer.usage import Prices, Usage
from explorer.visitors import is_public_address
from nip_core.displays import displayed, line

VARIABLES = {
    "custom_addresses": "NIP_EXPLORER_ALLOW_CUSTOM_ADDRESSES",
    "server_keys": "NIP_EXPLORER_ALLOW_SERVER_KEYS",
    "private_addresses": "NIP_EXPLORER_ALLOW_PRIVATE_ADDRESSES",
}
YES = {"1", "true", "yes", "on"}
NO = {"0", "false", "no", "off", ""}

Resolve = Callable[..., list[Any]]


@displayed
@dataclass(frozen=True, slots=True)
class ServerPolicy:
    """What the operator allows visitors to do.

    Parameters
    ----------
    custom_addresses : bool
        Whether they may type an address; otherwise only well-known public services can be used.
    server_keys : bool
        Whether their seats may use, and so be paid with, the keys in the server's environment.
    private_addresses : bool
        Whether an address may be in the server's own network, or be the server itself.
    """

    custom_addresses: bool
    server_keys: bool
    private_addresses: bool

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read the operator's settings. The default allows everything only on a private server."""
        own = not is_public(environ)
        allowed: dict[str, bool] = {}
        for name, variable in VARIABLES.items():
            value = environ.get(variable, str(int(own))).strip().lower()
            if value not in YES | NO:
                raise LLMError(f"{variable} must be 1 or 0.")
            allowed[name] = value in YES
        return cls(**allowed)

    def check(self, settings: LLMSettings) -> None:
        """Raise an AddressRefusedError if a model's address may not be used."""
        if settings.base_url is not None and not self.custom_addresses:
            raise AddressRefusedError(
                "This server only calls models at OpenAI's address. Run the explorer on your own "
                f"machine, or ask the operator to set {VARIABLES['custom_addresses']}=1."
            )

    def public_only(self, settings: LLMSettings) -> bool:
        """Return whether a model's address must be in the public internet."""
        # OpenAI's own address is known to be public, and may need the operator's proxy.
        return settings.base_url is not None and not self.private_addresses


def public_address(host: str, port: int, resolve: Resolve = socket.getaddrinfo) -> str:
    """Return the IP address of a public host; connections must use it and no other.

    An LLMError says that there is no host of this name; an AddressRefusedError, that any of its
    addresses is in a private network.
    """
    try:
        addresses = {entry[4][0] for entry in resolve(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        addresses = set[str]()
    if not addresses:
        raise LLMError("No machine has the name in that address. Is it spelled right?")
    numbers = sorted(addresses)
    if not all(is_public_address(number) for number in numbers):
        raise AddressRefusedError(
            "That address is in a private network, which this server does not call. The operator "
            f"can allow it with {VARIABLES['private_addresses']}=1."
        )
    return numbers[0]


HIDDEN = "[key]"
SHORTEST_TO_FIND = 12


class Secret:
    """A key, which no text shows and which cannot be pickled."""

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        value = value.strip()
        # HTTP libraries quote a key that contains a space or a line break in their error message.
        if not value or not value.isascii() or not value.isprintable() or " " in value:
            raise LLMError("That is not a key: a key is one word of plain characters.")
        self.__value = value

    def reveal(self) -> str:
        """Return the key itself, to be used only in the header of a request."""
        return self.__value

    def scrub(self, text: str) -> str:
        """Return the text without the key, if it contains it."""
        return text.replace(self.__value, HIDDEN)

    def stands_in(self, text: str) -> bool:
        """Return whether a text contains the key, unless that is as short as a usual word."""
        return len(self.__value) >= SHORTEST_TO_FIND and self.__value in text

    def __repr__(self) -> str:
        return "Secret()"

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not written anywhere.")


def find_key(
    settings: LLMSettings,
    keys: Mapping[str | None, Secret],
    policy: ServerPolicy,
    environ: Mapping[str, str] = os.environ,
) -> Secret | None:
    """Return the key for a model's address: one of those typed in, by ``base_url``.

    A key is sent only to the address for which it was given, since an episode from a stranger's
    file may name any address. If the policy allows it, the server's own keys are used as well.
    """
    if settings.base_url in keys:
        return keys[settings.base_url]
    if not policy.server_keys:
        return None
    for preset in PRESETS:
        if preset.key_variable and preset.base_url == settings.base_url:
            value = environ.get(preset.key_variable, "").strip()
            return Secret(value) if value else None
    return None


def missing_key(
    settings: LLMSettings,
    keys: Mapping[str | None, Secret],
    policy: ServerPolicy,
    environ: Mapping[str, str] = os.environ,
) -> str:
    """Return that a service needs a key and how to give it one; empty if nothing is missing.

    Only services that are known to need one are meant: those on the user's own machine need none.
    """
    needs = (preset for preset in PRESETS if preset.key_variable)
    preset = next((preset for preset in needs if preset.base_url == settings.base_url), None)
    if preset is None or find_key(settings, keys, policy, environ) is not None:
        return ""
    where = f", or set {preset.key_variable} on the server" if policy.server_keys else ""
    return f"{preset.name} needs a key. Type yours into the key's field{where}."


# -- tokens and money ---------------------------------------------------------------------------

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
