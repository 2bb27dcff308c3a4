"""Loading a user's tasks from a file or a dataset folder."""

from __future__ import annotations

import os
from pathlib import Path

from nip_core.errors import TaskFileError
from nip_core.tasks.loading.arrow_files import read_dataset_folder, read_parquet
from nip_core.tasks.loading.rows import MAX_ROWS, LoadReport, Source, check_rows
from nip_core.tasks.loading.text_files import TEXT_FORMATS

__all__ = ["EXTENSIONS", "MAX_FILE_BYTES", "load_tasks"]

MAX_FILE_BYTES = 256 * 2**20

# Formats that are read from uploads, too; Parquet is read only from the disk.
EXTENSIONS = tuple(TEXT_FORMATS)
_PARQUET = ".parquet"
_READERS = {**TEXT_FORMATS, _PARQUET: read_parquet}


def load_tasks(
    source: str | os.PathLike[str] | bytes,
    filename: str | None = None,
    *,
    split: str | None = None,
    max_rows: int = MAX_ROWS,
) -> LoadReport:
    """Read tasks from a CSV, JSON or JSONL file, or a Parquet file or Hugging Face dataset on disk.

    A row needs `question`, `solution` and `y`; `id`, `prover_stance` and `explanation` are
    optional. `y` and `prover_stance` are 0 or 1, or false/true, reject/accept, incorrect/correct.
    Each row is checked separately: the report has a task for every valid row, and the problems of
    the others.

    Parameters
    ----------
    source : path or bytes
        A file, a folder that ``datasets``' ``save_to_disk`` wrote, or the bytes of a file in
        another format than Parquet.
    filename : str, optional
        The name of the file; required with bytes, since its ending gives the format.
    split : str, optional
        The part of a dataset folder to read, if it has several.
    max_rows : int
        The most rows of the file; use a low limit for untrusted files.

    Raises
    ------
    TaskFileError
        If nothing in the file can be used, with the reason and what to do. At most 256 MiB,
        1,000,000 rows, 2,000,000 values of a JSON document, 200,000,000 characters in all, and
        100,000 in a question, solution or explanation are read.
    """
    name = _name(source, filename)
    try:
        return check_rows(name, _open(source, filename, split), max_rows)
    except TaskFileError as error:
        raise TaskFileError(f"{name}: {error}") from error
    except (OSError, ValueError) as error:  # ValueError is raised for an impossible path
        raise TaskFileError(f"{name}: The file cannot be opened: {error}") from error


def _name(source: str | os.PathLike[str] | bytes, filename: str | None) -> str:
    """Return the name for messages, without control characters."""
    if filename is None and not isinstance(source, bytes):
        filename = os.path.basename(os.path.normpath(source))
    return "".join(c if c.isprintable() else "?" for c in filename or "The file")[:100]


def _open(
    source: str | os.PathLike[str] | bytes, filename: str | None, split: str | None
) -> Source:
    if not isinstance(source, bytes):
        path = Path(source)
        if path.is_dir():
            return read_dataset_folder(path, split)
        filename = filename or path.name
    elif filename is None:
        raise TaskFileError("Say what the file is called: its ending tells the format.")
    ending = os.path.splitext(filename)[1].lower()
    if ending == _PARQUET and isinstance(source, bytes):
        raise TaskFileError(
            "Parquet files cannot be uploaded. Save the table as CSV or as JSON lines (.jsonl); "
            "in Python, load_tasks also reads Parquet from a path."
        )
    read = _READERS.get(ending)
    if read is None:
        raise TaskFileError(f"The name must end in one of {', '.join(_READERS)}.")
    if split is not None:
        raise TaskFileError("Only dataset folders have splits to choose from.")
    if not isinstance(source, bytes):
        path = Path(source)
        if not path.is_file():
            raise TaskFileError("There is no such file.")
        _need_size(path.stat().st_size)
        source = path.read_bytes()
    _need_size(len(source))
    return read(source)


def _need_size(size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise TaskFileError(
            f"The file has {size / 2**20:,.0f} MiB; {MAX_FILE_BYTES // 2**20} are allowed."
        )
    if not size:
        raise TaskFileError("The file is empty.")
