"""Shared code of plotly figures: colours, layout, bars that do not overlap, files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose
from typing import TYPE_CHECKING, Any

from explorer.pictures.tokens import FONTS, PAGE, Theme

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def style_layout(theme: Theme) -> dict[str, Any]:
    """Return the colours and fonts of all our figures."""
    page = PAGE[theme]
    return {
        "template": "none",
        "paper_bgcolor": page.paper,
        "plot_bgcolor": page.paper,
        "font": {"family": FONTS["ui"], "size": 13, "color": page.text},
        "hoverlabel": {"bgcolor": page.paper, "font": {"color": page.text}, "align": "left"},
        "showlegend": False,
        "dragmode": False,
    }


def lay_out(figure: Figure, theme: Theme, **layout: Any) -> None:
    """Give a figure the colours, fonts and frame of all our figures."""
    axis = {"showgrid": False, "zeroline": False, "showline": False, "fixedrange": True}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.update_layout(**style_layout(theme))
    figure.update_layout(**layout)


def mixed(colour: str, ground: str, share: float) -> str:
    """Return a mixture of a colour and its background; a share of 1 is the colour itself."""
    channels = (
        round(share * int(colour[i : i + 2], 16) + (1 - share) * int(ground[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{value:02X}" for value in channels)


def plain(text: str) -> str:
    """Escape a text for plotly, which interprets some tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def box(x: float, y: float) -> dict[str, Any]:
    """Return the shape of a cell of a matrix."""
    corners = {"x0": x - 0.47, "x1": x + 0.47, "y0": y - 0.42, "y1": y + 0.42}
    return {"type": "rect", "layer": "below", "line": {"width": 0}, **corners}


def figure_html(figure: Figure) -> bytes:
    """Return a figure as an HTML page that works without a network."""
    return figure.to_html(include_plotlyjs=True, full_html=True).encode("utf-8")


# Shares of the axis: the narrowest and the widest bar, and the margin at each end.
NARROWEST, WIDEST, ROOM = 1 / 300, 0.11, 0.1
# The share of the space between two single values for bars, and of the space beside neighbours.
FILLED, TOUCHING = 0.6, 0.9


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar."""

    # The least and the largest reward that it stands for.
    low: float
    high: float
    # Its edges in the figure.
    left: float
    right: float
    chance: float  # the probability of all its rewards

    @property
    def middle(self) -> float:
        """Its middle in the figure."""
        return (self.left + self.right) / 2


def axis_around(places: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis for some values, with a margin at each end."""
    found = [*places]
    low, high = min(found), max(found)
    room = room_around(low, high, ROOM)
    return low - room, high + room


def room_around(low: float, high: float, share: float) -> float:
    """Return the margin of a scale: a share of it, or of the value if there is only one.

    Sums of the same value in another order differ in their last digits.
    """
    spread = 0.0 if isclose(low, high, rel_tol=1e-9) else high - low
    return share * spread or abs(low) / 2 or 1.0


def bars_of(
    values: Sequence[float], chances: Sequence[float], axis: tuple[float, float]
) -> list[Bar]:
    """Return the bars of single values, without overlaps and none too narrow to be seen.

    Values that are closer to each other than the narrowest bar share a bar, which shows the
    probability of all of them.
    """
    if not values:
        return []
    least = NARROWEST * (axis[1] - axis[0])
    return _single(list(zip(values, chances, strict=True)), least, WIDEST * (axis[1] - axis[0]))


def _single(pieces: Sequence[tuple[float, float]], least: float, most: float) -> list[Bar]:
    gap = min((after - before for (before, _), (after, _) in pairwise(pieces)), default=most)
    width = min(FILLED * gap, most)
    if width < least:
        width = TOUCHING * least
    if gap >= least:
        return [Bar(v, v, v - width / 2, v + width / 2, chance) for v, chance in pieces]
    # Each bar stands in the middle of an equal part of the axis, as do its rewards on average.
    start, found = pieces[0][0], dict[int, Bar]()
    for value, chance in pieces:
        place = round((value - start) / least)
        middle, last = start + place * least, found.get(place)
        low, before = (value, 0.0) if last is None else (last.low, last.chance)
        found[place] = Bar(low, value, middle - width / 2, middle + width / 2, before + chance)
    return [*found.values()]
