"""A log that nobody can fill by making the same thing go wrong again and again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

__all__ = ["Seldom", "keep_short"]

# Lines of one kind in a minute.
LINES = 10
MINUTE = 60.0


class Seldom(logging.Filter):
    """Lets ten lines of one kind through in a minute, and then says how many were left out.

    Parameters
    ----------
    clock : callable, optional
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        # By the line of code that writes: the beginning of its minute, and its lines since.
        self._seen: dict[object, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Is this line written?"""
        error = record.exc_info[0] if record.exc_info else None
        kind = record.name, record.levelno, record.pathname, record.lineno, error
        now = self._clock()
        with self._lock:
            since, count = self._seen.get(kind, (now, 0))
            if now - since >= MINUTE:
                since, left_out, count = now, max(0, count - LINES), 0
                if left_out:
                    record.msg = f"{record.getMessage()} ({left_out:,} lines like this left out)"
                    record.args = ()
            self._seen[kind] = since, count + 1
        return count < LINES


def keep_short() -> None:
    """Keep the log of this process short from now on."""
    seldom = Seldom()
    # Filters of a logger do not hold for those below it.
    streamlit = [name for name in logging.root.manager.loggerDict if name.startswith("streamlit.")]
    for name in ("asyncio", "explorer", "uvicorn.error", *streamlit):
        logging.getLogger(name).addFilter(seldom)
