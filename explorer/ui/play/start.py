"""Choosing what to play, with defaults, so that one click begins a game."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import OWN, ProtocolChoice
from explorer.play import (
    FOR_BEGINNERS,
    KINDS,
    PROBLEM,
    Start,
    default_seats,
    first_games,
    kind_title,
    takes_statements,
)
from explorer.players import DEFAULT_LEVEL, DEFAULT_STRATEGY
from explorer.ui.fronts import show_choices
from explorer.ui.layout import address, header
from explorer.ui.play.cards import (
    MODEL,
    Card,
    opponent_cards,
    opponents,
    seat_cards,
    selected_opponent,
    selected_seat,
)
from explorer.ui.play.link import CHOICES, PLAY
from explorer.ui.play.published import show_about, show_published
from explorer.ui.play.seats import (
    MOST_SEED,
    Chosen,
    begin,
    choose_level,
    choose_models,
    choose_seed,
    choose_strategy,
    go_to,
    show_chance,
    show_strength,
    warn_of_own_tasks,
)
from explorer.ui.protocol_families import show_cards
from explorer.ui.text import alert, dropdown, escaped, keep_choice, segments, small
from explorer.ui.uploads import read_once
from explorer.ui.widgets import show_known_episodes
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import (
    protocol_spec,
)
from nip_core.spec import ProtocolSpec
from nip_core.tasks import (
    DIFFICULTIES,
    EXTENSIONS,
    Difficulty,
    Task,
    load_tasks,
    problems,
    task_kinds,
)

OWN_FILE = "own"
# The most tasks in an uploaded file. All are kept in memory until one is played.
MOST_TASKS = 20_000
SURPRISE = "surprise"
LEVEL = "easy"
ABOUT = {
    SURPRISE: "Surprise me",
    **{kind.choice: kind.title for kind in task_kinds()},
    OWN_FILE: "A file of my own",
}
# The choice to draw a problem at random.
DRAWN = ""

# The key of the option to draw a claim that is false for the person, who then has to lie.
CLAIMS = ("drawn", "false")
# How many seeds are tried for such a claim.
MOST_DRAWN = 200

OF_CLAIMS = (
    "A prover claims something, and you do not know whether it is true. Question it, then accept "
    "or reject. Or sit on the other side."
)
OF_PAPERS = "A protocol as a paper describes it. Take any of its seats; others play the rest."
OF_ONES_OWN = "A protocol of your own. Take any of its seats; others play the rest."


def show_start(choice: ProtocolChoice, problems: list[str]) -> None:
    """Let a person choose, and begin."""
    st.html(Path(__file__).with_suffix(".css"))
    CHOICES.follow()
    is_own, spec = PLAY.opens or choice.name == OWN, choice.rules
    about = OF_CLAIMS if takes_statements(spec) else OF_PAPERS
    header("Take a seat", OF_ONES_OWN if is_own else about)
    # Cards come first on the page, but depend on the settings below them, under More.
    pictures, cards, forms = st.container(), st.container(), st.container()
    button, more = st.container(key="play-go"), st.container()
    with pictures:
        show_cards(PLAY, key="play-protocols", on_choice=_take_protocol)
        with st.container():  # a place of its own, so that nothing moves when it goes
            if problems:
                alert("info", " ".join(problems))
        if PLAY.opens:
            return
    if choice.has_text_layer:
        _show_registered(choice, pictures, cards, forms, button, more)
    else:
        with pictures:
            show_about(choice)
        show_published(choice, spec, (cards, forms, button, more))


def _show_registered(
    choice: ProtocolChoice,
    pictures: DeltaGenerator,
    cards: DeltaGenerator,
    forms: DeltaGenerator,
    button: DeltaGenerator,
    more: DeltaGenerator,
) -> None:
    """Let a person choose how a protocol with rounds is played, and begin."""
    with pictures:
        small(choice.about)
    with more.expander("More: task, players, parameters"):
        left, right = st.columns(2, gap="large")
    with left:
        wanted, tasks, about = _choose_task()
        seed = _choose_seed(choice, about)
    with right:
        _show_parameters(choice)
        parameters = choice.parameters
        seats, levels, strategies = _choose_seats(parameters)
        lies = _choose_claim(parameters, seats, wanted, about)
    start = Start(parameters, wanted or "", seats, seed or 0, levels=levels, strategies=strategies)
    with cards:
        _show_cards(start, about, lies=lies)
        if tasks and levels:
            warn_of_own_tasks()
    _write_address(choice, start, about)
    spec = protocol_spec(parameters)
    models = {agent: spec.seat_phrase(agent) for agent, kind in seats.items() if kind == "llm"}
    with forms:
        chosen = choose_models(models)
    ready = wanted is not None and len(chosen.seats) == len(models)
    if button.button("Begin", type="primary", key="play-begin", disabled=not ready):
        models_of = {agent: settings.describe() for agent, settings in chosen.seats.items()}
        try:
            start, task = _drawn(replace(start, models=models_of), tasks, seed, lies=lies)
        except NipError as error:
            alert("error", str(error))
            return
        begin(start, chosen, task)
    _offer_first_games()
    show_known_episodes(go_to)


def _offer_first_games() -> None:
    """Offer the games with hints, for people who are new here."""
    small(FOR_BEGINNERS)
    with st.container(horizontal=True, key="play-first"):
        for game in first_games():
            if st.button(escaped(game.name), key=f"play-{game.name}"):
                begin(game.start, Chosen())


def _drawn(
    start: Start, tasks: Sequence[Task], seed: int | None, *, lies: bool
) -> tuple[Start, Task | None]:
    """Return the choices with a seed, and the task if it is from a file.

    If the person wants to lie, seeds are tried until the claim is false for them.
    """
    drawn = start
    for _ in range(MOST_DRAWN if lies and seed is None else 1):
        drawn = replace(start, seed=secrets.randbelow(MOST_SEED) if seed is None else seed)
        task = tasks[drawn.seed % len(tasks)] if tasks else None
        setup = drawn.setup(task)
        mine = [agent for agent, kind in start.seats.items() if kind == "me"]
        if all(setup.stance(agent) != setup.task.y for agent in mine):
            break
    return drawn, tasks[drawn.seed % len(tasks)] if tasks else None


# The key in the session's state for the seat's card that was chosen last.
SEAT = "play card"


def _take_protocol(name: object) -> None:
    """Select a protocol, keeping the seat that was chosen before if it has one like it.

    A browser may send anything.
    """
    if not isinstance(name, str):
        return
    PLAY.switch(name)
    choice = PLAY.choice()[0]
    if choice.has_text_layer:
        spec = protocol_spec(choice.parameters)
        for card in seat_cards(spec, {}, lies=False):
            if card.key == st.session_state.get(SEAT):
                _take_seat(spec, card)


def _show_parameters(choice: ProtocolChoice) -> None:
    # A container, since what moves to another place is drawn again, and closes.
    with st.container():
        if choice.settings:
            small(f"With the settings of the link: {', '.join(choice.changed_in_words())}.")
    with st.expander("Parameters"):
        PLAY.show_controls()


def _choose_seed(choice: ProtocolChoice, about: dict[str, str]) -> int | None:
    """Return the chosen seed and add it to the address; return None for a random one."""
    seed = choose_seed(choice.name)
    if seed is not None:
        about["seed"] = str(seed)
    return seed


def _choose_claim(
    parameters: HyperParameters, seats: dict[str, str], wanted: str | None, about: dict[str, str]
) -> bool:
    """Return whether a prover's claim has to be false, and add it to the address."""
    spec = protocol_spec(parameters)
    mine = [agent for agent in spec.provers if seats[agent] == "me"]
    # Where provers argue for different verdicts, one of them always lies.
    sides = {spec.agent(prover).stance for prover in spec.provers}
    if not mine or len(sides) > 1 or (wanted or "").startswith("id:"):
        return False
    keep_choice("play-lies", CHOICES.asked("claim", list(CLAIMS), CLAIMS[0]) == CLAIMS[1])
    lies = st.toggle(
        "My claim is false",
        help="Draws a claim for which you have to lie. Otherwise chance decides.",
        key="play-lies",
    )
    if lies:
        about["claim"] = CLAIMS[1]
    return lies


def _show_cards(start: Start, about: dict[str, str], *, lies: bool) -> None:
    spec = protocol_spec(start.parameters)
    cards = seat_cards(spec, start.seats, lies=lies)

    def take_seat(key: str) -> None:
        st.session_state[SEAT] = key
        _take_seat(spec, next(card for card in cards if card.key == key))

    show_choices(
        "Your seat",
        [card.to_plain() for card in cards],
        selected_seat(cards, start.seats),
        key="play-seats",
        on_choice=take_seat,
    )
    agents = opponents(spec, start.seats)
    if not agents:
        return
    level = next((start.levels[agent] for agent in agents if agent in start.levels), DEFAULT_LEVEL)
    others = opponent_cards(spec, agents, about.get("about", "code"), level)
    show_choices(
        "Your opponent" if len(agents) == 1 else "Your opponents",
        [card.to_plain() for card in others],
        selected_opponent(spec, agents, start.seats, start.levels, start.strategies),
        key="play-opponents",
        on_choice=partial(_take_opponent, spec, agents),
    )


def _take_seat(spec: ProtocolSpec, card: Card) -> None:
    """Give people the card's seats, and scripted players the seats that people leave."""
    for agent in spec.agent_names:
        key = f"play-seat-{spec.name}-{agent}"
        if agent in card.people:
            st.session_state[key] = card.people[agent]
        elif st.session_state.get(key) in (None, "me", "friend"):
            st.session_state[key] = "scripted"
    st.session_state["play-lies"] = card.lies


def _take_opponent(spec: ProtocolSpec, agents: Sequence[str], key: str) -> None:
    for agent in agents:
        st.session_state[f"play-seat-{spec.name}-{agent}"] = "llm" if key == MODEL else "scripted"
        if key != MODEL:
            what = "strategy" if agent in spec.verifiers else "level"
            st.session_state[f"play-{what}-{spec.name}-{agent}"] = key


def _write_address(choice: ProtocolChoice, start: Start, about: dict[str, str]) -> None:
    link = address()
    kept = {name: link[name] for name in ("seat", "task") if name in link}
    usual = _usual_seats(start.parameters)
    seats = {f"sits.{a}": kind for a, kind in start.seats.items() if kind != usual.get(a)}
    levels = {f"level.{a}": name for a, name in start.levels.items() if name != DEFAULT_LEVEL}
    strategies = {
        f"strategy.{a}": name for a, name in start.strategies.items() if name != DEFAULT_STRATEGY
    }
    CHOICES.to_address(
        {**PLAY.entries_of(choice), **kept, **seats, **levels, **strategies, **about}
    )


def _usual_seats(parameters: HyperParameters) -> dict[str, str]:
    """Return the default players: the person in the link's seat, or the verifier's."""
    asked = address().get("seat")
    known = asked in protocol_spec(parameters).agent_names
    return default_seats(parameters, asked if known else None)


def _choose_seats(
    parameters: HyperParameters,
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the players of seats, the levels of scripted ones, and the strategies of verifiers."""
    spec, defaults = protocol_spec(parameters), _usual_seats(parameters)
    seats: dict[str, str] = {}
    levels: dict[str, str] = {}
    strategies: dict[str, str] = {}
    for agent in spec.agent_names:
        key = f"play-seat-{spec.name}-{agent}"
        keep_choice(key, CHOICES.asked(f"sits.{agent}", list(KINDS), defaults[agent]))
        seats[agent] = dropdown(
            escaped(spec.seat_name(agent)),
            {kind: kind_title(kind, role=spec.agent(agent).role) for kind in KINDS},
            key=key,
            on_change=_sit_down,
            args=(spec.name, agent, spec.agent_names),
        )
        if seats[agent] == "scripted" and agent in spec.provers:
            levels[agent] = choose_level(spec, agent, CHOICES.asked)
        elif seats[agent] == "scripted" and agent in spec.verifiers:
            strategies[agent], levels[agent] = choose_strategy(spec, agent, CHOICES.asked)
    of_provers = {agent: level for agent, level in levels.items() if agent in spec.provers}
    if of_provers or strategies:
        with st.expander("How strong are they?"):
            show_chance(spec, of_provers)
            for agent, strategy in strategies.items():
                show_strength(spec, set(of_provers.values()), strategy, levels[agent])
            if of_provers and not strategies:
                show_strength(spec, set(of_provers.values()))
    return seats, levels, strategies


def _sit_down(protocol: str, agent: str, agents: Sequence[str]) -> None:
    """Give the seat that the person leaves to a scripted player."""
    keys = {each: f"play-seat-{protocol}-{each}" for each in agents}
    if st.session_state.get(keys[agent]) == "me":
        for other, key in keys.items():
            if other != agent and st.session_state.get(key) == "me":
                st.session_state[key] = "scripted"


def _choose_task() -> tuple[str | None, tuple[Task, ...], dict[str, str]]:
    """Return the choice (None without a usable file), the tasks of a file, and the address."""
    asked = address().get("task", "")
    if asked.startswith("id:"):
        small("The task of the link will be played.")
        return asked, (), {}
    keep_choice("play-about", CHOICES.asked("about", list(ABOUT), "code"))
    kind = dropdown("About", ABOUT, key="play-about")
    about = {} if kind == "code" else {"about": kind}
    if kind == SURPRISE:
        kind = secrets.choice([each.choice for each in task_kinds()])
    if kind == OWN_FILE:
        tasks = _own_tasks()
        return (OWN_FILE if tasks else None), tasks, about
    levels = ["any", *DIFFICULTIES]
    keep_choice("play-difficulty", CHOICES.asked("hard", levels, LEVEL))
    difficulty = segments("How hard?", levels, key="play-difficulty")
    if difficulty != LEVEL:
        about["hard"] = difficulty
    level = None if difficulty == "any" else difficulty
    named = _named(kind, level) if about.get("about") != SURPRISE else {}
    if named:
        key = f"play-problem-{level}"
        keep_choice(key, CHOICES.asked("problem", list(named), DRAWN))
        slug = dropdown("Which one?", {DRAWN: "Draw one for me", **named}, key=key)
        if slug != DRAWN:
            small("Whether it is the correct version or a wrong one is drawn when you begin.")
            return f"{PROBLEM}:{slug}", (), {**about, "problem": slug}
    small("Which one comes, and whether it is true, is drawn when you begin.")
    return (kind if level is None else f"{kind}:{level}"), (), about


def _named(kind: str, level: str | None) -> dict[str, str]:
    """Return the bundled problems by name; the version is drawn at random."""
    if kind != "code":
        return {}
    return {
        problem.slug: f"{problem.title} ({problem.difficulty})"
        for problem in problems(cast("Difficulty | None", level))
    }


def _own_tasks() -> tuple[Task, ...]:
    file = st.file_uploader(
        "A table with the columns question, solution and y",
        type=[ending.removeprefix(".") for ending in EXTENSIONS],
        help="Save a table in another format, such as Excel or Parquet, as CSV first.",
        key="play-file",
    )
    try:
        report = read_once("play-file", file, partial(load_tasks, max_rows=MOST_TASKS))
    except NipError as error:
        alert("error", str(error))
        return ()
    if report is None:
        return ()
    # Shown as plain text, since the file's content is untrusted.
    st.text(report.summary())
    return report.tasks
