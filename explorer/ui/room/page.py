"""The Room page: shows the part that the address names.

- without a code: a field to type one, and with ``new=1`` the page that prepares a workshop
- ``code=CODE``: the person's own part; ``person=N`` if this browser is several people
- ``as=lead``, ``as=projector``, ``as=gallery``: the other windows onto a room

An address names a window, and gives no right to see it: rights belong to the browser.
"""

from __future__ import annotations

import logging
from pathlib import Path

import streamlit as st

from explorer.languages import marked, speaking, tr
from explorer.rooms import (
    GalleryPage,
    LeadPage,
    NoSuchRoomError,
    Person,
    PersonView,
    ProjectorView,
    Room,
    RoomClosedError,
    RoomError,
    SeatPage,
    WallPage,
    Watcher,
    load_room,
    room_of,
)
from explorer.server import DATABASE_FEED, INVITATION, Snapshot, room_feed, wrong_codes
from explorer.storage import StorageError
from explorer.ui.database import storage
from explorer.ui.language import follow_room, own_language
from explorer.ui.layout import address, header, link, page_address, part, show_links
from explorer.ui.page_link import from_link, page_link
from explorer.ui.room.about import access_to, offer_more
from explorer.ui.room.debrief import show_debrief, show_prediction
from explorer.ui.room.join import (
    admit,
    admitted,
    must_wait,
    offer_place,
    show_code,
    show_join,
    show_waiting,
)
from explorer.ui.room.lead import show_lead
from explorer.ui.room.lesson import show_lesson
from explorer.ui.room.new import come_back, show_new
from explorer.ui.room.projector import show_gallery, show_projector
from explorer.ui.table_front import fill_window, run_on_changes, show_own_seat
from explorer.ui.text import alert, escaped, segments
from explorer.ui.visitor import may_go_on, network_address, show_sign_in, visitor

log = logging.getLogger("explorer")

# The windows onto a room besides a person's own, and those for which one must lead it.
WINDOWS, LED = ("lead", "projector", "gallery"), ("lead", "projector")
TABLE, RESULT = marked("My table"), marked("The room's result")


def show_page() -> None:
    """Show the part that the address names."""
    st.html(Path(__file__).with_name("room.css"))
    # This is a part of its own, so that a change can redraw it without the rest of the page.
    part(_window)()


def _window() -> None:
    come_back()
    query = address()
    try:
        if "new" in query:
            if may_go_on("rooms"):
                with page_link("new room") as problems:
                    show_new(problems)
            else:
                show_sign_in("Start a workshop", "Sign in to make a room.", "room")
        elif "code" in query:
            with page_link(f"room {query['code']}", ("code", "as", "person", INVITATION)):
                _show_room(query["code"], from_link("as", WINDOWS))
        else:
            with page_link("room", ()):
                show_code()
    except RoomError as error:
        alert("warning", str(error))
        if "as" in query and "code" in query:
            own = page_address("room", {"code": query["code"]})
            show_links(link(own, tr("To my seat in the room"), button=True))
    except StorageError as error:
        # The log says how to fix it, which only the operator can do.
        log.warning("A room could not be shown: %s", error)
        alert("warning", f"{error.for_people} {tr('This page goes on by itself.')}")
        st.button(escaped(tr("Try again")))
        run_on_changes(DATABASE_FEED, "", key="database-updates")


def _find(code: str, window: str | None) -> tuple[Room | None, str]:
    """Return the room, or why there is none. A closed room can still be led."""
    try:
        return (room_of if window in LED else load_room)(access_to(code)), ""
    except (NoSuchRoomError, RoomClosedError) as error:
        return None, str(error)


def _came_by_link(room: Room | None) -> bool:
    """Return whether the visitor came by a link or was in the room before: they did not guess."""
    key = st.query_params.get(INVITATION, "")
    return room is not None and (room.invites(key) or room.knows(visitor()) or admitted(room.code))


def _show_room(code: str, window: str | None) -> None:
    room, refused = _find(code, window)
    if not _came_by_link(room) and must_wait(wrong_codes, "code", tr("Join a room")):
        return
    if room is None:
        wrong_codes.count(storage(), network_address())
        show_code(code, refused)
        return
    admit(room.code)
    follow_room(room.plan.language)
    with speaking(own_language()):
        _show_found(room, window)


def _show_found(room: Room, window: str | None) -> None:
    """Show a window onto a room, in the room's language or the visitor's."""
    mine = room.persons_of(visitor())
    person = _named_person(mine)
    watcher = window if window in WINDOWS else person and f"person:{person.number}"
    if not watcher:
        if mine:
            _choose(room, mine)
        else:
            show_join(room)
        return
    # Before anything else is read, so that no change is missed. All that a window shows comes from
    # its view.
    address, shown = room_feed(room, Watcher.parse(watcher, visitor()))
    page = shown.page
    if isinstance(page, SeatPage):
        _show_seat(page, address, shown)
        return
    run_on_changes(address, shown.mark, key="room-updates")
    if isinstance(page, PersonView):
        show_lesson(shown, page)
    elif isinstance(page, GalleryPage):
        show_gallery(page)
    elif isinstance(page, WallPage | ProjectorView):
        show_projector(page)
    elif isinstance(page, LeadPage):
        show_lead(page)


def _named_person(mine: list[Person]) -> Person | None:
    """Return the one of this browser's people whom the address names, or the only one."""
    by_number = {str(person.number): person for person in mine}
    number = from_link("person", by_number)
    if number is None and len(mine) == 1 and "person" not in address():
        return mine[0]
    return by_number.get(number or "")


def _choose(room: Room, mine: list[Person]) -> None:
    """Offer a window for each of the people of a browser."""
    header(room.name, tr("These places in the room are yours. Open each in a window of its own."))
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


def _show_seat(page: SeatPage, address: str, shown: Snapshot) -> None:
    """Show a person their table, the room's result, or the waiting page.

    The window shows `shown` now; its connection has an address.
    """
    own = page.own
    if page.waiting is not None or shown.seat is None:
        run_on_changes(address, shown.mark, key="room-updates")
        if page.waiting is not None:
            show_waiting(own, page.waiting, page.position)
        return
    # The choice is made below it. It stands elsewhere above a result than above a table.
    is_result = page.revealed and st.session_state.get("seat-shown") == RESULT
    with st.container(key="result-beside" if is_result else "seat-beside"):
        offer_more(own)
    with st.container(key="table-above"):
        chosen = TABLE
        if page.revealed:
            chosen = segments(
                escaped(tr("What to look at")),
                {TABLE: tr(TABLE), RESULT: tr(RESULT)},
                TABLE,
                key="seat-shown",
                label_visibility="collapsed",
            )
        if chosen == TABLE:
            show_prediction(own, page.turn, page.prediction)
    if chosen == RESULT:
        run_on_changes(address, shown.mark, key="room-updates")
        show_debrief(own.code)
        return
    fill_window()
    show_own_seat(shown.seat, address=address, mark=shown.mark, key=f"seat-{own.code}-{own.person}")
