"""What somebody sees who has joined and has no table yet."""

from __future__ import annotations

import streamlit as st

from explorer.rooms import Room, RoomError, RoomTable, SeatedTable, sign_of, strip, take_seat
from explorer.storage import StorageError
from explorer.ui.components.now import show_now
from explorer.ui.database import storage
from explorer.ui.header import header
from explorer.ui.room.about import show_way_out
from explorer.ui.room.words import room_name
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import visitor
from nip_core.registry import protocol_info

__all__ = ["show_waiting"]

# Why the seat that was chosen last could not be taken.
REFUSED = "seat-refused"


def show_waiting(seated: SeatedTable) -> None:
    """Say what happens next."""
    room, person = seated.room, seated.person
    header(room_name(room), f"You are in, as {person.shown}. {_others(len(room.here) - 1)}")
    with st.container(border=True, key="room-waiting"):
        show_now(strip(seated.what_now, tone="wait", where="Keep this page open."), key="now")
        if room.kind == "tables" and len(room.plan.conditions) == 1:
            _tell_the_game(room.plan.conditions[0].spec.name)
    if room.plan.seating == "choice":
        _choose_seat(seated)
    with st.expander("What is kept of you, and how to leave"):
        show_way_out(seated)


def _tell_the_game(protocol: str) -> None:
    """What is played. Of several conditions nobody is told which one is theirs."""
    info = protocol_info(protocol)
    small(f"{info.full_name}. {info.sentence}")


def _choose_seat(seated: SeatedTable) -> None:
    """Offer the seats that are free, table by table."""
    room, person = seated.room, seated.person
    free = {
        table.number: [agent for agent, seat in table.seats.items() if seat.person is None]
        for table in room.tables
    }
    open_tables = [number for number, agents in free.items() if agents]
    if person.seat is not None:
        number, agent = person.seat
        name = room.plan.condition(_table(room, number).condition).spec.seat_name(agent)
        alert("info", f"Your seat: {name} at table {sign_of(number)}.")
    if not open_tables:
        return
    if refused := st.session_state.get(REFUSED):
        alert("warning", refused)

    def named(number: int) -> str:
        return f"{sign_of(number)}"

    number = st.selectbox(
        "Choose a seat at table", open_tables, format_func=named, key="seat-table", width=200
    )
    spec = room.plan.condition(_table(room, number).condition).spec
    with st.container(horizontal=True):
        for agent in free[number]:
            st.button(
                escaped(spec.seat_name(agent)),
                key=f"seat-take-{number}-{agent}",
                on_click=_take,
                args=(room.code, person.number, number, agent),
            )


def _take(code: str, person: int, table: int, agent: str) -> None:
    """Take a seat, or keep why not: once somebody else has it, the page has no button for it."""
    st.session_state.pop(REFUSED, None)
    try:
        take_seat(storage(), code, person, table, agent, by=visitor())
    except RoomError as error:
        st.session_state[REFUSED] = str(error)
    except StorageError as error:
        st.session_state[REFUSED] = error.for_people


def _table(room: Room, number: int) -> RoomTable:
    return next(table for table in room.tables if table.number == number)


def _others(number: int) -> str:
    if number < 1:
        return "You are the first."
    return "1 other is here." if number == 1 else f"{number} others are here."
