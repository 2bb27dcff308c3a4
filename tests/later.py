"""Slow imports, each made when a test first needs it.

Every process that runs tests collects all of them, and so imports what any test file imports at its
top. For torch this takes two seconds of processor time, for `inspect_ai` one and a half.
"""

from importlib import import_module
from typing import Any

import pytest

__all__ = ["inspect_ai", "later", "tensordict", "torch"]


class Later:
    """A module that is imported when its first attribute is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest asks whatever a test file contains for these.
        if attribute.startswith("__") or attribute == "_mock_name":
            raise AttributeError(attribute)
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)
        return value


class TensorDictLater(Later):
    """The module `tensordict`, without torch's compiler, which takes it ten times as long."""

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        compiler = import_module("torch.compiler")
        # These mark functions for the compiler, and import it for this.
        marks = ("allow_in_graph", "assume_constant_result")
        with pytest.MonkeyPatch.context() as patch:
            for name in marks:
                patch.setattr(compiler, name, lambda function: function)
            return super().__getattr__(attribute)


def later(name: str) -> Any:
    """Return a module by name that is imported when its first attribute is used."""
    return Later(name)


inspect_ai = later("inspect_ai")
tensordict: Any = TensorDictLater("tensordict")
torch = later("torch")
