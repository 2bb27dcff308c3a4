"""Text that somebody else wrote, on a page that reads markdown."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Literal

import streamlit as st

from explorer.lessons import CITATION

__all__ = [
    "alert",
    "distinct_labels",
    "escaped",
    "formula",
    "in_html",
    "isolated",
    "quoted",
    "show_prose",
    "small",
    "toast",
]

Kind = Literal["error", "warning", "info", "success"]

BOXES = {"error": st.error, "warning": st.warning, "info": st.info, "success": st.success}
# Embeddings, overrides and isolates.
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# The browser looks for addresses, icons, emoji and arrows once more in what is left when markdown
# has been read and backslashes are gone. It finds them within one piece of text only: an empty
# piece of another kind keeps their halves apart, and is not copied with them.
SEAM = ":small[]"
SEAMS = re.compile(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=[<>~-])(?=[-=>])", re.IGNORECASE)


def escaped(text: str) -> str:
    """Return text for markdown that shows as it stands: no formatting, links, pictures or maths.

    Lines stay lines, without those that are empty; blanks in a row are one, as in all of HTML.
    """
    lines = (re.sub(r"\s+", " ", line) for line in isolated(text).splitlines())
    return "\\\n".join(_line(line) for line in lines if line.strip())


def in_html(text: str) -> str:
    """Return text for a piece of HTML that shows as it stands."""
    return html.escape(isolated(text))


def isolated(text: str) -> str:
    """A text that changes the direction of nothing beside it, nor of itself: marks are shown.

    With an override a message of others read “Decision: accept”.
    """
    if text.isascii():
        return text
    return "\n".join(_isolated(line) for line in TURNS.sub("\ufffd", text).splitlines())


def _isolated(line: str) -> str:
    turns = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in line)
    return f"\u2068{line}\u2069" if turns else line


def _line(text: str) -> str:
    return SEAM.join(PUNCTUATION.sub(r"\\\1", piece) for piece in SEAMS.split(text))


def alert(kind: Kind, text: str, *, icon: str | None = None) -> None:
    """Show a box with a text as it stands, without markdown."""
    BOXES[kind](escaped(text), icon=icon)


def quoted(text: str) -> str:
    """Return what an address says, in quotation marks: its beginning, of what can be printed."""
    shown = "".join(c if c.isprintable() else "�" for c in text[:41])
    return f"“{shown[:40]}{'…' if len(shown) > 40 else ''}”"


def distinct_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels of a list to choose from, no two alike: those that are get the end of their key.

    A browser sends the label that was chosen, so that of two alike the wrong one could be meant.
    """
    counts = Counter(labels.values())
    return {
        key: label if counts[label] == 1 else f"{label}, {key[-12:]}"
        for key, label in labels.items()
    }


def toast(text: str) -> None:
    """Show a remark in passing."""
    st.toast(escaped(text))


def formula(tex: str) -> None:
    """Show a formula of our own, in TeX."""
    st.latex(tex)


def small(text: str) -> None:
    """Show a remark. Streamlit's own captions are too faint to be read by all."""
    st.markdown(f":small[{escaped(text)}]")


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
