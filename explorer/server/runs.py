"""Runs of pages: their processor time is counted for each visitor, and long work can be ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from explorer.server.processor_time import SECONDS, ProcessorTime
from explorer.server.streamlit_parts import page_visitor, stop_if_gone, upload_ledger

__all__ = ["PROCESSOR_SECONDS", "counted_file", "counted_run", "is_run_counted", "processor_time"]

PROCESSOR_SECONDS = "NIP_PROCESSOR_SECONDS"
T = TypeVar("T")
processor_time = ProcessorTime(float(os.environ.get(PROCESSOR_SECONDS) or SECONDS))
_counting: ContextVar[bool] = ContextVar("whether this run is counted", default=False)


def is_run_counted() -> bool:
    """Return whether the present run of a page is counted already."""
    return _counting.get()


@contextmanager
def counted_run() -> Generator[None]:
    """Count the processor time of this run of a page, on our own server.

    Long work ends early if the browser has gone.

    Raises
    ------
    ProcessorTimeError
        If the visitor has used too much; at once, or from within long work.
    """
    if upload_ledger() is None:
        yield  # a test without a server
        return
    token = _counting.set(True)
    try:
        with processor_time.counted(page_visitor(), stop_if_gone):
            yield
    finally:
        _counting.reset(token)


def counted_file(make: Callable[[], T]) -> Callable[[], T]:
    """Return a function that makes a file, counted for the visitor whose page offers it.

    Streamlit calls it outside of the page's run, as often as the browser asks for the file.
    """
    visitor = page_visitor()

    def made() -> T:
        with processor_time.counted(visitor, lambda: None):
            return make()

    return made if upload_ledger() is not None else make
