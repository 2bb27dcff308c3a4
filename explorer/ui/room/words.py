"""What a room is called, and what is kept of those in it."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from explorer.rooms import Room, is_watched, sign_of
from explorer.ui.text import in_html

__all__ = ["recorded", "room_name", "show_recorded"]

STYLE = """<style>
.nip-kept { margin: 0; padding-left: 1.1rem; color: var(--nip-quiet); font-size: var(--nip-t2); }
.nip-kept li { margin-block: 0.15rem; max-width: 38rem; }
</style>"""


def room_name(room: Room) -> str:
    """What people call a room."""
    return room.name


def recorded(room: Room) -> list[str]:
    """What is kept of somebody, who reads it, and until when."""
    name = "your name, if you type one" if room.plan.names else "no name: you are a number here"
    day = datetime.fromisoformat(room.expires)
    if room.kind == "lesson":
        what = "your answers"
        readers = "The facilitator sees how many answered what, and can keep it as a file."
    else:
        what = "what you write and decide, and when"
        readers = (
            "Your table reads what you write to it. After the reveal everybody in the room may, "
            "and the facilitator can keep it as a file."
        )
    return [
        f"This room keeps {what}, and {name}.",
        readers,
        *_bots(room),
        *_watched(room),
        f"All of it is deleted on {day.day} {day:%B %Y} at the latest.",
        "You can leave at any time, and have your part deleted: your name, your answers and all "
        "that you wrote. Which verdict you gave, and when, stays; so does what others quoted.",
    ]


def _bots(room: Room) -> list[str]:
    """Say whether a bot may play in somebody's place, and when that is told."""
    if room.kind == "lesson":
        return ["A bot may answer for a partner who is missing. You are told when it does."]
    if not room.plan.bots:
        late = " A table ends when its time is up." if room.plan.round_seconds else ""
        return [f"No bot plays in anybody's place.{late}"]
    told = "at once" if room.plan.bots_told == "once" else "when the table is over"
    return [
        "If somebody is missing or too late, a bot may move for them. They are told at once, and "
        f"the others {told}. Such tables are not counted."
    ]


def _watched(room: Room) -> list[str]:
    """Who plays has to know that somebody may look on."""
    seat = room.plan.gallery_seat
    if not is_watched(room) or seat is None:
        return []
    name = next(
        each.spec.seat_name(seat[1])
        for each in room.plan.conditions
        if seat[1] in each.spec.agent_names
    )
    where = f"the {name.lower()} at table {sign_of(seat[0])}"
    return [f"Spectators see what {where} sees, while it is played."]


def show_recorded(room: Room) -> None:
    """Say so on the page."""
    lines = "".join(f"<li>{in_html(line)}</li>" for line in recorded(room))
    st.html(f'{STYLE}<ul class="nip-kept">{lines}</ul>')
