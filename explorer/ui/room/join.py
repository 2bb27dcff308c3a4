"""The way into a room: its code, and for whoever has none a place in it."""

from __future__ import annotations

import streamlit as st

from explorer.news.addresses import INVITATION
from explorer.rooms import MOST_NAME, DoorLockedError, RemovedError, Room, join
from explorer.serving.tries import Door, joins
from explorer.ui.database import storage
from explorer.ui.header import header
from explorer.ui.links import link, page_address, show_links
from explorer.ui.room.about import forget_left, offer_forgetting, show_left
from explorer.ui.room.patience import must_wait
from explorer.ui.room.words import room_name, show_recorded
from explorer.ui.text import alert, escaped
from explorer.ui.visitor import network_address, visitor

__all__ = ["offer_place", "show_code", "show_join"]

# What somebody is called who has pressed the button, and may have to wait.
JOINING = "room-joining"
# The room through whose door this window may come now.
DOOR = "room-door"
CLEARED = (
    "The facilitator has cleared the room of everybody who had not sat down, or whose page was not "
    "open. If you are here, join again: you are who you were."
)
LONGEST = 20  # characters: a code with blanks and dashes


def show_code(typed: str = "", refused: str = "") -> None:
    """Ask for the code of a room.

    Parameters
    ----------
    typed : str
        What was tried before.
    refused : str
        Why it leads nowhere.
    """
    header("Join a room", "Type the code that you were given.")
    if refused:
        alert("warning", refused)
    with st.form("room-code", border=False):
        code = st.text_input(
            "Code of the room",
            typed[:LONGEST],
            max_chars=LONGEST,
            width=280,
            autocomplete="off",
        )
        if st.form_submit_button("Go in", type="primary", width=280) and code.strip():
            st.query_params.from_dict({"code": code.strip()})
            st.rerun()
    st.markdown(escaped("Do you lead a class or a group?"))
    show_links(
        link(page_address("room", {"new": "1"}), "Make a room", button=True),
        link(page_address("learn", {}), "Choose a lesson to take together"),
    )


def show_join(room: Room) -> None:
    """Offer somebody a place in a room: one button, and a name if they like."""
    what = "Take the lesson together" if room.kind == "lesson" else "Play at a table with others"
    header(room_name(room), f"{what}, on your own phone. No account is needed.")
    show_left()
    removed = room.removed(visitor())
    if removed is not None and not room.leads(visitor()):
        alert("warning", str(RemovedError()))
        if not removed.forgotten:
            offer_forgetting(room, removed)
        return
    if any(p.sent_away == "cleared" and p.visitor == visitor() for p in room.people):
        alert("info", CLEARED)
    if room.door == "locked" and not room.lets_in(visitor()):
        alert("warning", str(DoorLockedError()))
        st.button("Try again")
        return
    offer_place(room)
    show_recorded(room)
    if room.leads(visitor()):
        address = page_address("room", {"code": room.code, "as": "lead"})
        st.markdown(escaped("You lead this room."))
        show_links(link(address, "To the facilitator\u2019s page", button=True))


def offer_place(room: Room) -> None:
    """One button, and a name if the room asks for names."""
    if JOINING in st.session_state:
        _join(room, st.session_state[JOINING])
        return
    with st.form("room-join", border=False):
        name = ""
        if room.plan.names:
            name = st.text_input(
                "Your name, if you like",
                max_chars=MOST_NAME,
                width=360,
                autocomplete="off",
                placeholder="Or stay a number",
            )
        if st.form_submit_button("Join", type="primary", width=360):
            st.session_state[JOINING] = name
            st.rerun()


def _join(room: Room, name: str) -> None:
    """Take a place in the room; where many have come from here, after a wait."""
    # Links do not go round this: a script that fills the room has the link, too.
    if st.session_state.get(DOOR) != room.code:
        if must_wait(Door(room), "door"):
            return
        st.session_state[DOOR] = room.code
    if not room.invites(st.query_params.get(INVITATION, "")):
        if must_wait(joins, "join"):
            return
        joins.count(storage(), network_address())
    del st.session_state[JOINING], st.session_state[DOOR]
    person = join(storage(), room.code, visitor(), name)
    forget_left()
    st.query_params.from_dict({"code": room.code, "person": str(person.number)})
    st.rerun()
