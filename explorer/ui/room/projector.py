"""What the whole room sees on its wall: how to join, how far the tables are, and the result.

Before the truth is told, what is sent here is made of facts that every seat may know.
"""

from __future__ import annotations

import streamlit as st

from explorer.rooms import NotLeaderError, Room, public_board, room_of
from explorer.rooms.bots import with_bots
from explorer.rooms.guidance import all_over, predicting
from explorer.rooms.live import totals, wall_screen
from explorer.ui.components.board import show_board
from explorer.ui.database import storage
from explorer.ui.room.debrief import show_debrief
from explorer.ui.room.invite import STYLE, join_address, show_invitation
from explorer.ui.room.lesson_projector import show_lesson_projector
from explorer.ui.room.predict import QUESTION, predictions
from explorer.ui.text import in_html
from explorer.ui.visitor import visitor

__all__ = ["show_projector"]


def show_projector(code: str) -> None:
    """Show the room to all who are in it."""
    room = room_of(storage(), code)
    if not room.leads(visitor()):
        raise NotLeaderError
    if room.kind == "lesson":
        show_lesson_projector(room)
        return
    st.html(f'{STYLE}<div class="nip-wall"></div>')
    if room.phase == "gathering":
        bots = sum(person.bot for person in room.here)
        here = f"{len(room.here) - bots} here" + (f", and {bots} bots" if bots else "")
        _title(room.plan.title or "Join this room", here)
        show_invitation(room, big=True)
        return
    if room.phase in ("revealed", "closed"):
        _title("What came of it", room.plan.title)
        show_debrief(room.code)
        return
    if predicting(room):
        predicted = predictions(room, room.turn).total()
        people = sum(not person.bot for person in room.here)
        _title("What do you expect?", f"{predicted} of {people} have answered")
        choices = "".join(f"<span>{in_html(each)}</span>" for each in predictions(room))
        st.html(
            f'<div class="nip-asking"><p class="nip-ask">{in_html(QUESTION)}</p>'
            f'<div class="nip-choices">{choices}</div></div>'
        )
        return
    rows = public_board(storage(), room.code)
    far = totals(rows)
    if room.phase == "paused":
        _title("Paused", "What you have typed is kept")
    elif all_over(room):
        over = "All tables are over" if far["tables"] > 1 else "The table is over"
        _title(over, f"{_bots(far['bots'])}The truth comes next")
    else:
        one = far["tables"] == 1
        over = "The table plays" if one else f"{far['over']} of {far['tables']} tables are over"
        _title(over, f"{_bots(far['bots'])}{_join(room)}")
    done = far["played"] / max(1, far["rounds"])
    st.html(
        '<div class="nip-far" role="progressbar" aria-label="Rounds played" aria-valuemin="0" '
        f'aria-valuemax="100" aria-valuenow="{100 * done:.0f}"><i style="width: {done:.1%}"></i>'
        "</div>"
    )
    specs = {each.number: room.plan.condition(each.condition).spec for each in room.tables}
    show_board(wall_screen(specs, rows), key="projector-board", on_table=lambda _: None)


def _bots(number: int) -> str:
    """Name the tables that are over and do not count, once everybody may know of them."""
    return f"{with_bots(number).capitalize()}. " if number else ""


def _title(text: str, beside: str) -> None:
    st.html(
        f'<header class="nip-walltitle"><h1>{in_html(text)}</h1><p>{in_html(beside)}</p></header>'
    )


def _join(room: Room) -> str:
    shown = join_address(room.code).split("://", 1)[-1]
    return f"Task {room.turn}. Late? {shown}"
