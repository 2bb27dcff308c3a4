"""The files that the worker needs: the modules it imports at any time, and their data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from nip_core.documents import python_tree

ROOT = Path(__file__).parent.parent.parent
BEGIN = "explorer.site.host"
BY_FOLDER = tuple(f"explorer/lessons/{folder}" for folder in ("games", "experiments", "playables"))
LESSONS = "explorer/lessons/content"
DATA = {".toml", ".txt", ".j2", ".json", ".jinja2"}
# Prompts are jinja2 templates. Both packages work in pure Python.
OTHERS = {"jinja2": None, "markupsafe": ("__init__.py", "_native.py")}


def import_closure() -> dict[str, Path]:
    """Return the files of our packages that the worker may import at any time, by path.

    Packages that load names on first use list them under ``TYPE_CHECKING``. Of those names, only
    the imported ones are needed.

    The games, experiments and playables of lessons are included; they are found by folder.
    """
    files: dict[str, Path] = {}
    by_folder = [
        f"{folder.replace('/', '.')}.{file.stem}"
        for folder in BY_FOLDER
        for file in sorted((ROOT / folder).glob("*.py"))
    ]
    waiting: list[tuple[str, str | None]] = [(module, None) for module in (BEGIN, *by_folder)]
    done: set[tuple[str, str | None]] = set()
    lazy: dict[str, list[tuple[str, str | None]]] = {}
    while waiting:
        module, name = waiting.pop()
        if (module, name) in done or module.split(".")[0] not in ("explorer", "nip_core"):
            continue
        done.add((module, name))
        file = _file(module)
        if file is None:
            continue
        if "." in module:
            waiting.append((module.rpartition(".")[0], None))
        place = file.relative_to(ROOT).as_posix()
        if place not in files:
            files[place] = file
            tree = python_tree(file.read_text("utf-8"))
            waiting += _imports(_without_types(tree))
            lazy[place] = [*_loaded_on_first_use(tree)]
        if name is not None:
            if _file(f"{module}.{name}"):
                waiting.append((f"{module}.{name}", None))
            waiting += [import_ for import_ in lazy[place] if import_[1] == name]
    return files


def _file(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


def _imports(tree: ast.AST) -> Iterator[tuple[str, str | None]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _without_types(tree: ast.Module) -> ast.Module:
    return ast.Module([node for node in tree.body if not _is_for_types(node)], [])


def _loaded_on_first_use(tree: ast.Module) -> Iterator[tuple[str, str | None]]:
    for node in tree.body:
        if _is_for_types(node):
            yield from _imports(node)


def archive_files() -> dict[str, Path]:
    """Return all files of the archive by their places in it."""
    # Protocols and kinds of tasks are discovered by folder, so all of them are included.
    rules = (file for file in (ROOT / "nip_core").rglob("*") if file.is_file())
    files = {file.relative_to(ROOT).as_posix(): file for file in rules}
    ours = import_closure()
    for folder in {file.parent for file in ours.values()} | {ROOT / LESSONS}:
        for file in folder.iterdir():
            if file.suffix in DATA:
                files[file.relative_to(ROOT).as_posix()] = file
    files |= ours
    for package, names in OTHERS.items():
        files |= _package(package, names)
    return {place: file for place, file in sorted(files.items()) if "__pycache__" not in place}


def _package(name: str, names: tuple[str, ...] | None) -> dict[str, Path]:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    files = folder.rglob("*.py") if names is None else (folder / module for module in names)
    return {f"{name}/{file.relative_to(folder).as_posix()}": file for file in files}
