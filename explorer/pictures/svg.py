"""A picture as SVG. Letters are outlines, so that it looks the same wherever it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from explorer.pictures import typeface
from explorer.pictures.shapes import Box, Line, Plain, Polygon, Text
from explorer.pictures.writing import number, printable

__all__ = ["svg"]


def svg(
    shapes: Sequence[Plain],
    width: float,
    height: float,
    *,
    title: str,
    description: str,
    dark: Sequence[Plain] = (),
) -> str:
    """The whole document.

    Parameters
    ----------
    shapes : sequence of Plain
        What is drawn, the first at the bottom.
    width, height : float
        In pixels.
    title, description : str
        For whoever does not see the picture.
    dark : sequence of Plain, optional
        The same shapes in other colours, for pages that are dark.
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
    """The outlines that a document needs, each once.

    Many pictures may stand on one page, which has one set of names: an outline has the same name
    in all of them.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def use(self, character: str, bold: bool) -> str:
        """The name of an outline, which will be defined."""
        name = f"nip-{'b' if bold else 'r'}{ord(character):x}"
        self._names.setdefault(name, typeface.glyph(character, bold=bold)[1])
        return name

    def definitions(self) -> Iterator[str]:
        for name, outline in self._names.items():
            yield f'<path id="{name}" d="{outline}"/>'


class _Colours:
    """What shapes look like on a dark page, where that is different."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def use(self, light: Plain, dark: Plain) -> str:
        """The attribute of a shape that has other colours in the dark."""
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
