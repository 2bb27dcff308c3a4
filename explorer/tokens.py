"""The look in one place: the colours of paper and ink, from which everything else takes them.

Seats carry colour (:mod:`explorer.figures.palette`), and green and red stand for right and wrong;
everything else is ink on paper. Streamlit's theme (``.streamlit/config.toml``) repeats these, and a
test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["PAGE", "Page", "Theme"]

Theme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Page:
    """The neutral colours of a page.

    Parameters
    ----------
    paper, text, quiet, line, lane, accent : str
        The background; text; text of less weight; rules; the ground of an empty cell; what marks
        the selected round and differences.
    """

    paper: str
    text: str
    quiet: str
    line: str
    lane: str
    accent: str


PAGE: dict[Theme, Page] = {
    "light": Page("#FBFAF6", "#1A1C22", "#5B5E68", "#BDB9AE", "#F1EFE8", "#1A1C22"),
    "dark": Page("#14161C", "#ECEAE4", "#A3A7B3", "#4A4E5B", "#232732", "#ECEAE4"),
}
