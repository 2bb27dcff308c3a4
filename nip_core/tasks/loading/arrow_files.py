"""Rows of Parquet files and of Hugging Face dataset folders, with pyarrow.

Both are read only from the disk of the person who runs this, since a small file of either kind may
unpack to a huge one. A dataset folder is read as its Arrow files, which needs no ``datasets``
library and runs no code of the folder.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from nip_core.documents import NOTE, first_repeated, parse_json, show
from nip_core.errors import TaskFileError
from nip_core.tasks.loading.rows import COLUMNS, MAX_ROWS, Row, Source, need_columns

__all__ = ["read_dataset_folder", "read_parquet"]

# Rows that become Python's objects at a time: few, since texts may be long.
_BATCH = 1_000
_MAX_FILES = 10_000
_MAX_UNPACKED = 256 * 2**20

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
    """Turn any exception of a third-party parser on broken bytes into one clear error."""

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
    """Return the rows of a Parquet file."""
    parquet, pyarrow = _pyarrow("pyarrow.parquet"), _pyarrow("pyarrow")
    if not data.startswith(b"PAR1"):
        raise TaskFileError("This is not a Parquet file, although its name says so.")
    file = parquet.ParquetFile(pyarrow.BufferReader(data))
    names = tuple(map(str, file.schema_arrow.names))
    wanted = _wanted(file.schema_arrow)
    if file.metadata.num_rows > MAX_ROWS:
        raise TaskFileError(f"The file has more than {MAX_ROWS:,} rows.")
    return Source(_rows(lambda: file.iter_batches(batch_size=_BATCH, columns=wanted)), names)


@_foreign
def read_dataset_folder(folder: Path, split: str | None) -> Source:
    """Return the rows of a folder written by ``save_to_disk`` of ``datasets``."""
    splits_file = folder / "dataset_dict.json"
    if splits_file.is_file():
        splits = _strings(_read_json(splits_file), "splits")[:_MAX_FILES]
        if split is None and len(splits) == 1:
            split = splits[0]
        if split not in splits:
            missing = "" if split is None else f"There is no split {show(split)}. "
            listed = ", ".join(show(name).strip("'") for name in splits[:20])
            raise TaskFileError(f"{missing}Choose a split of this dataset: {listed}.")
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
    if len(cast("list[object]", entries)) > _MAX_FILES:
        raise TaskFileError(f"The dataset has more than {_MAX_FILES:,} files.")
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
        schema = ipc.open_stream(stream).schema
    wanted = _wanted(schema)

    def batches() -> Iterator[Any]:
        for file in files:
            with pyarrow.memory_map(str(file)) as stream:
                for batch in ipc.open_stream(stream):
                    rows = batch.select(wanted)
                    _wanted(rows.schema)
                    rows.validate(full=True)
                    if rows.nbytes > _MAX_UNPACKED:
                        raise TaskFileError(f"A batch of rows has over {_MAX_UNPACKED:,} bytes.")
                    for start in range(0, rows.num_rows, _BATCH):
                        yield rows.slice(start, _BATCH)

    return Source(_rows(batches), tuple(map(str, schema.names)))


def _rows(batches: Callable[[], Iterator[Any]]) -> Iterator[Row]:
    left = batches()

    @_foreign
    def next_columns() -> dict[str, list[object]] | None:
        batch = next(left, None)
        if batch is None:
            return None
        return {str(name): batch.column(name).to_pylist() for name in batch.schema.names}

    while (columns := next_columns()) is not None:
        for values in zip(*columns.values(), strict=True):
            yield None, dict(zip(columns, values, strict=True))


def _wanted(schema: Any) -> list[str]:
    """Return the needed columns, since others may be large."""
    names = tuple(map(str, schema.names))
    wanted = [name for name in names if name in COLUMNS]
    if twice := first_repeated(wanted):
        raise TaskFileError(f"The column {twice!r} occurs twice.")
    need_columns(names)
    for name in wanted:
        if not _is_plain(schema.field(name).type):
            raise TaskFileError(
                f"The column {name!r} holds {show(str(schema.field(name).type))}; it must hold "
                "texts, numbers or truth values."
            )
    return wanted


def _is_plain(kind: Any) -> bool:
    types = _pyarrow("pyarrow").types
    if types.is_dictionary(kind):
        return types.is_integer(kind.index_type) and _is_plain(kind.value_type)
    return (
        _is_text(kind)
        or types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_null(kind)
    )


def _is_text(kind: Any) -> bool:
    types = _pyarrow("pyarrow").types
    return types.is_string(kind) or types.is_large_string(kind)


def _read_json(path: Path) -> dict[str, object]:
    name = f"{path.name} of the dataset"
    if path.stat().st_size > NOTE.size:
        raise TaskFileError(f"{name} is too large: at most {NOTE.size:,} bytes are read.")
    document = parse_json(path.read_bytes(), NOTE, TaskFileError, name)
    if not isinstance(document, dict):
        raise TaskFileError(f"{path.name} of the dataset is not an object.")
    return cast("dict[str, object]", document)


def _strings(document: dict[str, object], key: str) -> list[str]:
    value = document.get(key)
    if not isinstance(value, list):
        raise TaskFileError(f"The dataset does not list its {key}.")
    return [str(item) for item in cast("list[object]", value)]


def _plain_name(name: object) -> str:
    """Return a name after checking that it stays inside the untrusted folder."""
    if not isinstance(name, str) or name in ("", ".", "..") or set(name) & set("/\\:\0"):
        raise TaskFileError(
            f"The dataset refers to {show(name)}, which is not a file in its folder."
        )
    return name
