"""Files to download: CSV in which no text becomes a formula, and Python snippets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from nip_core.documents import printable
from nip_core.parameters import HyperParameters

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["csv_bytes", "guarded", "parameters_python", "unguarded"]


def parameters_python(parameters: HyperParameters) -> str:
    """Return the parameters as Python code, without those at their defaults."""
    plain, arguments = HyperParameters().to_dict(), dict[str, object]()
    for name, value in parameters.to_dict().items():
        if isinstance(value, dict):
            group = cast("dict[str, object]", value)
            own = {key: item for key, item in group.items() if item != plain[name][key]}
            if own:
                arguments[name] = own
        elif value != plain[name] or name == "interaction_protocol":
            arguments[name] = value
    written = [f"{name}={_literal(value)}" for name, value in arguments.items()]
    if len(written) == 1:
        return f"HyperParameters({written[0]})"
    inside = "".join(f"\n        {argument}," for argument in written)
    return f"\n    HyperParameters({inside}\n    )\n"


def _literal(value: Any) -> str:
    """Return a value as Python code, with double quotes."""
    if isinstance(value, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        items = (f"{_literal(key)}: {_literal(item)}" for key, item in mapping.items())
        return "{" + ", ".join(items) + "}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


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
