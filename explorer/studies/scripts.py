"""A digest of scripted players, by which figures that were measured with them become stale."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from hashlib import sha256
from importlib import resources
from typing import Any, Literal

from nip_core.documents import python_tree

# The files and folders of each.
OF: dict[str, tuple[str, ...]] = {
    "rounds": (
        *(
            "account.py",
            "answers.py",
            "asking_back.py",
            "code.py",
            "edits.py",
            "inputs.py",
            "intents.toml",
            "levels.py",
            "line_answers.py",
            "nearness.py",
            "noted.py",
            "pairs.py",
            "phrases.py",
            "pieces.py",
            "prose.py",
            "prover.py",
        ),
        *(
            "questions.py",
            "run_answers.py",
            "runs.py",
            "slots.py",
            "text.py",
            "vectors.json",
            "vectors.py",
            "verifiers",
            "voices.py",
            "voices.toml",
            "words.toml",
        ),
    ),
    "turns": (
        "code.py",
        "judges.py",
        "nearness.py",
        "noted.py",
        "seats",
        "text.py",
        "vectors.json",
        "vectors.py",
    ),
}


def scripts_digest(*of: Literal["rounds", "turns"]) -> str:
    """Return a digest of the code and data of scripted players: those of rounds, if none are named.

    It does not depend on comments, docstrings, the file that contains a definition, or exported
    names.
    """
    scripts = resources.files("explorer") / "players" / "scripted"
    names = dict.fromkeys(name for each in of or ("rounds",) for name in OF[each])
    parts = sorted(part for name in names for part in _parts(scripts / name))
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _parts(item: Any) -> Iterator[str]:
    if item.is_dir():
        for each in item.iterdir():
            yield from _parts(each)
    elif item.name.endswith((".toml", ".json")):
        yield item.read_text("utf-8")
    elif item.name.endswith(".py"):
        yield from _definitions(item.read_text("utf-8"))


def _definitions(source: str) -> Iterator[str]:
    """Yield the text of every top-level definition, without comments and docstrings."""
    lines = source.splitlines()
    tree = python_tree(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines[node.lineno - 1 : node.end_lineno] = [""] * len(
                lines[node.lineno - 1 : node.end_lineno]
            )
    for node in tree.body:
        if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0]):
            continue  # exports do not change any move
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            kept = [line.strip() for line in lines[node.lineno - 1 : node.end_lineno]]
            yield "\n".join(line for line in kept if line and not line.startswith("#"))
