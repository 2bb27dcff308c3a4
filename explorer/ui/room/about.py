"""What is rarely wanted in a room: what is kept of one, and the way out."""

from __future__ import annotations

import streamlit as st

from explorer.rooms import SeatedTable, forget, leave, places_in_browser, seat_at
from explorer.ui.components.forgotten import clear_typed
from explorer.ui.database import storage
from explorer.ui.links import link, page_address, show_links
from explorer.ui.room.words import room_name, show_recorded
from explorer.ui.text import alert, escaped
from explorer.ui.visitor import visitor

__all__ = ["forget_left", "offer_more", "show_left", "show_way_out"]

# What the next page says to whoever has left, and has their browser forget.
LEFT, TYPED = "room-left", "room-typed"


def offer_more(code: str, person: int) -> None:
    """Offer it in a menu, which is filled when it is opened: most people never do."""
    with st.popover("More", on_change="rerun", key="room-more") as menu:
        if not menu.open:
            return
        seated = seat_at(storage(), code, person, visitor())
        st.markdown(f"**{escaped(room_name(seated.room))}**")
        st.markdown(escaped(f"You are {seated.person.shown}."))
        if seated.room.plan.rehearsal:
            another = page_address("room", {"code": seated.room.code, "person": "another"})
            show_links(link(another, "Be somebody else, too", beside=True))
        show_way_out(seated)


def show_way_out(seated: SeatedTable) -> None:
    """Say what is kept, and offer to leave."""
    room, person = seated.room, seated.person
    show_recorded(room)
    with st.container(horizontal=True):
        if st.button("Leave the room", key="room-leave"):
            leave(storage(), room.code, person.number, by=visitor())
            _gone("You have left the room. The others go on without you.")
        if st.button("Leave, and delete my part", key="room-forget"):
            forget(storage(), room.code, person.number, by=visitor())
            st.session_state[TYPED] = places_in_browser(room, person.number)
            _gone("You have left the room, and your part is deleted, in this browser, too.")


def _gone(said: str) -> None:
    st.session_state[LEFT] = said
    if "person" in st.query_params:
        del st.query_params["person"]
    st.rerun()


def show_left() -> None:
    """Tell whoever has left that they have, until they join again."""
    if said := st.session_state.get(LEFT):
        alert("info", said)
    if typed := st.session_state.get(TYPED):
        clear_typed(typed, key="room-typed")


def forget_left() -> None:
    """They are back."""
    for name in (LEFT, TYPED):
        st.session_state.pop(name, None)
