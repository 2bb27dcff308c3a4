"""The list of a package's exports, taken from its imports, so that each name is written once."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from nip_core.documents import python_tree

__all__ = ["exported"]


def exported(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package, for all that it imports from us.

    What it imports below ``if TYPE_CHECKING:`` is imported on first use, one name at a time, since
    some modules are slow to import.
    """
    source = python_tree(inspect.getsource(sys.modules[package])).body
    below = [statement.body for statement in source if isinstance(statement, ast.If)]
    lazy = {name: module for block in below for name, module in _imported(block)}
    names = sorted({*lazy, *(name for name, _ in _imported(source))})

    def load(name: str) -> Any:
        if name not in lazy:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(lazy[name]), name)
        # The next access finds the name without calling this function.
        setattr(sys.modules[package], name, value)
        return value

    return names, load, lambda: names


def _imported(block: list[ast.stmt]) -> list[tuple[str, str]]:
    """Return the modules of the names that a block imports from our packages, except this one."""
    return [
        (alias.name, statement.module)
        for statement in block
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
        if statement.module.startswith(("explorer.", "nip_core")) and statement.module != __name__
    ]
