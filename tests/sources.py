"""Python source that several tests read: each text is parsed and walked once in a process."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

__all__ = ["below", "nodes", "parsed", "statements"]


@functools.cache
def parsed(source: str) -> ast.Module:
    """Return the tree of a text; nobody may change it."""
    return ast.parse(source)


@functools.cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a text, as `ast.walk` gives them."""
    return tuple(ast.walk(parsed(source)))


def below(statement: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements of a block, and its branches; not those inside of these."""
    for part in ("body", "handlers", "cases", "orelse", "finalbody"):
        # An expression with a body is a lambda or a choice of values.
        found = getattr(statement, part, ())
        if isinstance(found, list):
            yield from found


@functools.cache
def statements(source: str) -> tuple[ast.AST, ...]:
    """Return all statements of a text, which are a tenth of its nodes."""
    found = [parsed(source)]
    for each in found:
        found += below(each)
    return tuple(found[1:])
