"""Logging that is safe and short: control characters escaped, repeats limited."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from nip_core.documents import printable


class EscapedRecord(logging.LogRecord):
    """A log record whose message is one line of printable characters."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Formatters use this text if it is set. Its lines are indented, so none looks like a
        # record.
        if self.exc_info and self.exc_info[0] is not None:
            written = printable("".join(traceback.format_exception(*self.exc_info)))
            self.exc_text = "\n".join(f"  {line}" for line in written.splitlines())

    def getMessage(self) -> str:  # noqa: N802
        """Return the message with everything unprintable escaped."""
        return printable(super().getMessage(), keep="\t")


def escape_logs() -> None:
    """Escape everything that this process logs from now on, through any logger."""
    logging.setLogRecordFactory(EscapedRecord)


# Records of one kind per minute.
LINES = 10
MINUTE = 60.0


class Seldom(logging.Filter):
    """Passes ten records of one kind per minute, then reports how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        # By the line of code that logs: the start of its minute, and the count since then.
        self._seen: dict[object, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is logged."""
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
    """Limit repeated records in this process from now on, and write those of the explorer itself.

    They do not pass through the root logger: a library that is loaded later may change its level
    or its handlers. Inspect does so when a study begins, and the warnings were lost from then on.
    """
    seldom = Seldom()
    own = logging.getLogger("explorer")
    own.setLevel(logging.WARNING)
    own.addHandler(logging.StreamHandler())
    own.propagate = False
    # A logger's filters do not apply to the loggers below it.
    streamlit = [name for name in logging.root.manager.loggerDict if name.startswith("streamlit.")]
    for name in ("asyncio", "explorer", "uvicorn.error", *streamlit):
        logging.getLogger(name).addFilter(seldom)
