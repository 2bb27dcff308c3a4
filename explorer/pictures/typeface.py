"""The glyphs of the typeface Inter as outlines, and the widths of texts.

Pictures drawn with them look the same on every machine, whatever fonts it has. The outlines are in
``glyphs.json``, which ``.make/glyphs.py`` writes; the licence is in ``OFL.txt``.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

EM = 1000  # units of the outlines for one font size
# The height of letters' middle above the baseline, as a part of the font size.
CAP = 0.36
# The assumed width of a character without an outline, which the viewer draws in its own font.
UNKNOWN = 900


@functools.cache
def _outlines() -> dict[str, dict[str, tuple[int, str]]]:
    return json.loads(Path(__file__).with_name("glyphs.json").read_text(encoding="utf-8"))


def _weight(bold: bool) -> dict[str, tuple[int, str]]:
    return _outlines()["bold" if bold else "regular"]


def glyph(character: str, *, bold: bool) -> tuple[int, str]:
    """Return a character's advance width, and its outline as an SVG path from the baseline."""
    return _weight(bold)[character]


def can_draw(text: str) -> bool:
    """Return whether there is an outline for every character of a text."""
    return _outlines()["bold"].keys() >= set(text)


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text at a font size."""
    known = _weight(bold)
    units = sum(known[c][0] if c in known else UNKNOWN for c in text)
    return units * size / EM
