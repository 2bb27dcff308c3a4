"""Reading untrusted JSON: within limits, and only if all parsers would read it alike."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Any, NoReturn

from nip_core.displays import displayed
from nip_core.errors import NipError, show

__all__ = [
    "MODEL_TABLE",
    "NOTE",
    "TASK_FILE",
    "TASK_LINE",
    "TRANSCRIPT",
    "WRITTEN",
    "Limits",
    "parse_json",
    "plain_copy",
    "read_file",
    "read_text",
]


@displayed
@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for reading a document.

    Parameters
    ----------
    size : int
        Bytes.
    values : int
        Values of any kind: in memory, even a small one takes many times its size in the file.
    depth : int
        Lists and objects within each other.
    digits : int
        Digits of one number; Python's time to read it grows with their square.
    """

    size: int
    values: int = 1_000_000
    depth: int = 40
    digits: int = 4_300


TRANSCRIPT = Limits(size=20_000_000)
TASK_FILE = Limits(size=256 * 2**20, values=2_000_000)
TASK_LINE = Limits(size=2_000_000, values=100_000)
MODEL_TABLE = Limits(size=20_000_000, values=500_000)
# A value in an address, or a small file beside a large one.
NOTE = Limits(size=10_000_000, values=100_000)
# For documents that a person writes: a study, a lesson.
WRITTEN = Limits(size=200_000, values=20_000, depth=20)

# All characters that do not affect the number and depth of values.
_NO_STRUCTURE = bytes(set(range(256)) - set(b'[]{},"'))
# The last quotation mark may be missing. Such a text is not JSON, but it is still read only once.
_STRING = re.compile(rb'"[^"]*+"?')
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_OF_NUMBERS = b"0123456789+-.eE"
_TO_ZEROS = bytes.maketrans(_OF_NUMBERS, b"0" * len(_OF_NUMBERS))
# A number that is shorter, and has no exponent of three digits, is certainly finite and can be read
# directly.
_LONG_NUMBER = 200
_LARGE_EXPONENT = re.compile(rb"[eE]\+?[0-9]{3}")


def read_file(path: Path, limits: Limits, error: type[NipError], it: str = "") -> bytes:
    """Return a file's bytes, at most one more than the limit, which the parser then refuses.

    Parameters
    ----------
    path : Path
    limits : Limits
    error : type of NipError
        The error to raise.
    it : str
        The name of the file in messages; by default its path.

    Raises
    ------
    NipError
        The given kind, if there is no such file, or it may not be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(limits.size + 1)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise error(f"{it or path} cannot be read: {reason}. Check the path.") from None


def read_text(
    text: str | bytes, limits: Limits, error: type[NipError], it: str = "The file"
) -> str:
    """Return a document as text if it is within the limit and valid UTF-8.

    Raises
    ------
    NipError
        The given kind.
    """
    if len(text) > limits.size:
        unit = "bytes" if isinstance(text, bytes) else "characters"
        most = f"{limits.size / 1e6:.3g} MB"
        raise error(f"{it} has {len(text):,} {unit}; at most {most} are read.")
    try:
        return text.decode("utf-8-sig") if isinstance(text, bytes) else text
    except UnicodeDecodeError:
        raise error(f"{it} is not text in UTF-8.") from None


def parse_json(
    text: str | bytes,
    limits: Limits,
    error: type[NipError],
    it: str = "The file",
    *,
    nan: bool = False,
) -> Any:
    """Read a JSON text, in time and memory that grow with its length.

    Parameters
    ----------
    text : str or bytes
    limits : Limits
    error : type of NipError
        The error to raise.
    it : str
        The name of the text in messages.
    nan : bool
        Whether NaN and infinities, which JSON does not have, are read as null; else they are
        refused.

    Raises
    ------
    NipError
        The given kind, if the text exceeds a limit, is not JSON, or is JSON that parsers read
        differently: repeated keys, or numbers that are not finite.
    """
    text = read_text(text, limits, error, it)
    # As bytes, which can be searched many times faster.
    data = text.encode(errors="surrogatepass")
    _need_shape(data, limits, error, it)
    # Calling a function for every number takes longer than all the rest.
    of_numbers: dict[str, Any] = {}
    if _may_hold_odd_numbers(data, limits):
        of_numbers["parse_int"] = partial(_number, int, limits, error, it)
        of_numbers["parse_float"] = partial(_number, float, limits, error, it)
    try:
        return json.loads(
            text,
            object_pairs_hook=partial(_object, error, it),
            parse_constant=_no_number if nan else partial(_refuse_constant, error, it),
            **of_numbers,
        )
    except json.JSONDecodeError as fault:
        raise error(f"{it} is not JSON: {fault}.") from None


def _need_shape(data: bytes, limits: Limits, error: type[NipError], it: str) -> None:
    """Check the cost of reading a text before it is read."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = data.translate(None, _NO_STRUCTURE)
    # Most texts contain none of these characters, so only their two quotation marks are left.
    outside = _STRING.sub(b"", structure.replace(b'""', b""))
    # Each of these characters begins at most one value.
    if sum(map(outside.count, b",[{")) > limits.values:
        raise error(f"{it} holds more than {limits.values:,} values.")
    # With more brackets than these, a closing one is unmatched, and reading ends there.
    brackets = outside.replace(b",", b"")[: 2 * limits.values]
    if max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > limits.depth:
        raise error(f"{it} is nested too deeply: more than {limits.depth} levels deep.")


def _may_hold_odd_numbers(data: bytes, limits: Limits) -> bool:
    """Return whether a number may be too long or too large; in doubt, and for texts, yes."""
    long = b"0" * min(limits.digits + 1, _LONG_NUMBER)
    return long in data.translate(_TO_ZEROS) or _LARGE_EXPONENT.search(data) is not None


def _object(error: type[NipError], it: str, pairs: list[tuple[str, Any]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        # Both are in the order of the text, up to the first repeated key.
        twice = next(key for (key, _), kept in zip_longest(pairs, fields) if key != kept)
        raise error(f"{it} gives the key {show(twice)} twice in one object.")
    return fields


def _number(
    kind: type[int] | type[float], limits: Limits, error: type[NipError], it: str, text: str
) -> int | float:
    if len(text) > limits.digits:
        raise error(f"{it} is not JSON that is read: a number has over {limits.digits:,} digits.")
    value = kind(text)
    if kind is float and math.isinf(value):
        raise error(f"{it} holds the number {text[:20]}, which is too large to be kept.")
    return value


def _no_number(name: str) -> None:
    """Return null for NaN and infinities."""


def _refuse_constant(error: type[NipError], it: str, name: str) -> NoReturn:
    raise error(f"{it} holds {name}, which is no JSON number.")


def plain_copy(
    document: object, limits: Limits, error: type[NipError], it: str = "The file"
) -> Any:
    """Return the result of reading a document as text, whatever Python objects are in it."""
    try:
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as fault:
        reason = " ".join(str(fault).split())[:100]
        raise error(f"{it} cannot be written as JSON: {reason}.") from None
    return parse_json(text, limits, error, it)
