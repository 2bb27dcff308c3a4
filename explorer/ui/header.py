"""The head of every page: a title, one line, and what can be done."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.ui.text import escaped

__all__ = ["header"]


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
