"""What a visitor's file says: read when it comes, and forgotten when it goes.

It is kept in the visitor's session, so that nobody else ever gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from nip_core.errors import NipError

__all__ = ["UploadedFile", "read_once", "uploads_in_use"]

KEPT = "uploads-read"

T = TypeVar("T")


@dataclass(slots=True)
class _Read:
    """What came of a file: what it says, or why it says nothing."""

    file_id: str
    said: Any
    fault: NipError | None
    in_use: bool = True


def read_once(key: str, file: UploadedFile | None, read: Callable[[UploadedFile], T]) -> T | None:
    """What a file says, however often the page runs; None while there is no file.

    Parameters
    ----------
    key : str
        Names the place where the file was sent.
    file : UploadedFile, optional
    read : callable
        Runs once for each file.

    Raises
    ------
    NipError
        What `read` has raised for this file.
    """
    kept: dict[str, _Read] = st.session_state.setdefault(KEPT, {})
    if file is None:
        kept.pop(key, None)
        return None
    found = kept.get(key)
    if found is None or found.file_id != file.file_id:
        # What the file before it said need not be kept while this one is read.
        kept.pop(key, None)
        with st.spinner("Reading the file"):
            found = kept[key] = _first_read(file, read)
    found.in_use = True
    if found.fault is not None:
        raise found.fault.with_traceback(None)
    return found.said


def _first_read(file: UploadedFile, read: Callable[[UploadedFile], Any]) -> _Read:
    try:
        return _Read(file.file_id, read(file), None)
    except NipError as fault:
        return _Read(file.file_id, None, fault.with_traceback(None))


@contextmanager
def uploads_in_use() -> Generator[None]:
    """Forget, when a page has run to its end, the files that it did not ask for any more."""
    kept: dict[str, _Read] = st.session_state.get(KEPT, {})
    for found in kept.values():
        found.in_use = False
    yield
    kept = st.session_state.get(KEPT, {})
    for key in [key for key, found in kept.items() if not found.in_use]:
        del kept[key]
