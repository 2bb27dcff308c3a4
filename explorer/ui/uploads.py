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
from explorer.server import (
    KeptFile,
    UploadedFile,
    UploadLedger,
    kept_files,
    session_id,
    upload_ledger,
)
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


def kept_upload(key: str, file: UploadedFile | None) -> KeptFile | None:
    """Return the file of a widget, which is kept for the visitor, so that a reload finds it again.

    A file that is taken out of the widget is forgotten.
    """
    held = f"{key}-held"
    if file is not None:
        st.session_state[held] = file.file_id
        kept = kept_files.file(visitor(), key)
        if kept is None or kept.file_id != file.file_id:
            kept = KeptFile(file.name, file.file_id, file.getvalue())
            kept_files.keep(visitor(), key, kept)
        return kept
    if st.session_state.pop(held, None) is not None:
        forget_upload(key)
    return kept_files.file(visitor(), key)


def forget_upload(key: str) -> None:
    """Forget the file that is kept for the visitor."""
    kept_files.drop(visitor(), key)


def read_once(
    key: str, file: UploadedFile | KeptFile | None, read: Callable[[bytes, str], T]
) -> T | None:
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
    content_read = kept.get(key)
    if content_read is None or content_read.file_id != file.file_id:
        # The previous file's content is dropped first, to save memory.
        _forget(kept, key)
        with st.spinner("Reading the file"), _readers:
            content_read = kept[key] = _first_read(key, file, read)
    content_read.in_use = True
    if content_read.fault is not None:
        raise content_read.fault.with_traceback(None)
    return content_read.said


def _first_read(
    key: str, file: UploadedFile | KeptFile, read: Callable[[bytes, str], Any]
) -> _Read:
    try:
        content = read(file.getvalue(), file.name)
        if (ledger := upload_ledger()) is not None:
            _note(ledger, key, held_by(content, ledger.limits.read))
        return _Read(file.file_id, content, None)
    except NipError as fault:
        return _Read(file.file_id, None, fault.with_traceback(None))


def _forget(kept: dict[str, _Read], key: str) -> None:
    content_read = kept.pop(key, None)
    if content_read is not None and (ledger := upload_ledger()) is not None:
        _note(ledger, key, 0)


def _note(ledger: UploadLedger, key: str, size: int) -> None:
    if refused := ledger.note_read(session_id(), visitor(), key, size):
        raise UploadTooLargeError(refused)


@contextmanager
def uploads_in_use() -> Generator[None]:
    """Drop the files that the page did not read in a complete run."""
    kept: dict[str, _Read] = st.session_state.get(KEPT, {})
    for content_read in kept.values():
        content_read.in_use = False
    yield
    kept = st.session_state.get(KEPT, {})
    for key in [key for key, content_read in kept.items() if not content_read.in_use]:
        _forget(kept, key)
