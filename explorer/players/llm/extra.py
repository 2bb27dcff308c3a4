"""Further parts of a request that a person has written as JSON: what may stand there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from explorer.players.errors import LLMError
from nip_core.documents import Limits, parse_json, plain_copy

__all__ = ["checked_extra", "holds_key", "read_extra"]

IT = "The extra body"
LIMITS = Limits(size=4_000, values=500, depth=10)
TOO_LONG = f"{IT} is too long: at most {LIMITS.size:,} characters."
# What an answer is asked for with, and how many; it is ours to say, or one request could be many.
OURS = frozenset(
    [
        *("model", "models", "messages", "prompt", "input", "stream", "stream_options"),
        *("n", "best_of", "use_beam_search"),
    ]
)
# What the form has fields for, so that a record says it once.
FIELDS = frozenset(
    ["temperature", "top_p", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort"]
)
KEY_NAME = re.compile(
    r"(?i)(x[-_])?(api[-_]?key|key|authorization|auth|bearer|(access[-_]?)?token|password|secret|"
    r"credentials?)"
)
# As the large services begin their keys, so that one in the wrong field is not written down.
KEY = re.compile(
    r"(?i)\bbearer\s+\S{8}|\b(sk|pk|hf|gsk|xai|ghp|nvapi|r8|pplx|csk|fw|tgp)[-_][\w-]{16}|"
    r"\bAIza[\w-]{20}"
)


def holds_key(text: str) -> bool:
    """Does a text look as if a service's key were in it?"""
    return KEY.search(text) is not None


def read_extra(text: str) -> dict[str, Any]:
    """Read what a person has typed; nothing typed is nothing extra.

    Raises
    ------
    LLMError
        Without the text, which may hold anything.
    """
    if len(text) > LIMITS.size:
        raise LLMError(TOO_LONG)
    return checked_extra(parse_json(text, LIMITS, LLMError, IT)) if text.strip() else {}


def checked_extra(value: object) -> dict[str, Any]:
    """A plain copy of an object that may be a part of a request, and of its record.

    Raises
    ------
    LLMError
    """
    if not isinstance(value, Mapping):
        raise LLMError(f'{IT} must be a JSON object, such as {{"top_k": 40}}.')
    given = plain_copy(cast("Mapping[str, Any]", value), LIMITS, LLMError, IT)
    # The record is written as JSON, so its size counts there too.
    if len(json.dumps(given)) > LIMITS.size:
        raise LLMError(TOO_LONG)
    if names := sorted(OURS & set(given)):
        raise LLMError(f"{IT} must not hold {', '.join(names)}: that is what the explorer sends.")
    if names := sorted(FIELDS & set(given)):
        raise LLMError(f"{IT} must not hold {', '.join(names)}: there is a field for it.")
    for name, text in _texts(given):
        if KEY_NAME.fullmatch(name) or holds_key(text) or holds_key(name):
            raise LLMError(
                f"{IT} must hold no key: it is written into the transcript. A key has a field of "
                "its own."
            )
    return given


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every name in a document, and the text below it."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _texts(inner, key)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _texts(inner, name)
    yield name, value if isinstance(value, str) else ""
