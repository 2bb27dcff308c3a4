"""Coming into a room: by a code, past the rate limit, and waiting until play begins."""

from __future__ import annotations

import time
from math import ceil
from typing import Any, cast

import streamlit as st

from explorer.rooms import (
    MOST_NAME,
    DoorLockedError,
    Opened,
    RemovedError,
    Room,
    RoomError,
    RoomPlan,
    RoomTable,
    SeatedTable,
    TooManyError,
    WrongPasswordError,
    join,
    open_room,
    sign_of,
    take_seat,
    who_may_open,
)
from explorer.rooms import status_banner as strip
from explorer.server import INVITATION, RateLimit, RoomRateLimit, joins, wrong_passwords
from explorer.storage import StorageError
from explorer.ui.components.fronts import show_now
from explorer.ui.database import storage
from explorer.ui.layout import header, part
from explorer.ui.links import link, page_address, show_links
from explorer.ui.room.about import (
    forget_left,
    offer_forgetting,
    room_name,
    show_left,
    show_recorded,
    show_way_out,
)
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import network_address, signed_in, visitor
from nip_core.registry import protocol_info

__all__ = [
    "KEY",
    "admit",
    "admitted",
    "ask_password",
    "go_in",
    "must_wait",
    "offer_place",
    "open_as_visitor",
    "seconds_to_wait",
    "show_code",
    "show_join",
    "show_waiting",
]

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


def must_wait(tries: RateLimit | RoomRateLimit, what: str, title: str = "") -> bool:
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
        says = TRIES if isinstance(tries, RateLimit) else IN_LINE
        part(_wait, every=max(LOOK_EVERY, left / LOOKS))(time.monotonic() + left, says)
    return left > 0


def seconds_to_wait(tries: RateLimit | RoomRateLimit, what: str) -> float:
    """For how long somebody still waits before their try, which may be made at 0.

    The parameters are those of :func:`must_wait`.
    """
    until = st.session_state.get(f"{UNTIL}{what}")
    waited = until is not None and time.monotonic() >= until
    if waited:
        del st.session_state[f"{UNTIL}{what}"]
        if isinstance(tries, RateLimit):
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


# Where the session keeps the facilitator's token of a room: it is told once.
KEY = "room-key-"


def ask_password() -> str:
    """The facilitator's password, where the operator asks for one."""
    # Why nobody may is told once the button is pressed.
    if who_may_open() != "password":
        return ""
    return st.text_input(
        "Facilitator's password", type="password", key="new-password", max_chars=1024, width=360
    )


def open_as_visitor(plan: RoomPlan, password: str) -> Opened:
    """Make a room that this browser leads.

    Raises
    ------
    RoomError
        Whatever the reason is; also if many wrong passwords came from here, and the person has to
        wait for a moment.
    """
    if who_may_open() == "password" and (left := seconds_to_wait(wrong_passwords, "password")):
        raise TooManyError(
            "Too many wrong passwords came from your network, or from everywhere. Press the "
            f"button again in {ceil(left)} seconds."
        )
    try:
        return open_room(storage(), plan, visitor(), password, signed_in=signed_in())
    except WrongPasswordError:
        wrong_passwords.count(storage(), network_address())
        raise


def go_in(opened: Opened) -> None:
    """Go on as the facilitator of a room."""
    state = cast("dict[str, Any]", st.session_state)
    state[f"{KEY}{opened.code}"] = opened.key
    st.query_params.from_dict({"code": opened.code, "as": "lead"})
    st.rerun()


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
        if must_wait(RoomRateLimit(room), "door"):
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
