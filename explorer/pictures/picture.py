"""A picture of a protocol, and its formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import Any, Literal, get_args

from explorer.pictures import typeface
from explorer.pictures.comparison import Comparison, Seeds
from explorer.pictures.drawing import Box, Drawing, Line, Plain, Polygon, Shape, Text, flat
from explorer.pictures.entrance import specified
from explorer.pictures.formats import svg, tikz
from explorer.pictures.grid import draw_grids, part_of
from explorer.pictures.model import ProtocolGrid, grid_of
from explorer.pictures.narration import Narrator
from explorer.pictures.sequence import draw_sequence, draw_visibility
from explorer.pictures.signs import middle
from explorer.pictures.tokens import PAGE, Theme
from explorer.project import install_extra
from nip_core.budget import for_document
from nip_core.displays import displayed, picture_html, with_minus
from nip_core.errors import NipError, UnsupportedError, did_you_mean, show
from nip_core.language import Specification
from nip_core.registry import AnyProtocol, protocol_title
from nip_core.transcript import Rollout

THEMES: tuple[Theme, ...] = ("light", "dark")
View = Literal["grid", "sequence", "visibility"]
VIEWS: tuple[View, ...] = get_args(View)
# Pixels: the margin, the usual width of a picture, and the widest column.
EDGE, WIDTH, MOST, APART = 8, 720, 56, 132
STAGE_APART = 88  # of columns of stages, which have words above them
MOST_TURNS = 40  # of a picture at the end of a cell
KEY = 11  # the font size of the legend
# Each dot of a PNG takes four bytes of memory while it is made: the diagram of a link of 2 kB had
# two thousand million. And the most characters of SVG that are converted, within about a second.
MOST_DOTS, MOST_CONVERTED = 10_000_000, 2_500_000
TITLES: dict[View, str] = {
    "grid": "Schedule",
    "sequence": "Sequence",
    "visibility": "Who reads what",
}


class PictureError(NipError):
    """A picture cannot be made in this way."""


@displayed
@dataclass(frozen=True)
class Picture:
    """A picture in pixels, independent of its file format."""

    # For people who cannot see it.
    title: str
    description: str
    shapes: tuple[Plain, ...]
    width: float
    height: float
    # The same shapes in the colours of a dark page, if the picture is a light one.
    dark: tuple[Plain, ...] = field(default=(), repr=False)
    follows: bool = False  # whether its SVG follows the light or dark theme of the page

    def svg(self) -> str:
        """Return it as SVG with letters as outlines."""
        words: dict[str, Any] = {"title": self.title, "description": self.description}
        dark = self.dark if self.follows else ()
        return svg(self.shapes, self.width, self.height, dark=dark, **words)

    def tikz(self) -> str:
        r"""Return it as TikZ, for ``\input`` in a LaTeX document."""
        return tikz(self.shapes, self.width, self.height, title=self.title)

    def pdf(self) -> bytes:
        """Return it as PDF; a PictureError says that ``pictures`` is missing or it is too large."""
        return self._converted("svg_to_pdf")

    def png(self, scale: float = 2) -> bytes:
        """Return it as PNG, `scale` dots per pixel; raise a PictureError as for :meth:`pdf`.

        A large picture has fewer dots per pixel, so that there are at most :data:`MOST_DOTS`.
        """
        most = sqrt(MOST_DOTS / (self.width * self.height))
        return self._converted("svg_to_png", scale=min(scale, most))

    def _converted(self, name: str, **more: float) -> bytes:
        convert, drawn = _converter(name), self.svg()
        if len(drawn) > MOST_CONVERTED:
            raise PictureError("This picture is too large for PDF and PNG. Take SVG or TikZ.")
        return convert(drawn, **more)

    def save(self, path: str | Path) -> None:
        """Write it to a file in the format of its name's ending; a PictureError lists them all."""
        path = Path(path)
        path.write_bytes(self.written(path.suffix))

    def written(self, ending: str) -> bytes:
        """Return the file of this ending (``.svg``, ``.tex``, ...); see :meth:`save`."""
        write = FORMATS.get(ending.lower())
        if write is None:
            known = ", ".join(FORMATS)
            raise PictureError(f"A picture's file name ends in one of {known}.")
        content = write(self)
        return content.encode("utf-8") if isinstance(content, str) else content

    def on_ground(self) -> Picture:
        """Return the picture on a background, which is dark if the page declares a dark theme."""
        light, dark = (
            Box(0, 0, self.width, self.height, fill=PAGE[theme].paper) for theme in THEMES
        )
        dark = (dark, *self.dark) if self.dark else ()
        return replace(self, shapes=(light, *self.shapes), dark=dark, follows=True)

    def html(self) -> str:
        """Return the picture on a background as an image, for pages that show no SVG."""
        words = f"{self.title}. {self.description}".rstrip()
        return picture_html(self.on_ground().svg(), words)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.description}


FORMATS: dict[str, Callable[[Picture], str | bytes]] = {
    ".svg": Picture.svg,
    ".pdf": Picture.pdf,
    ".png": Picture.png,
    ".tex": Picture.tikz,
}


def check_view(view: object) -> None:
    """Refuse an unknown view, and list those that exist."""
    _check("view", view, VIEWS)


def check_theme(theme: object) -> None:
    """Refuse an unknown theme, and list those that exist."""
    _check("theme", theme, get_args(Theme))


def _check(kind: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        hint = did_you_mean(given, known) if isinstance(given, str) else ""
        listed = ", ".join(known)
        raise PictureError(f"There is no {kind} {show(given)}.{hint} The {kind}s are {listed}.")


def check_seed(seed: object) -> None:
    """Refuse a value that is not a seed of an episode."""
    if seed is not None and (type(seed) is not int or seed < 0):
        raise PictureError(
            f"The seed is {show(seed)}; it must be a whole number from 0 on, or None."
        )


def picture(
    protocol: AnyProtocol | Specification,
    view: View = "grid",
    *,
    seed: int | None = None,
    selected: int | None = None,
    theme: Theme = "light",
    folded: bool | None = None,
    members: bool = False,
) -> Picture:
    """Draw a protocol.

    Parameters
    ----------
    protocol : str, Specification, or anything else that :func:`nip_core.specification` takes
    view : {"grid", "sequence", "visibility"}
    seed : int, optional
        Of the episode, which may pick a variant; without one, all seeds are equally likely.
    selected : int, optional
        The column of the grid to frame, from 0: the turn, where there is no column before it.
    theme : {"light", "dark"}
        A light picture has no background.
    folded : bool, optional
        Whether each stage is drawn once, however often it is repeated. By default, only protocols
        in which nothing but messages and verdicts happens are written out turn by turn.
    members : bool, optional
        Whether all members of families of more than three are drawn. By default they are one.

    Raises
    ------
    PictureError
        If there is no such view, theme or column.
    TooLargeError
        If it takes more work than a document may.
    """
    check_view(view)
    check_seed(seed)
    spec = specified(protocol)
    with for_document(spec.steps):
        grid = ProtocolGrid(spec, seed, folded=folded, members=members)
        title = f"{TITLES[view]} of {protocol_title(spec)}"
        _check_selected(selected, len(grid.columns), spec.name)
        drawn = drawing(grid, view)
        widest = STAGE_APART if view == "grid" and grid.has_stages else None
        return on_paper(drawn, title, Narrator(grid).caption(), selected, theme, widest=widest)


def _check_selected(selected: int | None, columns: int, name: str) -> None:
    if selected is not None and not 0 <= selected < columns:
        raise PictureError(f"There is no column {selected}; {name} has columns 0 to {columns - 1}.")


def end_of_cell(protocol: AnyProtocol | Specification) -> str | None:
    """Return a protocol's picture for notebooks; None if it is too long for one."""
    grid = grid_of(protocol)
    if len(grid.turns) > MOST_TURNS:
        return None
    return picture(grid.spec).on_ground().svg()


def drawing(grid: ProtocolGrid, view: View) -> Drawing:
    """Return the drawing of a view, which the browser and all formats draw."""
    if view == "grid":
        return draw_grids([part_of(grid)])[0]
    return draw_sequence(grid) if view == "sequence" else draw_visibility(grid)


def compare_picture(
    left: AnyProtocol | Specification,
    right: AnyProtocol | Specification,
    *,
    seeds: Seeds = (None, None),
    selected: int | None = None,
    theme: Theme = "light",
) -> Picture:
    """Draw the grids of two protocols below each other, with differences marked."""
    for seed in seeds:
        check_seed(seed)
    specs = (specified(left), specified(right))
    with for_document(sum(spec.steps for spec in specs)):
        compared = Comparison(*specs, seeds)
        _check_selected(selected, len(compared.columns), " and ".join(s.name for s in specs))
        parts = compared.parts()
        one, two = (part.title for part in parts)
        words = " ".join(f"{part.title}: {Narrator(part.grid).caption()}" for part in parts)
        widest = STAGE_APART if any(part.grid.has_stages for part in parts) else None
        drawn = draw_grids(parts)[0]
        return on_paper(drawn, f"{one} and {two}", words, selected, theme, widest=widest)


def on_paper(
    drawn: Drawing,
    title: str,
    words: str,
    selected: int | None,
    theme: Theme,
    *,
    widest: float | None = None,
) -> Picture:
    """Return the drawing with a width, a margin, and a background unless the page is light."""
    check_theme(theme)
    most = min(widest or (MOST if drawn.bands else APART), drawn.most)
    column = max(drawn.least, min(most, (WIDTH - drawn.left) // drawn.columns))
    shapes = flat(drawn, column, theme, selected)
    other = flat(drawn, column, "dark", selected) if theme == "light" else []
    columns = drawn.left + drawn.columns * column + (2 if drawn.bands else 0)
    width = max(columns, *(_reach(shape) for shape in shapes))
    keys, height = _keys(drawn, width, theme)
    shapes += keys
    other += _keys(drawn, width, "dark")[0] if other else []
    width, height = width + 2 * EDGE, height + 2 * EDGE
    paper = PAGE[theme].paper
    ground = [] if theme == "light" else [Box(0, 0, width, height, fill=paper)]
    dark = tuple(moved(shape) for shape in other)
    placed = (*ground, *(moved(shape) for shape in shapes))
    return Picture(title, words, placed, width, height, dark)


def picture_page(picture: Picture) -> str:
    """Return a picture as a page of its own, which needs no network."""
    title = f'<meta charset="utf-8"><title>{escape(picture.title)}</title>'
    return f'<!doctype html><html lang="en">{title}{picture.html()}</html>'


def _reach(shape: Plain) -> float:
    """Return the right edge of a text."""
    if not isinstance(shape, Text) or shape.anchor != "start":
        return 0
    return shape.x + typeface.width(shape.text, shape.size, bold=shape.bold)


def moved(shape: Plain, x: float = EDGE, y: float = EDGE) -> Plain:
    """Return a shape moved to the right and down."""
    match shape:
        case Polygon():
            return replace(shape, points=tuple((a + x, b + y) for a, b in shape.points))
        case Line():
            far: dict[str, Any] = {"to_x": shape.to_x + x, "to_y": shape.to_y + y}
            return replace(shape, x=shape.x + x, y=shape.y + y, **far)
        case _:
            return replace(shape, x=shape.x + x, y=shape.y + y)


def _keys(drawn: Drawing, width: float, theme: Theme) -> tuple[list[Plain], float]:
    """Draw the legend in as many lines as it needs; return its shapes and where it ends."""
    if not drawn.keys:
        return [], drawn.height
    shapes: list[Plain] = []
    x, line = 2.0, drawn.height + 12
    quiet = PAGE[theme].quiet
    for key in drawn.keys:
        wide = 18 + 6 + typeface.width(key.words, KEY)
        if x > 2 and x + wide > width:
            x, line = 2.0, line + 18
        sign = flat(replace(drawn, shapes=key.shapes), 0, theme)
        shapes += (moved(shape, x, line) for shape in sign)
        shapes.append(Text(x + 24, middle(line, KEY), key.words, quiet, KEY))
        x += wide + 16
    return shapes, line + 14


def can_convert() -> bool:
    """Return whether the packages for PDF and PNG are installed."""
    return find_spec("vl_convert") is not None


def _converter(name: str) -> Callable[..., bytes]:
    try:
        import vl_convert
    except ImportError:
        raise PictureError(
            f"PDF and PNG need one more package: {install_extra('pictures')}. "
            "SVG and TikZ (.tex) need nothing."
        ) from None
    return getattr(vl_convert, name)


# -- a rollout over the schedule, with decisions and rewards below the grid ------------------------

# Pixels, and the least width of a column for numbers.
NOTED, GAP, SIZE = 18, 10, 10
COLUMN = 44
VERDICTS = {0: "reject", 1: "accept"}


def rollout_picture(rollout: Rollout, spec: AnyProtocol, *, theme: Theme = "light") -> Picture:
    """Return the picture of a rollout with a width and a background.

    An UnsupportedError says that the protocol has more turns than a picture holds.
    """
    spec = specified(spec)
    last = rollout.steps[-1]
    verdict = VERDICTS.get(rollout.decision, "no verdict")
    totals = ", ".join(f"{spec.seat_name(a)} {paid:+g}" for a, paid in rollout.totals.items())
    words = (
        f"Episode {rollout.name} of a rollout, y = {rollout.y}: {verdict} in turn "
        f"{last.round + 1}. Rewards: {totals or 'not known'}."
    )
    drawn = draw_rollout(rollout, spec)
    return on_paper(drawn, f"Episode {rollout.name}", words, None, theme)


def draw_rollout(rollout: Rollout, spec: AnyProtocol) -> Drawing:
    """Return the grid of the schedule, and lanes below it: each seat's decisions and rewards."""
    spec = specified(spec)
    if spec.longest > MOST_TURNS:
        raise UnsupportedError(
            f"{spec.name!r} has {spec.longest:,} turns; a rollout is drawn over the "
            f"grid of up to {MOST_TURNS}. Its table() has all of them."
        )
    shown = ProtocolGrid(spec, rollout.seed, folded=False, members=True)
    grid = drawing(shown, "grid")
    shapes: list[Shape] = [*grid.shapes]
    top = grid.height + GAP
    verifiers = {choice.by for choice in spec.choices} & {*spec.seat_names}
    lanes: list[tuple[str, Mapping[int, str]]] = []
    for seat in spec.seat_names:
        label = shown.looks[seat].label
        if seat in verifiers:
            said = {s.round: VERDICTS.get(s.decisions.get(seat, 2), "") for s in rollout.steps}
            lanes.append((f"{label} decides", said))
        paid = {s.round: signed(s.rewards[seat]) for s in rollout.steps if seat in s.rewards}
        lanes.append((f"{label} is paid", paid))
    first = shown.turns.start
    for label, cells in lanes:
        shapes.append(Text(0, top + NOTED - 5, label, "text", SIZE + 1))
        for turn, words in cells.items():
            if words:
                at = first + turn + 0.5
                shapes.append(
                    Text(0, top + NOTED - 5, words, "text", SIZE, anchor="middle", column=at)
                )
        top += NOTED
        shapes.append(Line(0, top, 0, top, "lane", column=0, to_column=grid.columns))
    # The end of the episode, through all lanes; dashed if the rollout was cut off.
    end, cut = first + rollout.steps[-1].round + 1, not rollout.over
    shapes.append(Line(0, 0, 0, top, "accent", 2, dashed=cut, column=end, to_column=end))
    wide = max(grid.least, COLUMN), max(grid.most, COLUMN)
    return replace(grid, shapes=tuple(shapes), height=top, least=wide[0], most=wide[1])


def signed(paid: float) -> str:
    """Return what was paid, with its sign."""
    return with_minus(f"{paid:+.3g}") if paid else "0"
