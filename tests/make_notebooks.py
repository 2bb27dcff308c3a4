"""Run the notebooks of `notebooks/` and keep what they show: ``python -m tests.make_notebooks``.

A notebook's file is what everybody gets who runs it: no times, no names of this machine, no state
of widgets. What is live in a notebook is kept in its still form.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
PLOTLY = "application/vnd.plotly.v1+json"
KEPT = ("text/plain", "text/html", "image/svg+xml", PLOTLY)
STILL = re.compile(r"nip-still-[0-9a-f]{32}")


def paths() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def executed(document: Any, timeout: int = 300) -> Any:
    """The notebook after a run from top to bottom in a kernel of its own."""
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            nbformat.from_dict(document),
            timeout=timeout,
            kernel_name="python3",
            store_widget_state=False,
            resources={"metadata": {"path": folder}},
        )
        around = {"PYTHONPATH": str(ROOT), "PLOTLY_RENDERER": "plotly_mimetype"}
        # Nothing of this machine's user is read or written.
        own = {"NIP_EXPLORER_DATABASE": f"sqlite:///{folder}/episodes.db", "NIP_STUDIES": folder}
        return client.execute(env={**os.environ, **around, **own})


def cleaned(document: Any) -> Any:
    """The same without what is different in each run, or live."""
    names: dict[str, str] = {}

    def named(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        return STILL.sub(lambda m: names.setdefault(m[0], f"nip-still-{len(names) + 1}"), text)

    for cell in document.cells:
        cell.metadata = {key: cell.metadata[key] for key in ("tags",) if key in cell.metadata}
        if cell.cell_type == "code":
            shown = (_cleaned(output, named) for output in cell.outputs)
            cell.outputs = [output for output in shown if output is not None]
    document.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return document


def _cleaned(output: Any, named: Any) -> Any:
    if "data" not in output:
        return output
    output.metadata = {}
    output.data = {form: named(output.data[form]) for form in KEPT if form in output.data}
    return output if any(output.data.values()) else None


def main() -> None:
    wanted = [Path(name) for name in sys.argv[1:]] or paths()
    for path in wanted:
        made = cleaned(executed(nbformat.read(path, as_version=4)))
        nbformat.validate(made)
        nbformat.write(made, path)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
