"""What is rarely wanted in a room: what is kept of one, and the way out."""

from __future__ import annotations

import streamlit as st

from explorer.rooms import Person, Room, SeatedTable, forget, leave, places_in_browser, seat_at
from explorer.ui.components.forgotten import clear_typed
from explorer.ui.database import storage
from explorer.ui.links import link, page_address, show_links
from explorer.ui.room.words import room_name, show_recorded
from explorer.ui.sure import sure_button
from explorer.ui.text import alert, escaped
from explorer.ui.visitor import visitor

__all__ = ["forget_left", "offer_forgetting", "offer_more", "show_left", "show_way_out"]

# What the next page says to whoever has left, and has their browser forget.
LEFT, TYPED = "room-left", "room-typed"
DELETES = (
    "Your name, your answers and all that you wrote here are deleted for everybody, for good. "
    "Others at your table lose what you said to them."
)


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
    if st.button("Leave the room", key="room-leave"):
        leave(storage(), room.code, person.number, by=visitor())
        _gone("You have left the room. The others go on without you. You can join again.")
    if sure_button("Leave, and delete my part", DELETES, "Delete my part now", key="room-forget"):
        _forget(
            room, person, "You have left the room, and your part is deleted, in this browser, too."
        )


def offer_forgetting(room: Room, person: Person) -> None:
    """Let somebody who was removed have their part deleted."""
    if sure_button("Delete my part", DELETES, "Delete my part now", key="room-forget"):
        _forget(room, person, "Your part is deleted, in this browser, too.")


def _forget(room: Room, person: Person, said: str) -> None:
    forget(storage(), room.code, person.number, by=visitor())
    st.session_state[TYPED] = places_in_browser(room, person.number)
    _gone(said)


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
