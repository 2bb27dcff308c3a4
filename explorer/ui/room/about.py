"""What the windows of a room share: their words, and what they say about the room."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from explorer.rooms import (
    Person,
    Room,
    SeatedTable,
    forget,
    is_watched,
    leave,
    places_in_browser,
    seat_at,
    sign_of,
)
from explorer.ui.components.fronts import clear_typed
from explorer.ui.database import storage
from explorer.ui.links import link, page_address, show_links
from explorer.ui.sure import sure_button
from explorer.ui.text import alert, escaped, in_html
from explorer.ui.visitor import visitor

__all__ = [
    "forget_left",
    "offer_forgetting",
    "offer_more",
    "recorded",
    "room_name",
    "show_left",
    "show_recorded",
    "show_way_out",
]

STYLE = """<style>
.nip-kept { margin: 0; padding-left: 1.1rem; color: var(--nip-quiet); font-size: var(--nip-t2); }
.nip-kept li { margin-block: 0.15rem; max-width: 38rem; }
</style>"""


def room_name(room: Room) -> str:
    """What people call a room."""
    return room.name


def recorded(room: Room) -> list[str]:
    """What is kept of somebody, who reads it, and until when."""
    name = "your name, if you type one" if room.plan.names else "no name: you are a number here"
    day = datetime.fromisoformat(room.expires)
    if room.kind == "lesson":
        what = "your answers"
        readers = "The facilitator sees how many answered what, and can keep it as a file."
    else:
        what = "what you write and decide, and when"
        readers = (
            "Your table reads what you write to it. After the reveal everybody in the room may, "
            "and the facilitator can keep it as a file."
        )
    return [
        f"This room keeps {what}, and {name}.",
        readers,
        *_bots(room),
        *_watched(room),
        f"All of it is deleted on {day.day} {day:%B %Y} at the latest.",
        "You can leave at any time, and have your part deleted: your name, your answers and all "
        "that you wrote. Which verdict you gave, and when, stays; so does what others quoted.",
    ]


def _bots(room: Room) -> list[str]:
    """Say whether a bot may play in somebody's place, and when that is told."""
    if room.kind == "lesson":
        return ["A bot may answer for a partner who is missing. You are told when it does."]
    if not room.plan.bots:
        late = " A table ends when its time is up." if room.plan.round_seconds else ""
        return [f"No bot plays in anybody's place.{late}"]
    told = "at once" if room.plan.bots_told == "once" else "when the table is over"
    return [
        "If somebody is missing or too late, a bot may move for them. They are told at once, and "
        f"the others {told}. Such tables are not counted."
    ]


def _watched(room: Room) -> list[str]:
    """Who plays has to know that somebody may look on."""
    seat = room.plan.gallery_seat
    if not is_watched(room) or seat is None:
        return []
    name = next(
        each.spec.seat_name(seat[1])
        for each in room.plan.conditions
        if seat[1] in each.spec.agent_names
    )
    where = f"the {name.lower()} at table {sign_of(seat[0])}"
    return [f"Spectators see what {where} sees, while it is played."]


def show_recorded(room: Room) -> None:
    """Say so on the page."""
    lines = "".join(f"<li>{in_html(line)}</li>" for line in recorded(room))
    st.html(f'{STYLE}<ul class="nip-kept">{lines}</ul>')


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
