"""A Jupyter notebook as a document (nbformat 4.5), with its outputs already in it."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import nip_core
from explorer.notebook.live import Display
from explorer.project import install
from nip_core.documents import python_tree

__all__ = ["Cell", "as_text", "markdown", "notebook_document", "opening", "quoted", "written"]

# What reads without a kernel.
STATIC = ("text/plain", "text/html")
# Characters of a text in a line of code, and of prose that is left as it is.
PIECE, MOST_OF_LINE = 60, 250
FENCE = "```"
# What means something at the beginning of a line of Markdown.
_BEGINS = re.compile(r"[-+*#>|=~<`]|\d+[.)]|\s")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell to be written.

    Parameters
    ----------
    source : str
    kind : {"code", "markdown"}
    tag : str, optional
        ``"parameters"`` for the one cell that tools such as papermill fill in.
    """

    source: str
    kind: str = "code"
    tag: str | None = None


def opening(title: str, about: str = "") -> list[Cell]:
    """The first cells: what the notebook is, in Markdown, and what it takes to run it."""
    version = nip_core.__version__
    command = install("notebook", version)
    steps = f"`{command}`, then" if command else f"in an environment with NIP Explorer {version},"
    head = markdown(
        f"# {title}",
        about,
        f"To run it: {steps} all cells from top to bottom. It needs no server and no "
        "network. What you see now was kept when the file was written; live, tables and grids "
        "answer to mouse and keyboard.",
    )
    check = (
        "import nip_core\n\n"
        f'if nip_core.__version__ != "{version}":\n'
        f'    print("This notebook was written by nip-explorer {version}.")'
    )
    return [head, Cell(check)]


def markdown(*paragraphs: str) -> Cell:
    """A cell of Markdown, without those paragraphs that are empty."""
    return Cell("\n\n".join(map(_wrapped, filter(None, paragraphs))), "markdown")


def as_text(text: str) -> str:
    """Text that Markdown shows as it stands."""
    for mark in "\\`*_{}[]<>#|$&!":
        text = text.replace(mark, f"\\{mark}")
    return text


def quoted(text: str) -> str:
    """A text as Python, in lines that can be read and compared."""
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    if len(pieces) < 2:
        return repr(text)
    return "".join(("(\n", *(f"    {piece!r}\n" for piece in pieces), ")"))


def _wrapped(paragraph: str) -> str:
    """Prose in lines of some length, unless a line would come to mean something else."""
    if max(map(len, paragraph.splitlines()), default=0) <= MOST_OF_LINE or FENCE in paragraph:
        return paragraph
    lines: list[str] = []
    for line in paragraph.splitlines():
        if len(line) <= MOST_OF_LINE or line.startswith(("|", "#", " ", "<")):
            lines.append(line)
            continue
        fills = (
            textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
            for width in range(100, 60, -4)
        )
        plain = (fill for fill in fills if not any(map(_BEGINS.match, fill[1:])))
        lines += next(plain, [line])
    return "\n".join(lines)


def written(document: Mapping[str, Any]) -> bytes:
    """A notebook as a file."""
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8")


def notebook_document(cells: Sequence[Cell]) -> dict[str, Any]:
    """Run the code cells, which must be our own, in order, and write all cells with outputs."""
    names: dict[str, Any] = {"__name__": "__main__"}
    written: list[dict[str, Any]] = []
    count = 0
    for number, cell in enumerate(cells):
        metadata = {} if cell.tag is None else {"tags": [cell.tag]}
        entry: dict[str, Any] = {
            "cell_type": cell.kind,
            # Not made of what it holds: the same place has the same one in every notebook.
            "id": f"cell-{number}",
            "metadata": metadata,
            "source": cell.source,
        }
        if cell.kind == "code":
            count += 1
            value = _run(cell.source, names)
            entry |= {"execution_count": count, "outputs": _outputs(value, count)}
        written.append(entry)
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "nip_explorer": {"version": nip_core.__version__},
        },
        "cells": written,
    }


def _run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last expression, as Jupyter would."""
    tree = python_tree(source)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        del tree.body[-1]
    exec(compile(tree, "<cell>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def _outputs(value: Any, count: int) -> list[dict[str, Any]]:
    if value is None:
        return []
    return [
        {
            "output_type": "execute_result",
            "execution_count": count,
            "metadata": {},
            "data": _forms(value),
        }
    ]


def _forms(value: Any) -> dict[str, Any]:
    """The forms in which a value is kept."""
    if hasattr(value, "to_plotly_json"):
        figure = json.loads(value.to_json())
        return {
            "application/vnd.plotly.v1+json": figure,
            "text/plain": "A plotly figure; run the cell to see it.",
        }
    if isinstance(value, Display):
        # Its live form would be drawn by nobody, and hold more than is shown.
        return {"text/plain": value.text(), "text/html": value.html()}
    forms: dict[str, Any] = {"text/plain": repr(value)}
    if hasattr(value, "_repr_mimebundle_"):
        forms |= value._repr_mimebundle_()
    elif hasattr(value, "_repr_html_"):
        forms["text/html"] = value._repr_html_()
    return {form: forms[form] for form in STATIC if form in forms}
