"""Making a room: tables or a lesson."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import cast

import streamlit as st

from explorer.play import Keys
from explorer.rooms import (
    CODE,
    LEAST_SECONDS,
    MOST_SECONDS,
    MOST_TABLES,
    MOST_TASKS,
    PRESETS,
    TASKS,
    Opened,
    RoomCondition,
    RoomError,
    RoomPlan,
    TooManyError,
    WrongPasswordError,
    bots_join,
    conditions_of,
    lend_models,
    lesson_called,
    most_days,
    open_room,
    rehearse,
    steer,
    tasks_of,
    who_may_open,
)
from explorer.server import wrong_passwords
from explorer.ui.controls import choose_schedule
from explorer.ui.database import storage
from explorer.ui.layout import header
from explorer.ui.links import link, page_address, show_links
from explorer.ui.play.seats import choose_models
from explorer.ui.room.join import seconds_to_wait
from explorer.ui.room.lesson import title_of
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import network_address, signed_in, visitor
from explorer.usage import Budget
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_infos
from nip_core.tasks import DIFFICULTIES, Difficulty, task_kinds

__all__ = ["KEY", "show_new"]

# The key in the session's state for the facilitator's token of a room, which is shown once.
KEY = "room-key-"


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
        raise TooManyError(
            "Too many wrong passwords came from your network, or from everywhere. Press the "
            f"button again in {ceil(left)} seconds."
        )
    try:
        return open_room(storage(), plan, visitor(), password, signed_in=signed_in())
    except WrongPasswordError:
        wrong_passwords.count(storage(), network_address())
        raise


def _go_in(opened: Opened) -> None:
    """Go on as the facilitator of a room."""
    st.session_state[f"{KEY}{opened.code}"] = opened.key
    st.query_params.from_dict({"code": opened.code, "as": "lead"})
    st.rerun()


PACES = {
    True: "I lead: everybody sees what I open",
    False: "Everybody goes on by themselves; I see what is answered",
}


def _show_lesson_new(slug: str) -> None:
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
    password = _ask_password()
    with actions:
        if st.button("Open the room", type="primary", key="lesson-new-open"):
            _open_lesson(slug, password, led=bool(led), names=names, rehearsal=rehearsal)


def _open_lesson(slug: str, password: str, *, led: bool, names: bool, rehearsal: bool) -> None:
    plan = RoomPlan(kind="lesson", lesson=slug, names=names, rehearsal=rehearsal)
    try:
        opened = _open_as_visitor(plan, password)
        if not led:
            steer(storage(), opened.code, "led", False, visitor=visitor())
        if rehearsal:
            bots_join(storage(), opened.code, visitor=visitor())
    except RoomError as error:
        alert("warning", str(error))
        return
    _go_in(opened)


OTHER = "other"
BOTS = 30
TRUTHS = {
    "drawn": "Drawn: some provers are honest, and some lie",
    "false": "All false: whoever argues for them lies",
    "true": "All true",
}
SEATINGS = {"random": "At random", "choice": "By choice"}
PLAYERS = {
    "person": "A person",
    "scripted": "A scripted player",
    "random": "A player that moves at random",
    "llm": "A language model",
}
BOTS_FOR_PEOPLE = {
    "scripted": "A scripted player may move for them",
    "random": "A player that moves at random may move for them",
    "": "No bot plays: the seat stays free, and a table ends when its time is up",
}
BOTS_TOLD = {"end": "When their table is over", "once": "At once"}
GALLERIES = {
    "end": "All tables, once the truth is told",
    "seat": "One seat's view at once, and all tables in the end",
    "none": "Nothing",
}


def show_new(lesson: str | None) -> None:
    """Offer to make a room; for a lesson, if its name is given."""
    if lesson is not None:
        _show_lesson_new(lesson)
        return
    actions = header(
        "Start a workshop",
        "People join with their phones, by a code. They need no account, and no name.",
    )
    chosen = st.radio(
        "What happens at the tables",
        [*PRESETS, OTHER],
        format_func=lambda each: escaped(
            PRESETS[each].name if each in PRESETS else "Another protocol"
        ),
        captions=[
            *(escaped(each.about) for each in PRESETS.values()),
            "Any protocol, as you set it.",
        ],
        key="new-preset",
    )
    parameters = _other() if chosen == OTHER else None
    conditions = conditions_of(chosen or "apart", parameters)
    truth = PRESETS[chosen].truth if chosen in PRESETS else "drawn"
    with st.expander("More choices: tasks, tables, seats, time, names"):
        plan = _choices(conditions, truth)
    asked = {agent: _name_of(conditions, agent) for agent, k in plan.seats.items() if k == "llm"}
    models = choose_models(asked)
    records = {agent: settings.describe() for agent, settings in models.seats.items()}
    rehearsal = st.toggle(
        f"A rehearsal, with {BOTS} bots",
        key="new-rehearsal",
        help="Bots join and play at the pace of people. You may take a seat yourself, too.",
    )
    password = _ask_password()
    with actions:
        show_links(link(page_address("learn", {}), "A lesson instead", button=True))
        ready = len(records) == len(asked)
        if st.button("Open the room", type="primary", key="new-open", disabled=not ready):
            _open(
                replace(plan, rehearsal=rehearsal, models=records),
                password,
                models.keys,
                models.caps,
            )


def _other() -> HyperParameters:
    names = {info.name: info.full_name for info in protocol_infos() if not info.for_developers}
    protocol = st.selectbox(
        "Protocol",
        list(names),
        index=list(names).index("nip"),
        format_func=names.__getitem__,
        key="new-protocol",
        width=420,
    )
    asked = HyperParameters(interaction_protocol=protocol)
    return choose_schedule(asked, "new", without=["zero_knowledge"])


def _choices(conditions: tuple[RoomCondition, ...], truth: str) -> RoomPlan:
    """Return a plan with the settings that are rarely changed."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Tasks**")
        tasks = _tasks()
        # The key changes with the workshop, so that its own choice is selected.
        drawn = _select("Do the statements hold?", TRUTHS, f"new-truth-{truth}", truth)
        st.markdown("**Tables**")
        limited = st.toggle("A number of tables of my own", key="new-limited")
        tables = None
        if limited:
            tables = int(st.number_input("Tables", 1, MOST_TABLES, 8, key="new-tables", width=240))
        else:
            small("As many as people need.")
        minutes = st.toggle("A time limit for each round", key="new-timed")
        seconds = None
        if minutes:
            seconds = int(
                st.number_input(
                    "Seconds a round",
                    *(LEAST_SECONDS, MOST_SECONDS, 120, 10),
                    key="new-seconds",
                    width=240,
                    help="When time is up, a bot moves for anyone who has not; or the table ends, "
                    "if no bot may play.",
                )
            )
    with right:
        st.markdown("**Seats**")
        seating = st.segmented_control(
            "Who sits where",
            list(SEATINGS),
            format_func=SEATINGS.__getitem__,
            default="random",
            key="new-seating",
        )
        if seating == "choice" and tables is None:
            small("People choose among 8 tables; say another number at the left.")
            tables = 8
        bots = st.selectbox(
            "If somebody is missing, away or too late",
            list(BOTS_FOR_PEOPLE),
            format_func=BOTS_FOR_PEOPLE.__getitem__,
            key="new-bots",
            help="People are told on the page where they join that bots may play. Whoever is "
            "replaced is told at once. Tables with bots are not counted in the result.",
        )
        bots_told = "end"
        if bots:
            bots_told = _select(
                "When the others at the table are told of a bot", BOTS_TOLD, "new-bots-told"
            )
        seats = _seats(conditions)
        st.markdown("**People**")
        names = st.toggle("Ask for names", key="new-names", help="Without, people are numbers.")
        gallery = _select("What spectators see", GALLERIES, "new-gallery")
        gallery_seat = _gallery_seat(conditions) if gallery == "seat" else None
        days = most_days()
        kept = int(
            st.number_input(
                "Days until all of it is deleted", 1, days, min(30, days), key="new-days", width=240
            )
        )
        title = st.text_input(
            "A name for the room, if you like", key="new-title", max_chars=100, width=360
        )
    return RoomPlan(
        title=title.strip(),
        conditions=conditions,
        tasks=tasks,
        truth=drawn,
        tables=tables,
        seating=seating or "random",
        seats=seats,
        bots=bots,
        bots_told=bots_told,
        round_seconds=seconds,
        names=names,
        gallery=gallery,
        gallery_seat=gallery_seat,
        keep_days=kept,
        seed=_seed(),
    )


def _gallery_seat(conditions: tuple[RoomCondition, ...]) -> tuple[int, str]:
    """Return the seat whose view spectators have during play."""
    table = st.number_input("The table", 1, MOST_TABLES, 1, key="new-gallery-table", width=240)
    agents = {agent: _name_of(conditions, agent) for agent in _agents(conditions)}
    agent = _select("The seat", agents, "new-gallery-agent", conditions[0].spec.verifier)
    return int(table), agent


def _seed() -> int:
    """Return a seed that stays the same while the page is open, so that the choices do, too."""
    return st.session_state.setdefault("new-seed", secrets.randbelow(2**31))


def _tasks() -> tuple[str, ...]:
    kinds = {kind.choice: kind.title for kind in task_kinds()}
    kind = _select("About", kinds, "new-about", CODE)
    level = st.segmented_control(
        "How hard?", ["any", *DIFFICULTIES], default=DIFFICULTIES[0], key="new-difficulty"
    )
    count = st.number_input(
        "How many different ones",
        *(1, MOST_TASKS, TASKS),
        key="new-count",
        width=240,
        help="All tables share them, each in an order of its own; a table plays one at a time.",
    )
    difficulty = None if level in (None, "any") else cast("Difficulty", level)
    return tasks_of(kind, difficulty, int(count), _seed())


def _select(label: str, choices: Mapping[str, str], key: str, chosen: str | None = None) -> str:
    """Offer choices by their names; at first the given one, or the first, is chosen."""
    keys = list(choices)
    index = 0 if chosen is None else keys.index(chosen)
    return st.selectbox(escaped(label), keys, index, choices.__getitem__, key=key)


def _agents(conditions: tuple[RoomCondition, ...]) -> list[str]:
    """Return the agents of all conditions, each once."""
    return list(dict.fromkeys(agent for each in conditions for agent in each.spec.agent_names))


def _name_of(conditions: tuple[RoomCondition, ...], agent: str) -> str:
    """Return the name of a seat in the first condition that has it."""
    spec = next(each.spec for each in conditions if agent in each.spec.agent_names)
    return spec.seat_name(agent)


def _seats(conditions: tuple[RoomCondition, ...]) -> dict[str, str]:
    """Return the kind of player in each seat that no person plays."""
    found: dict[str, str] = {}
    for agent in _agents(conditions):
        label = f"{_name_of(conditions, agent)} is"
        kind = _select(label, PLAYERS, f"new-seat-{agent}")
        if kind != "person":
            found[agent] = kind
    return found


def _open(plan: RoomPlan, password: str, keys: Keys, caps: Budget) -> None:
    try:
        opened = _open_as_visitor(plan, password)
        if plan.models:
            lend_models(storage(), opened.code, keys, caps, visitor=visitor())
        if plan.rehearsal:
            rehearse(storage(), opened.code, BOTS, visitor=visitor())
    except (RoomError, NipError) as error:
        alert("error", str(error))
        return
    _go_in(opened)
