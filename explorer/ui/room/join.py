"""The way into a room."""

from __future__ import annotations

import streamlit as st

from explorer.ui.header import header

__all__ = ["show_code"]

LONGEST = 20  # characters: a code with blanks and dashes


def show_code() -> None:
    """Ask for the code of a room."""
    header("Join a room", "Type the code that you were given.")
    with st.form("room-code", border=False):
        typed = st.text_input("Code of the room", max_chars=LONGEST, width=280, autocomplete="off")
        if st.form_submit_button("Go in", type="primary") and typed.strip():
            st.query_params.from_dict({"code": typed.strip()})
            st.rerun()
