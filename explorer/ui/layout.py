"""What pages are laid out with: theme, header, and parts that run by themselves."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.pictures import Picture, Theme
from explorer.ui.text import escaped, in_html

__all__ = ["header", "part", "picture_tag", "theme"]


def theme() -> Theme:
    """Return what a figure has to go with."""
    return "dark" if st.context.theme.type == "dark" else "light"


def picture_tag(drawn: Picture, alt: str = "") -> str:
    """Return an HTML image of a picture; without `alt`, screen readers pass it over."""
    data = b64encode(drawn.svg().encode("utf-8")).decode("ascii")
    return (
        f'<img alt="{in_html(alt)}" width="{drawn.width:.0f}" height="{drawn.height:.0f}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def header(title: str, line: str = "", *, back: str = "") -> DeltaGenerator:
    """Show the head of a page.

    Parameters
    ----------
    title : str
    line : str
        What one does here, in a sentence.
    back : str
        A :func:`~explorer.ui.links.link` to what the page is a part of, as HTML.

    Returns
    -------
    DeltaGenerator
        Where the page's actions go, at most one of them primary.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="nip-header"):
        with st.container(key="nip-title"):
            if back:
                st.html(f'<nav class="nip-back" aria-label="Back">← {back}</nav>')
            st.title(escaped(title), anchor=False)
            if line:
                st.markdown(escaped(line))
        return st.container(
            horizontal=True, vertical_alignment="center", width="content", key="nip-actions"
        )


P = ParamSpec("P")


def part(show: Callable[P, None], *, every: float | None = None) -> Callable[P, None]:
    """Make a part of a page that can run without what is around it.

    Where a part runs again just after the whole page has, Streamlit leaves what the page had to
    say of it unsent. The browser then takes the part off the page, all that comes after it moves
    up by one place, and the part comes back on top of its neighbour: a heading is gone, or a line
    of buttons. So each part is alone in a place of its own.

    Parameters
    ----------
    show : callable
        Shows the part.
    every : float, optional
        Seconds after which it runs again by itself.

    Returns
    -------
    callable
        Takes what `show` takes.
    """
    alone = st.fragment(show, run_every=every)

    def shown(*args: P.args, **kwargs: P.kwargs) -> None:
        with st.container():
            alone(*args, **kwargs)

    return shown
