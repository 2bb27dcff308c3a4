"""Which services may be used with which key, as the operator allows; keys that are never shown."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Self

from explorer.hosts import is_public
from explorer.players.errors import AddressRefusedError, LLMError
from explorer.players.models.settings import PRESETS, LLMSettings
from explorer.visitors import is_public_address
from nip_core.displays import displayed

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
        found = {entry[4][0] for entry in resolve(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        found = set[str]()
    if not found:
        raise LLMError("No machine has the name in that address. Is it spelled right?")
    numbers = sorted(found)
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
    given: Mapping[str | None, Secret],
    policy: ServerPolicy,
    environ: Mapping[str, str] = os.environ,
) -> Secret | None:
    """Return the key for a model's address: one of those typed in, by ``base_url``.

    A key is sent only to the address for which it was given, since an episode from a stranger's
    file may name any address. If the policy allows it, the server's own keys are used as well.
    """
    if settings.base_url in given:
        return given[settings.base_url]
    if not policy.server_keys:
        return None
    for preset in PRESETS:
        if preset.key_variable and preset.base_url == settings.base_url:
            value = environ.get(preset.key_variable, "").strip()
            return Secret(value) if value else None
    return None
