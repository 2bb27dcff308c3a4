"""What spectators see of a room: nothing, all once the truth is told, or one seat meanwhile."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.game_table.screen import gallery
from explorer.review import shown
from explorer.rooms import (
    Room,
    RoomTable,
    gallery_seat,
    load_room,
    may_watch_live,
    sign_of,
    strip,
    told_tables,
)
from explorer.rooms.bots import seats_of_bots
from explorer.ui.components.game_table import fill_window, show_table
from explorer.ui.components.now import show_now
from explorer.ui.database import storage
from explorer.ui.header import header
from explorer.ui.room.words import room_name
from explorer.ui.visitor import visitor

__all__ = ["show_gallery"]

CLOSED = {
    "none": "Spectators see nothing of this room.",
    "end": "The gallery opens when the facilitator tells the truth. Keep this page open.",
    "seat": "The gallery shows one seat as soon as play begins. Keep this page open.",
}
BY_LINK = (
    "Whoever has the facilitator's link to watch sees one seat while it is played. All tables are "
    "shown here once the facilitator tells the truth."
)


def show_gallery(code: str) -> None:
    """Show the room to whoever only looks."""
    room = load_room(storage(), code)
    if room.plan.gallery != "none" and room.revealed:
        _show_all(room)
        return
    seen = gallery_seat(storage(), room.code, visitor())
    if seen is None:
        header(room_name(room), "The gallery of the room.")
        live = room.plan.gallery != "seat" or may_watch_live(room, visitor())
        said = CLOSED[room.plan.gallery] if live else BY_LINK
        show_now(strip(said, tone="wait"), key="now")
        return
    shown_now = seen.watched
    name = shown_now["agents"][seen.seat]["name"]
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="room-bar"):
        says = f"You see what the {name.lower()} sees."
        show_now(strip(says, tone="wait", where=room_name(room)), key="now")
    _show(shown_now, "gallery")


def _show_all(room: Room) -> None:
    """Each table of the room, with all that was said at it."""
    told = told_tables(storage(), room.code, visitor())
    if not told:
        header(room_name(room), "No table was played to its end.")
        return
    several = len({table.turn for table, _ in told}) > 1
    names = [
        _name(table, several=several) + (" (bots)" if seats_of_bots(room, table, episode) else "")
        for table, episode in told
    ]
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="room-bar"):
        says = "All that was said at each table."
        show_now(strip(says, tone="wait", where=room_name(room)), key="now")
        place = st.selectbox(
            "Table",
            range(len(told)),
            format_func=names.__getitem__,
            key="gallery-table",
            label_visibility="collapsed",
            width=220 if several else 160,
        )
    _show({**gallery(told[place][1]), "review": shown(told[place][1])}, f"gallery-{place}")


def _name(table: RoomTable, *, several: bool) -> str:
    sign = sign_of(table.number)
    return f"Task {table.turn}, table {sign}" if several else f"Table {sign}"


def _show(table: dict[str, Any], key: str) -> None:
    show_table(table, episode=key, key=f"table-{key}", on_act=lambda _: None)
