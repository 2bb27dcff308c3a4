"""Python source that several tests read: each text is parsed and walked once in a process."""

from __future__ import annotations

import ast
import functools

__all__ = ["nodes", "parsed"]


@functools.cache
def parsed(source: str) -> ast.Module:
    """Return the tree of a text; nobody may change it."""
    return ast.parse(source)


@functools.cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a text, as `ast.walk` gives them."""
    return tuple(ast.walk(parsed(source)))
