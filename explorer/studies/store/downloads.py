"""What can be taken away of a study: files, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from explorer.studies.exports import latex_table, rows_frame, written
from explorer.studies.inspect import chats, has_inspect, need_inspect, preferences
from explorer.studies.statistics import summarize
from explorer.studies.store.findings import Findings
from nip_core.displays import displayed
from nip_core.transcript import dumps

__all__ = ["Download", "forms", "has_files", "inspect_log"]

# The numbers of the LaTeX table and of the notebook.
OF_TABLE = ("accuracy", "accuracy_of_tried", "none", "accepts_true", "withstands")

# Bytes of transcripts in memory that are still written into one file.
MOST = 50_000_000

Maker = Callable[[Findings], bytes]


def inspect_log(findings: Findings) -> bytes:
    """The episodes as a log of Inspect.

    Raises
    ------
    MissingExtraError
        Where Inspect is not installed.
    """
    need_inspect("A log of Inspect")
    from explorer.studies.inspect.writing import Exported, write_log

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


def _table(findings: Findings) -> bytes:
    measures = [name for name in OF_TABLE if findings.failed or name != "accuracy_of_tried"]
    lines = summarize(findings.rows, ("condition",), measures, failed=findings.failed)
    counts = findings.counts
    return latex_table(lines, ("condition",), findings.title, counts=counts).encode("utf-8")


def _frame(ending: str) -> Maker:
    return lambda findings: written(rows_frame(findings.rows, findings.failed), ending)


def _joined(lines: Callable[[Findings], Iterable[str]]) -> Maker:
    return lambda findings: "".join(lines(findings)).encode("utf-8")


def _transcripts(findings: Findings) -> Iterator[str]:
    for episode in findings.episodes():
        yield json.dumps(json.loads(dumps(episode)), sort_keys=True) + "\n"


@displayed
@dataclass(frozen=True, slots=True)
class Download:
    """A file that can be taken away.

    Parameters
    ----------
    label : str
    ending : str
        Of its name.
    make : callable
        What is in it.
    of_episodes : bool
        Is it made from the episodes? Else from the rows alone.
    of_inspect : bool
        Does it need Inspect?
    """

    label: str
    ending: str
    make: Maker
    of_episodes: bool = False
    of_inspect: bool = False


FORMS = (
    Download("A row for each episode (CSV)", "csv", _frame(".csv")),
    Download("A row for each episode (Parquet)", "parquet", _frame(".parquet")),
    Download("Table by condition (LaTeX)", "tex", _table),
    Download("Transcripts (JSONL)", "jsonl", _joined(_transcripts), of_episodes=True),
    Download(
        "Fine-tuning, a chat for each seat (JSONL)",
        "chats.jsonl",
        _joined(lambda findings: chats(findings.episodes())),
        of_episodes=True,
    ),
    Download(
        "Preferences (JSONL)",
        "pairs.jsonl",
        _joined(lambda findings: preferences(findings.episodes())),
        of_episodes=True,
    ),
    Download("Inspect log (.eval)", "eval", inspect_log, of_episodes=True, of_inspect=True),
)


def has_files(findings: Findings) -> bool:
    """Can all its episodes be written into one file?"""
    return findings.kept and findings.size <= MOST


def forms(findings: Findings) -> list[Download]:
    """What of a study can be taken away here."""
    return [
        form
        for form in FORMS
        if (has_files(findings) or not form.of_episodes) and (has_inspect() or not form.of_inspect)
    ]
