"""A room for a lesson: one button."""

from __future__ import annotations

import streamlit as st

from explorer.rooms import Plan, RoomError, bots_join, lesson_called, steer
from explorer.ui.database import storage
from explorer.ui.header import header
from explorer.ui.links import link, page_address
from explorer.ui.room.lesson_parts import title_of
from explorer.ui.room.opening import ask_password, go_in, open_as_visitor
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import visitor

__all__ = ["show_lesson_new"]

PACES = {
    True: "I lead: everybody sees what I open",
    False: "Everybody goes on by themselves; I see what is answered",
}


def show_lesson_new(slug: str) -> None:
    """Offer to make a room for a lesson."""
    try:
        lesson = lesson_called(slug[:60])
    except RoomError:
        header(
            "Start a workshop",
            "There is no lesson of this name here. Choose one from the list.",
            back=link(page_address("learn", {}), "All lessons"),
        )
        return
    actions = header(
        "Start a workshop",
        f"{lesson.title}: {lesson.minutes} minutes, on everybody's own phone. People join by a "
        "code and need no account.",
        back=link(page_address("learn", {"lesson": lesson.slug}), lesson.title),
    )
    led = st.radio(
        "Pace", list(PACES), format_func=PACES.__getitem__, key="lesson-new-led", index=0
    )
    with st.expander("More choices"):
        names = st.toggle("Ask people for a name", key="lesson-new-names")
        small("Without, they are numbers. It can be left empty.")
        rehearsal = st.toggle("Rehearse with 30 bots", key="lesson-new-rehearsal")
        small("Bots answer at random when you say so; you may join with this browser, too.")
    asked = dict.fromkeys(
        title_of(block) for block in lesson.blocks if block.kind in ("predict", "quiz", "game")
    )
    if asked:
        st.markdown("**What people are asked**")
        st.markdown("\n".join(f"- {escaped(title)}" for title in asked))
    password = ask_password()
    with actions:
        if st.button("Open the room", type="primary", key="lesson-new-open"):
            _open(slug, password, led=bool(led), names=names, rehearsal=rehearsal)


def _open(slug: str, password: str, *, led: bool, names: bool, rehearsal: bool) -> None:
    plan = Plan(kind="lesson", lesson=slug, names=names, rehearsal=rehearsal)
    try:
        opened = open_as_visitor(plan, password)
        if not led:
            steer(storage(), opened.code, "led", False, by=visitor())
        if rehearsal:
            bots_join(storage(), opened.code, by=visitor())
    except RoomError as error:
        alert("warning", str(error))
        return
    go_in(opened)
