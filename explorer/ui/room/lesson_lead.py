"""The facilitator's view of a lesson that a room takes together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from textwrap import shorten
from typing import Any

import pandas as pd
import streamlit as st

from explorer.files import csv_bytes
from explorer.lessons import Lesson, in_language, pair_game, plain, title_of
from explorer.rooms import (
    LESSON_COLUMNS,
    NOW,
    ROUNDS,
    TIMES,
    Access,
    LeadPage,
    LeadView,
    LessonPart,
    bots_answer,
    bots_go,
    bots_join,
    close,
    course_sheet,
    lead_now,
    lead_part,
    lesson_called,
    lesson_table,
    people_here,
    reveal_part,
    round_name,
    sign_of,
    steer,
    steer_rehearsal,
)
from explorer.ui.acting import show_refusal
from explorer.ui.fronts import show_now
from explorer.ui.layout import header, link, page_address, show_links
from explorer.ui.room.about import (
    access_to,
    act_in_room,
    show_invitation,
    show_reach,
)
from explorer.ui.room.agenda import show_clock, show_papers
from explorer.ui.room.lesson import show_room_parts
from explorer.ui.room.new import offer_end
from explorer.ui.room.people import show_people
from explorer.ui.text import alert, escaped, offer_file, small
from explorer.ui.widgets import sure_button

PACES = {True: "I lead", False: "Everybody at their own pace"}
SIGNS = {"open": "○", "locked": "◐", "revealed": "●", None: "·"}

WORDS_NOTE = (
    "Only you see this, without names. Show one answer, or two: they stand side by side on the "
    "projector. Words that are shown cannot be changed by who wrote them."
)
LEGEND = "○ open, ◐ closed, ● revealed, · nothing is asked"


def show_lesson_lead(room: LeadPage, papers: Callable[[], None]) -> None:
    """Show the lesson to a facilitator; `papers` shows what they have in every kind of room."""
    view, lesson = room.lesson, in_language(lesson_called(room.plan.lesson))
    assert view is not None
    closed = room.phase == "closed"
    with header(view.title, f"You lead room {room.code}."):
        _actions(room, view, papers, closed=closed)
    show_refusal()
    show_clock(room)
    left, right = st.columns([3, 2], gap="large")
    with left:
        if closed:
            alert("info", "This room is closed: nobody can answer any more.")
        _step(room, view, lesson, closed=closed)
    with right:
        _people(room)
        _notes(lesson)
        _way(room, view)


def _button(
    room: LeadPage,
    label: str,
    act: str,
    value: Any = None,
    *,
    main: bool = False,
    key: str | None = None,
    disabled: bool = False,
) -> None:
    st.button(
        escaped(label),
        type="primary" if main else "secondary",
        key=f"lesson-lead-{act}-{value if key is None else key}",
        disabled=disabled,
        on_click=partial(act_in_room, steer_rehearsal, room.code, act, value, since=room.position),
    )


def _actions(room: LeadPage, view: LeadView, papers: Callable[[], None], *, closed: bool) -> None:
    code = room.code
    address = page_address("room", {"code": code, "as": "projector"})
    offer_end(room)
    show_links(link(address, "Projector", button=True, beside=True))
    show_people(room)
    # Folded parts are rarely used, so they are made only when opened.
    with st.popover("More", on_change="rerun", key="lesson-lead-more") as menu:
        if not menu.open:
            return
        offer_file(
            "All answers (CSV)",
            partial(_csv, access_to(code)),
            f"room-{code}.csv",
            key="lesson-lead-csv",
            type="tertiary",
        )
        if room.plan.names:
            offer_file(
                "Each person's course (CSV)",
                partial(_courses, access_to(code)),
                f"room-{code}-courses.csv",
                key="lesson-lead-courses",
                type="tertiary",
            )
            small("By name, since this room asks for names. Who deletes their part is not on it.")
        if not closed:
            _choose(room, "led", "Pace", PACES, view.led)
            if view.step:
                st.markdown("**Rehearse**")
                _rehearse(room)
        papers()
        if closed:
            return
        st.markdown("**End**")
        sure_button(
            "Close the room",
            "Nobody can answer any more. You keep the answers until they are deleted.",
            "Close the room now",
            key="lesson-lead-close",
            act=partial(act_in_room, close, code),
        )


def _rehearse(room: LeadPage) -> None:
    label, act = ("Bots leave", bots_go) if room.bots else ("Rehearse with 30 bots", bots_join)
    key, on_click = f"lesson-lead-{act.__name__}", partial(act_in_room, act, room.code)
    st.button(escaped(label), key=key, on_click=on_click)
    if room.plan.rehearsal:
        own = page_address("room", {"code": room.code})
        show_links(link(own, "Join yourself", beside=True))


def _csv(access: Access) -> bytes:
    rows = lesson_table(access)
    return csv_bytes(pd.DataFrame(rows, columns=list(LESSON_COLUMNS)))


def _courses(access: Access) -> bytes:
    columns, rows = course_sheet(access)
    return csv_bytes(pd.DataFrame(rows, columns=columns))


# -- the step at hand ------------------------------------------------------------------------------


def _step(room: LeadPage, view: LeadView, lesson: Lesson, *, closed: bool) -> None:
    asking = view.asking
    shared: dict[str, Any] = {"sources": lesson.sources, "spoken": lesson.language}
    show_now(lead_now(view), key="lesson-lead-now", live=NOW)
    if not closed:
        _controls(room, view, asking)
    if not view.step:
        show_reach(room)
        show_invitation(room)
        show_papers(room.plan, room)
        return
    show_room_parts(view.at_hand, lead_part, key="lesson-lead-parts", **shared)
    if asking is not None and asking.block.kind == "say":
        if not asking.block.choices:
            _words(room, asking, closed=closed)
    elif asking is not None and asking.block.kind != "game":
        with st.expander("What the reveal shows"):
            show_room_parts([asking], reveal_part, key="lesson-lead-truth", **shared)


def _words(room: LeadPage, asking: LessonPart, *, closed: bool) -> None:
    """Show what people have written, nameless; a tap shows it to the class, another hides it."""
    small(WORDS_NOTE if asking.words else "Nobody has written anything yet.")
    for person, text, shown in asking.words:
        with st.container(horizontal=True, vertical_alignment="center"):
            _button(
                room,
                "Hide" if shown else "Show",
                "let",
                (person, text),
                main=shown,
                key=f"{person}",
                disabled=closed,
            )
            st.markdown(escaped(text))


def _controls(room: LeadPage, view: LeadView, asking: LessonPart | None) -> None:
    stage = None if asking is None else asking.stage
    fresh = stage == "locked" and not view.begun
    # Words are let through one by one; a poll, by its reveal.
    words = asking is not None and asking.block.kind == "say" and not asking.block.choices
    last = view.step == len(view.steps)
    if view.paused:
        _button(room, "Go on", "resume", main=True)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if stage == "open":
            _button(room, "Lock", "lock", main=True)
            if not words:
                _button(room, "Reveal", "reveal")
        elif stage == "locked":
            _button(room, "Open", "open", main=fresh)
            if not words:
                _button(room, "Reveal", "reveal", main=not fresh)
        second = asking is not None and asking.key[1] == ROUNDS[0] and not fresh
        wall = second and view.in_pairs and stage == "revealed"
        if not last:
            name = "Next" if view.step else "Begin"
            main = (stage in (None, "revealed") or (words and stage == "locked")) and not wall
            _button(room, name, "go", view.step + 1, main=main)
        if view.step:
            _button(room, "Back", "go", view.step - 1)
        else:
            _rehearse(room)
        if second and stage != "open":
            played = pair_game(asking.block.name) if asking and view.in_pairs else None
            label = "Ask again" if played is None else played.change
            _button(room, label, "round", ROUNDS[1], main=wall)
        if view.step:
            _button(room, "Pause", "pause")
        if asking is not None:
            _rarely(room, view, asking)
        if room.bots and stage == "open":
            answer = partial(act_in_room, bots_answer, room.code)
            st.button("Bots answer", key="lesson-lead-bots_answer", on_click=answer)


def _rarely(room: LeadPage, view: LeadView, asking: LessonPart) -> None:
    with st.popover("This question" if asking.block.kind != "game" else "This game"):
        st.markdown("**Timer**")
        with st.container(horizontal=True):
            for seconds in TIMES:
                label = f"{seconds} s" if seconds < 60 else f"{seconds // 60} min"
                _button(room, label, "timer", seconds)
        if view.pairs:
            players = {False: "Pairs of phones", True: "Each phone alone"}
            _choose(room, "alone", "Who plays", players, not view.in_pairs)
        rounds = {name: round_name(asking.block, name, pairs=view.in_pairs) for name in ROUNDS}
        _choose(room, "round", "Round", rounds, asking.key[1])
        st.markdown("**Begin anew**")
        sure_button(
            "Reset",
            "All that was answered in this round is deleted, for everybody.",
            "Reset now",
            key="lesson-lead-reset-None",
            act=partial(act_in_room, steer, room.code, "reset", None, since=room.position),
        )


def _choose(room: LeadPage, act: str, label: str, choices: Mapping[Any, str], now: Any) -> None:
    """Offer other values of a setting.

    They are buttons, because an outdated window sends the values of other widgets with its next
    action, which would undo a choice made in another window.
    """
    st.markdown(f"**{escaped(label)}**")
    with st.container(horizontal=True):
        for value, name in choices.items():
            st.button(
                escaped(name),
                key=f"lesson-lead-{act}-choose-{value}",
                disabled=value == now,
                on_click=partial(act_in_room, steer, room.code, act, value, since=room.position),
            )


# -- beside it -------------------------------------------------------------------------------------


def _way(room: LeadPage, view: LeadView) -> None:
    """Show all steps, as buttons that go there."""
    folded = st.expander("All steps", expanded=True, on_change="rerun", key="lesson-lead-steps")
    if not folded.open:
        return
    labels = {0: "Before the first: people join"}
    for number, parts in enumerate(view.steps, start=1):
        first = parts[0]
        title = shorten(plain(title_of(first.block)), 60, placeholder=" …")
        labels[number] = f"{SIGNS[first.stage]} {number}. {title}"
    with folded:
        for number, label in labels.items():
            go = partial(act_in_room, steer_rehearsal, room.code, "go", number, since=room.position)
            st.button(
                escaped(label),
                key=f"lesson-lead-step-{number}",
                type="tertiary",
                disabled=number == view.step,
                on_click=go,
            )
        small(LEGEND)


def _people(room: LeadPage) -> None:
    bots = f" Bots: {room.bots}." if room.bots else ""
    label = escaped(f"{people_here(len(room.here))}{bots}")
    with st.expander(label, on_change="rerun", key="lesson-lead-people") as folded:
        if not folded.open:
            return
        show_invitation(room)
        names = [
            f"{person.shown} ({sign_of(room.signs[person.number])})"
            if person.number in room.signs
            else person.shown
            for person in room.here
        ]
        small(", ".join(names[:60]) if names else "Nobody has joined yet.")


def _notes(lesson: Lesson) -> None:
    notes = lesson.facilitator
    if notes.say:
        with st.expander("What to say"):
            st.markdown("\n".join(f"- {escaped(plain(line))}" for line in notes.say))
