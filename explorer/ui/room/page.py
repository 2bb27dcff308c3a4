"""The Room page: which of its parts the address asks for.

- without a code: where one types it, and with ``new=1`` where a room is made
- ``code=CODE``: the person's own part; ``person=N`` if this browser is several
- ``as=lead``, ``as=projector``, ``as=gallery``: the other windows onto a room

An address says what to look at and never who may: that is looked up for the browser.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from explorer.rooms import (
    NoSuchRoomError,
    Room,
    RoomClosedError,
    RoomError,
    Watcher,
    load_room,
    room_of,
)
from explorer.server import INVITATION, NEWS_OF_DATABASE, news_of_room, serves_news, wrong_codes
from explorer.storage import StorageError
from explorer.ui.components.table import show_news
from explorer.ui.database import storage
from explorer.ui.layout import part
from explorer.ui.links import link, page_address, show_links
from explorer.ui.room.join import admit, admitted, must_wait, show_code
from explorer.ui.room.lead import show_lead
from explorer.ui.room.new import show_new
from explorer.ui.room.person import show_person, whom
from explorer.ui.room.projector import show_gallery, show_projector
from explorer.ui.text import alert
from explorer.ui.visitor import may_go_on, network_address, show_sign_in, visitor

__all__ = ["show_page"]

log = logging.getLogger("explorer")

# What else an address may ask to look at a room as; each part takes the room's code.
WINDOWS: dict[str, Callable[[str], None]] = {
    "lead": show_lead,
    "projector": show_projector,
    "gallery": show_gallery,
}
LED = ("lead", "projector")
NOT_SERVED = (
    "Rooms need the explorer's own server: start it by the command nip-explorer. Here nobody is "
    "told what others do, and a reload makes you somebody else."
)


def show_page() -> None:
    """Show what the address asks for."""
    # As a part of the page by itself, which news can have drawn anew without what is around it.
    part(_window)()


def _window() -> None:
    query = st.query_params
    if not serves_news():
        alert("warning", NOT_SERVED)
    try:
        if "new" in query:
            if may_go_on("rooms"):
                show_new(query.get("lesson"))
            else:
                show_sign_in("Start a workshop", "Sign in to make a room.", "room")
        elif "code" in query:
            _look_at_room(query["code"], query.get("as"))
        else:
            show_code()
    except RoomError as error:
        alert("warning", str(error))
        if "as" in query and "code" in query:
            own = page_address("room", {"code": query["code"]})
            show_links(link(own, "To my own place in the room", button=True))
    except StorageError as error:
        _go_without(error)


def _go_without(error: StorageError) -> None:
    """Say that the page needs the database, until that is back."""
    # How to mend it is for whoever runs the server.
    log.warning("A room could not be shown: %s", error)
    alert("warning", f"{error.for_people} This page goes on by itself.")
    st.button("Try again")
    if serves_news():
        show_news(NEWS_OF_DATABASE, "", key="database-news")


def _found(code: str, window: str | None) -> tuple[Room | None, str]:
    """The room that somebody may look at; else why there is none."""
    try:
        # A room that is closed is still its leader's.
        return (room_of if window in LED else load_room)(storage(), code), ""
    except (NoSuchRoomError, RoomClosedError) as error:
        return None, str(error)


def _came_by_link(room: Room | None) -> bool:
    """Has somebody not guessed the code, but come by a link, or been in the room before?"""
    key = st.query_params.get(INVITATION, "")
    return room is not None and (room.invites(key) or room.knows(visitor()) or admitted(room.code))


def _look_at_room(code: str, window: str | None) -> None:
    room, refused = _found(code, window)
    if not _came_by_link(room) and must_wait(wrong_codes, "code", "Join a room"):
        return
    if room is None:
        wrong_codes.count(storage(), network_address())
        show_code(code, refused)
        return
    admit(room.code)
    person = whom(room)
    show = WINDOWS.get(window or "")
    watcher = window if show else person and f"person:{person.number}"
    if not watcher:
        show_person(room, person)
        return
    # Looked at before anything else is read, so that nothing is missed.
    address, look = news_of_room(storage(), room, Watcher.parse(watcher, visitor()))
    if not serves_news():
        address = None
    if show is None:
        show_person(room, person, address, look)
        return
    show_news(address, look.mark, key="room-news")
    show(room.code)
