"""Rows of CSV, JSON and JSONL files, from anybody. Only the standard library is needed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from nip_core.errors import TaskFileError
from nip_core.tasks.documents import show
from nip_core.tasks.rows import MAX_ROWS, BadRow, Row, Source, need_columns

__all__ = ["TEXT_FORMATS"]

# What a small file can blow up to in memory: each of these characters can begin a value.
_MAX_VALUES = 10 * MAX_ROWS
_MAX_LINE = 2_000_000
_JSON_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)

_SIGNATURES = {
    b"PAR1": "a Parquet file; its name should end in .parquet",
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
    # Text fields may not hold them either, and many in a row are a sign of another encoding.
    if text.count("\0") > len(text) // 4:
        raise TaskFileError("The file is not text: it is full of NUL bytes. Save it as UTF-8.")
    return text


def _read_csv(data: bytes) -> Source:
    text = _decode(data)
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [cell.strip() for cell in next(row for row in reader if any(row))]
    except (csv.Error, StopIteration) as error:
        raise TaskFileError(
            f"The first line, with the columns' names, is broken: {error}"
        ) from error
    if len(set(header)) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise TaskFileError(f"The column {show(twice)} occurs twice.")
    need_columns(header)
    return Source(_csv_rows(reader, header), tuple(header))


def _delimiter(text: str) -> str:
    """A comma, or what spreadsheets write instead of it, if the header says so."""
    header = text.lstrip("\r\n")[:10_000].splitlines()[0]
    return max((",", ";", "\t"), key=header.count)


def _csv_rows(reader: Any, header: list[str]) -> Iterator[Row]:
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield line, BadRow(f"cannot be read: {error}")
            if "limit" not in str(error):
                continue
            # In the middle of a field, so whatever follows would be taken for something else.
            why = "; a quotation mark that is never closed may be the reason"
            yield line, BadRow(f"and all after it are left out{why}")
            return
        if cells is None:
            return
        if len(cells) == len(header):
            yield line, dict(zip(header, cells, strict=True))
        elif cells:
            yield line, BadRow(f"has {len(cells)} fields; the first line has {len(header)}")


def _read_json(data: bytes) -> Source:
    text = _decode(data)
    document = _parse(text, "Save one object per line as .jsonl instead?" if "\n{" in text else "")
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


def _parse(text: str, hint: str) -> object:
    outside = _JSON_STRING.sub("", text)
    if sum(map(outside.count, ",{[")) > _MAX_VALUES:
        raise TaskFileError(f"The file holds more than {_MAX_VALUES:,} values.")
    del outside
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except RecursionError as error:
        raise TaskFileError("The file is nested too deeply.") from error
    except ValueError as error:
        raise TaskFileError(f"The file is not JSON: {error}. {hint}".strip()) from error


def _read_jsonl(data: bytes) -> Source:
    text = _decode(data)
    if text.lstrip().startswith("["):
        raise TaskFileError("The file holds a JSON list; its name should end in .json.")
    return Source(_jsonl_rows(text), None)


def _jsonl_rows(text: str) -> Iterator[Row]:
    # Not splitlines(): JSON texts may hold other characters that Python breaks lines at.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.isspace():
            continue
        if len(line) > _MAX_LINE:
            yield number, BadRow(f"has {len(line):,} characters; {_MAX_LINE:,} are allowed")
            continue
        try:
            yield number, _as_row(json.loads(line, object_pairs_hook=_unique))
        except RecursionError:
            yield number, BadRow("is nested too deeply")
        except ValueError as error:
            yield number, BadRow(f"is not JSON: {error}")


def _unique(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """An object of a JSON text. Which of two equal keys counts is nothing to guess about."""
    pairs = list(pairs)
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {show(twice)} occurs twice in one object")
    return found


def _as_row(item: object) -> dict[str, object] | BadRow:
    if isinstance(item, dict):
        return cast("dict[str, object]", item)
    return BadRow(f"is {show(item)}; it must be an object")


TEXT_FORMATS: dict[str, Callable[[bytes], Source]] = {
    ".csv": _read_csv,
    ".json": _read_json,
    ".jsonl": _read_jsonl,
}
