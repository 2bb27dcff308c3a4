"""What is asked of whoever opens a room, and where they find themselves then."""

from __future__ import annotations

from math import ceil
from typing import Any, cast

import streamlit as st

from explorer.rooms import Opened, Plan, TooManyError, WrongPasswordError, open_room
from explorer.rooms.making import who_may_open
from explorer.serving.tries import wrong_passwords
from explorer.ui.database import storage
from explorer.ui.room.patience import seconds_to_wait
from explorer.ui.sign_in import signed_in
from explorer.ui.visitor import network_address, visitor

__all__ = ["KEY", "ask_password", "go_in", "open_as_visitor"]

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


def open_as_visitor(plan: Plan, password: str) -> Opened:
    """Make a room that this browser leads.

    Raises
    ------
    RoomError
        Whatever the reason is; also if many wrong passwords came from here, and the person has to
        wait for a moment.
    """
    if who_may_open() == "password" and (left := seconds_to_wait(wrong_passwords, "password")):
        raise TooManyError(
            "Too many wrong passwords came from your network, or from everywhere. Press the "
            f"button again in {ceil(left)} seconds."
        )
    try:
        return open_room(storage(), plan, visitor(), password, signed_in=signed_in())
    except WrongPasswordError:
        wrong_passwords.count(storage(), network_address())
        raise


def go_in(opened: Opened) -> None:
    """Go on as the facilitator of a room."""
    state = cast("dict[str, Any]", st.session_state)
    state[f"{KEY}{opened.code}"] = opened.key
    st.query_params.from_dict({"code": opened.code, "as": "lead"})
    st.rerun()
