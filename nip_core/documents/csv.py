"""Reading untrusted CSV, one row at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from nip_core.documents.shapes import first_repeated
from nip_core.errors import NipError, show

__all__ = ["MAX_COLUMNS", "read_csv"]

MAX_COLUMNS = 1_000
# Limits of one row, however many lines it takes.
MAX_ROW = 2_000_000
# The module's own limit of a field is less than a debate with its passage; ours is that of a row.
csv.field_size_limit(MAX_ROW)


class _Lines:
    """The lines of a text; refuses rows that take too many of them."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.row = 0  # how much of the present row has been read

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.row += len(line)
        if self.row > MAX_ROW:
            raise csv.Error(f"row larger than field limit ({MAX_ROW:,})")
        return line


def read_csv(
    text: str, delimiter: str, error: type[NipError]
) -> tuple[tuple[str, ...], Iterator[tuple[int, list[str] | str]]]:
    """Return the columns' names, and for each row its first line, with its cells or a fault.

    Raises
    ------
    NipError
        The given kind, if names are broken, too many or repeated.
    """
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        header = tuple(cell.strip() for cell in next(row for row in reader if any(row)))
    except (csv.Error, StopIteration) as fault:
        reason = "there is none" if isinstance(fault, StopIteration) else str(fault)
        raise error(
            f"The file's first line, with the columns' names, is broken: {reason}."
        ) from None
    if len(header) > MAX_COLUMNS:
        raise error(f"The file has {len(header):,} columns; {MAX_COLUMNS:,} are allowed.")
    twice = first_repeated(header)
    if twice is not None:
        raise error(f"The column {show(twice)} occurs twice.")
    return header, _rows(reader, lines, len(header))


def _rows(reader: Any, lines: _Lines, width: int) -> Iterator[tuple[int, list[str] | str]]:
    while True:
        line, lines.row = reader.line_num + 1, 0
        try:
            cells = next(reader, None)
        except csv.Error as fault:
            yield line, f"cannot be read: {fault}"
            if "limit" not in str(fault):
                continue
            # The fault is inside a field, so the rest would be misread.
            why = "; a quotation mark that is never closed may be the reason"
            yield line, f"and all after it are left out{why}"
            return
        if cells is None:
            return
        if len(cells) == width:
            yield line, cells
        elif cells:
            yield line, f"has {len(cells)} fields; the first line has {width}"
