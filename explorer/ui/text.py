"""Safe display of text written by others, on pages that read markdown."""

from __future__ import annotations

import html
import mimetypes
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import streamlit as st

from explorer.lessons import CITATION
from explorer.server import counted_file, is_shown_by_browser

Kind = Literal["error", "warning", "info", "success"]

BOXES = {"error": st.error, "warning": st.warning, "info": st.info, "success": st.success}
# Control characters of bidirectional text: embeddings, overrides and isolates.
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# After markdown is read and backslashes are removed, Streamlit's browser code searches each text
# node again for addresses, icons, emoji and arrows. An empty element between two halves puts them
# into different nodes, so that nothing is found; it is not copied with the text.
SEAM = ":small[]"
SEAMS = re.compile(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=[<>~-])(?=[-=>])", re.IGNORECASE)


def escaped(text: str) -> str:
    """Return text escaped for markdown: no formatting, links, pictures or maths.

    Line breaks are kept, empty lines are removed, and several blanks become one, as in HTML.
    """
    lines = (re.sub(r"\s+", " ", line) for line in isolated(text).splitlines())
    return "\\\n".join(_line(line) for line in lines if line.strip())


def in_html(text: str) -> str:
    """Return text escaped for HTML."""
    return html.escape(isolated(text))


def isolated(text: str) -> str:
    """Return a text whose bidirectional control characters are visible and have no effect.

    With an override character, a message could be displayed as “Decision: accept”.
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
    """Show a box with a plain text, without markdown."""
    BOXES[kind](escaped(text), icon=icon)


def whole_number(text: str | None) -> int | None:
    """Return the whole number of at most nine digits in an address's text, if it is one."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def distinct_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Return unique labels for a list of choices; equal labels get the end of their key.

    A browser sends only the chosen label, so equal labels would be ambiguous.
    """
    counts = Counter(labels.values())
    return {
        key: label if counts[label] == 1 else f"{label}, {key[-12:]}"
        for key, label in labels.items()
    }


# The types of files that Python's own list does not have.
TYPES = {".ipynb": "application/x-ipynb+json", ".toml": "application/toml"}


def offer_file(
    label: str,
    content: str | bytes | Callable[[], str | bytes],
    file_name: str,
    *,
    help: str | None = None,
    **look: Any,
) -> None:
    """Show a button with a plain label that downloads a file, and does not run the page again.

    A function as `content` makes the file when it is asked for; its processor time counts as the
    visitor's. `look` has further arguments of
    :func:`streamlit.download_button`, such as ``key`` and ``type``.
    """
    kind = TYPES.get(Path(file_name).suffix) or mimetypes.guess_type(file_name)[0]
    text = None if help is None else escaped(help)
    content = counted_file(content) if callable(content) else content
    st.download_button(
        escaped(label), content, file_name, kind, help=text, on_click="ignore", **look
    )


Option = TypeVar("Option")


def dropdown(
    label: str,
    options: Mapping[Option, str] | Sequence[Option],
    first: Option | None = None,
    **look: Any,
) -> Option:
    """Let a person choose from a list; at first `first` is chosen, or the first option.

    Options have names, or are their own names. `look` has further arguments of
    :func:`streamlit.selectbox`, such as ``key`` and ``width``.
    """
    listed, named = list(options), _named(options)
    index = 0 if first is None else listed.index(first)
    return cast("Option", st.selectbox(label, listed, index, named, **look))


def segments(
    label: str,
    options: Mapping[Option, str] | Sequence[Option],
    first: Option | None = None,
    **look: Any,
) -> Option:
    """Let a person choose one of a few options that stand beside each other; see :func:`dropdown`.

    At first, `first` is chosen, or what the session's state has for the key.
    """
    named = _named(options)
    chosen: Any = st.segmented_control(
        label,
        list(options),
        default=first,
        required=True,
        format_func=lambda option: escaped(named(option)),
        **look,
    )
    # An empty entry in the address chooses nothing.
    return chosen if chosen is not None else first if first is not None else next(iter(options))


def keep_choice(key: str, at_first: object) -> None:
    """Have a control show what the session's state has for its key; at first, `at_first`.

    Cards write into that state, too. It is written again here, since a browser forgets the value of
    a control that disappears, and the server does not if the run is interrupted: when the control
    comes back, the browser would show, and send, an empty or first choice.
    """
    kept = st.session_state.get(key)
    # Set in the browser during an update of the page, it would undo a click on its way.
    if kept is None or not is_shown_by_browser(key):
        st.session_state[key] = at_first if kept is None else kept


def _named(options: Mapping[Option, str] | Sequence[Option]) -> Callable[[Option], str]:
    return options.__getitem__ if isinstance(options, Mapping) else str


def formula(tex: str) -> None:
    """Show a formula of our own, in TeX."""
    st.latex(tex)


def small(text: str) -> None:
    """Show a note. Streamlit's own captions have too little contrast."""
    st.markdown(f":small[{escaped(text)}]")


# Lessons may contain emphasis, lists and formulas. Markup for links, icons or colours stays text,
# since links are blocks of their own.
COLONS = re.compile(r":(?=[\w+-]+[:/\[])|(?<=\]):", re.ASCII)
ADDRESSES = re.compile(r"(?<=[a-z]:)(?=//)|(?<=www)(?=\.)|(?<=\w@)(?=\w)", re.IGNORECASE)


def show_prose(text: str, sources: Mapping[str, str] | None = None) -> None:
    """Show a text with its citations numbered; its file was checked for pictures and HTML."""
    numbers = {key: number for number, key in enumerate(sources or {}, start=1)}

    def number(match: re.Match[str]) -> str:
        return f"[{numbers.get(match.group(1), '?')}]"

    plain = ADDRESSES.sub(SEAM, COLONS.sub(rf"\:{SEAM}", text))
    st.markdown(CITATION.sub(number, plain))
