"""Rows of untrusted CSV, JSON and JSONL files, with only the standard library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from nip_core.documents import TASK_FILE, TASK_LINE, parse_json, show
from nip_core.documents.csv import read_csv
from nip_core.errors import TaskFileError
from nip_core.tasks.loading.rows import BadRow, Row, Source, need_columns

__all__ = ["TEXT_FORMATS"]

_SIGNATURES = {
    b"PAR1": "a Parquet file; save it as CSV or as JSON lines (.jsonl)",
    b"PK\x03\x04": "an Excel or ZIP file; save the table as CSV with the encoding UTF-8",
    b"\x1f\x8b": "a compressed file; unpack it first",
    b"\xff\xfe": "a text file in UTF-16; save it with the encoding UTF-8",
    b"\xfe\xff": "a text file in UTF-16; save it with the encoding UTF-8",
}


def _decode(data: bytes) -> str:
    for signature, what in _SIGNATURES.items():
        if data.startswith(signature):
            raise TaskFileError(f"This looks like {what}.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TaskFileError(
            f"The file is not UTF-8: byte {data[error.start]:#04x} in line {line:,} cannot be "
            "read. Save it with the encoding UTF-8."
        ) from error
    if not text.strip():
        raise TaskFileError("The file is empty.")
    # Characters that texts may not contain; many in a row mean another encoding.
    if text.count("\0") > len(text) // 4:
        raise TaskFileError("The file is not text: it is full of NUL bytes. Save it as UTF-8.")
    return text


def _read_csv(data: bytes) -> Source:
    text = _decode(data)
    header, rows = read_csv(text, _delimiter(text), TaskFileError)
    need_columns(header)
    return Source(
        (
            (
                line,
                BadRow(cells) if isinstance(cells, str) else dict(zip(header, cells, strict=True)),
            )
            for line, cells in rows
        ),
        header,
    )


def _delimiter(text: str) -> str:
    """Return the delimiter: a comma, or what spreadsheets use instead, judging by the header."""
    header = text.lstrip("\r\n")[:10_000].splitlines()[0]
    return max((",", ";", "\t"), key=header.count)


def _read_json(data: bytes) -> Source:
    text = _decode(data)
    try:
        document = parse_json(text, TASK_FILE, TaskFileError)
    except TaskFileError as error:
        hint = " Save one object per line as .jsonl instead?" if "Extra data" in str(error) else ""
        raise TaskFileError(f"{error}{hint}") from None
    if isinstance(document, dict):
        document = cast("dict[str, object]", document)
        if "tasks" not in document:
            raise TaskFileError(
                "The file holds one object without the key 'tasks'. It must be a list of "
                'objects, one for each task, or {"tasks": [...]}.'
            )
        document = document["tasks"]
    if not isinstance(document, list):
        raise TaskFileError(
            f"The file holds {show(document)}; it must be a list of objects, one for each task."
        )
    return Source(((None, _as_row(item)) for item in cast("list[object]", document)), None)


def _read_jsonl(data: bytes) -> Source:
    text = _decode(data)
    if text.lstrip().startswith("["):
        raise TaskFileError("The file holds a JSON list; its name should end in .json.")
    return Source(_jsonl_rows(text), None)


def _jsonl_rows(text: str) -> Iterator[Row]:
    # Not splitlines(), since JSON texts may contain other line separators of Python.
    end, number = 0, 0
    while end < len(text):
        start, number = end, number + 1
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end]
        if line.isspace():
            continue
        try:
            yield number, _as_row(parse_json(line, TASK_LINE, TaskFileError, "it"))
        except TaskFileError as error:
            yield number, BadRow(f"cannot be read: {error}")


def _as_row(item: object) -> dict[str, object] | BadRow:
    if isinstance(item, dict):
        return cast("dict[str, object]", item)
    return BadRow(f"is {show(item)}; it must be an object")


TEXT_FORMATS: dict[str, Callable[[bytes], Source]] = {
    ".csv": _read_csv,
    ".json": _read_json,
    ".jsonl": _read_jsonl,
}
