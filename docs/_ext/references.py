"""What a name in a docstring means: ``:func:`play_values``` and the like.

A name is looked up as Python would: in the class, in the module of the docstring, in the packages
around it, and as a full name.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

__all__ = ["found", "missing_name", "resolved"]

NOTHING = object()


@functools.cache
def found(full: str) -> Any:
    """Return the object of a full name, such as ``nip_core.play.Episode.play``; or `NOTHING`."""
    parts = full.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            value = attribute(value, part)
            if value is NOTHING:
                return NOTHING
        return value
    return NOTHING


def attribute(value: Any, name: str) -> Any:
    """Return an attribute without calling properties; fields of classes count, too."""
    if inspect.ismodule(value):
        return getattr(value, name, NOTHING)
    for each in getattr(value, "__mro__", (value,)):
        if name in vars(each) if hasattr(each, "__dict__") else False:
            return vars(each)[name]
        if name in getattr(each, "__annotations__", {}) or name in own_attributes(each):
            return None
    return NOTHING


@functools.cache
def own_attributes(cls: type) -> frozenset[str]:
    """Return what a class's `__init__` sets."""
    start = vars(cls).get("__init__")
    code = getattr(start, "__code__", None)
    return frozenset(code.co_names) if code else frozenset()


def resolved(target: str, module: str | None, cls: str | None) -> str | None:
    """Return the full name of a reference in a docstring; None if there is no such object."""
    target = target.lstrip(".~!").removesuffix("()")
    around: list[str] = []
    if module and cls:
        around.append(f"{module}.{cls}")
    while module:
        around.append(module)
        module = module.rpartition(".")[0]
    for place in (*around, ""):
        full = f"{place}.{target}" if place else target
        if found(full) is not NOTHING:
            return full
    return None


@functools.cache
def missing_name(full: str) -> str:
    """Return one name for all places from which the same object can be imported."""
    value = found(full)
    own = getattr(value, "__qualname__", None)
    where = getattr(value, "__module__", None)
    return f"{where}.{own}" if own and where else full
