"""What is asked of whoever opens a room, and where they find themselves then."""

from __future__ import annotations

from typing import Any, cast

import streamlit as st

from explorer.rooms import Opened
from explorer.rooms.making import who_may_open

__all__ = ["KEY", "ask_password", "go_in"]

# Where the session keeps the facilitator's token of a room: it is told once.
KEY = "room-key-"


def ask_password() -> str:
    """The facilitator's password, where the operator asks for one."""
    # Why nobody may is told once the button is pressed.
    if who_may_open() != "password":
        return ""
    return st.text_input(
        "Facilitator's password", type="password", key="new-password", max_chars=1024, width=360
    )


def go_in(opened: Opened) -> None:
    """Go on as the facilitator of a room."""
    state = cast("dict[str, Any]", st.session_state)
    state[f"{KEY}{opened.code}"] = opened.key
    st.query_params.from_dict({"code": opened.code, "as": "lead"})
    st.rerun()
