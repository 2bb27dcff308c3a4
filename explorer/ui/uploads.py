"""The parsed content of uploaded files, kept in the visitor's session within limits.

A small file may become large in memory, so its content counts towards the limits. It is dropped
with its file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from explorer.kept_results import held_by
from explorer.server import UploadedFile, UploadLedger, session_id, upload_ledger
from explorer.ui.visitor import visitor
from nip_core.errors import NipError

KEPT = "uploads-read"
# A file takes several times its size in memory while it is read.
_readers = threading.BoundedSemaphore(2)


class UploadTooLargeError(NipError):
    """Raised if the parsed content of a file is too large to be kept."""


T = TypeVar("T")


@dataclass(slots=True)
class _Read:
    """The content of a file, or why it could not be read."""

    file_id: str
    said: Any
    fault: NipError | None
    in_use: bool = True


def read_once(key: str, file: UploadedFile | None, read: Callable[[bytes, str], T]) -> T | None:
    """Return the parsed content of a file, parsed only once; None without a file.

    `key` is that of the widget with which the file was uploaded.

    Raises
    ------
    NipError
        The error that `read` has raised for this file.
    UploadTooLargeError
        If the content is too large to be kept.
    """
    kept: dict[str, _Read] = st.session_state.setdefault(KEPT, {})
    if file is None:
        _forget(kept, key)
        return None
    found = kept.get(key)
    if found is None or found.file_id != file.file_id:
        # The previous file's content is dropped first, to save memory.
        _forget(kept, key)
        with st.spinner("Reading the file"), _readers:
            found = kept[key] = _first_read(key, file, read)
    found.in_use = True
    if found.fault is not None:
        raise found.fault.with_traceback(None)
    return found.said


def _first_read(key: str, file: UploadedFile, read: Callable[[bytes, str], Any]) -> _Read:
    try:
        said = read(file.getvalue(), file.name)
        if (ledger := upload_ledger()) is not None:
            _note(ledger, key, held_by(said, ledger.limits.read))
        return _Read(file.file_id, said, None)
    except NipError as fault:
        return _Read(file.file_id, None, fault.with_traceback(None))


def _forget(kept: dict[str, _Read], key: str) -> None:
    found = kept.pop(key, None)
    if found is not None and (ledger := upload_ledger()) is not None:
        _note(ledger, key, 0)


def _note(ledger: UploadLedger, key: str, size: int) -> None:
    if refused := ledger.note_read(session_id(), visitor(), key, size):
        raise UploadTooLargeError(refused)


@contextmanager
def uploads_in_use() -> Generator[None]:
    """Drop the files that the page did not read in a complete run."""
    kept: dict[str, _Read] = st.session_state.get(KEPT, {})
    for found in kept.values():
        found.in_use = False
    yield
    kept = st.session_state.get(KEPT, {})
    for key in [key for key, found in kept.items() if not found.in_use]:
        _forget(kept, key)
