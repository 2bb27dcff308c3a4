"""Figures as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["figure_html"]


def figure_html(figure: Figure) -> bytes:
    """A figure as a page that needs no network."""
    return figure.to_html(include_plotlyjs=True, full_html=True).encode("utf-8")
