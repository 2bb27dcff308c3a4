"""Pages as notebooks (nbformat 4.5), with outputs."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import nip_core
from explorer.choice import OWN, ProtocolChoice, source_named
from explorer.notebook.live import Display
from explorer.pictures import Shown, View, caption, columns_of, specified
from explorer.project import install
from explorer.rewards import protocol_python
from nip_core.documents import python_tree
from nip_core.language import Specification
from nip_core.parameters import HyperParameters
from nip_core.registry import AnyProtocol, protocol_title

# The forms of output that can be read without a kernel.
STATIC = ("text/plain", "text/html")
# The most characters of a text in a line of code, and of a line of prose.
PIECE, MOST_OF_LINE = 60, 250
FENCE = "```"
# Characters that would be markup at the beginning of a line of Markdown.
_BEGINS = re.compile(r"[-+*#>|=~<`]|\d+[.)]|\s")


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """A cell to be written."""

    source: str
    kind: Literal["code", "markdown"] = "code"
    # "parameters" for the cell that tools such as papermill fill in.
    tag: str | None = None


def opening(title: str, about: str = "") -> list[NotebookCell]:
    """Return the first cells: what the notebook is, and how to run it."""
    version = nip_core.__version__
    command = install("notebook", version)
    steps = f"`{command}`, then" if command else f"in an environment with NIP Explorer {version},"
    head = markdown(
        f"# {title}",
        about,
        f"To run it: {steps} all cells from top to bottom. It needs no server and no "
        "network. The outputs were saved with the file; once run, tables and grids respond to "
        "mouse and keyboard.",
    )
    check = (
        "import nip_core\n\n"
        f'if nip_core.__version__ != "{version}":\n'
        f'    print("This notebook was written by nip-explorer {version}.")'
    )
    return [head, NotebookCell(check)]


def markdown(*paragraphs: str) -> NotebookCell:
    """Return a cell of Markdown from the paragraphs that are not empty."""
    return NotebookCell("\n\n".join(map(_wrapped, filter(None, paragraphs))), "markdown")


def as_text(text: str) -> str:
    """Return text escaped for Markdown."""
    for mark in "\\`*_{}[]<>#|$&!":
        text = text.replace(mark, f"\\{mark}")
    return text


def quoted(text: str) -> str:
    """Return a text as Python code in lines of limited length."""
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    if len(pieces) < 2:
        return repr(text)
    return "".join(("(\n", *(f"    {piece!r}\n" for piece in pieces), ")"))


def _wrapped(paragraph: str) -> str:
    """Wrap prose, unless a line would become markup in Markdown."""
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


def notebook_bytes(document: Mapping[str, Any]) -> bytes:
    """Return a notebook as a file."""
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8")


def notebook_document(cells: Sequence[NotebookCell]) -> dict[str, object]:
    """Run the code cells in order; return the notebook with outputs. The code must be our own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    written: list[dict[str, Any]] = []
    count = 0
    for number, cell in enumerate(cells):
        metadata = {} if cell.tag is None else {"tags": [cell.tag]}
        entry: dict[str, Any] = {
            "cell_type": cell.kind,
            # The id depends on the position, so that it is the same in every notebook.
            "id": f"cell-{number}",
            "metadata": metadata,
            "source": cell.source,
        }
        if cell.kind == "code":
            count += 1
            value = _run(cell.source, names)
            entry |= {"execution_count": count, "outputs": []}
            if value is not None:
                output = {"output_type": "execute_result", "execution_count": count}
                entry["outputs"].append({**output, "metadata": {}, "data": _forms(value)})
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


def _run(source: str, names: dict[str, object]) -> Any:
    """Run a cell and return the value of its last expression, as Jupyter would."""
    tree = python_tree(source)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        del tree.body[-1]
    exec(compile(tree, "<cell>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def _forms(value: Any) -> dict[str, object]:
    """Return the forms of a value that are saved in the file."""
    if hasattr(value, "to_plotly_json"):
        figure = json.loads(value.to_json())
        return {
            "application/vnd.plotly.v1+json": figure,
            "text/plain": "A plotly figure; run the cell to see it.",
        }
    if isinstance(value, Display):
        # The live form is left out: no reader of notebooks draws it, and it contains more than is
        # shown.
        return {"text/plain": value.text(), "text/html": value.html()}
    forms: dict[str, object] = {"text/plain": repr(value)}
    if hasattr(value, "_repr_mimebundle_"):
        forms |= value._repr_mimebundle_()
    elif hasattr(value, "_repr_html_"):
        forms["text/html"] = value._repr_html_()
    return {form: forms[form] for form in STATIC if form in forms}


def schedule_notebook(
    protocol: AnyProtocol | Specification,
    seed: int | tuple[int | None, int | None] | None = None,
    round_id: int = 0,
    *,
    compare: AnyProtocol | Specification | None = None,
    view: View = "grid",
) -> dict[str, object]:
    """Return a protocol's page as a notebook; for the arguments, see :func:`show_schedule`.

    The notebook contains the protocol's name and settings as Python or, without a name, its
    document.
    """
    more = ", compare=other" if compare is not None else "" if view == "grid" else f", {view=}"
    first, second = seed if isinstance(seed, tuple) else (seed, seed)
    shown = [Shown(protocol, seed=first)]
    shown += [] if compare is None else [Shown(compare, seed=second)]
    last = columns_of(shown) - 1
    title = protocol_title(specified(protocol))
    cells = [
        *opening(f"The schedule of {as_text(title)}", caption(protocol, first)),
        NotebookCell(f"round_id = {round_id!r}\nseed = {seed!r}", tag="parameters"),
        markdown(
            "## The protocol",
            "A protocol is data: its seats, its channels, and who writes in which turn.",
        ),
        NotebookCell(f"{_made('spec', protocol)}\nspec"),
    ]
    if compare is not None:
        name = as_text(protocol_title(specified(compare)))
        cells += [
            markdown(f"The second protocol, {name}:"),
            NotebookCell(f"{_made('other', compare)}\nother"),
        ]
    cells += [
        markdown(
            "## Walk through it",
            "Choose a turn with the mouse or the arrow keys. The text below says what happens.",
        ),
        NotebookCell(
            "from explorer.notebook import show_schedule\n\n"
            f"show_schedule(spec, seed, round_id=min(round_id, {last}){more})"
        ),
        markdown("## As a table", "Each turn in words."),
        NotebookCell("from explorer.pictures import turns_data\n\nturns_data(spec)"),
        markdown("## Remarks", "Legal, but perhaps not intended."),
        NotebookCell('[f"{finding.tone}: {finding.message}" for finding in spec.lint()]'),
    ]
    return notebook_document(cells)


def _made(name: str, protocol: AnyProtocol | Specification) -> str:
    """Return Python that makes a protocol's specification and gives it a name."""
    choice = _choice_of(protocol)
    imported, code = choice.python()
    text = f"text = {quoted(json.dumps(choice.spec.to_dict()))}\n" if choice.name == OWN else ""
    return f"{imported}\n\n{text}{name} = {code}"


def _choice_of(protocol: AnyProtocol | Specification) -> ProtocolChoice:
    if isinstance(protocol, str | HyperParameters):
        return ProtocolChoice.of(protocol)
    spec = specified(protocol)
    source = source_named(spec.name)
    if source is not None and specified(ProtocolChoice(source).spec) == spec:
        return ProtocolChoice(source)
    return ProtocolChoice.of(spec)


def rewards_notebook(choice: ProtocolChoice, evidence: Mapping[str, object]) -> dict[str, object]:
    """Return the Rewards page of a protocol as a notebook, with what is assumed about messages."""
    name = as_text(choice.source.title)
    imported, made = protocol_python(choice)
    assumed = ", ".join(f"{key}={value!r}" for key, value in evidence.items())
    cells = [
        *opening(
            f"What {name} is worth",
            "By chance, by wit and by commitment, as on the Rewards page.",
        ),
        markdown("## The protocol"),
        NotebookCell("\n".join([imported, "", *made])),
        markdown("## By chance", "What each seat is paid if everybody plays at random."),
        NotebookCell(
            "from explorer.notebook import rewards\n\n"
            f"worth = rewards(game{', ' if assumed else ''}{assumed})\n"
            # Before it is shown: asked for later, the card would change what stands here.
            "card = worth.card\nworth"
        ),
        NotebookCell("worth.figure()"),
        markdown("## By wit", "Honest play, and what experts gain by other plans."),
        NotebookCell("card"),
        NotebookCell('worth.chart("wit")'),
        markdown("## By commitment", "What can be guaranteed, where it can be computed."),
        NotebookCell(
            "from nip_core.errors import UnsupportedError\n\n"
            "try:\n"
            '    promise = worth.chart("commitment")\n'
            "except UnsupportedError as error:\n"
            "    promise = error\n"
            "promise"
        ),
    ]
    return notebook_document(cells)
