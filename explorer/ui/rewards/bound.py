"""What views keep in the address: what of a link they cannot use is said, not dropped."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from explorer.ui.text import alert, quoted

__all__ = ["LINK", "choice_from_link", "number_from_link"]

# Where the address is kept as it was at first: what is chosen after that is no link.
LINK = "rewards-link"


def choice_from_link(key: str, labels: Mapping[str, str], what: str) -> str | None:
    """Return the choice that a link names, in Python's words or in those of the screen.

    Parameters
    ----------
    key : str
        Of the control.
    labels : mapping of str to str
        What the screen calls each choice.
    what : str
        What is chosen, in words.
    """
    asked = _asked(key)
    if asked is None:
        return None
    for name, label in labels.items():
        if asked in (name, label):
            return name
    alert("info", f"The link's {what}, {quoted(asked)}, is not among the choices here.")
    return None


def number_from_link(key: str, low: float, high: float, what: str, *, whole: bool = False) -> None:
    """Say so if a link's number is none that a control takes."""
    asked = _asked(key)
    if asked is None:
        return
    try:
        number = int(asked) if whole else float(asked)
    except ValueError:
        number = None
    if number is None or not low <= number <= high:
        kind = "a whole number" if whole else "a number"
        alert(
            "info",
            f"The link's {what}, {quoted(asked)}, was left out: it must be {kind} from {low:g} to "
            f"{high:g}.",
        )


def _asked(key: str) -> str | None:
    link: Mapping[str, str] = st.session_state.get(LINK, {})
    return link.get(key)
