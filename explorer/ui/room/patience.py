"""What somebody sees who waits because many tries came from their network, or from everywhere.

No thread is held meanwhile: the page runs, says how long it takes, and runs again by itself.
"""

from __future__ import annotations

import time
from math import ceil

import streamlit as st

from explorer.serving.tries import Tries
from explorer.ui.database import storage
from explorer.ui.parts import part
from explorer.ui.text import alert
from explorer.ui.visitor import network_address

__all__ = ["admit", "admitted", "must_wait"]

UNTIL = "room-wait-until-"
ADMITTED = "room-admitted"
LOOK_EVERY = 1.0


def admit(code: str) -> None:
    """Let this window go in and out of a room from now on: its code was right."""
    st.session_state[ADMITTED] = code


def admitted(code: str) -> bool:
    """Has this window been in the room?"""
    return st.session_state.get(ADMITTED) == code


def must_wait(tries: Tries, what: str) -> bool:
    """Say whether somebody has to wait before their try, and show that they do.

    Parameters
    ----------
    tries : Tries
        Where such tries are counted.
    what : str
        Another word for each thing that may be waited for.
    """
    until = st.session_state.get(f"{UNTIL}{what}")
    if until is None:
        wait = tries.wait(storage(), network_address())
        if not wait:
            return False
        until = st.session_state[f"{UNTIL}{what}"] = time.monotonic() + wait
    if time.monotonic() < until:
        part(_wait, every=LOOK_EVERY)(until)
        return True
    # The next try waits again.
    del st.session_state[f"{UNTIL}{what}"]
    return False


def _wait(until: float) -> None:
    left = ceil(until - time.monotonic())
    if left <= 0:
        st.rerun()
    seconds = "1 second" if left == 1 else f"{left} seconds"
    alert(
        "info",
        "Too many tries came from your network, or from everywhere. This page goes on by itself in "
        f"{seconds}. With the link or the QR code of the room you do not have to wait.",
    )
