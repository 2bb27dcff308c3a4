"""Text that somebody else wrote, on a page that reads markdown."""

from __future__ import annotations

import re

__all__ = ["escaped"]


def escaped(text: str) -> str:
    """Text for markdown that shows as it stands: no formatting, links, pictures or maths."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
