"""Texts as sentences."""

from __future__ import annotations

import re

# A stop ends a sentence only before a space, so 0.5 and f(1).x do not.
END = re.compile(r"(?<=[.!?])\s+|\n+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in END.split(text) if part.strip()]
