"""A log: its header, and its samples, which are read one at a time."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from explorer.logs.archive import LIMITS, Archive, LogHeader
from explorer.logs.reading import read_trace
from explorer.logs.traces import Trace
from nip_core.displays import Table, Tabular, brief, line
from nip_core.documents import Limits

# A log that is read by people: a file has a few megabytes, and JSON packs tenfold.
READ = dataclasses.replace(
    LIMITS,
    file=5_000_000,
    directory=1_000_000,
    unpacked=200_000_000,
    samples=2_000,
    document=Limits(size=20_000_000, values=1_000_000, depth=256),
)


# How Inspect begins a log that is one document.
_BEGINS = re.compile(rb'\s*\{\s*"version"\s*:\s*[0-9]{1,3}\s*,\s*"(status|eval)"')


def is_log(content: bytes) -> bool:
    """Return whether a file looks like a log of Inspect."""
    return content.startswith(b"PK") or _BEGINS.match(content) is not None


class Log(Tabular):
    """A log of Inspect, which may be untrusted.

    Parameters
    ----------
    content : bytes
        An ``.eval`` or ``.json`` file.

    Attributes
    ----------
    header : LogHeader

    Raises
    ------
    LogError
        If it is not a log, or exceeds a limit.
    """

    def __init__(self, content: bytes) -> None:
        self._archive = Archive(content, READ)

    @property
    def header(self) -> LogHeader:
        """The log's task, time and models."""
        return self._archive.header

    @property
    def names(self) -> list[str]:
        """The names of its samples."""
        return self._archive.names

    def __len__(self) -> int:
        return len(self._archive)

    def trace(self, number: int) -> Trace:
        """Return a sample, counted from 0.

        Raises
        ------
        LogError
            If it is damaged or exceeds a limit.
        """
        return read_trace(self._archive.sample(number))

    def traces(self) -> Iterator[Trace]:
        """Yield all samples."""
        return map(self.trace, range(len(self)))

    def table(self) -> Table:
        """Return a row for each sample."""
        rows = [
            (
                trace.id,
                trace.epoch,
                len(trace.entries),
                len(trace.branches),
                "; ".join(f"{score.name} {score.value}" for score in trace.scores),
            )
            for trace in self.traces()
        ]
        return Table(("sample", "epoch", "entries", "branches", "scores"), rows)

    def __repr__(self) -> str:
        return line(self, brief(self.header.task), f"{len(self)} samples")
