"""Is the page light or dark?"""

from __future__ import annotations

import streamlit as st

from explorer.tokens import Theme

__all__ = ["theme"]


def theme() -> Theme:
    """What a figure has to go with."""
    return "dark" if st.context.theme.type == "dark" else "light"
