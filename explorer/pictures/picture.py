"""A picture of a protocol, and the formats in which it can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from explorer.figures import caption, compare_data, grid_data
from explorer.figures.palette import Theme
from explorer.figures.style import PAGE
from explorer.pictures.grid import GridPart, draw_grids
from explorer.pictures.sequence import draw_sequence
from explorer.pictures.shapes import Box, Shape
from explorer.pictures.svg import svg
from explorer.pictures.tikz import tikz
from explorer.pictures.visibility import draw_visibility
from nip_core.errors import NipError
from nip_core.registry import protocol_title
from nip_core.spec import ProtocolSpec

__all__ = [
    "VIEWS",
    "Picture",
    "PictureError",
    "View",
    "can_convert",
    "compare_picture",
    "picture",
]

View = Literal["grid", "sequence", "visibility"]
VIEWS: tuple[View, ...] = get_args(View)
EDGE = 8  # pixels of paper around everything


class PictureError(NipError):
    """A picture cannot be had in this way."""


@dataclass(frozen=True)
class Picture:
    """What is drawn, in pixels, before it is written in some format.

    Parameters
    ----------
    title, description : str
        For whoever does not see it.
    shapes : tuple of Shape
    width, height : float
    """

    title: str
    description: str
    shapes: tuple[Shape, ...]
    width: float
    height: float

    def svg(self) -> str:
        """As SVG; all letters are outlines."""
        words = {"title": self.title, "description": self.description}
        return svg(self.shapes, self.width, self.height, **words)

    def tikz(self) -> str:
        r"""As TikZ, to be put into a LaTeX document with ``\input``."""
        return tikz(self.shapes, self.width, self.height, title=self.title)

    def pdf(self) -> bytes:
        """As PDF.

        Raises
        ------
        PictureError
            Without the extra ``pictures``.
        """
        return _converter("svg_to_pdf")(self.svg())

    def png(self, scale: float = 2) -> bytes:
        """As PNG, `scale` dots to a pixel.

        Raises
        ------
        PictureError
            Without the extra ``pictures``.
        """
        return _converter("svg_to_png")(self.svg(), scale=scale)

    def save(self, path: str | Path) -> None:
        """Write it to a file, in the format that the name ends in.

        Raises
        ------
        PictureError
            If there is no such format.
        """
        path = Path(path)
        path.write_bytes(self.written(path.suffix))

    def written(self, ending: str) -> bytes:
        """It as a file whose name has this ending, such as ``.svg``; see :meth:`save`."""
        write = FORMATS.get(ending.lower())
        if write is None:
            known = ", ".join(FORMATS)
            raise PictureError(f"A picture's file name ends in one of {known}.")
        content = write(self)
        return content.encode("utf-8") if isinstance(content, str) else content

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.svg(), "text/plain": self.description}


FORMATS: dict[str, Callable[[Picture], str | bytes]] = {
    ".svg": Picture.svg,
    ".pdf": Picture.pdf,
    ".png": Picture.png,
    ".tex": Picture.tikz,
}


def picture(
    spec: ProtocolSpec,
    view: View = "grid",
    *,
    seed: int | None = None,
    selected: int | None = None,
    theme: Theme = "light",
) -> Picture:
    """Draw a protocol.

    Parameters
    ----------
    spec : ProtocolSpec
    view : {"grid", "sequence", "visibility"}
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.
    selected : int, optional
        The round to frame, from 0.
    theme : {"light", "dark"}
        A light picture has no ground of its own.

    Raises
    ------
    PictureError
        If there is no such view or round.
    """
    if view not in VIEWS:
        raise PictureError(f"There is no view {view!r}; the views are {', '.join(VIEWS)}.")
    if selected is not None and not 0 <= selected < spec.max_message_rounds:
        last = spec.max_message_rounds - 1
        raise PictureError(f"There is no round {selected}; {spec.name} has rounds 0 to {last}.")
    if view == "grid":
        drawn = draw_grids([GridPart(spec, grid_data(spec, seed))], theme, selected)
    elif view == "sequence":
        drawn = draw_sequence(spec, theme, seed, selected)
    else:
        drawn = draw_visibility(spec, theme)
    what = {"grid": "Schedule", "sequence": "Sequence", "visibility": "Who reads what"}[view]
    return _finished(f"{what} of {protocol_title(spec.name)}", caption(spec, seed), *drawn, theme)


def compare_picture(
    left: ProtocolSpec,
    right: ProtocolSpec,
    *,
    seeds: tuple[int | None, int | None] = (None, None),
    selected: int | None = None,
    theme: Theme = "light",
) -> Picture:
    """Draw the grids of two protocols below each other, with what differs ringed."""
    marked = compare_data(left, right, seeds=seeds)
    both = zip((left, right), marked, strict=True)
    drawn = draw_grids(
        [GridPart(s, cells, title=protocol_title(s.name)) for s, cells in both], theme, selected
    )
    one, two = protocol_title(left.name), protocol_title(right.name)
    words = f"{one}: {caption(left, seeds[0])} {two}: {caption(right, seeds[1])}"
    return _finished(f"{one} and {two}", words, *drawn, theme)


def _finished(
    title: str, words: str, shapes: list[Shape], width: float, height: float, theme: Theme
) -> Picture:
    """With an edge all around, and the page's ground where it is not light."""
    width, height = width + 2 * EDGE, height + 2 * EDGE
    paper = PAGE[theme].paper
    ground = [] if theme == "light" else [Box(0, 0, width, height, fill=paper)]
    moved = (shape.moved(EDGE, EDGE) for shape in shapes)
    return Picture(title, words, (*ground, *moved), width, height)


def can_convert() -> bool:
    """Is there what PDF and PNG take?"""
    return find_spec("vl_convert") is not None


def _converter(name: str) -> Callable[..., bytes]:
    try:
        import vl_convert
    except ImportError:
        raise PictureError(
            "PDF and PNG need one more package: pip install 'nip-explorer[pictures]'. "
            "SVG and TikZ (.tex) need nothing."
        ) from None
    return getattr(vl_convert, name)
