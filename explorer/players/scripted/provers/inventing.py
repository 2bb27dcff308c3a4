"""What comes to a liar's mind that might pass for a result: values close to the one it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from explorer.running import NotALiteralError, Outcome, read_literal

__all__ = ["INVENTIONS", "plausible"]

# A liar thinks of so many values besides the one that its story needs, and not of more.
INVENTIONS = 3


def plausible(story: Outcome, truth: Outcome) -> tuple[Outcome, ...]:
    """Values that might pass, besides what the story needs; what is so is none of them.

    All liars think of the same ones in the same order. Which of them one takes is its own affair.
    """
    if story.kind != "returned":
        return ()
    try:
        value = read_literal(story.text)
    except NotALiteralError:
        return ()
    taken = {story.text, truth.text}
    found = (repr(each) for each in _near(value))
    return tuple(Outcome("returned", text) for text in dict.fromkeys(found) if text not in taken)[
        :INVENTIONS
    ]


def _near(value: Any) -> Iterator[Any]:
    """Values like this one: off by one, cut short, in another order."""
    match value:
        case bool() | None:
            return
        case int() | float():
            yield value + 1
            # Counts and lengths are not negative, and a liar knows that.
            yield from (value - step for step in (1, 2) if value < 0 or value - step >= 0)
            yield from (value + 2, value + 3)
        case str() | list() | tuple():
            yield from _near_sequence(cast("Any", value))
        case dict():
            entries = list(cast("dict[Any, Any]", value).items())
            for key, last in reversed(entries):
                yield from ({**value, key: other} for other in _near(last))
            yield from (dict(entries[:-1]), dict(entries[1:])) if entries else ()
        case _:
            return


def _near_sequence(value: Any) -> Iterator[Any]:
    if not value:
        yield from ([0], [1], [0, 0]) if isinstance(value, list) else ()
        return
    yield from (value[:-1], value[1:])
    if len(value) > 1:
        yield value[:-2] + value[-1:] + value[-2:-1]
    if not isinstance(value, str):
        for other in _near(value[-1]):
            yield value[:-1] + type(value)([other])
    yield value + value[-1:]
