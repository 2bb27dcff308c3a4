"""A study's analysis as a notebook that needs no record and no server: its rows are in it."""

from __future__ import annotations

import itertools
import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from explorer.notebook.document import Cell, as_text, notebook_document, opening, quoted
from explorer.studies import Result

__all__ = ["study_notebook"]


def study_notebook(
    name: str,
    rows: Sequence[Result],
    *,
    measure: str = "accuracy",
    by: str = "condition",
    pair: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """The Studies page as a notebook.

    Parameters
    ----------
    name : str
    rows : sequence of Result
    measure, by : str
        The number that is drawn, and for what groups.
    pair : (str, str), optional
        Two conditions to be compared; without it, two that have played the same, if there are any.
    """
    lines = "\n".join(json.dumps(row.to_dict(), sort_keys=True) for row in rows)
    # Thousands of rows would be megabytes; packed they are a twentieth.
    held = b64encode(zlib.compress(lines.encode("utf-8"), 9)).decode("ascii")
    first, second = pair or _pair(rows)
    return notebook_document(
        [
            *opening(f"The study {as_text(name)}"),
            Cell(
                f"measure, by = {measure!r}, {by!r}\nfirst, second = {first!r}, {second!r}",
                tag="parameters",
            ),
            Cell(
                "import json\n"
                "import zlib\n"
                "from base64 import b64decode\n\n"
                "from explorer.studies import Result\n"
                "from explorer.studies.exports import rows_frame\n"
                "from explorer.studies.statistics import MEASURES, compare, frame, summarize\n\n"
                f"held = {quoted(held)}\n"
                "lines = zlib.decompress(b64decode(held)).decode().split('\\n')\n"
                "rows = [Result.from_dict(json.loads(line)) for line in lines if line]\n"
                "len(rows)"
            ),
            Cell("rows_frame(rows)"),
            Cell("frame(summarize(rows))"),
            Cell(
                "from explorer.figures.studies import dots_figure\n\n"
                "found = frame(summarize(rows, (by,), [measure]), (by,))\n"
                "found = found.rename(columns={by: 'group'}).assign(study='')\n"
                "dots_figure(found, measure, rate=MEASURES[measure].kind == 'rate')"
            ),
            Cell(
                "groups = tuple(dict.fromkeys((by, 'difficulty')))\n"
                "frame(summarize(rows, groups, [measure]), groups)"
            ),
            *([Cell("compare(rows, first, second, measure)")] if first is not None else []),
        ]
    )


def _pair(rows: Sequence[Result]) -> tuple[str | None, str | None]:
    """Two conditions that have played the same; None where there are no two."""
    played: dict[str, set[tuple[str, int, str]]] = {}
    for row in rows:
        played.setdefault(row.condition, set()).add((row.task, row.epoch, row.arm))
    pairs = itertools.combinations(played, 2)
    return next((pair for pair in pairs if played[pair[0]] & played[pair[1]]), (None, None))
