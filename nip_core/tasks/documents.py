"""Reading plain documents (what ``json.loads`` returns) without trusting them."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, cast

from nip_core.errors import TaskError

__all__ = ["MAX_TEXT", "as_list", "as_object", "show", "stable_hash", "text_fault"]

# Far above any problem that a person reads; it keeps a page, a prompt and a database row usable.
MAX_TEXT = 100_000

_encode = json.JSONEncoder(separators=(",", ":")).encode


def stable_hash(*parts: str | int) -> bytes:
    """32 bytes that depend on the parts alone, on every machine and in every process."""
    # As JSON in ASCII, so that where one part ends is never in doubt.
    return sha256(_encode(parts).encode()).digest()


def show(value: object, limit: int = 60) -> str:
    """A value for a message; short, whatever a stranger's file holds."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str | bytes):
        text = repr(value[: limit + 1])
    elif isinstance(value, int) and value.bit_length() > 200:
        text = "a huge number"  # writing it out may be slow, or forbidden
    else:
        text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def text_fault(value: object, limit: int = MAX_TEXT) -> str | None:
    """Say what keeps a value from being a text that can be shown, kept and hashed, if anything."""
    if not isinstance(value, str):
        return "a text"
    if not value or value.isspace():
        return "a text that is not empty"
    if len(value) > limit:
        return f"a text of at most {limit:,} characters"
    if "\0" in value:
        return "a text without NUL characters"
    # Lone surrogates: JSON can smuggle them in, nothing can write them out. isascii is O(1).
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return "a text without halves of characters (lone surrogates)"
    return None


def as_object(
    value: object, at: str, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The value, if it is an object with the required keys and no unknown ones."""
    if not isinstance(value, dict):
        raise TaskError(f"{at} is {show(value)}; it must be an object.")
    fields = cast("dict[str, Any]", value)
    known = (*required, *optional)
    for key in fields:
        if key not in known:
            raise TaskError(f"{at} has a key {show(key)}. Known: {', '.join(known)}.")
    for key in required:
        if key not in fields:
            raise TaskError(f"{at} lacks the key {key!r}.")
    return fields


def as_list(value: object, at: str) -> list[Any]:
    """The value, if it is a list."""
    if not isinstance(value, list):
        raise TaskError(f"{at} is {show(value)}; it must be a list.")
    return cast("list[Any]", value)
