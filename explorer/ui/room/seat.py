"""A person's seat: the table, what to do now, and what is rarely wanted.

The table, and the line above it that says what to do, come over the person's own line; this part of
the page runs again when something has changed that stands around them.
"""

from __future__ import annotations

import streamlit as st

from explorer.news.places import Look
from explorer.rooms import act_at_seat, seat_at
from explorer.ui.components.news import show_news
from explorer.ui.components.seat import show_own_seat
from explorer.ui.database import storage
from explorer.ui.room.about import offer_more
from explorer.ui.room.debrief import show_debrief
from explorer.ui.room.predict import show_prediction
from explorer.ui.room.waiting import show_waiting
from explorer.ui.visitor import visitor

__all__ = ["show_seat"]

TABLE, RESULT = "My table", "The room's result"


def show_seat(code: str, person: int, address: str | None, look: Look) -> None:
    """Show a person the table at which they sit, or what they wait for.

    Parameters
    ----------
    code : str
    person : int
    address : str, optional
        Where the person's line is, if there is one.
    look : Look
        What the person's window shows now.
    """
    seated = seat_at(storage(), code, person, visitor())
    if look.seat is None:
        show_news(address, look.mark, key="room-news")
        show_waiting(seated)
        return
    with st.container(key="seat-beside"):
        offer_more(code, person)
    with st.container(key="table-above"):
        look_at = _what_to_look_at() if seated.room.revealed else TABLE
        if look_at == TABLE:
            show_prediction(seated.room, seated.person)
    if look_at == RESULT:
        show_news(address, look.mark, key="room-news")
        show_debrief(code)
        return
    show_own_seat(
        look.seat,
        address=address,
        mark=look.mark,
        key=f"seat-{code}-{person}",
        on_act=lambda said: act_at_seat(storage(), code, person, visitor(), said),
    )


def _what_to_look_at() -> str:
    chosen = st.segmented_control(
        "What to look at",
        [TABLE, RESULT],
        default=TABLE,
        key="seat-shown",
        label_visibility="collapsed",
        width="content",
    )
    return chosen or TABLE
