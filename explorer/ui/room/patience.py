"""What somebody sees who waits because many tries came from their network, or from everywhere.

No thread is held meanwhile: the page runs, says how long it takes, and runs again by itself.
"""

from __future__ import annotations

import time
from math import ceil

import streamlit as st

from explorer.serving.tries import Door, Tries
from explorer.ui.database import storage
from explorer.ui.header import header
from explorer.ui.parts import part
from explorer.ui.text import alert
from explorer.ui.visitor import network_address

__all__ = ["admit", "admitted", "must_wait", "seconds_to_wait"]

UNTIL = "room-wait-until-"
ADMITTED = "room-admitted"
# Seconds from one look to the next, and looks in a wait: pages that look more often take the
# processor from others when many wait.
LOOK_EVERY, LOOKS = 1.0, 4


def admit(code: str) -> None:
    """Let this window go in and out of a room from now on: its code was right."""
    st.session_state[ADMITTED] = code


def admitted(code: str) -> bool:
    """Has this window been in the room?"""
    return st.session_state.get(ADMITTED) == code


TRIES = (
    "Too many tries came from your network, or from everywhere. This page goes on by itself in {}. "
    "With the link or the QR code of the room you do not have to wait."
)
IN_LINE = (
    "Many people from your network join at the moment, so you are in line. Keep this page open: it "
    "asks again by itself in {}."
)


def must_wait(tries: Tries | Door, what: str, title: str = "") -> bool:
    """Say whether somebody has to wait before their try, and show that they do.

    Parameters
    ----------
    tries : Tries or Door
        Where such tries are counted.
    what : str
        Another word for each thing that may be waited for.
    title : str
        Of the page, if it has none yet.
    """
    left = seconds_to_wait(tries, what)
    if left:
        if title:
            header(title, "One moment, please.")
        says = TRIES if isinstance(tries, Tries) else IN_LINE
        part(_wait, every=max(LOOK_EVERY, left / LOOKS))(time.monotonic() + left, says)
    return left > 0


def seconds_to_wait(tries: Tries | Door, what: str) -> float:
    """For how long somebody still waits before their try, which may be made at 0.

    The parameters are those of :func:`must_wait`.
    """
    until = st.session_state.get(f"{UNTIL}{what}")
    waited = until is not None and time.monotonic() >= until
    if waited:
        del st.session_state[f"{UNTIL}{what}"]
        if isinstance(tries, Tries):
            return 0.0  # the next try waits again
    if until is None or waited:
        wait = tries.wait(storage(), network_address())
        if not wait:
            return 0.0
        until = st.session_state[f"{UNTIL}{what}"] = time.monotonic() + wait
    return max(0.0, until - time.monotonic())


def _wait(until: float, says: str) -> None:
    left = ceil(until - time.monotonic())
    if left <= 0:
        st.rerun()
    alert("info", says.format("1 second" if left == 1 else f"{left} seconds"))
