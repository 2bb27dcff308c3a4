"""Text that somebody else wrote, on a page that reads markdown."""

from __future__ import annotations

import re

import streamlit as st

__all__ = ["escaped", "small"]


def escaped(text: str) -> str:
    """Text for markdown that shows as it stands: no formatting, links, pictures or maths."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def small(text: str) -> None:
    """Show a remark. Streamlit's own captions are too faint to be read by all."""
    st.markdown(f":small[{escaped(text)}]")
