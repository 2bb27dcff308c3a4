"""One place where everything that goes to the log is made harmless, whoever has made it up.

What visitors, proxies, providers of identities and services say ends up in lines of the log, ours
and those of libraries: a line break in it would forge a line, and an escape sequence would do
something in the terminal of whoever reads it.
"""

from __future__ import annotations

import logging
import traceback
from typing import Any

from nip_core.documents import printable

__all__ = ["EscapedRecord", "escape_logs"]


class EscapedRecord(logging.LogRecord):
    """A line of the log whose text is one line of characters that are only shown."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Formatters take this where it is there. No line of it begins like one of the log.
        if self.exc_info and self.exc_info[0] is not None:
            written = printable("".join(traceback.format_exception(*self.exc_info)))
            self.exc_text = "\n".join(f"  {line}" for line in written.splitlines())

    def getMessage(self) -> str:  # noqa: N802
        """Return the text, with all that is not plainly shown written out."""
        return printable(super().getMessage(), keep="\t")


def escape_logs() -> None:
    """Escape what this process writes to its log from now on, through any logger."""
    logging.setLogRecordFactory(EscapedRecord)
