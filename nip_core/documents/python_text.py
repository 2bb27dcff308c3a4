"""Reading Python, one thread at a time."""

from __future__ import annotations

import ast
import threading
from typing import Any

__all__ = ["python_literal", "python_tree"]

# Python 3.11 counts the depth of trees for all threads together. If a thread is interrupted while
# it makes a tree, and another makes one meanwhile, the first fails with a SystemError.
_one_thread = threading.Lock()


def python_tree(source: str) -> ast.Module:
    """Return the result of :func:`ast.parse` for a program, which may raise its errors."""
    with _one_thread:
        return ast.parse(source)


def python_literal(text: str) -> Any:
    """Return the result of :func:`ast.literal_eval` for a literal, which may raise its errors."""
    with _one_thread:
        return ast.literal_eval(text)
