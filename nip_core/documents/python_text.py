"""Reading Python, one thread at a time."""

from __future__ import annotations

import ast
import threading
from typing import Any

__all__ = ["python_literal", "python_tree"]

# Python 3.11 counts how deep a tree is for all threads together. If one is made to wait while it
# makes a tree and another makes one meanwhile, the first fails with a SystemError.
_one_thread = threading.Lock()


def python_tree(source: str) -> ast.Module:
    """Return what :func:`ast.parse` makes of a program; it raises what that does."""
    with _one_thread:
        return ast.parse(source)


def python_literal(text: str) -> Any:
    """Return what :func:`ast.literal_eval` makes of a literal; it raises what that does."""
    with _one_thread:
        return ast.literal_eval(text)
