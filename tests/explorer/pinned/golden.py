"""Golden files: compressed JSON, and a comparison that names the differences."""

import gzip
import json
import math
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

__all__ = ["Golden", "assert_same", "rounded"]

FOLDER = Path(__file__).parent / "kept"
MOST_SHOWN = 30
NOTHING = "(nothing)"


class Golden:
    """One golden file.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        self.path = FOLDER / f"{name}.json.gz"

    def read(self) -> Any:
        """Return the expected document."""
        return json.loads(gzip.decompress(self.path.read_bytes()))

    def write(self, found: Any) -> None:
        """Write the document that is expected from now on."""
        text = json.dumps(found, indent=0, sort_keys=True)
        self.path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def assert_same(expected: Any, found: Any, hint: str = "") -> None:
    """Assert that two documents are equal, and name their differences after a hint.

    What was found is converted to JSON first, in which tuples become lists and all keys text.
    """
    lines = list(_differing(expected, json.loads(json.dumps(found)), ""))
    shown = "\n".join(lines[:MOST_SHOWN])
    assert not lines, f"{hint}\n{len(lines)} differences from the golden file, such as\n{shown}"


def _differing(expected: Any, found: Any, path: str) -> Iterator[str]:
    if expected == found:
        return
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted({*expected, *found}):
            here = f"{path}/{key}"
            yield from _differing(expected.get(key, NOTHING), found.get(key, NOTHING), here)
    elif isinstance(expected, list) and isinstance(found, list):
        for number, pair in enumerate(zip_longest(expected, found, fillvalue=NOTHING)):
            yield from _differing(*pair, f"{path}/{number}")
    elif isinstance(expected, float) and isinstance(found, float):
        # Rounded numbers could differ although they are close: 0.49 and 0.51.
        if not math.isclose(expected, found, rel_tol=1e-12):
            yield f"{path}: expected {expected!r}, found {found!r}"
    elif rounded(expected) != rounded(found):
        yield f"{path}: expected {_excerpt(expected, found)}, found {_excerpt(found, expected)}"


# Numbers that are written with all their digits.
LONG = re.compile(r"-?\d+\.\d{13,}(?:e-?\d+)?")


def rounded(value: Any) -> Any:
    """Return a value; in a text, numbers get twelve digits, since processors differ in the last."""
    if isinstance(value, str):
        return LONG.sub(lambda found: f"{float(found[0]):.12g}", value)
    return value


def _excerpt(text: Any, other: Any) -> str:
    """Return a value, or of long texts only the part in which they differ."""
    if not (isinstance(text, str) and isinstance(other, str)):
        return repr(text)[:300]
    pairs = zip(text, other, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(text), len(other)))
    return f"{'...' * (at > 40)}{text[max(0, at - 40) : at + 160]!r}"
