"""Names of a package that are loaded on first use, since what they need is slow to import."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from nip_core.documents import python_tree

__all__ = ["loader"]


def loader(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    It imports, one by one, what the package imports below ``if TYPE_CHECKING:``, so that each name
    and the module that has it are listed once.
    """
    source = python_tree(inspect.getsource(sys.modules[package]))
    module_of = {
        alias.name: each.module
        for block in source.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for each in block.body
        if isinstance(each, ast.ImportFrom) and each.module
        for alias in each.names
    }

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        # The next access finds the name without calling this function.
        setattr(sys.modules[package], name, value)
        return value

    return load
