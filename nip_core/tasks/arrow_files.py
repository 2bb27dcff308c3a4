"""Rows of Parquet files and of Hugging Face dataset folders, with pyarrow.

A dataset folder is read as the Arrow files that it is made of. That needs neither the ``datasets``
library nor trust: no code of the folder is run.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from nip_core.errors import TaskFileError
from nip_core.tasks.documents import show
from nip_core.tasks.rows import COLUMNS, MAX_CHARACTERS, MAX_ROWS, Row, Source, need_columns

__all__ = ["read_dataset_folder", "read_parquet"]

_BATCH = 2_000
_MAX_STATE_BYTES = 10_000_000

P = ParamSpec("P")
T = TypeVar("T")


def _pyarrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise TaskFileError(
            "Parquet files and dataset folders need pyarrow: pip install pyarrow. "
            "CSV, JSON and JSONL files need nothing."
        ) from error


def _foreign(read: Callable[P, T]) -> Callable[P, T]:
    """Turn whatever a large foreign parser raises on broken bytes into one clear error."""

    @wraps(read)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return read(*args, **kwargs)
        except TaskFileError:
            raise
        except Exception as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise TaskFileError(f"The file cannot be read: {reason}") from error

    return guarded


@_foreign
def read_parquet(data: bytes) -> Source:
    """The rows of a Parquet file."""
    parquet, pyarrow = _pyarrow("pyarrow.parquet"), _pyarrow("pyarrow")
    if not data.startswith(b"PAR1"):
        raise TaskFileError("This is not a Parquet file, although its name says so.")
    file = parquet.ParquetFile(pyarrow.BufferReader(data))
    names = tuple(map(str, file.schema_arrow.names))
    wanted = _wanted(names)
    if file.metadata.num_rows > MAX_ROWS:
        raise TaskFileError(f"The file has more than {MAX_ROWS:,} rows.")
    groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
    if sum(group.total_byte_size for group in groups) > 4 * MAX_CHARACTERS:
        raise TaskFileError("The file is too large when it is unpacked.")
    return Source(_rows(lambda: file.iter_batches(batch_size=_BATCH, columns=wanted)), names)


@_foreign
def read_dataset_folder(folder: Path, split: str | None) -> Source:
    """The rows of a folder that ``datasets``' ``save_to_disk`` wrote."""
    splits_file = folder / "dataset_dict.json"
    if splits_file.is_file():
        splits = _strings(_read_json(splits_file), "splits")
        if split is None and len(splits) == 1:
            split = splits[0]
        if split not in splits:
            asked = "" if split is None else f"There is no split {show(split)}. "
            raise TaskFileError(f"{asked}Choose a split of this dataset: {', '.join(splits)}.")
        folder /= _plain_name(split)
    elif split is not None:
        raise TaskFileError("This dataset has no splits to choose from.")
    state_file = folder / "state.json"
    if not state_file.is_file():
        raise TaskFileError(
            "This folder is not a dataset that was saved with save_to_disk: it has no state.json."
        )
    entries = _read_json(state_file).get("_data_files")
    if not isinstance(entries, list):
        raise TaskFileError("state.json of the dataset does not list its data files.")
    listed = [
        cast("dict[str, object]", entry).get("filename") if isinstance(entry, dict) else None
        for entry in cast("list[object]", entries)
    ]
    files = [folder / _plain_name(name) for name in listed]
    for file in files:
        if not file.is_file():
            raise TaskFileError(f"The dataset's file {file.name} is missing.")
    if not files:
        raise TaskFileError("The dataset is empty.")

    pyarrow, ipc = _pyarrow("pyarrow"), _pyarrow("pyarrow.ipc")
    with pyarrow.OSFile(str(files[0])) as stream:
        names = tuple(map(str, ipc.open_stream(stream).schema.names))
    wanted = _wanted(names)

    def batches() -> Iterator[Any]:
        for file in files:
            with pyarrow.memory_map(str(file)) as stream:
                for batch in ipc.open_stream(stream):
                    for start in range(0, batch.num_rows, _BATCH):
                        yield batch.slice(start, _BATCH).select(wanted)

    return Source(_rows(batches), names)


def _rows(batches: Callable[[], Iterator[Any]]) -> Iterator[Row]:
    left = batches()

    @_foreign
    def next_rows() -> list[dict[str, object]] | None:
        batch = next(left, None)
        return None if batch is None else batch.to_pylist()

    while (rows := next_rows()) is not None:
        for row in rows:
            yield None, row


def _wanted(names: tuple[str, ...]) -> list[str]:
    """The columns to unpack; others may be large."""
    for name in COLUMNS:
        if names.count(name) > 1:
            raise TaskFileError(f"The column {name!r} occurs twice.")
    need_columns(names)
    return [name for name in names if name in COLUMNS]


def _read_json(path: Path) -> dict[str, object]:
    if path.stat().st_size > _MAX_STATE_BYTES:
        raise TaskFileError(f"{path.name} of the dataset is too large.")
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise TaskFileError(f"{path.name} of the dataset is not JSON.") from error
    if not isinstance(document, dict):
        raise TaskFileError(f"{path.name} of the dataset is not an object.")
    return cast("dict[str, object]", document)


def _strings(document: dict[str, object], key: str) -> list[str]:
    value = document.get(key)
    if not isinstance(value, list):
        raise TaskFileError(f"The dataset does not list its {key}.")
    return [str(item) for item in cast("list[object]", value)]


def _plain_name(name: object) -> str:
    """A name inside the folder: a stranger's dataset must not lead out of it."""
    if not isinstance(name, str) or name in ("", ".", "..") or set(name) & set("/\\:\0"):
        raise TaskFileError(f"The dataset refers to {show(name)}, which is no file in its folder.")
    return name
