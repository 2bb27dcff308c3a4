"""A lesson's prose on a page that reads markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping

import streamlit as st

from explorer.lessons.lesson import CITATION

__all__ = ["show_prose"]


def show_prose(text: str, sources: Mapping[str, str] | None = None) -> None:
    """Show a text with its citations numbered; its file was checked for pictures and HTML."""
    numbers = {key: number for number, key in enumerate(sources or {}, start=1)}

    def number(match: re.Match[str]) -> str:
        return f"[{numbers.get(match.group(1), '?')}]"

    # A colon before a word would be read as a name of an icon or a colour.
    plain = re.sub(r":(?=[a-z_-]+[:\[])", r"\\:", text)
    st.markdown(CITATION.sub(number, plain))
