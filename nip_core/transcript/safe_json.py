"""Reading JSON from a stranger: limits on size and depth, and nothing that JSON does not have."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from nip_core.errors import TranscriptError

__all__ = ["MAX_BYTES", "canonical", "parse_json"]

MAX_BYTES = 20_000_000
MAX_DEPTH = 40


def canonical(document: object) -> str:
    """A document in the one form that is hashed: sorted keys, no blanks, ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parse_json(text: str | bytes) -> Any:
    """Read a JSON text.

    Raises
    ------
    TranscriptError
        If it is too large, too deep, no JSON, or JSON that means different things to different
        readers (keys that are given twice, NaN).
    """
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise TranscriptError(
            f"The file has {size / 1e6:.0f} MB; a transcript has at most {MAX_BYTES // 10**6} MB."
        )
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        if _depth(decoded) > MAX_DEPTH:
            raise TranscriptError(f"The file is nested more than {MAX_DEPTH} levels deep.")
        return json.loads(decoded, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise TranscriptError("The file is not text in UTF-8.") from None
    except TranscriptError:
        raise
    except ValueError as error:
        # A JSONDecodeError, or a number too long to be one.
        raise TranscriptError(f"The file is not JSON: {error}.") from None


def _depth(text: str) -> int:
    """How deep brackets are nested; those within strings count too, which errs on the safe side.

    Closing brackets within strings could hide depth, so they are not counted there.
    """
    depth = deepest = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(k for i, (k, _) in enumerate(pairs) if k in {key for key, _ in pairs[:i]})
        raise TranscriptError(f"The file gives the key {twice[:60]!r} twice in one object.")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise TranscriptError(f"The file holds {name}, which is no JSON number.")
