"""The language of a visitor's pages, and the control that changes it.

A person's own choice counts first, then the language of the room that they are in, then that of
their browser. The choice is kept in a cookie, which the browser writes: it needs no account, and
every page and connection of this browser has it.
"""

from __future__ import annotations

import streamlit as st

from explorer.languages import COOKIE, best_of, known_language, languages
from explorer.ui.fronts import front_component

OF_ROOM = "nip-room-language"


def own_language() -> str:
    """Return the code of the language in which this visitor reads."""
    chosen = known_language(st.context.cookies.get(COOKIE))
    of_room = known_language(st.session_state.get(OF_ROOM))
    return chosen or of_room or best_of([st.context.locale or ""])


def follow_room(code: str) -> None:
    """Read a room in its language, if it has one, unless the visitor has chosen their own."""
    st.session_state[OF_ROOM] = code


_language = front_component("language")


def choose_language() -> None:
    """Show the page's language, and offer the others."""
    named = [[*each] for each in languages().items()]
    _language(data={"cookie": COOKIE, "languages": named}, key="language")
