"""For the facilitator: the people in the room, and what can be done for each."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from explorer.rooms import (
    MOST_NAME,
    LeadPage,
    Person,
    clear_idle,
    idle_people,
    let_back_in,
    load_room,
    people_here,
    remove_people,
    rename_person,
    set_door,
    sign_of,
)
from explorer.ui.acting import show_refusal
from explorer.ui.room.about import access_to, act_in_room
from explorer.ui.text import distinct_labels, escaped, small
from explorer.ui.widgets import sure_button

DOORS = {"open": "Open", "wide": "Wide open", "locked": "Locked"}
DOOR_SAYS = {
    "open": "People join one after the other: about one a second from one network address.",
    "wide": "For a lecture hall: many people from one network address may join at once.",
    "locked": "Nobody new can join. Those inside can reload, and come back.",
}


def show_people(room: LeadPage) -> None:
    """Offer what can be done about people in a menu, which is filled when it is opened."""
    with st.popover("People", on_change="rerun", key="lead-people") as menu:
        if not menu.open:
            return
        show_refusal()
        if room.phase != "closed":
            _door(room)
            _clear(room)
        _somebody(room)
        _removed(room)


def _door(room: LeadPage) -> None:
    st.markdown("**Door**")
    # Only buttons: a window with an older page would send the value of any other widget along.
    with st.container(horizontal=True):
        for door, name in DOORS.items():
            st.button(
                escaped(name),
                key=f"people-door-{door}",
                disabled=room.door == door,
                on_click=partial(act_in_room, set_door, room.code, door),
            )
    small(DOOR_SAYS[room.door])


def _clear(room: LeadPage) -> None:
    idle = idle_people(load_room(access_to(room.code)))
    if not idle:
        return
    number = len(idle)
    who = "1 person has" if number == 1 else f"{number} people have"
    sure_button(
        f"Clear {number} who never sat down",
        f"{who} joined and never took part: they have no seat or no open page, and have done "
        "nothing. They leave the room. Real people can join again unless the door is locked.",
        "Clear them now",
        key="people-clear",
        act=partial(act_in_room, clear_idle, room.code),
    )


def _somebody(room: LeadPage) -> None:
    people = {f"{person.number}": person for person in room.here}
    st.markdown(f"**{escaped(people_here(len(people)))}**")
    if not people:
        return
    labels = distinct_labels(
        {number: _label(person, room.signs.get(person.number)) for number, person in people.items()}
    )
    chosen = st.multiselect(
        "Choose people to rename or to remove",
        list(people),
        format_func=labels.__getitem__,
        key="people-chosen",
        placeholder="Choose people",
    )
    some = [people[number] for number in chosen if number in people]
    if not some:
        return
    if len(some) == 1:
        _rename(room, some[0])
    numbers = tuple(person.number for person in some)
    who = some[0].shown if len(some) == 1 else f"{len(some)} people"
    key = "-".join(map(str, numbers))
    leave = "leaves" if len(some) == 1 else "leave"
    sure_button(
        f"Remove {who}",
        f"{who} {leave} the room and cannot join again in this browser. What they wrote stays; a "
        "bot plays at their table until somebody else sits down.",
        "Remove now",
        key=f"people-remove-{key}",
        act=partial(act_in_room, remove_people, room.code, numbers),
    )
    sure_button(
        f"Remove {who}, and delete what they said",
        "The same, and their names, answers and words are deleted for everybody, for good. "
        "Verdicts stay.",
        "Remove and delete now",
        key=f"people-delete-{key}",
        act=partial(act_in_room, remove_people, room.code, numbers, words=True),
    )


def _rename(room: LeadPage, person: Person) -> None:
    typed = f"people-name-{person.number}"

    def rename() -> None:
        act_in_room(rename_person, room.code, person.number, st.session_state[typed])

    st.text_input(
        "New name",
        person.name,
        max_chars=MOST_NAME,
        key=typed,
        placeholder="Empty: a number",
        autocomplete="off",
    )
    st.button("Rename", key=f"people-rename-{person.number}", on_click=rename)


def _removed(room: LeadPage) -> None:
    removed = [person for person in room.people if person.sent_away == "removed"]
    if not removed:
        return
    st.markdown("**Removed**")
    for person in removed:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(escaped(person.shown))
            back = partial(act_in_room, let_back_in, room.code, person.number)
            st.button("Let back in", key=f"people-back-{person.number}", on_click=back)


def _label(person: Person, sign: int | None) -> str:
    """Return a name, a place and the time of joining, which makes a flood of joins visible."""
    where = "" if sign is None else f", {sign_of(sign)}"
    return f"{person.shown}{where}, joined {datetime.fromisoformat(person.joined):%H:%M:%S} UTC"
