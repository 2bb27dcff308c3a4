"""What all plotly figures share: the page's colours, and a calm layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.tokens import FONTS, PAGE, Page, Theme

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["PAGE", "Page", "box", "lay_out", "mixed", "plain"]


def lay_out(figure: Figure, theme: Theme, **layout: Any) -> None:
    """Give a figure the colours, the type and the quiet frame that all of ours have."""
    page = PAGE[theme]
    axis = {"showgrid": False, "zeroline": False, "showline": False, "fixedrange": True}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.update_layout(
        template="none",
        paper_bgcolor=page.paper,
        plot_bgcolor=page.paper,
        font={"family": FONTS["ui"], "size": 13, "color": page.text},
        hoverlabel={"bgcolor": page.paper, "font": {"color": page.text}, "align": "left"},
        showlegend=False,
        dragmode=False,
    )
    figure.update_layout(**layout)


def mixed(colour: str, ground: str, share: float) -> str:
    """A colour laid thinly on a ground: all of it at a share of 1, none at 0."""
    channels = (
        round(share * int(colour[i : i + 2], 16) + (1 - share) * int(ground[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{value:02X}" for value in channels)


def plain(text: str) -> str:
    """Text that plotly will draw as it stands, although it knows some tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def box(x: float, y: float) -> dict[str, Any]:
    """The shape of a cell of a matrix."""
    corners = {"x0": x - 0.47, "x1": x + 0.47, "y0": y - 0.42, "y1": y + 0.42}
    return {"type": "rect", "layer": "below", "line": {"width": 0}, **corners}
