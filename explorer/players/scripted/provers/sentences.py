"""Texts in sentences: what an expert says, and what it is asked."""

from __future__ import annotations

import re

__all__ = ["sentences"]

# Behind a stop, a blank; so 0.5 and f(1).x are no ends.
END = re.compile(r"(?<=[.!?])\s+|\n+")


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part.strip() for part in END.split(text) if part.strip()]
