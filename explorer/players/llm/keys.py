"""Keys: where they come from, to whom they may go, and that nobody sees them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NoReturn

from explorer.players.errors import LLMError
from explorer.players.llm.policy import ServerPolicy
from explorer.players.llm.settings import PRESETS, LLMSettings

__all__ = ["Secret", "find_key"]

HIDDEN = "[key]"
SHORTEST_TO_FIND = 12


class Secret:
    """A key. It does not show in any text, and cannot be pickled.

    Parameters
    ----------
    value : str
    """

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        value = value.strip()
        # A blank or a line break would end up in an HTTP library's complaint, key and all.
        if not value or not value.isascii() or not value.isprintable() or " " in value:
            raise LLMError("That is no key: a key is one word of plain characters.")
        self.__value = value

    def reveal(self) -> str:
        """The key itself: for the header of a request, and for nothing else."""
        return self.__value

    def scrub(self, text: str) -> str:
        """The text without the key, should somebody have written it there."""
        return text.replace(self.__value, HIDDEN)

    def stands_in(self, text: str) -> bool:
        """Has somebody written the key there? Short ones are words that stand anywhere."""
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
    """The key for a model's address.

    A key goes to the address that it was given for, and to no other: an episode in a stranger's
    file names addresses too.

    Parameters
    ----------
    settings : LLMSettings
    given : mapping of (str or None) to Secret
        The keys typed in for this session, by ``base_url``.
    policy : ServerPolicy
        Whether the machine's own keys may be used.
    environ : mapping of str to str
        Where those are found: the environment, or a table of secrets.
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
