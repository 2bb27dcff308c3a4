"""What a piece of an answer says, and what of it is only thought.

Services put thoughts into fields of their own, under several names, as text or as lists of parts;
and some put parts of both kinds into the field that holds the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["text_and_reasoning", "thinks_by_itself"]

# The same thoughts may stand in several of them, so the first that has any counts.
FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "reasoning_details", "thinking")
# What a part of a list calls its text.
KEYS = ("text", "thinking", "reasoning", "summary", "content")
THOUGHT = ("think", "reason")
MAX_DEPTH = 4


def text_and_reasoning(delta: Mapping[str, Any]) -> tuple[str, str]:
    """The words of a piece, and the thoughts.

    Parameters
    ----------
    delta : mapping
        As a service sent it: of a piece of a message, or of a whole one.

    Raises
    ------
    TypeError
        If the content is neither text nor parts.
    """
    content = delta.get("content")
    if not isinstance(content, str | list | None):
        raise TypeError("content is no text")
    said, thought = _parts(cast("str | list[Any] | None", content))
    for field in FIELDS:
        if words := "".join(_parts(delta.get(field))):
            return said, thought + words
    return said, thought


_SCRATCHPAD = re.compile(r"(?i)</?\s?scratch_?pad\s?>")
_MARK = re.compile(r"<[^<>]{0,80}>|\[/?[A-Za-z]{1,20}\]")


def thinks_by_itself(apart: str, thoughts: str) -> bool:
    """Has a model thought on its own account, rather than where it was offered a place for it?

    Parameters
    ----------
    apart : str
        What came in fields of their own.
    thoughts : str
        All that it has thought.
    """
    if apart.strip():
        return True
    return not _SCRATCHPAD.search(thoughts) and bool(_MARK.sub("", thoughts).strip())


def _parts(value: Any, depth: int = MAX_DEPTH) -> tuple[str, str]:
    """Of a text, a part or a list of parts: the words, and the thoughts."""
    if isinstance(value, str):
        return value, ""
    if depth == 0:
        return "", ""
    if isinstance(value, list):
        pairs = [_parts(item, depth - 1) for item in cast("list[Any]", value)]
        return "".join(said for said, _ in pairs), "".join(thought for _, thought in pairs)
    if not isinstance(value, Mapping):
        return "", ""
    part = cast("Mapping[str, Any]", value)
    words = next((part[key] for key in KEYS if part.get(key)), "")
    said, thought = _parts(words, depth - 1)
    kind = str(part.get("type", ""))
    return ("", said + thought) if any(word in kind for word in THOUGHT) else (said, thought)
