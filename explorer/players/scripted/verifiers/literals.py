"""Values that are written in a text: numbers, texts in quotes, lists and the like."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from explorer.running import NotALiteralError, read_literal

__all__ = ["Value", "canonical", "values_in"]

# A number is no part of a word or of a place such as 3.2.1.
_STARTS = re.compile(
    r"""[\[({]|(?<![\w'])['"]|(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)|\b(?:True|False|None)\b"""
)
_CLOSES = {"[": "]", "(": ")", "{": "}"}
# More than people write: whatever has so many, or so long ones, is read no further.
_LONGEST = 400
_MOST = 100
_TRIES = 300


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text.

    Parameters
    ----------
    start, end : int
    value : object
    """

    start: int
    end: int
    value: Any


def values_in(text: str) -> list[Value]:
    """The values in a text, in order; of one within another, the outer."""
    return list(itertools.islice(_values(text), _MOST))


def _values(text: str) -> Iterator[Value]:
    place = tries = 0
    while tries < _TRIES and (found := _STARTS.search(text, place)) is not None:
        tries += 1
        start, end = found.span()
        if text[start] in _CLOSES or text[start] in "'\"":
            end = _end(text, start)
        if end is not None and (value := _read(text[start:end])) is not None:
            yield Value(start, end, value[0])
            place = end
        else:
            place = start + 1


def _read(text: str) -> tuple[Any] | None:
    try:
        value = read_literal(text)
    except NotALiteralError:
        return None
    return (value,)


def _end(text: str, start: int) -> int | None:
    """Where the bracket or the quotation mark that opens here is closed."""
    open_, quote = list[str](), ""
    for place in range(start, min(len(text), start + _LONGEST)):
        character = text[place]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _CLOSES:
            open_.append(_CLOSES[character])
        elif open_ and character == open_[-1]:
            open_.pop()
        elif character in ")]}":
            return None
        if not quote and not open_:
            return place + 1
    return None


def canonical(value: object) -> str:
    """A value as people compare it: a pair is a list of two."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(canonical, cast('list[object]', value)))}]"
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return f"{{{', '.join(sorted(f'{canonical(k)}: {canonical(v)}' for k, v in items))}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(canonical, cast('set[object]', value))))}}}"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    return repr(value)
