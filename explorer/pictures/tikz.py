"""A picture as TikZ, for papers: the same places and colours, in the paper's own sans serif."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.pictures.shapes import Box, Line, Plain, Polygon, Text
from explorer.pictures.writing import number, printable

__all__ = ["tikz"]

# A pixel is three quarters of a point, as it is in CSS.
POINT = 0.75
ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "…": r"\ldots{}",
    "−": "$-$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


def tikz(shapes: Sequence[Plain], width: float, height: float, *, title: str) -> str:
    r"""A ``tikzpicture``, to be put into a document with ``\input``; it needs the package tikz."""
    colours = {colour: f"nip{n}" for n, colour in enumerate(sorted(_colours(shapes)))}
    definitions = [
        f"\\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}"
        for colour, name in colours.items()
    ]
    return "\n".join(
        (
            f"% {printable(title)}",
            r"% Needs \usepackage{tikz}.",
            rf"\begin{{tikzpicture}}[x={POINT}pt,y=-{POINT}pt]",
            *definitions,
            rf"\path[use as bounding box] (0,0) rectangle {_at(width, height)};",
            *(_drawn(shape, colours) for shape in shapes),
            "\\end{tikzpicture}\n",
        )
    )


def _colours(shapes: Sequence[Plain]) -> set[str]:
    kinds = ("fill", "stroke")
    return {c for shape in shapes for kind in kinds if (c := getattr(shape, kind, None))}


def _drawn(shape: Plain, colours: dict[str, str]) -> str:
    match shape:
        case Box():
            far = _at(shape.x + shape.width, shape.y + shape.height)
            corners = f",rounded corners={number(shape.radius * POINT)}pt" if shape.radius else ""
            look = _look(shape.fill, shape.stroke, shape.line, shape.dashed, colours) + corners
            return rf"\path[{look}] {_at(shape.x, shape.y)} rectangle {far};"
        case Line():
            look = _look(None, shape.stroke, shape.line, shape.dashed, colours)
            return rf"\path[{look}] {_at(shape.x, shape.y)} -- {_at(shape.to_x, shape.to_y)};"
        case Polygon():
            points = " -- ".join(_at(x, y) for x, y in shape.points)
            look = _look(shape.fill, shape.stroke, shape.line, shape.dashed, colours)
            return rf"\path[{look}] {points} -- cycle;"
        case Text():
            size = shape.size * POINT
            font = rf"\fontsize{{{number(size)}}}{{{number(1.2 * size)}}}\selectfont\sffamily"
            weight = r"\bfseries" if shape.bold else ""
            look = f"anchor={ANCHORS[shape.anchor]},inner sep=0,text={colours[shape.fill]}"
            words = tex(shape.text)
            return rf"\node[{look},font={font}{weight}] at {_at(shape.x, shape.y)} {{{words}}};"


def _look(
    fill: str | None, stroke: str | None, line: float, dashed: bool, colours: dict[str, str]
) -> str:
    parts = [f"fill={colours[fill]}"] if fill else []
    if stroke:
        parts.append(f"draw={colours[stroke]},line width={number(line * POINT)}pt")
        parts += ["densely dotted"] if dashed else []
    return ",".join(parts)


def tex(text: str) -> str:
    """Text that TeX sets as it stands."""
    return "".join(SPECIAL.get(c, c) for c in printable(text))


def _at(x: float, y: float) -> str:
    return f"({number(x)},{number(y)})"
