"""The mistakes of a person's own protocol, with their lines and buttons that correct them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.ui.text import alert, escaped
from nip_core.errors import NipError, SpecError
from nip_core.mistakes import Mistake, corrected

# More buttons are not offered at a time.
MOST_FIXES = 8
MOST_LABEL = 90


def show_refusal(error: NipError, text: str | None, correct: Callable[[str], None]) -> None:
    """Show why a text is refused, with a button for each correction.

    Parameters
    ----------
    error : NipError
    text : str, optional
        The text, if the person can change it on this page.
    correct : callable
        Takes the corrected text.
    """
    found = error.mistakes if isinstance(error, SpecError) else ()
    if len(found) < 2:
        alert("error", str(error))
    else:
        heading = str(error).partition("\n")[0]
        alert("error", "\n".join((heading, *(f"{n}. {m}" for n, m in enumerate(found, start=1)))))
    fixed = [mistake for mistake in found if mistake.fix is not None]
    if text is None or not fixed:
        return
    with st.container(horizontal=True, key="nip-corrections"):
        for number, mistake in enumerate(fixed[:MOST_FIXES]):
            if mistake.fix is not None:
                label = f"Line {mistake.line}: {mistake.fix.said.rstrip('.')}"
                _button(label, f"fix {number}", text, [mistake], correct)
        if len(fixed) > 1:
            _button(f"All {len(fixed)} corrections", "fix all", text, fixed, correct)


def _button(
    label: str, key: str, text: str, found: list[Mistake], correct: Callable[[str], None]
) -> None:
    short = label if len(label) <= MOST_LABEL else f"{label[: MOST_LABEL - 3]}..."
    st.button(
        escaped(short),
        key=key,
        on_click=correct,
        args=(corrected(text, found),),
        help=escaped(label),
    )
