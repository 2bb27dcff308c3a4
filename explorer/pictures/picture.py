"""A picture of a protocol, and its formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import Any, Literal, get_args

from explorer.pictures import typeface
from explorer.pictures.drawing import Box, Drawing, Line, Plain, Polygon, Shape, Text, flat
from explorer.pictures.formats import svg, tikz
from explorer.pictures.grid import GridPart, draw_grids, middle
from explorer.pictures.lanes import compare_lanes, lanes
from explorer.pictures.narration import caption
from explorer.pictures.sequence import draw_sequence, draw_visibility
from explorer.pictures.stage_grid import draw_stages
from explorer.pictures.stage_walk import StageStory, draw_stage_sequence, draw_stage_visibility
from explorer.pictures.stages import StageGrid
from explorer.pictures.tokens import PAGE, Theme, agent_styles
from explorer.project import install_extra
from nip_core.budget import for_document
from nip_core.displays import displayed, picture_html, with_minus
from nip_core.errors import NipError, UnsupportedError, did_you_mean, show
from nip_core.language import Specification
from nip_core.registry import AnyProtocol, protocol_spec, protocol_title
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.transcript import Rollout

THEMES: tuple[Theme, ...] = ("light", "dark")
View = Literal["grid", "sequence", "visibility"]
VIEWS: tuple[View, ...] = get_args(View)
# Pixels: the margin, the usual width of a picture, and the widest column.
EDGE, WIDTH, MOST, APART = 8, 720, 56, 132
STAGE_APART = 88  # of columns of stages, which have words above them
MOST_ROUNDS = 40  # of a picture at the end of a cell
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
    spec: AnyProtocol | Specification,
    view: View = "grid",
    *,
    seed: int | None = None,
    selected: int | None = None,
    theme: Theme = "light",
) -> Picture:
    """Draw a protocol.

    Parameters
    ----------
    spec : ProtocolSpec, or anything else that :func:`nip_core.protocol` takes, or a Specification
        The protocol. A Specification is of version 2, in which each stage is drawn once.
    view : {"grid", "sequence", "visibility"}
    seed : int, optional
        Of the episode; without one, all seeds are equally likely. Version 1 only.
    selected : int, optional
        The round to frame, from 0; of version 2 the column of the grid.
    theme : {"light", "dark"}
        A light picture has no background.

    Raises
    ------
    PictureError
        If there is no such view, theme or round.
    TooLargeError
        If a Specification takes more work than a document may.
    """
    check_view(view)
    check_seed(seed)
    if isinstance(spec, Specification):
        with for_document(spec.steps):
            return _picture(spec, view, seed, selected, theme)
    return _picture(protocol_spec(spec), view, seed, selected, theme)


def _picture(
    spec: ProtocolSpec | Specification,
    view: View,
    seed: int | None,
    selected: int | None,
    theme: Theme,
) -> Picture:
    if isinstance(spec, Specification):
        grid = StageGrid(spec)
        rounds, name, words = len(grid.columns), protocol_title(spec), StageStory(grid).caption()
        unit, widest = "column", STAGE_APART if view == "grid" else None
    else:
        rounds, name, words = (
            spec.max_message_rounds,
            protocol_title(spec),
            caption(spec, seed),
        )
        unit, widest = "round", None
    if selected is not None and not 0 <= selected < rounds:
        raise PictureError(
            f"There is no {unit} {selected}; {spec.name} has {unit}s 0 to {rounds - 1}."
        )
    title = f"{TITLES[view]} of {name}"
    drawn = drawing(spec, view, seed)
    return on_paper(drawn, title, words, selected, theme, widest=widest)


def end_of_cell(spec: ProtocolSpec | Specification) -> str | None:
    """Return a specification's picture for notebooks; None if it is too long for one."""
    if isinstance(spec, Specification):
        columns = sum(1 for _ in spec.places())
    else:
        columns = spec.max_message_rounds
    if columns > MOST_ROUNDS:
        return None
    return picture(spec).on_ground().svg()


def drawing(spec: ProtocolSpec | Specification, view: View, seed: int | None = None) -> Drawing:
    """Return the drawing of a view, which the browser and all formats draw."""
    if isinstance(spec, Specification):
        grid = StageGrid(spec)
        if view == "grid":
            return draw_stages(grid)[0]
        return draw_stage_sequence(grid) if view == "sequence" else draw_stage_visibility(grid)
    if view == "grid":
        return draw_grids([GridPart(spec, lanes(spec, seed))])[0]
    return draw_sequence(spec, seed) if view == "sequence" else draw_visibility(spec)


def compare_picture(
    left: AnyProtocol,
    right: AnyProtocol,
    *,
    seeds: tuple[int | None, int | None] = (None, None),
    selected: int | None = None,
    theme: Theme = "light",
) -> Picture:
    """Draw the grids of two protocols below each other, with differences marked."""
    left, right = protocol_spec(left), protocol_spec(right)
    marked = compare_lanes(left, right, seeds=seeds)
    both = zip((left, right), marked, strict=True)
    parts = [GridPart(spec, own, protocol_title(spec)) for spec, own in both]
    one, two = (part.title for part in parts)
    words = f"{one}: {caption(left, seeds[0])} {two}: {caption(right, seeds[1])}"
    return on_paper(draw_grids(parts)[0], f"{one} and {two}", words, selected, theme)


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

    An UnsupportedError says that the protocol has more rounds than a picture holds.
    """
    spec = protocol_spec(spec)
    last = rollout.steps[-1]
    verdict = VERDICTS.get(rollout.decision, "no verdict")
    totals = ", ".join(f"{spec.seat_name(a)} {paid:+g}" for a, paid in rollout.totals.items())
    words = (
        f"Episode {rollout.name} of a rollout, y = {rollout.y}: {verdict} in round "
        f"{shown_round(last.round)}. Rewards: {totals or 'not known'}."
    )
    drawn = draw_rollout(rollout, spec)
    return on_paper(drawn, f"Episode {rollout.name}", words, None, theme)


def draw_rollout(rollout: Rollout, spec: ProtocolSpec) -> Drawing:
    """Return the grid of the schedule, and lanes below it: each agent's decisions and rewards."""
    if spec.max_message_rounds > MOST_ROUNDS:
        raise UnsupportedError(
            f"{spec.name!r} has {spec.max_message_rounds:,} rounds; a rollout is drawn over the "
            f"grid of up to {MOST_ROUNDS}. Its table() has all of them."
        )
    grid = drawing(spec, "grid", rollout.seed)
    shapes: list[Shape] = [*grid.shapes]
    top, styles = grid.height + GAP, agent_styles(spec)
    verifiers = {agent.name for agent in spec.agents if "verifier" in agent.role}
    lanes: list[tuple[str, Mapping[int, str]]] = []
    for agent in spec.agent_names:
        label = styles[agent].label
        if agent in verifiers:
            said = {s.round: VERDICTS.get(s.decisions.get(agent, 2), "") for s in rollout.steps}
            lanes.append((f"{label} decides", said))
        paid = {s.round: signed(s.rewards[agent]) for s in rollout.steps if agent in s.rewards}
        lanes.append((f"{label} is paid", paid))
    for label, cells in lanes:
        shapes.append(Text(0, top + NOTED - 5, label, "text", SIZE + 1))
        for round_id, words in cells.items():
            if words:
                at = round_id + 0.5
                shapes.append(
                    Text(0, top + NOTED - 5, words, "text", SIZE, anchor="middle", column=at)
                )
        top += NOTED
        shapes.append(Line(0, top, 0, top, "lane", column=0, to_column=spec.max_message_rounds))
    # The end of the episode, through all lanes; dashed if the rollout was cut off.
    end, cut = rollout.steps[-1].round + 1, not rollout.over
    shapes.append(Line(0, 0, 0, top, "accent", 2, dashed=cut, column=end, to_column=end))
    wide = max(grid.least, COLUMN), max(grid.most, COLUMN)
    return replace(grid, shapes=tuple(shapes), height=top, least=wide[0], most=wide[1])


def signed(paid: float) -> str:
    """Return what was paid, with its sign."""
    return with_minus(f"{paid:+.3g}") if paid else "0"
