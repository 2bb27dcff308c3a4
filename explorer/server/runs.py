"""Runs of pages: their processor time is counted for each visitor, and long work can be ended."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from explorer.server.processor_time import SECONDS, ProcessorTime
from explorer.server.streamlit_parts import page_visitor, stop_if_gone, upload_ledger

__all__ = ["PROCESSOR_SECONDS", "counted_run", "is_run_counted", "processor_time"]

PROCESSOR_SECONDS = "NIP_PROCESSOR_SECONDS"
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
