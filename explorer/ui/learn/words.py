"""A lesson's prose on a page that reads markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping

import streamlit as st

from explorer.lessons.lesson import CITATION
from explorer.ui.text import SEAM

__all__ = ["show_prose"]

# A lesson has words, emphasis, lists and formulas. What would become a link, an icon or a colour
# stays text: links are blocks of their own.
COLONS = re.compile(r":(?=[\w+-]+[:/\[])|(?<=\]):", re.ASCII)
ADDRESSES = re.compile(r"(?<=[a-z]:)(?=//)|(?<=www)(?=\.)|(?<=\w@)(?=\w)", re.IGNORECASE)


def show_prose(text: str, sources: Mapping[str, str] | None = None) -> None:
    """Show a text with its citations numbered; its file was checked for pictures and HTML."""
    numbers = {key: number for number, key in enumerate(sources or {}, start=1)}

    def number(match: re.Match[str]) -> str:
        return f"[{numbers.get(match.group(1), '?')}]"

    plain = ADDRESSES.sub(SEAM, COLONS.sub(rf"\:{SEAM}", text))
    st.markdown(CITATION.sub(number, plain))
