"""What spectators see of a room: nothing, all once the truth is told, or one seat meanwhile."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from explorer.game_table.screen import gallery
from explorer.game_table.table import Table
from explorer.review import shown
from explorer.rooms import Room, gallery_seat, load_room
from explorer.storage import NoSuchEpisodeError
from explorer.ui.components.game_table import fill_window, show_table
from explorer.ui.components.now import show_now
from explorer.ui.database import storage
from explorer.ui.header import header
from explorer.ui.room.words import room_name
from explorer.ui.visitor import visitor
from nip_core.play import Episode

__all__ = ["show_gallery"]

CLOSED = {
    "none": "Spectators see nothing of this room.",
    "end": "The gallery opens when the facilitator tells the truth. Keep this page open.",
    "seat": "The gallery shows one seat as soon as play begins. Keep this page open.",
}


def show_gallery(code: str) -> None:
    """Show the room to whoever only looks."""
    room = load_room(storage(), code)
    if room.plan.gallery != "none" and room.revealed:
        _show_all(room)
        return
    seen = gallery_seat(storage(), room.code, visitor())
    if seen is None:
        header(room_name(room), "The gallery of the room.")
        show_now(CLOSED[room.plan.gallery], tone="wait", where="", key="now")
        return
    shown_now = seen.watched
    name = shown_now["agents"][seen.seat]["name"]
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="room-bar"):
        show_now(
            f"You see what the {name.lower()} sees.", tone="wait", where=room_name(room), key="now"
        )
    _show(shown_now, "gallery")


def _show_all(room: Room) -> None:
    """Each table of the room, with all that was said at it."""
    tables = _told(room)
    if not tables:
        header(room_name(room), "Nothing was played to its end.")
        return
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="room-bar"):
        show_now("All that was said at each table.", tone="wait", where=room_name(room), key="now")
        number = st.selectbox(
            "Table",
            list(tables),
            format_func=lambda each: f"Table {each}",
            key="gallery-table",
            label_visibility="collapsed",
            width=130,
        )
    _show({**gallery(tables[number]), "review": shown(tables[number])}, f"gallery-{number}")


def _told(room: Room) -> dict[int, Episode]:
    """The episodes of the room's tables, as far as they came to an end."""
    found: dict[int, Episode] = {}
    for each in room.tables:
        # What was not played to its end stays closed.
        with suppress(NoSuchEpisodeError):
            if each.episode_id is not None:
                found[each.number] = Table(storage(), each.episode_id).told()
    return {number: episode for number, episode in found.items() if episode.over}


def _show(table: dict[str, Any], key: str) -> None:
    show_table(table, episode=key, key=f"table-{key}", on_act=lambda _: None)
