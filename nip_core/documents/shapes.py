"""Checking the shape of a document: objects, lists and texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar, cast

from nip_core.errors import NipError, did_you_mean, show

__all__ = ["MAX_TEXT", "as_list", "as_object", "first_repeated", "leaves", "text_fault"]

# Far above any problem that a person reads; it keeps a page, a prompt and a database row usable.
MAX_TEXT = 100_000

T = TypeVar("T", bound=Hashable)


def first_repeated(items: Iterable[T]) -> T | None:
    """Return the first item that has occurred before, if any; in one pass."""
    seen: set[T] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def leaves(document: object, at: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value in a plain document that contains no others, after its place."""
    if isinstance(document, Mapping):
        for key, item in cast("Mapping[str, object]", document).items():
            yield from leaves(item, f"{at}.{key}" if at else key)
    elif isinstance(document, list):
        for number, item in enumerate(cast("list[object]", document)):
            yield from leaves(item, f"{at}[{number}]")
    else:
        yield at, document


def text_fault(value: object, limit: int = MAX_TEXT) -> str | None:
    """Return why a value is not a text that can be shown, stored and hashed; None if it is one."""
    if not isinstance(value, str):
        return "a text"
    if len(value) > limit:
        return f"a text of at most {limit:,} characters"
    if not value or value.isspace():
        return "a text that is not empty"
    if "\0" in value:
        return "a text without NUL characters"
    # JSON may contain lone surrogates, which cannot be written. isascii takes constant time.
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return "a text without halves of characters (lone surrogates)"
    return None


def as_object(
    value: object,
    at: str,
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
    *,
    error: type[NipError],
) -> dict[str, Any]:
    """Return the value if it is an object with the required keys and no unknown ones."""
    if not isinstance(value, Mapping):
        raise error(f"{at} is {show(value)}; it must be an object.")
    fields = cast("Mapping[str, Any]", value)
    known = (*required, *optional)
    for key in fields:
        if key not in known:
            hint = did_you_mean(key, known)
            raise error(f"{at} has a key {show(key)}.{hint} Known: {', '.join(known)}.")
    for key in required:
        if key not in fields:
            raise error(f"{at} lacks the key {key!r}.")
    return dict(fields)


def as_list(value: object, at: str, *, error: type[NipError]) -> list[Any]:
    """Return the value if it is a list."""
    if not isinstance(value, list | tuple):
        raise error(f"{at} is {show(value)}; it must be a list.")
    return list(cast("list[Any]", value))
