"""Run the notebooks of `notebooks/` and save their outputs: ``python -m tests.make_notebooks``.

A saved notebook is the same for everybody who runs it: without times, names of this machine, and
states of widgets. Live displays are saved in their still form.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
PLOTLY = "application/vnd.plotly.v1+json"
KEPT = ("text/plain", "text/html", "image/svg+xml", PLOTLY)
STILL = re.compile(r"nip-still-[0-9a-f]{32}")


def paths() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def executed(documents: Iterable[Any]) -> list[Any]:
    """Return notebooks after a run from top to bottom, in one kernel that is reset between them."""
    given = [nbformat.from_dict(document) for document in documents]
    together = new_notebook(
        cells=[each for one in given for each in (*one.cells, new_code_cell("%reset -f"))]
    )
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            together,
            timeout=300,
            kernel_name="python3",
            store_widget_state=False,
            coalesce_streams=True,  # the number of pieces of a text is random
            resources={"metadata": {"path": folder}},
        )
        around = {"PYTHONPATH": str(ROOT), "PLOTLY_RENDERER": "plotly_mimetype"}
        # The user's own files are neither read nor written.
        own = {"NIP_EXPLORER_DATABASE": f"sqlite:///{folder}/episodes.db", "NIP_STUDIES": folder}
        client.execute(env={**os.environ, **around, **own})
    cells = iter(together.cells)
    for one in given:
        one.cells = [next(cells) for _ in one.cells]
        next(cells)
    return given


def cleaned(document: Any) -> Any:
    """Return a notebook without live parts and parts that differ in each run."""
    names: dict[str, str] = {}

    def named(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        return STILL.sub(lambda m: names.setdefault(m[0], f"nip-still-{len(names) + 1}"), text)

    count = 0
    for cell in document.cells:
        cell.metadata = {key: cell.metadata[key] for key in ("tags",) if key in cell.metadata}
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            shown = (_cleaned(output, count, named) for output in cell.outputs)
            cell.outputs = [output for output in shown if output is not None]
    document.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return document


def _cleaned(output: Any, count: int, named: Callable[[Any], Any]) -> Any:
    if "data" not in output:
        return output
    if "execution_count" in output:
        output.execution_count = count
    output.metadata = {}
    output.data = {form: named(output.data[form]) for form in KEPT if form in output.data}
    if PLOTLY in output.data:
        output.data["text/plain"] = "A plotly figure; run the cell to see it."
    return output if any(output.data.values()) else None


def main() -> None:
    files = paths()
    for path, made in zip(files, executed(nbformat.read(f, 4) for f in files), strict=True):
        nbformat.validate(cleaned(made))
        nbformat.write(made, path)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
