"""A button for actions that cannot be undone: the first press asks, the second one acts.

The first press is kept only in the window, so a reload cancels it. ``explorer/front/sure.js`` does
the same in fronts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import streamlit as st

from explorer.ui.text import alert, escaped

__all__ = ["sure_button"]

# The session's key for a button between its presses.
ASKING, SURE = "asking", "sure"


def sure_button(
    label: str,
    says: str,
    yes: str,
    *,
    key: str,
    act: Callable[..., None] | None = None,
    args: Sequence[Any] = (),
    kind: Literal["primary", "secondary", "tertiary"] = "secondary",
) -> bool:
    """Show the button; after the first press, a warning and the buttons to confirm or cancel.

    Parameters
    ----------
    label : str
    says : str
        What the action does and that it cannot be undone, in a sentence or two.
    yes : str
        The label of the button that confirms.
    key : str
        The first button's key; the others' end in ``-yes`` and ``-no``.
    act : callable, optional
        Called by the second press, before the page runs.
    args : sequence
        Its arguments.
    kind : {"primary", "secondary", "tertiary"}
        The look of the first button.

    Returns
    -------
    bool
        Whether it was confirmed in this run.
    """
    asked = f"{key}-asked"
    if st.session_state.get(asked) != ASKING:
        st.button(escaped(label), key=key, type=kind, on_click=_note, args=(asked, ASKING))
        return st.session_state.pop(asked, None) == SURE
    with st.container(key=f"{key}-sure", width="stretch"):
        # The question replaces the button, so that an accidental second tap hits no button.
        alert("warning", says)
        with st.container(horizontal=True):
            st.button("Cancel", key=f"{key}-no", on_click=_note, args=(asked, None))
            st.button(
                escaped(yes),
                key=f"{key}-yes",
                type="primary",
                on_click=_act,
                args=(asked, act, tuple(args)),
            )
    return False


def _note(asked: str, what: str | None) -> None:
    st.session_state[asked] = what


def _act(asked: str, act: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    _note(asked, SURE)
    if act is not None:
        act(*args)
