"""The Room page: which of its parts the address asks for.

- without a code: where one types it, and with ``new=1`` where a room is made
- ``code=CODE``: the person's own part; ``person=N`` if this browser is several
- ``as=lead``, ``as=projector``, ``as=gallery``: the other windows onto a room

An address says what to look at and never who may: that is looked up for the browser.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.storage import StorageError
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
    query = st.query_params
    code = query.get("code")
    try:
        if "new" in query:
            show_new(query.get("lesson"))
        elif code is None:
            show_code()
        else:
            WINDOWS.get(query.get("as"), show_person)(code)
    except StorageError as error:
        alert("error", f"{error} What you have typed is still in this browser.")
        st.button("Try again", type="primary")
