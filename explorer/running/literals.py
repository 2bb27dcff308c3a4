"""Python literals that anybody may have written: bounded before they are parsed."""

from __future__ import annotations

from typing import Any, cast

from nip_core.documents import python_literal

__all__ = ["MAX_DEPTH", "MAX_LITERAL", "NotALiteralError", "arguments_of", "read_literal"]

MAX_LITERAL = 1_000
MAX_DEPTH = 20


class NotALiteralError(ValueError):
    """A text is no Python literal, or too large a one."""


def read_literal(text: str) -> Any:
    """The value that a literal stands for.

    Raises
    ------
    NotALiteralError
        With what is wrong.
    """
    if len(text) > MAX_LITERAL:
        raise NotALiteralError(f"It has more than {MAX_LITERAL:,} characters.")
    depth = deepest = 0
    for character in text:
        # Brackets within strings count too: a literal that needs so many is nobody's question.
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise NotALiteralError(f"It is nested more than {MAX_DEPTH} deep.")
    try:
        return python_literal(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise NotALiteralError("It is no Python literal.") from None


def arguments_of(text: str) -> tuple[Any, ...]:
    """The arguments that stand between the brackets of a call: ``"[1, 2], 3"``.

    Raises
    ------
    NotALiteralError
        If they are no literals.
    """
    if not text.strip():
        return ()
    value = read_literal(f"({text.strip().rstrip(',')},)")
    if not isinstance(value, tuple):
        raise NotALiteralError("These are no arguments.")
    return cast("tuple[Any, ...]", value)
