"""The results in the record of a training run; see :mod:`explorer.studies.training`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from explorer.studies.findings import Findings, finished_outside, of_outside
from explorer.studies.results import Finished, ResultRow
from explorer.studies.study import StudyError
from nip_core.errors import NipError, TranscriptError
from nip_core.play import Episode
from nip_core.transcript import Recorded, read_records

TRAINING_ENGINE = "verifiers"
MOST_BYTES = 200_000_000
MOST_LINES = 20_000


def records_in(content: bytes) -> Iterator[tuple[int, Recorded | str]]:
    """Yield the number of each line of a file, and its record, or why it cannot be read."""
    if len(content) > MOST_BYTES:
        raise TranscriptError(f"It has {len(content):,} bytes; at most {MOST_BYTES:,} are read.")
    for number, line in enumerate(io.BytesIO(content), 1):
        if number > MOST_LINES:
            yield number, f"Only the first {MOST_LINES:,} lines are read."
            return
        if line.strip():
            try:
                yield from ((number, record) for record in read_records(line))
            except NipError as error:
                yield number, str(error)


def rows_of_training(records: Iterable[Recorded]) -> dict[str, list[ResultRow]]:
    """Return the rows of the finished episodes of training, by the title of their protocol."""
    found: dict[str, list[ResultRow]] = {}
    for number, record in enumerate(records):
        if record.step is not None and record.episode is not None and record.episode.over:
            made = _finished(record.episode, f"record{number}", record.step)
            found.setdefault(record.episode.rules.full_name, []).append(made.result)
    return found


def _finished(episode: Episode, key: str, step: int | None) -> Finished:
    return finished_outside(episode.finished(), key=key, engine=TRAINING_ENGINE, epoch=step or 0)


def of_training(name: str, content: bytes) -> Findings:
    """Return the results in a ``traces.jsonl`` of verifiers; the epoch of a row is its step.

    A line is one episode. Rows are made from the transcripts alone. A StudyError says that it
    contains no finished episode of ours.
    """
    found: list[Finished] = []
    problems: list[str] = []
    for number, record in records_in(content):
        if isinstance(record, str):
            problems.append(f"Line {number}: {record}")
            continue
        problems += [f"Line {number}: {each}" for each in record.differences]
        if record.episode is None or not record.episode.over:
            continue
        found.append(_finished(record.episode, f"line{number}", record.step))
    if not found:
        reason = f" The first line with a problem: {problems[0]}" if problems else ""
        raise StudyError(f"The record holds no finished episode of training.{reason}")

    steps = {one.result.epoch for one in found}
    about = f"{len(found):,} episodes of a training run, of steps {min(steps):,} to {max(steps):,}."
    return of_outside(name, about, found, problems, it="record", reader="of_training")
