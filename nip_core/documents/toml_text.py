"""Reading untrusted TOML: within limits, and as plain data."""

from __future__ import annotations

import math
import re
import tomllib
from typing import Any

from nip_core.documents.json_text import Limits, plain_copy, read_text
from nip_core.documents.shapes import leaves
from nip_core.errors import NipError, show

__all__ = ["parse_toml"]

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""


def parse_toml(
    text: str | bytes, limits: Limits, error: type[NipError], it: str = "The file"
) -> dict[str, Any]:
    """Read a TOML text with only such values as JSON can express.

    Parameters
    ----------
    text : str or bytes
    limits : Limits
    error : type of NipError
        The error to raise.
    it : str
        The name of the text in messages.

    Raises
    ------
    NipError
        The given kind, with the line, if the text exceeds a limit or is not TOML; or, with the
        place, for values that JSON cannot express: times, and numbers that are not finite.
    """
    text = read_text(text, limits, error, it)
    deep = f"{it} is nested too deeply: more than {limits.depth} levels deep."
    # The time of Python's reader grows with the square of a dotted key's length.
    if re.search(rf"(?<![A-Za-z0-9_-])(?:{_PART}){{{limits.depth + 1}}}", text):
        raise error(deep)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise error(f"{it} is not TOML: {fault}.") from None
    except ValueError as fault:  # a number of too many digits
        raise error(f"{it} is not TOML that is read: {fault}.") from None
    except RecursionError:
        raise error(deep) from None
    for place, value in leaves(document):
        if isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
            continue
        shown = show(value if isinstance(value, float) else str(value))
        raise error(
            f"{it} is not plain: {place} is {shown}. What can stand there are texts, lists, "
            "tables, true, false, and finite numbers; write a time as a text."
        )
    return plain_copy(document, limits, error, it)
