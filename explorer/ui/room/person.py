"""A person's own part of a room."""

from __future__ import annotations

import streamlit as st

from explorer.news.places import Look
from explorer.rooms import Person, Room
from explorer.ui.components.news import show_news
from explorer.ui.header import header
from explorer.ui.links import link, page_address, show_links
from explorer.ui.room.join import offer_place, show_join
from explorer.ui.room.lesson import show_lesson
from explorer.ui.room.seat import show_seat
from explorer.ui.room.words import room_name
from explorer.ui.visitor import visitor

__all__ = ["show_person", "whom"]


def show_person(
    room: Room, person: Person | None, address: str | None = None, look: Look | None = None
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
