"""A button for what cannot be undone: the first press asks, and only the second one acts.

Nothing is kept of the first press but in the window: a reload has changed nothing. In fronts the
same is done by ``explorer/front/sure.js``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import streamlit as st

from explorer.ui.text import alert, escaped

__all__ = ["sure_button"]

# What the session keeps of a button between its presses.
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
    """Show it; after the first press, what the second one does, and a way back.

    Parameters
    ----------
    label : str
    says : str
        What happens then and cannot be undone, in a sentence or two.
    yes : str
        What the button says that acts.
    key : str
        The buttons' keys are this one, and it with ``-yes`` and ``-no`` at the end.
    act : callable, optional
        Called by the second press, before the page runs.
    args : sequence
        What it takes.
    kind : {"primary", "secondary", "tertiary"}
        The look of the first button.

    Returns
    -------
    bool
        Was it pressed a second time just now?
    """
    asked = f"{key}-asked"
    if st.session_state.get(asked) != ASKING:
        st.button(escaped(label), key=key, type=kind, on_click=_note, args=(asked, ASKING))
        return st.session_state.pop(asked, None) == SURE
    with st.container(key=f"{key}-sure", width="stretch"):
        # What is asked stands where the button was: a second tap by mistake meets no button.
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
