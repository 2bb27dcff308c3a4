"""A workshop from one page: choose, read the plan, rehearse, print, and open the room."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import ceil

import streamlit as st

from explorer.choice import OWN, tasks_to_query, unknown_entries
from explorer.languages import languages
from explorer.lessons import lessons
from explorer.play import Keys
from explorer.rooms import (
    MOST_BOTS,
    PRESETS,
    LeadPage,
    Opened,
    RoomError,
    RoomPlan,
    WrongPasswordError,
    agenda,
    conditions_of,
    lend_models,
    open_room,
    preset_of,
    run_rehearsal,
    steer,
    throw_away,
    who_may_open,
    workshop_lengths,
)
from explorer.server import wrong_passwords
from explorer.ui.acting import is_refused
from explorer.ui.database import storage
from explorer.ui.following import Following
from explorer.ui.layout import address, header
from explorer.ui.page_link import from_link, judge, unused_entries
from explorer.ui.play.seats import choose_models
from explorer.ui.protocol_families import OWN_TASK, needs_a_task
from explorer.ui.room.about import access_to, act_in_room, why_unreachable
from explorer.ui.room.agenda import show_agenda, show_papers
from explorer.ui.room.join import seconds_to_wait
from explorer.ui.room.tables_form import (
    KEPT,
    ROOM,
    choose_protocol,
    choose_settings,
    seat_name,
)
from explorer.ui.text import alert, dropdown, escaped, keep_choice, segments, small
from explorer.ui.visitor import network_address, signed_in, visitor
from explorer.usage import UsageBudget
from nip_core.errors import NipError

# The key in the session's state for the facilitator's token of a room, which is shown once.
KEY = "room-key-"
WRITE_A_TASK = (
    "No task that comes with the program has the parts of this protocol: write one under “More "
    "choices”."
)
KINDS = {"lesson": "A lesson together", "tables": "Play at tables"}
PACES = {
    True: "I lead: everybody sees what I open",
    False: "Everybody goes at their own pace; I see the answers",
}
REHEARSAL_DAYS = 1
Lent = tuple[Keys, UsageBudget] | None
"""The keys and limits of the language models that the facilitator pays for."""


FORM = Following(ROOM, re.compile("new-(kind|preset|minutes|lesson|writes-.*|.*-(part|fact)-.*)"))


def show_new(problems: list[str]) -> None:
    """Show the page; what is wrong with its address is added to `problems`."""
    actions = header(
        "Start a workshop",
        "Choose what people do and how long it takes. They join with their phones, by a code, "
        "without an account.",
    )
    if unreachable := why_unreachable():
        alert("warning", unreachable)
    FORM.follow()
    from_link("new", ("1",))
    if "task" in address():
        judge("written", "")  # what is wrong with it is said beside the task
    left, right = st.columns([2, 3], gap="large")
    with left:
        keep_choice("new-kind", "lesson" if "lesson" in address() else "tables")
        kind = segments("What people do", KINDS, key="new-kind")
        minutes = _minutes()
        link: dict[str, str] | None = None
        if kind == "lesson":
            plan, led = _lesson_plan()
            lent: Lent = None
        else:
            plan, lent, link = _tables_plan(address(), problems)
            led = True
        language = _language()
        password = _ask_password()
    plan = replace(plan, minutes=minutes, language=language)
    playable = plan.kind == "lesson" or bool(plan.conditions and plan.tasks)
    FORM.to_address(workshop_query(plan, link))
    _say_what_is_unused(problems, kind)
    with right:
        title = escaped(f"The plan: {minutes} minutes")
        st.markdown(f"**{title}**")
        if playable:
            show_papers(plan)
            small("The invitation sheet holds the room's code: print it once the room is open.")
            show_agenda(agenda(plan, minutes))
        else:
            small(WRITE_A_TASK if plan.conditions else "Choose a protocol.")
    with actions:
        chosen = lent is not None or not any(player == "llm" for player in plan.seats.values())
        ready = playable and chosen
        rehearse = st.button(
            f"Rehearse with {MOST_BOTS} bots",
            key="new-rehearse",
            disabled=not ready,
            help="Opens a room full of bots and starts it at once. You see all windows of a real "
            "workshop, and throw the room away afterwards.",
        )
        start = st.button("Open the room", type="primary", key="new-open", disabled=not ready)
    if rehearse:
        plan = replace(plan, rehearsal=True, keep_days=REHEARSAL_DAYS)
    if rehearse or start:
        _open(plan, password, lent, led=led)


def _say_what_is_unused(problems: list[str], kind: str) -> None:
    known = ("minutes", "lesson") if kind == "lesson" else ("minutes", "play", "task", "written")
    unused = unused_entries((*KEPT, "lesson", "task", "written"))
    # Only another protocol than those of the workshops has entries, and says which are wrong.
    if kind == "lesson" or st.session_state["new-preset"] != OTHER:
        unused += ROOM.asked()
    if unused:
        problems.append(unknown_entries("This workshop", unused, known).in_link)


# -- what is chosen --------------------------------------------------------------------------------


def _minutes() -> int:
    names = {str(minutes): f"{minutes} minutes" for minutes in workshop_lengths()}
    keep_choice("new-minutes", FORM.asked("minutes", list(names), next(iter(names))))
    return int(segments("How long", names, key="new-minutes"))


def _language() -> str:
    """Return the language of the room's windows; empty for each person's own."""
    names = {"": "Each person's own", **languages()}
    return dropdown("Language of phones and the projector", names, key="new-language", width=360)


def _lesson_plan() -> tuple[RoomPlan, bool]:
    """Return the plan of a room for a lesson, and whether the facilitator sets the pace."""
    lessons_by_slug = {lesson.slug: lesson for lesson in lessons()[0]}
    keep_choice(
        "new-lesson", FORM.asked("lesson", list(lessons_by_slug), next(iter(lessons_by_slug)))
    )
    slug: str = st.radio(
        "The lesson",
        list(lessons_by_slug),
        format_func=lambda slug: escaped(lessons_by_slug[slug].title),
        key="new-lesson",
    )
    small(lessons_by_slug[slug].summary)
    with st.expander("More choices: pace, names"):
        led = st.radio("Pace", list(PACES), format_func=PACES.__getitem__, key="lesson-new-led")
        names = st.toggle("Ask people for a name", key="lesson-new-names")
        small("Without names, people have numbers. They may leave the name empty.")
    return RoomPlan(kind="lesson", lesson=slug, names=names), bool(led)


def _tables_plan(
    query: Mapping[str, str], problems: list[str]
) -> tuple[RoomPlan, Lent, dict[str, str]]:
    """Return the plan of a room with tables; its models' limits, once all are chosen; its link.

    The link contains the protocol and the written tasks as entries of the address.
    """
    choices = [*PRESETS, OTHER]
    keep_choice("new-preset", FORM.asked("play", choices, choices[0]))
    chosen: str = st.radio(
        "What happens at the tables",
        choices,
        format_func=lambda preset: escaped(
            PRESETS[preset].name if preset in PRESETS else "Another protocol"
        ),
        captions=[
            *(escaped(preset.about) for preset in PRESETS.values()),
            "Any protocol, as you set it.",
        ],
        key="new-preset",
    )
    protocol = choose_protocol(problems) if chosen == OTHER else None
    if chosen == OTHER and protocol is None:
        return RoomPlan(), None, {"protocol": OWN}
    link = {} if protocol is None else ROOM.entries_of(protocol)
    conditions = conditions_of(chosen, protocol)
    truth = PRESETS[chosen].truth if chosen in PRESETS else "drawn"
    writes = needs_a_task(conditions[0].rules)
    with st.expander(
        "More choices: tasks, tables, seats, time, names",
        expanded=from_link("task", (OWN_TASK,)) is not None or writes,
    ):
        plan, tasks = choose_settings(conditions, truth, {**query, **link})
    wanted = {agent: seat_name(conditions, agent) for agent, k in plan.seats.items() if k == "llm"}
    models = choose_models(wanted)
    records = {agent: settings.describe() for agent, settings in models.seats.items()}
    lent = (models.keys, models.caps) if len(records) == len(wanted) else None
    return replace(plan, models=records), lent, link | tasks


# -- the room --------------------------------------------------------------------------------------


def _ask_password() -> str:
    """Ask for the facilitator's password if the operator requires one."""
    # Other reasons why the visitor may not make a room are given once the button is pressed.
    if who_may_open() != "password":
        return ""
    return st.text_input(
        "Facilitator's password", type="password", key="new-password", max_chars=1024, width=360
    )


def _open_as_visitor(plan: RoomPlan, password: str) -> Opened:
    """Make a room that this browser leads.

    Raises
    ------
    RoomError
        Also if the visitor has to wait, since many wrong passwords came from their network.
    """
    if who_may_open() == "password" and (left := seconds_to_wait(wrong_passwords, "password")):
        raise RoomError(
            "Too many wrong passwords came from your network, or from all networks together. "
            "Press the "
            f"button again in {ceil(left)} seconds."
        )
    try:
        return open_room(storage(), plan, visitor(), password, signed_in=signed_in())
    except WrongPasswordError:
        wrong_passwords.count(storage(), network_address())
        raise


def _go_in(opened: Opened) -> None:
    """Show the facilitator's page of a room."""
    st.session_state[f"{KEY}{opened.code}"] = opened.key
    st.query_params.from_dict({"code": opened.code, "as": "lead"})
    st.rerun()


def _open(plan: RoomPlan, password: str, lent: Lent, *, led: bool) -> None:
    """Make the room and show its page; a rehearsal is filled with bots and started."""
    try:
        opened = _open_as_visitor(plan, password)
        if plan.models and lent is not None:
            lend_models(access_to(opened.code), *lent)
        if not led:
            steer(access_to(opened.code), "led", False)
        if plan.rehearsal:
            run_rehearsal(access_to(opened.code))
    except NipError as error:
        alert("error", str(error))
        return
    _go_in(opened)


# The choice of a protocol that is not one of the presets.
OTHER = "other"
# The key in the session's state for a rehearsal that was ended, and the address to show then.
ENDED = "room-ended"


def workshop_query(plan: RoomPlan, link: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the query of an address that opens the form with the choices of a plan.

    `link` has the entries of the protocol and of written tasks; by default they are made from the
    plan.
    """
    query = {"new": "1"} | ({} if plan.minutes is None else {"minutes": str(plan.minutes)})
    if plan.kind == "lesson":
        return query | {"lesson": plan.lesson}
    preset = preset_of(plan)
    query["play"] = preset or OTHER
    if link is None:
        link = {} if preset else plan.conditions[0].choice.to_query()
        if plan.written:
            tasks = [{**task["parts"], **task["facts"]} for task in plan.written]
            link |= {"task": OWN_TASK, **tasks_to_query(tasks, link)}
    return {**query, **link}


def offer_end(room: LeadPage) -> None:
    """Offer to delete a rehearsal; only bots and its facilitator have played in it."""
    if room.plan.rehearsal:
        st.button(
            "End the rehearsal",
            key="lead-end-rehearsal",
            help="Deletes this room with all that was played in it, and goes back to the page on "
            "which you open the real one.",
            on_click=_end,
            args=(room,),
        )


def _end(room: LeadPage) -> None:
    act_in_room(throw_away, room.code)
    if not is_refused():
        query = workshop_query(room.plan)
        st.session_state[ENDED] = room.code, query
        st.query_params.from_dict(query)


def come_back() -> None:
    """Return to the page that prepares a workshop if this window has ended its rehearsal.

    The change feed reports the deletion to this window too, which may then reload the address of
    the deleted room.
    """
    code, query = st.session_state.get(ENDED, ("", {}))
    if code and st.query_params.get("code") == code:
        st.query_params.from_dict(query)
