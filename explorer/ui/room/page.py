"""The Room page: which of its parts the address asks for.

- without a code: where one types it, and with ``new=1`` where a room is made
- ``code=CODE``: the person's own part; ``person=N`` if this browser is several
- ``as=lead``, ``as=projector``, ``as=gallery``: the other windows onto a room

An address says what to look at and never who may: that is looked up for the browser.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.rooms import RoomError, load_room
from explorer.storage import StorageError
from explorer.ui.database import storage
from explorer.ui.room.gallery import show_gallery
from explorer.ui.room.join import show_code
from explorer.ui.room.lead import show_lead
from explorer.ui.room.new import show_new
from explorer.ui.room.person import show_person
from explorer.ui.room.projector import show_projector
from explorer.ui.text import alert

__all__ = ["show_page"]

# What an address may ask to look at a room as; each part takes the room's code.
WINDOWS: dict[str | None, Callable[[str], None]] = {
    None: show_person,
    "lead": show_lead,
    "projector": show_projector,
    "gallery": show_gallery,
}


def show_page() -> None:
    """Show what the address asks for."""
    # As a part of the page by itself, which news can have drawn anew without what is around it.
    st.fragment(_window)()


def _window() -> None:
    query = st.query_params
    try:
        if "new" in query:
            show_new(query.get("lesson"))
        elif "code" in query:
            _look_at_room(query["code"])
        else:
            show_code()
    except RoomError as error:
        alert("warning", str(error))
    except StorageError as error:
        alert("error", f"{error} What you have typed is still in this browser.")
        st.button("Try again", type="primary")


def _look_at_room(code: str) -> None:
    try:
        room = load_room(storage(), code)
    except RoomError as error:
        show_code(code, str(error))
        return
    WINDOWS.get(st.query_params.get("as"), show_person)(room.code)
