"""Write explorer/pictures/glyphs.json from files of the typeface Inter (woff2, latin).

    python .make/glyphs.py inter-latin-400-normal.woff2 inter-latin-600-normal.woff2

Needs fonttools and brotli. The files are in the package @fontsource/inter (SIL Open Font License).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

TO = Path(__file__).parent.parent / "explorer" / "pictures" / "glyphs.json"
EM = 1000


def outlines(path: str) -> dict[str, list[int | str]]:
    """For each character that has one: how far it moves on, and its outline with y downwards."""
    font = TTFont(path)
    glyphs, scale = font.getGlyphSet(), EM / font["head"].unitsPerEm
    found: dict[str, list[int | str]] = {}
    for code, name in sorted(font.getBestCmap().items()):
        if not chr(code).isprintable() or 0x300 <= code < 0x370:
            continue
        pen = SVGPathPen(glyphs, ntos=lambda value: str(round(value)))
        glyphs[name].draw(TransformPen(pen, (scale, 0, 0, -scale, 0, 0)))
        found[chr(code)] = [round(glyphs[name].width * scale), pen.getCommands()]
    return found


def lines(found: dict[str, list[int | str]]) -> str:
    """One character a line."""
    pairs = (f"{json.dumps(c, ensure_ascii=False)}: {json.dumps(g)}" for c, g in found.items())
    return "{\n" + ",\n".join(pairs) + "\n}"


if __name__ == "__main__":
    regular, bold = map(outlines, sys.argv[1:])
    whole = f'{{"regular": {lines(regular)},\n"bold": {lines(bold)}}}\n'
    TO.write_text(whole, encoding="utf-8")
