"""Joining a room: by a code, within the rate limit, and waiting until play begins."""

from __future__ import annotations

import time
from math import ceil
from typing import Any

import streamlit as st

from explorer.languages import marked, tr, trn
from explorer.rooms import (
    MOST_NAME,
    DoorLockedError,
    Own,
    RemovedError,
    Room,
    Waiting,
    join,
    recorded,
    sign_of,
    status_banner,
    take_seat,
)
from explorer.server import INVITATION, RateLimit, RoomRateLimit, joins
from explorer.ui.acting import attempt, show_refusal
from explorer.ui.database import storage
from explorer.ui.fronts import show_now
from explorer.ui.language import choose_language
from explorer.ui.layout import header, link, page_address, part, show_links
from explorer.ui.room.about import (
    access_to,
    act_in_room,
    forget_left,
    offer_forgetting,
    show_left,
    show_recorded,
    show_way_out,
)
from explorer.ui.text import alert, dropdown, escaped, small
from explorer.ui.visitor import network_address, visitor

UNTIL = "room-wait-until-"
ADMITTED = "room-admitted"
# The fewest seconds between two refreshes of a waiting page, and how many refreshes there are: if
# many people wait, frequent refreshes would take the processor from others.
REFRESH_EVERY, REFRESHES = 1.0, 4


def admit(code: str) -> None:
    """Remember that this window had a room's right code, so that it may come back to the room."""
    st.session_state[ADMITTED] = code


def admitted(code: str) -> bool:
    """Return whether this window has been in the room."""
    return st.session_state.get(ADMITTED) == code


TOO_MANY = marked(
    "Too many attempts came from your network, or from all networks together. This page goes on "
    "by itself in {seconds}. "
    "With the link or the QR code of the room you do not have to wait."
)
IN_LINE = marked(
    "Many people from your network join at the moment, so you are in line. Keep this page open: it "
    "asks again by itself in {seconds}. With the link or the QR code of the room you do not have "
    "to wait."
)


def must_wait(limit: RateLimit | RoomRateLimit, what: str, title: str = "") -> bool:
    """Return whether a visitor has to wait before an attempt, and show for how long.

    Each kind of attempt, `what`, has its own waiting time in the session. If the page has no head
    yet, `title` is shown.
    """
    left = seconds_to_wait(limit, what)
    if left:
        if title:
            header(title, tr("One moment, please."))
        says = TOO_MANY if isinstance(limit, RateLimit) else IN_LINE
        part(_wait, every=max(REFRESH_EVERY, left / REFRESHES))(time.monotonic() + left, says)
    return left > 0


def seconds_to_wait(limit: RateLimit | RoomRateLimit, what: str) -> float:
    """Return for how many seconds a visitor has to wait before an attempt; see `must_wait`."""
    until = st.session_state.get(f"{UNTIL}{what}")
    waited = until is not None and time.monotonic() >= until
    if waited:
        del st.session_state[f"{UNTIL}{what}"]
        if isinstance(limit, RateLimit):
            return 0.0  # an attempt at guessing has to wait again
    if until is None or waited:
        wait = limit.wait(storage(), network_address())
        if not wait:
            return 0.0
        until = st.session_state[f"{UNTIL}{what}"] = time.monotonic() + wait
    return max(0.0, until - time.monotonic())


def _wait(until: float, says: str) -> None:
    left = ceil(until - time.monotonic())
    if left <= 0:
        st.rerun()
    alert("info", tr(says, seconds=trn("{n} second", "{n} seconds", left)))


def show_waiting(own: Own, waiting: Waiting, position: int) -> None:
    """Show a person who has joined what happens next."""
    header(own.room, f"{tr('You are in, as {name}.', name=own.name)} {_others(waiting.others)}")
    with st.container(border=True, key="room-waiting"):
        show_now(
            status_banner(waiting.says, tone="wait", where=tr("Keep this page open.")), key="now"
        )
        if waiting.protocol:
            small(waiting.protocol)
    _choose_seat(own, waiting, position)
    with st.expander(escaped(tr("What is kept about you, and how to leave"))):
        show_way_out(own)


def _choose_seat(own: Own, waiting: Waiting, position: int) -> None:
    """Offer the free seats, table by table."""
    if waiting.seat is not None:
        number, name = waiting.seat
        seat = tr("Your seat: {seat} at table {table}.", seat=name, table=sign_of(number))
        alert("info", seat)
    free = dict(waiting.free)
    if not free:
        return
    show_refusal()
    signs = {number: f"{sign_of(number)}" for number in free}
    number = dropdown(escaped(tr("Choose a seat at table")), signs, key="seat-table", width=200)
    with st.container(horizontal=True):
        for agent, name in free[number]:
            st.button(
                escaped(name),
                key=f"seat-take-{number}-{agent}",
                on_click=_take,
                args=(position, own.code, own.person, number, agent),
            )


def _take(position: int, *seat: Any) -> None:
    """Take a seat, or keep the refusal for the next run, in which a taken seat has no button."""
    attempt(lambda: act_in_room(take_seat, *seat, since=position))


def _others(number: int) -> str:
    if number < 1:
        return tr("You are the first.")
    return trn("{n} other is here.", "{n} others are here.", number)


# Keys in the session's state: the name of a person who has pressed the button and may have to wait,
# and the room whose own rate limit has let them pass.
JOINING, DOOR = "room-joining", "room-door"
CLEARED = marked(
    "The facilitator has removed everybody without a seat or an open page. If you are here, join "
    "again: you keep your name and your answers."
)
LONGEST = 20  # characters: a code with blanks and dashes


def show_code(typed: str = "", refused: str = "") -> None:
    """Ask for the code of a room, and say why the one that was typed before was refused."""
    header(tr("Join a room"), tr("Type the code that you were given."))
    choose_language()
    if refused:
        alert("warning", refused)
    with st.form("room-code", border=False):
        code = st.text_input(
            escaped(tr("Code of the room")),
            typed[:LONGEST],
            max_chars=LONGEST,
            width=280,
            autocomplete="off",
        )
        if st.form_submit_button(escaped(tr("Join")), type="primary", width=280) and code.strip():
            st.query_params.from_dict({"code": code.strip()})
            st.rerun()
    st.markdown(escaped(tr("Do you lead a class or a group?")))
    show_links(
        link(page_address("room", {"new": "1"}), tr("Start a workshop"), button=True),
        link(page_address("learn", {}), tr("Choose a lesson to take together")),
    )


def show_join(room: Room) -> None:
    """Offer to join a room, unless the visitor may not."""
    what = tr("Play at a table with others, on your own phone. No account is needed.")
    if room.kind == "lesson":
        what = tr("Take the lesson together, on your own phone. No account is needed.")
    header(room.name, what)
    choose_language()
    show_left()
    removed = room.removed(visitor())
    if removed is not None and not room.leads(visitor()):
        alert("warning", str(RemovedError()))
        if not removed.forgotten:
            offer_forgetting(room, removed)
        return
    if any(p.sent_away == "cleared" and p.visitor == visitor() for p in room.people):
        alert("info", tr(CLEARED))
    if room.door == "locked" and not room.lets_in(visitor()):
        alert("warning", str(DoorLockedError()))
        st.button(escaped(tr("Try again")))
        return
    offer_place(room)
    show_recorded(recorded(room))
    if room.leads(visitor()):
        address = page_address("room", {"code": room.code, "as": "lead"})
        st.markdown(escaped(tr("You lead this room.")))
        show_links(link(address, tr("To the facilitator\u2019s page"), button=True))


def offer_place(room: Room) -> None:
    """Show the button to join, and a field for a name if the room asks for names."""
    if JOINING in st.session_state:
        _join(room, st.session_state[JOINING])
        return
    with st.form("room-join", border=False):
        name = ""
        if room.plan.names:
            name = st.text_input(
                escaped(tr("Your name, if you like")),
                max_chars=MOST_NAME,
                width=360,
                autocomplete="off",
                placeholder=tr("Leave empty to be a number"),
            )
        if st.form_submit_button(escaped(tr("Join")), type="primary", width=360):
            st.session_state[JOINING] = name
            st.rerun()


def _join(room: Room, name: str) -> None:
    """Join the room; without its link, after a wait if many have come from this network."""
    # Against a script that has the link, the facilitator locks and clears the room: a class that
    # holds its phones up to one QR code must not stand in line.
    if not room.invites(st.query_params.get(INVITATION, "")):
        if st.session_state.get(DOOR) != room.code:
            if must_wait(RoomRateLimit(room), "door"):
                return
            st.session_state[DOOR] = room.code
        if must_wait(joins, "join"):
            return
        joins.count(storage(), network_address())
    del st.session_state[JOINING]
    st.session_state.pop(DOOR, None)
    person = join(access_to(room.code), name)
    forget_left()
    st.query_params.from_dict({"code": room.code, "person": str(person.number)})
    st.rerun()
