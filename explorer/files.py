"""Files to download: CSV in which no text becomes a formula, and Python snippets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nip_core.documents import printable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["csv_bytes", "guarded", "unguarded"]


# Full-width signs too, since some spreadsheets treat them in the same way.
FORMULA = re.compile("[\\t\\r\\n\0]|['\"\\s\ufeff\u200b]*[=+\\-@\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def guarded(text: str) -> str:
    """Return a text as a cell that spreadsheets do not read as a formula."""
    return f"'{text}" if _is_formula(text) else text


def unguarded(cell: str) -> str:
    """Return the text of a cell that :func:`guarded` made."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _cell(text: str) -> str:
    # A terminal that shows the file would execute escape sequences.
    return guarded(printable(text, keep="\t\r\n"))


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Return a table as a CSV file in UTF-8, without its index."""
    safe = frame.astype(object).map(lambda cell: _cell(cell) if isinstance(cell, str) else cell)
    safe.columns = [_cell(str(name)) for name in frame.columns]
    # With this line terminator, pandas quotes every cell that contains one of its characters.
    # Otherwise, text after a carriage return would begin a new row.
    text = safe.to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8", "replace")
