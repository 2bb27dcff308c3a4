"""The settings of a room with tables that are rarely changed."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import cast

import streamlit as st

from explorer.choice import ProtocolChoice, tasks_from_query
from explorer.play import materials, takes_statements, watched
from explorer.rooms import (
    CODE,
    LEAST_SECONDS,
    MOST_SECONDS,
    MOST_TABLES,
    MOST_TASKS,
    MOST_WRITTEN,
    TASKS,
    RoomCondition,
    RoomPlan,
    materials_for,
    most_days,
    tasks_of,
    written_names,
)
from explorer.ui.choosing import Choosing
from explorer.ui.protocol_families import (
    OWN_TASK,
    needs_a_task,
    show_cards,
    write_tasks,
)
from explorer.ui.text import dropdown, escaped, keep_choice, segments, small
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.play import Material
from nip_core.tasks import DIFFICULTIES, Difficulty, task_kinds

TRUTHS = {
    "drawn": "Drawn: some provers are honest, and some lie",
    "false": "All false: provers who argue for them lie",
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
    "end": "All tables, once the truth is revealed",
    "seat": "One seat's view at once, and all tables in the end",
    "none": "Nothing",
}

# The keys of the address that stay when another own specification is opened.
KEPT = ("new", "play", "minutes")
ROOM = Choosing("new", "nip", (*KEPT, "lesson", "task", "written"), without=("zero_knowledge",))
IN_WORDS = (
    "People play in words, and zero knowledge compares probabilities of words, so zero_knowledge "
    "is false here."
)


def choose_protocol(problems: list[str]) -> ProtocolChoice | None:
    """Let a facilitator choose a protocol with its settings, or open one of their own.

    Return None as long as there is none. What is wrong with the address is added to `problems`.
    """
    choice, wrong = ROOM.choice()
    problems += wrong
    show_cards(ROOM, keep=KEPT)
    if choice.is_zero_knowledge:
        problems.append(IN_WORDS)
        choice = choice.with_setting("zero_knowledge", value=False)
    if ROOM.opens:
        return None
    small(f"{choice.title}. {choice.in_short}".strip())
    with st.container(horizontal=True):
        ROOM.show_controls()
    return choice


def choose_settings(
    conditions: tuple[RoomCondition, ...], truth: str, query: Mapping[str, str]
) -> tuple[RoomPlan, dict[str, str]]:
    """Return a plan with the settings that are rarely changed, and its entries in the address.

    The plan has no tasks as long as the facilitator has to write some.
    """
    written: tuple[Material, ...] = ()
    link: dict[str, str] = {}
    # One below the other, since the plan stands beside them and two columns would be too narrow.
    upper, lower = st.container(), st.container()
    with upper:
        st.markdown("**Tasks**")
        rules, drawn = conditions[0].rules, "drawn"
        if takes_statements(rules):
            tasks = _tasks()
        else:
            tasks, written, link = _tasks_of(rules, query)
        if rules.roles.on_statement and not link:
            # The key changes with the workshop, so that its own choice is selected.
            drawn = dropdown("Do the statements hold?", TRUTHS, truth, key=f"new-truth-{truth}")
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
    with lower:
        st.markdown("**Seats**")
        seating = segments("Who sits where", SEATINGS, "random", key="new-seating")
        if seating == "choice" and tables is None:
            small("People choose among 8 tables; choose another number under Tables.")
            tables = 8
        bots = dropdown(
            "If somebody is missing, away or too late",
            BOTS_FOR_PEOPLE,
            key="new-bots",
            help="The page where people join says that bots may play. A person who is replaced "
            "sees it at once. Tables with bots do not count in the result.",
        )
        bots_told = "end"
        if bots:
            bots_told = dropdown(
                "When the others at the table see that a bot has moved",
                BOTS_TOLD,
                key="new-bots-told",
            )
        seats = _seats(conditions)
        st.markdown("**People**")
        names = st.toggle(
            "Ask for names", key="new-names", help="Without names, people have numbers."
        )
        gallery = dropdown("What spectators see", GALLERIES, key="new-gallery")
        gallery_seat = _gallery_seat(conditions) if gallery == "seat" else None
        days = most_days()
        kept = int(
            st.number_input(
                "Days until the room is deleted", 1, days, min(30, days), key="new-days", width=240
            )
        )
        title = st.text_input(
            "A name for the room, if you like", key="new-title", max_chars=100, width=360
        )
    plan = RoomPlan(
        title=title.strip(),
        conditions=conditions,
        tasks=tasks,
        written=tuple(task.to_dict() for task in written),
        truth=drawn,
        tables=tables,
        seating=seating,
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
    return plan, link


def _gallery_seat(conditions: tuple[RoomCondition, ...]) -> tuple[int, str]:
    """Return the seat whose view spectators have during play."""
    table = st.number_input("The table", 1, MOST_TABLES, 1, key="new-gallery-table", width=240)
    agents = {agent: seat_name(conditions, agent) for agent in _agents(conditions)}
    agent = dropdown("The seat", agents, watched(conditions[0].rules), key="new-gallery-agent")
    return int(table), agent


def _seed() -> int:
    """Return a seed that stays the same while the page is open, so that the choices do, too."""
    return st.session_state.setdefault("new-seed", secrets.randbelow(2**31))


def _tasks() -> tuple[str, ...]:
    kinds = {kind.choice: kind.title for kind in task_kinds()}
    kind = dropdown("About", kinds, CODE, key="new-about")
    levels = ("any", *DIFFICULTIES)
    level = segments("How hard?", levels, DIFFICULTIES[0], key="new-difficulty")
    count = _how_many(MOST_TASKS, TASKS, "new-count")
    difficulty = None if level == "any" else cast("Difficulty", level)
    return tasks_of(kind, difficulty, count, _seed())


def _tasks_of(
    spec: Specification, query: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[Material, ...], dict[str, str]]:
    """Let a facilitator choose what a protocol is played on, or write it.

    Return the names of the tasks, none until all are complete, those that were written, and their
    entries in the address.
    """
    known, link = materials(spec), dict[str, str]()
    if not known and not needs_a_task(spec):
        return written_names(1), (Material(),), link
    writes = not known
    if known:
        key = f"new-writes-{spec.name}"
        keep_choice(key, query.get("task") == OWN_TASK)
        writes = st.toggle("Write the tasks myself", key=key)
        link = {"task": OWN_TASK} if writes else {}
    most = MOST_WRITTEN if writes else min(MOST_TASKS, len(known))
    usual = _tasks_in(query) if writes else min(TASKS, most)
    count = _how_many(most, usual, f"new-count-{spec.name}-{writes}")
    if not writes:
        chosen = materials_for(spec, count, _seed())
        small(", ".join(known[name] for name in chosen))
        return chosen, (), {}
    written, packed = write_tasks(spec, query, f"new-{spec.name}", count)
    return written_names(len(written)), written, link | packed


def _how_many(most: int, usual: int, key: str) -> int:
    about = "All tables share them, each in an order of its own; a table plays one at a time."
    label = "How many different ones"
    return int(st.number_input(label, 1, most, usual, key=key, width=240, help=about))


def _tasks_in(query: Mapping[str, str]) -> int:
    """Return how many written tasks an address has, at least one."""
    try:
        return max(1, min(MOST_WRITTEN, len(tasks_from_query(query))))
    except NipError:
        return 1  # the place where they are written shows the reason


def _agents(conditions: tuple[RoomCondition, ...]) -> list[str]:
    """Return the agents of all conditions, each once."""
    return list(
        dict.fromkeys(agent for condition in conditions for agent in condition.rules.seat_names)
    )


def seat_name(conditions: tuple[RoomCondition, ...], agent: str) -> str:
    """Return the name of a seat in the first condition that has it."""
    rules = next(condition.rules for condition in conditions if agent in condition.rules.seat_names)
    return rules.seat_name(agent)


def _seats(conditions: tuple[RoomCondition, ...]) -> dict[str, str]:
    """Return the kind of player in each seat that no person plays."""
    kinds: dict[str, str] = {}
    for agent in _agents(conditions):
        label = escaped(f"{seat_name(conditions, agent)} is")
        kind = dropdown(label, PLAYERS, key=f"new-seat-{agent}")
        if kind != "person":
            kinds[agent] = kind
    return kinds
