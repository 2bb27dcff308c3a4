"""A study's analysis as a notebook that needs no record and no server: its rows are in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import nip_core
from explorer.notebook.document import Cell, notebook_document
from explorer.notebook.exports import PINS, as_text
from explorer.studies import Result

__all__ = ["study_notebook"]


def study_notebook(name: str, rows: Sequence[Result]) -> dict[str, Any]:
    """The Studies page as a notebook.

    Parameters
    ----------
    name : str
    rows : sequence of Result
    """
    held = "\n".join(json.dumps(row.to_dict(), sort_keys=True) for row in rows)
    conditions = list(dict.fromkeys(row.condition for row in rows))
    pair = (conditions * 2)[:2]
    return notebook_document(
        [
            Cell(f"# The study {as_text(name)}", "markdown"),
            Cell(f"first, second = {pair!r}\nmeasure = 'accuracy'", tag="parameters"),
            Cell(PINS.format(version=nip_core.__version__)),
            Cell(
                "import json\n\n"
                "from explorer.studies import Result\n"
                "from explorer.studies.exports import rows_frame\n"
                "from explorer.studies.statistics import compare, frame, summarize\n\n"
                f"held = {held!r}\n"
                "rows = [Result.from_dict(json.loads(line)) for line in held.splitlines()]\n"
                "len(rows)"
            ),
            Cell("rows_frame(rows)"),
            Cell("frame(summarize(rows))"),
            Cell(
                "from explorer.figures.studies import dots_figure\n\n"
                "found = frame(summarize(rows, measures=[measure]))\n"
                "found = found.rename(columns={'condition': 'group'}).assign(study='')\n"
                "dots_figure(found, measure, rate=True)"
            ),
            Cell(
                "frame(summarize(rows, ('condition', 'difficulty'), [measure]), "
                "('condition', 'difficulty'))"
            ),
            Cell("compare(rows, first, second, measure)"),
        ]
    )
