"""Tables as CSV files that no spreadsheet takes for formulas.

A spreadsheet computes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break,
quotes or blanks in front of it or not: a message in a transcript could fetch an address or run a
program. Such a text gets an apostrophe in front, by which spreadsheets know text; numbers stay
numbers, and :func:`unguarded` takes the apostrophe away again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nip_core.documents import printable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["csv_bytes", "guarded", "unguarded"]

# In full width as well, which some spreadsheets take for the same.
FORMULA = re.compile("[\\t\\r\\n\0]|['\"\\s\ufeff\u200b]*[=+\\-@\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def guarded(text: str) -> str:
    """A text as a cell that is no formula."""
    return f"'{text}" if _is_formula(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell that :func:`guarded` made."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _cell(text: str) -> str:
    # A terminal does what escape sequences say when it shows the file.
    return guarded(printable(text, keep="\t\r\n"))


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A table as a CSV file in UTF-8, without its index."""
    safe = frame.astype(object).map(lambda cell: _cell(cell) if isinstance(cell, str) else cell)
    safe.columns = [_cell(str(name)) for name in frame.columns]
    # With these ends of lines, every cell that holds a part of one is put into quotes: else what
    # follows a carriage return would begin a row of its own.
    text = safe.to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8", "replace")
