"""The record of a study: a folder with our transcripts, and a row for each finished episode.

.. code-block:: text

    study.toml              the file
    conditions.json         its conditions, in its order
    results.jsonl           a row for each finished episode, with the place of its transcript
    transcripts.jsonl.gz    the transcripts, each a gzip member; ``zcat`` shows them all
    failures.jsonl          episodes that could not be played to their end, each time
    logs/                   the engines' own logs
    lock                    held during a run

Files only grow. A transcript is written before its row, and both are on the disk before the call
returns: what a killed process has left half-written has no row, and the next run removes it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import threading
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Any, BinaryIO

from explorer.studies.results import Failure, Finished, ResultRow, unpacked
from explorer.studies.rows import Played, Rows
from explorer.studies.study import RecordBusyError, RecordError, Study
from nip_core.displays import Table, Tabular, brief, line
from nip_core.documents import (
    NOTE,
    TASK_LINE,
    as_fields,
    as_list,
    as_object,
    canonical,
    parse_json,
)
from nip_core.play import Episode

RESULTS, TRANSCRIPTS, FAILURES = "results.jsonl", "transcripts.jsonl.gz", "failures.jsonl"
CONDITIONS = "conditions.json"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
MOST_ROWS = 2_000_000


class Record(Tabular):
    """A folder with the episodes of a study, created by the first run."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._writing = threading.Lock()
        self._held: BinaryIO | None = None
        self._end = 0  # of the transcripts that have rows
        self._places: dict[str, tuple[int, int]] = {}  # of transcripts, by the keys of their rows

    @property
    def logs(self) -> Path:
        """The folder of the engines' own logs."""
        return self.folder / "logs"

    # -- display --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return line(self, brief(self.folder.name))

    def table(self) -> Table:
        """Return each condition's number of episodes; empty before the first run."""
        rows = self._rows() if self.folder.is_dir() else ()
        counts = Counter(row.condition for row, _, _ in rows)
        names = tuple(field.name for field in fields(Played))
        return Table(
            (*names, "episodes"),
            [(*astuple(condition), counts[condition.name]) for condition in self.conditions()],
        )

    # -- reading -------------------------------------------------------------------------------

    def results(self) -> Rows:
        """Return a row for each finished episode, in the order of the study's conditions.

        The order does not depend on when and where they were played. A RecordError says that the
        folder is damaged, or does not exist.
        """
        order = {condition.name: number for number, condition in enumerate(self.conditions())}
        # Rows of conditions that were removed from the file.
        last = len(order)
        return Rows(
            sorted(
                (result for result, _, _ in self._rows()),
                key=lambda row: (
                    *(order.get(row.condition, last), row.condition, row.epoch),
                    *(row.task, row.arm, row.key),
                ),
            )
        )

    def conditions(self) -> list[Played]:
        """Return the conditions of the study as it was last run, in its order."""
        try:
            with (self.folder / CONDITIONS).open("rb") as file:
                content = file.read(NOTE.size + 1)
        except FileNotFoundError:
            return []
        it = str(self.folder / CONDITIONS)
        listed = as_list(parse_json(content, NOTE, RecordError, it), it, error=RecordError)
        return [Played(**as_fields(entry, Played, it, error=RecordError)) for entry in listed]

    def failures(self) -> list[Failure]:
        """Return the last failure of each episode that has not been finished since."""
        done = {result.key for result in self.results()}
        last_failures = {
            failure.key: failure
            for number, content in self._lines(FAILURES)
            for it in [f"{FAILURES}, line {number}"]
            for plain in [parse_json(content, TASK_LINE, RecordError, it)]
            for failure in [Failure(**as_fields(plain, Failure, it, error=RecordError))]
        }
        return [failure for key, failure in last_failures.items() if key not in done]

    def text(self) -> str | None:
        """Return the study's file as of its last run; None if it was never run."""
        try:
            return (self.folder / "study.toml").read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise RecordError(f"{self.folder / 'study.toml'} cannot be read: {error}.") from None

    def episode(self, key: str) -> Episode:
        """Return the episode of a row, played again from its transcript.

        A RecordError says that there is none, or that it is damaged.
        """
        if key not in self._places:
            # Files only grow, so known positions stay valid. All positions are read at once,
            # because readers of one episode usually read others.
            self._places = {row.key: (at, size) for row, at, size in self._rows()}
        if key not in self._places:
            raise RecordError(f"{self.folder} has no episode {key!r}.")
        return self._episode(*self._places[key])

    def episodes(self) -> Iterator[tuple[ResultRow, Episode]]:
        """Yield all finished episodes with their rows."""
        for result, at, size in self._rows():
            yield result, self._episode(at, size)

    def _episode(self, at: int, size: int) -> Episode:
        with (self.folder / TRANSCRIPTS).open("rb") as file:
            file.seek(at)
            return unpacked(file.read(size))

    def _rows(self) -> Iterator[tuple[ResultRow, int, int]]:
        for number, content in self._lines(RESULTS):
            it = f"{self.folder / RESULTS}, line {number}"
            row: Any = parse_json(content, TASK_LINE, RecordError, it)
            try:
                place = as_object(row, "it", ("row", "at", "size"), error=RecordError)
                at, size = place["at"], place["size"]
                if type(at) is not int or type(size) is not int or min(at, size) < 0:
                    raise RecordError("It does not say where its transcript is.")
                yield ResultRow.from_dict(place["row"]), at, size
            except RecordError as error:
                raise RecordError(
                    f"{it} is damaged: {error} Take the line out, and its episode is played again."
                ) from None

    def _lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """Yield the complete lines with their numbers, from 1."""
        if not self.folder.is_dir():
            raise RecordError(f"There is no folder {self.folder}. Run the study first.")
        try:
            with (self.folder / name).open("rb") as file:
                for number in range(1, MOST_ROWS + 1):
                    line = file.readline(TASK_LINE.size + 1)
                    if not line.endswith(b"\n"):
                        return
                    yield number, line
        except FileNotFoundError:
            return

    # -- writing -------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, study: Study, planned: Mapping[str, int] | None = None) -> Generator[Record]:
        """Lock the folder for a run of this study, with the planned episodes of each condition.

        A RecordBusyError says that another run holds it, and a RecordError that it cannot be
        written.
        """
        with _explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            if any(self.folder.iterdir()) and not (self.folder / "lock").exists():
                raise RecordError(
                    f"{self.folder} holds something else. Name another folder with --to."
                )
            self._held = (self.folder / "lock").open("ab+")
        try:
            _lock(self._held, self.folder)
            with _explained(self.folder):
                self._cut_off()
                _replace(self.folder / "study.toml", study.text.encode())
                counts = planned or {}
                conditions = [
                    asdict(Played.of(condition, counts.get(condition.name, 0)))
                    for condition in study.conditions
                ]
                _replace(self.folder / CONDITIONS, json.dumps(conditions, indent=1).encode())
            yield self
        finally:
            # The operating system releases the lock if the process is killed.
            self._held.close()
            self._held = None

    def _cut_off(self) -> None:
        """Remove what a killed run has left half-written."""
        for name in (RESULTS, FAILURES):
            path = self.folder / name
            if path.exists():
                with path.open("rb+") as file:
                    whole = sum(len(line) for line in file if line.endswith(b"\n"))
                    file.truncate(whole)
        self._end = max((at + size for _, at, size in self._rows()), default=0)
        path = self.folder / TRANSCRIPTS
        if path.exists():
            os.truncate(path, min(self._end, path.stat().st_size))

    def keep(self, episodes: Iterable[Finished]) -> None:
        """Keep finished episodes; once this returns, they are on the disk.

        After a RecordError, none of these episodes is kept, but all earlier ones are.
        """
        with self._writing, _explained(self.folder):
            at, packed, rows = self._end, bytearray(), bytearray()
            for episode in episodes:
                row = {"row": episode.result.to_dict(), "at": at + len(packed)}
                rows += _line({**row, "size": len(episode.packed)})
                packed += episode.packed
            self._append(TRANSCRIPTS, packed)
            self._append(RESULTS, rows)
            self._end = at + len(packed)

    def fail(self, failures: Iterable[Failure]) -> None:
        """Record episodes that could not be played to their end."""
        with self._writing, _explained(self.folder):
            self._append(FAILURES, b"".join(_line(asdict(failure)) for failure in failures))

    def _append(self, name: str, content: bytes | bytearray) -> None:
        if self._held is None:
            raise RecordError("Only a run that holds the record can write to it.")
        with (self.folder / name).open("ab") as file:
            before = file.tell() if name != TRANSCRIPTS else self._end
            file.truncate(before)
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(before)
                raise


def _line(document: Mapping[str, Any]) -> bytes:
    return canonical(document).encode("ascii") + b"\n"


def _replace(path: Path, content: bytes) -> None:
    """Write a small file atomically: it is replaced completely or not at all."""
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _lock(file: BinaryIO, folder: Path) -> None:
    busy = (
        f"Another run is at {folder}. Wait for it or stop it, or give this one a folder of its own."
    )
    try:
        if os.name == "nt":  # pragma: no cover
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise RecordBusyError(busy) from None


@contextlib.contextmanager
def _explained(folder: Path) -> Generator[None]:
    """Turn errors of the disk into errors that say what they mean for the study."""
    try:
        yield
    except OSError as error:
        kept = "What was finished before is kept, and a new run goes on after it"
        if error.errno in _FULL:
            raise RecordError(f"The disk of {folder} is full. {kept}: make room first.") from None
        raise RecordError(
            f"{folder} cannot be written: {error.strerror or error}. {kept}."
        ) from None
