"""What can be taken away of a study: files, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from explorer.evals import chats, need_inspect, preferences
from explorer.shelf.findings import Findings
from explorer.studies.exports import latex_table, rows_frame, written
from explorer.studies.statistics import summarize
from nip_core.transcript import dumps

__all__ = ["FORMATS", "inspect_log", "study_notebook"]

# The numbers of the LaTeX table and of the notebook.
OF_TABLE = ("accuracy", "none", "accepts_true", "withstands")

Maker = Callable[[Findings], bytes]


def inspect_log(findings: Findings) -> bytes:
    """The episodes as a log of Inspect.

    Raises
    ------
    MissingExtraError
        Where Inspect is not installed.
    """
    need_inspect("A log of Inspect")
    from explorer.evals.writing import Exported, write_log

    return write_log(
        findings.name,
        (
            Exported(
                row.key,
                findings.read(row.key),
                metadata={
                    "condition": row.condition,
                    "epoch": row.epoch,
                    "arm": row.arm,
                    "problem": row.problem,
                    "task": row.task,
                    "difficulty": row.difficulty,
                },
            )
            for row in findings.rows
        ),
    )


def study_notebook(findings: Findings) -> bytes:
    """A notebook that does the analysis again: the rows are in it."""
    from explorer.notebook.studies import study_notebook as made

    return json.dumps(made(findings.title, findings.rows), indent=1).encode("utf-8")


def _table(findings: Findings) -> bytes:
    lines = summarize(findings.rows, ("condition",), OF_TABLE)
    return latex_table(lines, ("condition",), findings.title).encode("utf-8")


def _frame(ending: str) -> Maker:
    return lambda findings: written(rows_frame(findings.rows), ending)


def _joined(lines: Callable[[Findings], Sequence[str]]) -> Maker:
    return lambda findings: "".join(lines(findings)).encode("utf-8")


# For each form, the ending of the file and how it is made.
FORMATS: Mapping[str, tuple[str, Maker]] = {
    "A row for each episode (CSV)": ("csv", _frame(".csv")),
    "A row for each episode (Parquet)": ("parquet", _frame(".parquet")),
    "Table by condition (LaTeX)": ("tex", _table),
    "Analysis (notebook)": ("ipynb", study_notebook),
    "Transcripts (JSONL)": (
        "jsonl",
        _joined(
            lambda findings: [
                json.dumps(json.loads(dumps(each)), sort_keys=True) + "\n"
                for each in findings.episodes()
            ]
        ),
    ),
    "Fine-tuning, a chat for each seat (JSONL)": (
        "chats.jsonl",
        _joined(lambda findings: list(chats(findings.episodes()))),
    ),
    "Preferences (JSONL)": (
        "pairs.jsonl",
        _joined(lambda findings: list(preferences(findings.episodes()))),
    ),
    "Inspect log (.eval)": ("eval", inspect_log),
}
