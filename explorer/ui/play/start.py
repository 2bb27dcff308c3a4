"""Choosing what to play: sensible as it stands, so that one click begins."""

from __future__ import annotations

import secrets
from functools import partial

import streamlit as st

from explorer.address import from_query, to_query
from explorer.game_table.loans import loans
from explorer.game_table.seats import KINDS, kind_title
from explorer.game_table.start import Start, default_seats
from explorer.game_table.table import Table
from explorer.game_table.workers import work_at
from explorer.players.scripted import DEFAULT_LEVEL, DEFAULT_STRATEGY
from explorer.storage import Storage
from explorer.ui.components.known_episodes import show_known_episodes
from explorer.ui.controls import choose_schedule
from explorer.ui.header import header
from explorer.ui.play.model_seats import choose_models
from explorer.ui.play.scripted_seats import (
    choose_level,
    choose_strategy,
    tell_chance,
    tell_of_own_tasks,
    tell_strength,
    tell_strength_of_experts,
)
from explorer.ui.text import alert, escaped, small
from explorer.ui.uploads import UploadedFile, read_once
from explorer.ui.visitor import visitor
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_names, protocol_spec
from nip_core.tasks import DIFFICULTIES, EXTENSIONS, LoadReport, Task, load_tasks, task_kinds

__all__ = ["DEFAULT_PROTOCOL", "go_on", "open_next", "show_start"]

DEFAULT_PROTOCOL = "nip"
OWN_FILE = "own"
# Of a file that is sent to the page: one of them is played, and all are kept in the meantime.
MOST_TASKS = 20_000
SURPRISE = "surprise"
LEVEL = "easy"
ABOUT = {
    SURPRISE: "Surprise me",
    **{kind.choice: kind.title for kind in task_kinds()},
    OWN_FILE: "A file of my own",
}
# What each protocol is, for somebody who has never heard of it.
BLURBS = {
    "nip": "You question one expert, who argues that the statement is true.",
    "adp": "One expert makes one case; then the verifier decides.",
    "debate": "Two experts argue for opposite verdicts, and read each other.",
    "mnip": "Two experts on one side are questioned apart: neither reads the other.",
    "merlin_arthur": "One message, from a friend or a foe: nobody says which.",
    "solo_verifier": "Nobody to ask: the verifier decides alone.",
}


def show_start(storage: Storage) -> None:
    """Let a person choose, and begin."""
    header(
        "Take a seat",
        "A prover claims something, and you do not know whether it is true. Question it, then "
        "accept or reject. Or sit on the other side.",
    )
    left, right = st.columns(2)
    with left:
        parameters = _choose_protocol()
        seats, levels, strategies = _choose_seats(parameters)
    with right:
        wanted, tasks, about = _choose_task()
        if tasks and levels:
            tell_of_own_tasks()
    _tell_address(parameters, seats, levels, strategies, about)
    models = [agent for agent, kind in seats.items() if kind == "llm"]
    chosen = choose_models(models)
    ready = wanted is not None and len(chosen.seats) == len(models)
    if st.button("Begin", type="primary", key="play-begin", disabled=not ready):
        seed = secrets.randbelow(2**31)
        records = {agent: settings.describe() for agent, settings in chosen.seats.items()}
        start = Start(
            parameters,
            wanted or "",
            seats,
            seed,
            models=records,
            levels=levels,
            strategies=strategies,
        )
        try:
            table = Table.open_new(
                storage, start.setup(tasks[seed % len(tasks)] if tasks else None), start.players()
            )
            if models:
                loans.lend(visitor(), table.id, chosen.seats.values(), chosen.keys)
                table.set_caps(visitor(), chosen.caps)
            if table.humans:
                go_on(storage, table)
        except NipError as error:
            alert("error", str(error))
            return
        _go(table.id)
        st.rerun()
    show_known_episodes(_go)


def open_next(storage: Storage, before: Table, start: Start, task: Task | None = None) -> Table:
    """Begin an episode after another one, and let the players move until a person is to."""
    table = Table.open_new(storage, start.setup(task), start.players())
    loans.follow(visitor(), before.id, table.id)
    if table.model_seats:
        table.set_caps(visitor(), before.caps(visitor()))
    # With nobody at the table, whoever watches says when it begins, and at what pace.
    if table.humans:
        go_on(storage, table)
    return table


def go_on(storage: Storage, table: Table) -> None:
    """Let the players move until a person is to; models think in the background."""
    if table.model_seats:
        work_at(storage, table.id, visitor())
    else:
        table.play_until_a_person()


def _go(episode_id: str) -> None:
    st.query_params.from_dict({"episode": episode_id})


def _choose_protocol() -> HyperParameters:
    """The protocol of the link, with the link's parameters, or one that is chosen here."""
    names = protocol_names()
    asked, refused = from_query(_link(), DEFAULT_PROTOCOL)
    if refused:
        alert("info", f"Some of the link cannot be used and was left out: {', '.join(refused)}.")
    protocol = st.selectbox(
        "Protocol",
        names,
        index=names.index(asked.interaction_protocol),
        key="play-protocol",
    )
    small(BLURBS.get(protocol, "See the Schedule page for who speaks when."))
    if protocol != asked.interaction_protocol:
        asked = HyperParameters(interaction_protocol=protocol)
    settings = [f"{key} = {value}" for key, value in to_query(asked).items() if "." in key]
    if settings:
        small(f"With the settings of the link: {', '.join(settings)}.")
    with st.expander("Parameters"):
        # What is played in words has no simulator.
        plain = asked.replace(protocol_common={"zero_knowledge": False})
        return choose_schedule(plain, "play", without=["zero_knowledge"])


def _tell_address(
    parameters: HyperParameters,
    seats: dict[str, str],
    levels: dict[str, str],
    strategies: dict[str, str],
    about: dict[str, str],
) -> None:
    """Let the address say all that is chosen, so that a link shows the same.

    It is written whole: two choices in quick succession would each undo the other's change.
    """
    link = _link()
    kept = {name: link[name] for name in ("seat", "task") if name in link}
    usual = _usual_seats(parameters)
    sits = {f"sits.{agent}": kind for agent, kind in seats.items() if kind != usual.get(agent)}
    plays = {f"level.{agent}": level for agent, level in levels.items() if level != DEFAULT_LEVEL}
    plays |= {
        f"strategy.{agent}": name for agent, name in strategies.items() if name != DEFAULT_STRATEGY
    }
    chosen = {**to_query(parameters), **kept, **sits, **plays, **about}
    if link.get("protocol") is None and chosen["protocol"] == DEFAULT_PROTOCOL:
        del chosen["protocol"]
    if st.query_params.to_dict() != chosen:
        st.query_params.from_dict(chosen)


def _link() -> dict[str, str]:
    """The address as it was at first: what is chosen after that must not change the defaults."""
    return st.session_state.setdefault("play-link", st.query_params.to_dict())


def _asked(name: str, options: list[str], default: str) -> str:
    """What the address asks for, if it is one of the options."""
    wanted = _link().get(name)
    return wanted if wanted in options else default


def _usual_seats(parameters: HyperParameters) -> dict[str, str]:
    """Who sits where if nothing is chosen: I am in the link's seat, or the verifier's."""
    asked = _link().get("seat")
    known = asked in protocol_spec(parameters).agent_names
    return default_seats(parameters, asked if known else None)


def _choose_seats(
    parameters: HyperParameters,
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Who sits where; how well the scripted ones play; and how those who verify do."""
    spec, defaults, kinds = protocol_spec(parameters), _usual_seats(parameters), list(KINDS)
    seats: dict[str, str] = {}
    levels: dict[str, str] = {}
    strategies: dict[str, str] = {}
    for agent in spec.agent_names:
        seats[agent] = st.selectbox(
            escaped(agent),
            kinds,
            index=kinds.index(_asked(f"sits.{agent}", kinds, defaults[agent])),
            format_func=partial(kind_title, role=spec.agent(agent).role),
            key=f"play-seat-{spec.name}-{agent}",
        )
        if seats[agent] == "scripted" and agent in spec.provers:
            levels[agent] = choose_level(spec, agent, _asked)
        elif seats[agent] == "scripted" and agent in spec.verifiers:
            strategies[agent], levels[agent] = choose_strategy(spec, agent, _asked)
    of_provers = {agent: level for agent, level in levels.items() if agent in spec.provers}
    if of_provers or strategies:
        with st.expander("How strong are they?"):
            tell_chance(spec, of_provers)
            for agent, strategy in strategies.items():
                tell_strength(spec, strategy, levels[agent], set(of_provers.values()))
            if of_provers and not strategies:
                tell_strength_of_experts(spec, set(of_provers.values()))
    return seats, levels, strategies


def _choose_task() -> tuple[str | None, tuple[Task, ...], dict[str, str]]:
    """The choice (None while there is none to be had), the tasks of a file, and the address."""
    asked = _link().get("task", "")
    if asked.startswith("id:"):
        small("The task of the link will be played.")
        return asked, (), {}
    abouts = list(ABOUT)
    kind = st.selectbox(
        "About",
        abouts,
        index=abouts.index(_asked("about", abouts, "code")),
        format_func=ABOUT.__getitem__,
        key="play-about",
    )
    about = {} if kind == "code" else {"about": kind}
    if kind == SURPRISE:
        kind = secrets.choice([each.choice for each in task_kinds()])
    if kind == OWN_FILE:
        tasks = _own_tasks()
        return (OWN_FILE if tasks else None), tasks, about
    levels = ["any", *DIFFICULTIES]
    difficulty = st.segmented_control(
        "How hard?",
        levels,
        default=_asked("hard", levels, LEVEL),
        key="play-difficulty",
    )
    small("Which one comes, and whether it is true, is drawn when you begin.")
    if difficulty not in (None, LEVEL):
        about["hard"] = difficulty
    return (kind if difficulty in (None, "any") else f"{kind}:{difficulty}"), (), about


def _own_tasks() -> tuple[Task, ...]:
    file = st.file_uploader(
        "A table with the columns question, solution and y",
        type=[ending.removeprefix(".") for ending in EXTENSIONS],
        key="play-file",
    )
    try:
        report = read_once("play-file", file, _read_tasks)
    except NipError as error:
        alert("error", str(error))
        return ()
    if report is None:
        return ()
    # As text: the file's words are a stranger's.
    st.text(report.summary())
    return report.tasks


def _read_tasks(file: UploadedFile) -> LoadReport:
    return load_tasks(file.getvalue(), file.name, max_rows=MOST_TASKS)
