"""Small components: a link to copy, known episodes, progress, and buttons to confirm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from explorer import notebook
from explorer.ui.text import alert, escaped, offer_file

HERE = Path(__file__).parent


def _own(name: str, html: str, files: str) -> Any:
    """Return a Streamlit component with a script and a style sheet beside this file."""
    css, js = ((HERE / f"{files}.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return component(name, html=html, css=css, js=js)


_copy_link = _own(
    "nip_copy_link",
    '<button type="button">Copy link</button><span role="status"></span>',
    "copy_link",
)


def copy_link() -> None:
    """Show the button that copies a link to the page."""
    _copy_link(key="copy_link", width="content")


def offer_notebook(
    make: Callable[[], Any], stem: str, *, label: str = "Open as notebook", **look: Any
) -> None:
    """Offer a notebook as a file, which is made when it is asked for.

    `make` returns it as :mod:`explorer.notebook` does. `look` is passed to `offer_file`.
    """
    offer_file(label, lambda: notebook.notebook_bytes(make()), f"{stem}.ipynb", **look)


_known_episodes = _own(
    "nip_known_episodes", '<section class="nip-front known" hidden></section>', "known"
)


def show_known_episodes(on_open: Callable[[str], None]) -> None:
    """Offer to continue an episode that this browser has played; show nothing if there is none."""
    key = "known-episodes"

    def opened() -> None:
        chosen = st.session_state.get(key, {}).get("open")
        if isinstance(chosen, str):
            on_open(chosen)

    _known_episodes(key=key, on_open_change=opened)


_progress = component(
    "nip_lesson_progress",
    html='<p class="nip-front progress" role="status"></p>',
    css=".progress { margin: 0; font-size: 0.9rem; }",
    js=(HERE / "progress.js").read_text("utf-8"),
)


def show_progress() -> None:
    """Show this browser's progress in lessons; show nothing if there is none."""
    _progress(key="lesson-progress")


# The session's key for a button between its presses.
ASKING, SURE = "asking", "sure"


def sure_button(
    label: str,
    says: str,
    yes: str,
    *,
    key: str,
    act: Callable[[], None] | None = None,
) -> bool:
    """Show the button; after the first press, a warning and the buttons to confirm or cancel.

    The first press is kept only in the window, so a reload cancels it. ``explorer/front/sure.js``
    does the same in the browser. The keys of the other buttons end in ``-yes`` and ``-no``.

    Parameters
    ----------
    says : str
        What the action does and that it cannot be undone, in a sentence or two.
    yes : str
        The label of the button that confirms.
    act : callable, optional
        Called by the second press, before the page runs.

    Returns
    -------
    bool
        Whether it was confirmed in this run.
    """
    state_key = f"{key}-asked"
    if st.session_state.get(state_key) != ASKING:
        st.button(escaped(label), key=key, on_click=_note, args=(state_key, ASKING))
        return st.session_state.pop(state_key, None) == SURE
    with st.container(key=f"{key}-sure", width="stretch"):
        # The question replaces the button, so that an accidental second tap hits no button.
        alert("warning", says)
        with st.container(horizontal=True):
            st.button("Cancel", key=f"{key}-no", on_click=_note, args=(state_key, None))
            st.button(
                escaped(yes),
                key=f"{key}-yes",
                type="primary",
                on_click=_act,
                args=(state_key, act),
            )
    return False


def _note(state_key: str, what: str | None) -> None:
    st.session_state[state_key] = what


def _act(state_key: str, act: Callable[[], None] | None) -> None:
    _note(state_key, SURE)
    if act is not None:
        act()
