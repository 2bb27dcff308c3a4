"""What a name in a docstring means: ``:func:`play_values``` and the like.

A name is looked up as Python would: in the class, in the module of the docstring, in the packages
around it, and as a full name.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["dead_references", "definition_of", "found", "resolved"]

NOTHING = object()
EMPTY = compile("", "", "exec")
ROLE = re.compile(r":(?:py:)?(?:class|func|meth|mod|attr|data|exc|obj|const):`([^`<]*)`")


@functools.cache
def found(full: str) -> Any:
    """Return the object of a full name, such as ``nip_core.play.Episode.play``; or `NOTHING`."""
    parts = full.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:end]))
        except ImportError as error:
            # A module of ours that needs an extra which is not installed.
            if end == len(parts) and (error.name or full).partition(".")[0] != parts[0]:
                return None
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
    try:
        return inspect.getattr_static(value, name)
    except AttributeError:
        classes = getattr(value, "__mro__", ())
        fields = (inspect.get_annotations(c) for c in classes)
        is_there = any(name in own for own in fields) or any(map(own_attributes(name), classes))
        return None if is_there else NOTHING


def own_attributes(name: str) -> Callable[[type], bool]:
    """Return whether a method of a class sets or reads an attribute."""
    return lambda cls: any(
        name in getattr(each, "__code__", EMPTY).co_names for each in vars(cls).values()
    )


def resolved(target: str, module: str | None, cls: str | None) -> str | None:
    """Return the full name of a reference in a docstring; None if there is no such object."""
    target = target.lstrip(".~!").removesuffix("()")
    around: list[str] = []
    # In `Outer.Inner`, names of `Outer` count, too.
    while module and cls:
        around.append(f"{module}.{cls}")
        cls = cls.rpartition(".")[0]
    while module:
        around.append(module)
        module = module.rpartition(".")[0]
    for place in (*around, ""):
        full = f"{place}.{target}" if place else target
        if found(full) is not NOTHING:
            return full
    return None


@functools.cache
def definition_of(full: str) -> str:
    """Return one name for all places from which the same object can be imported."""
    value = found(full)
    own, where = getattr(value, "__qualname__", None), getattr(value, "__module__", None)
    return f"{where}.{own}" if own and where else full


def dead_references(root: Path, *packages: str) -> Iterator[str]:
    """Yield the references of all docstrings of packages that name nothing, with their place."""
    for path in sorted(file for package in packages for file in (root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if "migrations" in parts:
            continue  # only Alembic can import them
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for owner, text in docstrings(ast.parse(path.read_text("utf-8"))):
            for target in ROLE.findall(text):
                if resolved(target, module, owner) is None:
                    yield f"{module}{owner and f'.{owner}'}: {target}"


def docstrings(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, str]]:
    """Yield each docstring of a module with the name of the class that it stands in, if any."""
    if isinstance(tree, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield owner, ast.get_docstring(tree) or ""
    for node in ast.iter_child_nodes(tree):
        inner = owner
        if isinstance(node, ast.ClassDef):
            inner = f"{owner}.{node.name}" if owner else node.name
        # Texts below constants are documentation, too.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            is_first = node is next(iter(getattr(tree, "body", ())), None)
            if isinstance(node.value.value, str) and not is_first:
                yield owner, node.value.value
        yield from docstrings(node, inner)
