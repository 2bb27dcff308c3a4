"""A person's seat: the table, what to do now, and what is rarely wanted."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b
from typing import Any

import streamlit as st

from explorer.game_table.screen import without_a_move
from explorer.game_table.seen import Seen
from explorer.rooms import Person, Room, RoomTable, SeatedTable, hand_back, seat_at
from explorer.ui.components.game_table import Act, fill_window, show_table
from explorer.ui.components.now import Tone, show_now
from explorer.ui.database import storage
from explorer.ui.room.about import offer_more
from explorer.ui.room.debrief import show_debrief
from explorer.ui.room.predict import show_prediction
from explorer.ui.room.waiting import show_waiting
from explorer.ui.room.words import room_name
from explorer.ui.visitor import visitor

__all__ = ["show_seat"]

TABLE, RESULT = "My table", "The room's result"
OVER = "The conversation is over. It can still be read."
KEPT = "What you have typed is kept until you can go on."


def show_seat(room: Room, person: Person) -> None:
    """Show a person the table at which they sit, or what they wait for."""
    seated = seat_at(storage(), room.code, person.number, visitor())
    if seated.table is None or seated.seen is None:
        show_waiting(seated)
        return
    shown = _screen(seated, seated.seen)
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="room-bar"):
        _say(seated, seated.table, shown)
        offer_more(seated)
    with st.container(key="table-above"):
        look_at = _what_to_look_at() if seated.room.revealed else TABLE
        if seated.replaced:
            _offer_to_come_back(seated, seated.table)
        elif look_at == RESULT:
            show_debrief(seated.room.code)
        else:
            show_prediction(seated.room, seated.person)
    if look_at == TABLE:
        _table(seated, shown)


def _screen(seated: SeatedTable, seen: Seen) -> dict[str, Any]:
    """The seat's screen; without a place for a move while none would be taken."""
    shown = seen.screen
    if seated.over:
        return without_a_move(shown, OVER)
    if seated.paused or seated.replaced:
        return without_a_move(shown, KEPT)
    return shown


def _what_to_look_at() -> str:
    chosen = st.segmented_control(
        "What to look at",
        [TABLE, RESULT],
        default=TABLE,
        key="seat-shown",
        label_visibility="collapsed",
        width="content",
    )
    return chosen or TABLE


def _say(seated: SeatedTable, table: RoomTable, shown: dict[str, Any]) -> None:
    look = shown["agents"][seated.agent]
    composer = shown["composer"]
    tone: Tone = "wait"
    if composer["channels"] or composer["may_decide"]:
        tone = "go"
    elif seated.paused or seated.over:
        tone = "stop"
    show_now(
        seated.what_now,
        tone=tone,
        where=f"Table {table.number}, {look['name']} · {room_name(seated.room)}",
        seat={"agent": seated.agent, **look},
        ends=None if seated.deadline is None else datetime.fromisoformat(seated.deadline),
        place=_place(seated),
        key="now",
    )


def _offer_to_come_back(seated: SeatedTable, table: RoomTable) -> None:
    if st.button("I am back", type="primary", key="seat-back"):
        hand_back(storage(), seated.room.code, table.number, seated.agent, by=visitor())
        st.rerun()


def _table(seated: SeatedTable, shown: dict[str, Any]) -> None:
    key = _place(seated)
    refused = f"refused-{key}"

    def act(said: Act) -> None:
        refusal = seated.play(said)
        if refusal is not None:
            # It comes from a browser, and may be anything.
            mark = said.get("mark") if isinstance(said, dict) else None
            st.session_state[refused] = {**refusal, "mark": str(mark)}

    show_table(
        shown,
        episode=key,
        error=st.session_state.pop(refused, None),
        key=f"table-{key}",
        on_act=act,
    )


def _place(seated: SeatedTable) -> str:
    """What the browser calls a person's seat. By the episode's own id it could be asked for."""
    said = f"{seated.room.code}/{seated.person.number}/{seated.episode_id}/{seated.agent}"
    return blake2b(said.encode(), digest_size=8).hexdigest()
