"""The letters of the typeface Inter as outlines: how wide a text is, and how it is drawn.

What is drawn with them looks the same everywhere, whatever typefaces a machine has. The outlines
are in ``glyphs.json``, which ``.make/glyphs.py`` writes; the licence is in ``OFL.txt``.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

__all__ = ["CAP", "EM", "can_draw", "glyph", "width"]

EM = 1000  # units of the outlines to the size of the type
# So far above the line that letters stand on is their middle, in parts of their size.
CAP = 0.36
# The width of a character that is not among them; the viewer draws it in its own typeface.
UNKNOWN = 900


@functools.cache
def _outlines() -> dict[str, dict[str, tuple[int, str]]]:
    return json.loads(Path(__file__).with_name("glyphs.json").read_text(encoding="utf-8"))


def _weight(bold: bool) -> dict[str, tuple[int, str]]:
    return _outlines()["bold" if bold else "regular"]


def glyph(character: str, *, bold: bool) -> tuple[int, str]:
    """How far a character moves on, and its outline: an SVG path, from the line it stands on."""
    return _weight(bold)[character]


def can_draw(text: str) -> bool:
    """Is every character of a text among the outlines?"""
    return _outlines()["bold"].keys() >= set(text)


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return how wide a text is at a size."""
    known = _weight(bold)
    units = sum(known[c][0] if c in known else UNKNOWN for c in text)
    return units * size / EM
