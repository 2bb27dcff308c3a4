"""Checking the shape of a document: objects, lists and texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from nip_core.errors import NipError, did_you_mean, known_names, show

__all__ = [
    "MAX_TEXT",
    "as_fields",
    "as_list",
    "as_object",
    "first_repeated",
    "leaves",
    "text_fault",
]

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
            raise error(f"{at} has a key {show(key)}.{hint}{known_names(known)}")
    for key in required:
        if key not in fields:
            raise error(f"{at} lacks the key {key!r}.")
    return dict(fields)


def as_list(value: object, at: str, *, error: type[NipError]) -> list[Any]:
    """Return the value if it is a list."""
    if not isinstance(value, list | tuple):
        raise error(f"{at} is {show(value)}; it must be a list.")
    return list(cast("list[Any]", value))


def as_fields(value: object, kind: type[Any], at: str, *, error: type[NipError]) -> dict[str, Any]:
    """Return the fields of a data class from an object that has them and no others.

    Their values have the types by which the class describes them, as far as these are plain data;
    others are left to the caller. Fields with defaults may be left out.
    """
    required, optional, hints = _fields_of(kind)
    fields = as_object(value, at, required, optional, error=error)
    for name, field_value in fields.items():
        hint, fits = hints[name]
        if not fits(field_value):
            raise error(f"{name} of {at} is {show(field_value)}; it must be {_words(hint)}.")
    return fields


Check = Callable[[Any], bool]


@cache
def _fields_of(
    kind: type[Any],
) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, tuple[Any, Check]]]:
    """Return the names of fields without and with defaults, and the type and check of each."""
    named, missing = get_type_hints(kind), dataclasses.MISSING
    fields = dataclasses.fields(kind)
    required = tuple(
        f.name for f in fields if f.default is missing and f.default_factory is missing
    )
    optional = tuple(f.name for f in fields if f.name not in required)
    return required, optional, {f.name: (named[f.name], _check_of(named[f.name])) for f in fields}


# In Python, True is an int, so types are compared exactly.
_PLAIN: Mapping[Any, frozenset[type]] = {
    str: frozenset({str}),
    int: frozenset({int}),
    float: frozenset({float, int}),
    bool: frozenset({bool}),
    NoneType: frozenset({NoneType}),
}


def _check_of(hint: Any) -> Check:
    """Return whether a value has a type, as a function made once, since rows are many."""
    origin, inside = get_origin(hint), get_args(hint)
    parts = inside if origin in (Union, UnionType) else (hint,)
    if all(part in _PLAIN for part in parts):
        types = frozenset[type]().union(*(_PLAIN[part] for part in parts))
        return lambda value: type(value) in types
    if origin is Literal:
        kinds = {type(cast("object", member)) for member in inside}
        return lambda value: type(value) in kinds and value in inside
    if origin is Mapping and inside[1] is not Any:
        fits = _check_of(inside[1])
        return lambda value: (
            isinstance(value, Mapping)
            and all(map(fits, cast("Mapping[object, object]", value).values()))
        )
    if origin is Mapping:
        return lambda value: isinstance(value, Mapping)
    return lambda value: True


def _words(hint: Any) -> str:
    """Return which values a type allows, in words."""
    named = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(_words(member) for member in get_args(hint) if member is not NoneType)
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    return named.get(hint, "an object")
