"""A person's page: their seat, and what it shows."""

from __future__ import annotations

import streamlit as st

from explorer.rooms import Person, Room, act_at_seat, seat_at
from explorer.server import Snapshot
from explorer.ui.components.table import show_news, show_own_seat
from explorer.ui.database import storage
from explorer.ui.layout import header
from explorer.ui.links import link, page_address, show_links
from explorer.ui.room.about import offer_more, room_name
from explorer.ui.room.debrief import show_debrief, show_prediction
from explorer.ui.room.join import offer_place, show_join, show_waiting
from explorer.ui.room.lesson import show_lesson
from explorer.ui.visitor import visitor

__all__ = ["show_person", "show_seat", "whom"]

TABLE, RESULT = "My table", "The room's result"


def show_seat(code: str, person: int, address: str | None, look: Snapshot) -> None:
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


def show_person(
    room: Room, person: Person | None, address: str | None = None, look: Snapshot | None = None
) -> None:
    """Show a person what is theirs: the way in, their seat, or the lesson.

    Parameters
    ----------
    room : Room
    person : Person, optional
        None if this browser is nobody yet, or several.
    address : str, optional
        Where the person's window hears of changes, if it is told of any.
    look : Look, optional
        What it shows now.
    """
    mine = room.persons_of(visitor())
    if person is None or look is None:
        if mine:
            _choose(room, mine)
        else:
            show_join(room)
    elif room.kind == "lesson":
        show_news(address, look.mark, key="room-news")
        show_lesson(room, person.number)
    else:
        show_seat(room.code, person.number, address, look)


def whom(room: Room) -> Person | None:
    """Of those whom this browser is, the one whom the address names, or the only one."""
    mine = room.persons_of(visitor())
    number = st.query_params.get("person")
    if number is None and len(mine) == 1:
        return mine[0]
    return next((person for person in mine if str(person.number) == number), None)


def _choose(room: Room, mine: list[Person]) -> None:
    """A browser that is several people has a window for each."""
    header(room_name(room), "These places in the room are yours. Open each in a window of its own.")
    show_links(
        *(
            link(
                page_address("room", {"code": room.code, "person": person.number}),
                person.shown,
                button=True,
            )
            for person in mine
        )
    )
    if room.plan.rehearsal:
        offer_place(room)
