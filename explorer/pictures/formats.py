"""Pictures as SVG, with letters as outlines, and as TikZ for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from explorer.pictures import typeface
from explorer.pictures.drawing import Box, Line, Plain, Polygon, Text


def number(value: float) -> str:
    """Return a number, rounded to a hundredth of a pixel."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def printable(text: str) -> str:
    """Return a text on one line, with blanks for characters that formats cannot contain."""
    return "".join(c if c.isprintable() else " " for c in text)


def svg(
    shapes: Sequence[Plain],
    width: float,
    height: float,
    *,
    title: str,
    description: str,
    dark: Sequence[Plain] = (),
) -> str:
    """Return the SVG document, with the first shape at the bottom.

    `title` and `description` are for people who cannot see the picture. `dark` are the same shapes
    in other colours, for pages that are dark.
    """
    letters, colours = _Letters(), _Colours()
    pairs = zip(shapes, dark or shapes, strict=True)
    drawn = [_drawn(shape, letters, colours.use(shape, other)) for shape, other in pairs]
    across, down = number(width), number(height)
    size = f'width="{across}" height="{down}" viewBox="0 0 {across} {down}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{_plain(title)}</title>",
            f"<desc>{_plain(description)}</desc>",
            *colours.definitions(),
            "<defs>",
            *letters.definitions(),
            "</defs>",
            *drawn,
            "</svg>\n",
        )
    )


class _Letters:
    """Collects the outlines that a document needs, each once.

    Ids are shared by all pictures of a page, so an outline has the same id in every picture.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def use(self, character: str, bold: bool) -> str:
        """Return the id of an outline, and include its definition."""
        name = f"nip-{'b' if bold else 'r'}{ord(character):x}"
        self._names.setdefault(name, typeface.glyph(character, bold=bold)[1])
        return name

    def definitions(self) -> Iterator[str]:
        for name, outline in self._names.items():
            yield f'<path id="{name}" d="{outline}"/>'


class _Colours:
    """Collects the colours of shapes that differ on a dark page."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def use(self, light: Plain, dark: Plain) -> str:
        """Return the class attribute of a shape with other colours on a dark page."""
        other = "".join(
            f"{name}:{colour};"
            for name in ("fill", "stroke")
            if (colour := getattr(dark, name, None)) and colour != getattr(light, name)
        )
        return f' class="{self._names.setdefault(other, f"d{len(self._names)}")}"' if other else ""

    def definitions(self) -> Iterator[str]:
        if self._names:
            rules = "".join(f".{name}{{{look}}}" for look, name in self._names.items())
            yield f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"


def _drawn(shape: Plain, letters: _Letters, look: str) -> str:
    match shape:
        case Box():
            corners = f' rx="{number(shape.radius)}"' if shape.radius else ""
            place = f'x="{number(shape.x)}" y="{number(shape.y)}"'
            size = f'width="{number(shape.width)}" height="{number(shape.height)}"'
            return f"<rect {place} {size}{corners}{_painted(shape)}{look}/>"
        case Line():
            ends = f'x1="{number(shape.x)}" y1="{number(shape.y)}" x2="{number(shape.to_x)}"'
            return f'<line {ends} y2="{number(shape.to_y)}"{_stroked(shape)}{look}/>'
        case Polygon():
            points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
            return f'<polygon points="{points}"{_painted(shape)}{look}/>'
        case Text():
            return _text(shape, letters, look)


def _painted(shape: Box | Polygon) -> str:
    fill = f' fill="{shape.fill or "none"}"'
    return fill + (_stroked(shape) if shape.stroke else "")


def _stroked(shape: Box | Line | Polygon) -> str:
    dashes = ' stroke-dasharray="2 2"' if shape.dashed else ""
    return f' stroke="{shape.stroke}" stroke-width="{number(shape.line)}"{dashes}'


def _text(text: Text, letters: _Letters, dark: str) -> str:
    if not typeface.can_draw(text.text):
        place = f'x="{number(text.x)}" y="{number(text.y)}" text-anchor="{text.anchor}"'
        look = f'font-size="{number(text.size)}" fill="{text.fill}"'
        weight = ' font-weight="600"' if text.bold else ""
        family = 'font-family="Inter, system-ui, sans-serif"'
        return f"<text {place} {family} {look}{weight}{dark}>{_plain(text.text)}</text>"
    wide = typeface.width(text.text, text.size, bold=text.bold)
    left = text.x - {"start": 0, "middle": wide / 2, "end": wide}[text.anchor]
    scale, at = text.size / typeface.EM, 0
    uses: list[str] = []
    for character in text.text:
        step, outline = typeface.glyph(character, bold=text.bold)
        if outline:
            name = letters.use(character, text.bold)
            uses.append(f'<use href="#{name}" x="{at}"/>' if at else f'<use href="#{name}"/>')
        at += step
    where = f"translate({number(left)} {number(text.y)}) scale({scale:g})"
    label = quoteattr(printable(text.text))
    return f'<g transform="{where}" fill="{text.fill}" aria-label={label}{dark}>{"".join(uses)}</g>'


def _plain(text: str) -> str:
    return escape(printable(text))


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
    r"""Return a ``tikzpicture`` for ``\input`` in a document with the package tikz."""
    colours = {colour: f"nip{n}" for n, colour in enumerate(sorted(_colours(shapes)))}
    definitions = [
        f"\\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}"
        for colour, name in colours.items()
    ]
    return "\n".join(
        (
            f"% {printable(title)}",
            rf"% Needs \usepackage{{tikz}}{_engine(shapes)}.",
            rf"\begin{{tikzpicture}}[x={POINT}pt,y=-{POINT}pt]",
            *definitions,
            rf"\path[use as bounding box] (0,0) rectangle {_at(width, height)};",
            *(_drawn_tikz(shape, colours) for shape in shapes),
            "\\end{tikzpicture}\n",
        )
    )


# The last letter of the Latin script, and the signs between words, which every TeX can set.
LAST_LATIN, SIGNS = 0x24F, range(0x2000, 0x2300)


def _engine(shapes: Sequence[Plain]) -> str:
    """Return what a picture needs besides for letters that pdfLaTeX does not have."""
    letters = (ord(letter) for shape in shapes if isinstance(shape, Text) for letter in shape.text)
    foreign = any(letter > LAST_LATIN and letter not in SIGNS for letter in letters)
    return ", and XeLaTeX or LuaLaTeX with a font for all its letters" if foreign else ""


def _colours(shapes: Sequence[Plain]) -> set[str]:
    kinds = ("fill", "stroke")
    return {c for shape in shapes for kind in kinds if (c := getattr(shape, kind, None))}


def _drawn_tikz(shape: Plain, colours: dict[str, str]) -> str:
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
    """Return text escaped for TeX."""
    return "".join(SPECIAL.get(c, c) for c in printable(text))


def _at(x: float, y: float) -> str:
    return f"({number(x)},{number(y)})"
