"""The layout of pages: theme, header, and parts that rerun by themselves."""

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
    """Return the theme for figures on this page."""
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
        What the page is for, in a sentence.
    back : str
        A :func:`~explorer.ui.links.link` to the parent page, as HTML.

    Returns
    -------
    DeltaGenerator
        The container of the page's actions, of which at most one is primary.
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
    """Return a part of a page that can rerun without the rest of the page.

    If a part reruns just after the whole page has, Streamlit does not send the page's own messages
    about it. The browser then removes the part, all following elements move up by one place, and
    the part replaces its neighbour: a heading is gone, or a line of buttons. So each part is put
    into a container of its own.

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
