"""Choosing what to play, with defaults, so that one click begins a game."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import ProtocolChoice, unknown_entries
from explorer.play import (
    FOR_BEGINNERS,
    Start,
    default_seats,
    first_games,
)
from explorer.players import scripts_for
from explorer.ui.fronts import show_choices, show_first_games
from explorer.ui.layout import address, header, link, page_address
from explorer.ui.page_link import from_link, page_link, unused_entries
from explorer.ui.play.cards import (
    MODEL,
    Card,
    note_on_opponents,
    opponent_cards,
    opponents,
    opponents_title,
    seat_cards,
    selected_opponent,
    selected_seat,
    shown_cards,
    ways_to_play,
)
from explorer.ui.play.link import CHOICES, PLAY
from explorer.ui.play.seats import (
    MOST_SEED,
    Chosen,
    begin,
    choose_models,
    choose_players,
    choose_seed,
    go_to,
    seat_key,
    warn_of_own_tasks,
)
from explorer.ui.play.tasks import WantedTask, choose_task, is_own_asked
from explorer.ui.protocol_families import needs_a_task, show_cards
from explorer.ui.text import alert, escaped, in_html, keep_choice, small
from explorer.ui.widgets import show_known_episodes
from nip_core.errors import NipError
from nip_core.play import Setup

# The key of the option to draw a claim that is false for the person, who then has to lie.
CLAIMS = ("drawn", "false")
# How many seeds are tried for such a claim.
MOST_DRAWN = 200


def show_start(choice: ProtocolChoice, wrong: list[str]) -> None:
    """Let a person choose, and begin; `wrong` is what cannot be used of the protocol's link."""
    st.html(Path(__file__).with_suffix(".css"))
    CHOICES.follow()
    with st.container(key="nip-top"):
        header("Take a seat", FOR_BEGINNERS)
        _offer_first_games()
    # Cards come first on the page, but depend on the settings below them, under More.
    pictures, cards, forms = st.container(), st.container(), st.container()
    button, more = st.container(key="play-go"), st.container()
    with pictures:
        _choose_protocol(choice)
        notes = st.container()
    with page_link("play", place=notes) as problems:
        problems += wrong
        if not PLAY.opens:
            _show_choices(choice, cards, forms, button, more)
            # Those of other protocols, such as the difficulty of programs.
            if unused := unused_entries(PLAY.entries):
                settings = choice.source.defaults
                problems.append(unknown_entries(choice.title, unused, settings).in_link)


def _show_choices(
    choice: ProtocolChoice,
    cards: DeltaGenerator,
    forms: DeltaGenerator,
    button: DeltaGenerator,
    more: DeltaGenerator,
) -> None:
    rules = choice.rules
    # Where no task was prepared, the person has to write or open one.
    writes = needs_a_task(rules) or is_own_asked()
    with more.expander("More: task, players, parameters", expanded=writes):
        left, right = st.columns(2, gap="large")
    with left:
        task = choose_task(choice)
        seed = choose_seed(choice.name)
    with right:
        _show_parameters(choice)
        start = choose_players(choice, _usual_seats(choice))
        start = replace(start, task=task.name, seed=seed or 0)
        lies = _choose_claim(start, task)
    with cards:
        _show_cards(start, task.kind, lies=lies)
        prepares = any(scripts_for(choice, seat).family == "rounds" for seat in start.levels)
        if task.own and prepares:
            warn_of_own_tasks()
    _write_address(start, task, seed, lies=lies)
    models = {seat: rules.seat_phrase(seat) for seat, kind in start.seats.items() if kind == MODEL}
    with forms:
        chosen = choose_models(models)
    ready = task.complete and len(chosen.seats) == len(models)
    begun = button.button("Begin", type="primary", key="play-begin", disabled=not ready)
    if not task.complete:
        with button:
            small("To begin, write or choose the task below, under More.")
    if begun:
        described = {seat: settings.describe() for seat, settings in chosen.seats.items()}
        try:
            start = _drawn(replace(start, models=described), task, seed, lies=lies)
        except NipError as error:
            alert("error", str(error))
            return
        begin(start, chosen, task.picked(start.seed))
    show_known_episodes(go_to)


def _choose_protocol(choice: ProtocolChoice) -> None:
    """Show the protocol with what it is for, and let a person choose another one."""
    st.html('<h2 class="play-or">or set up a game</h2>')
    with st.container(horizontal=True, vertical_alignment="center", key="play-protocol"):
        name = "Open a specification" if PLAY.opens else choice.title
        picker = st.popover(f"**{escaped(name)}**", key="play-picker", on_change="rerun")
        if picker.open:
            with picker:
                show_cards(PLAY, on_choice=_take_protocol)
        if not PLAY.opens:
            after = f" After {choice.rules.source}." if choice.rules.source else ""
            words = f"{choice.in_short}{after}".strip()
            way = link(page_address("protocols", choice.to_query()), "The protocol")
            st.html(f"<p>{in_html(words)} {way}</p>", width="stretch")
    if PLAY.opens and not picker.open:
        show_cards(PLAY, on_choice=_take_protocol)


def _offer_first_games() -> None:
    """Offer the games with hints, for people who are new here."""
    games = [game for game in first_games() if game.card is not None]
    chosen = show_first_games([game.to_plain() for game in games], key="play-first")
    for game in games:
        if game.name == chosen:
            begin(game.start, Chosen())


def _drawn(start: Start, task: WantedTask, seed: int | None, *, lies: bool) -> Start:
    """Return the choices with a seed.

    If the person wants to lie, seeds are tried until the claim is false for them.
    """
    if seed is not None:
        return replace(start, seed=seed)
    drawn = replace(start, seed=secrets.randbelow(MOST_SEED))
    mine = [seat for seat, kind in start.seats.items() if kind == "me"]
    for _ in range(MOST_DRAWN if lies else 0):
        setup = drawn.setup(task.picked(drawn.seed))
        if all(_has_to_lie(setup, seat) for seat in mine):
            break
        drawn = replace(start, seed=secrets.randbelow(MOST_SEED))
    return drawn


def _has_to_lie(setup: Setup, seat: str) -> bool:
    """Return whether a seat does not argue for the truth."""
    roles, facts = setup.rules.roles, setup.deal.facts
    side = roles.sides.get(seat)
    return side is None or side.option_with(setup.rules, facts) != facts[roles.truth or ""]


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
    for card in seat_cards(choice.rules, {}, lies=False):
        if card.key == st.session_state.get(SEAT):
            _take_seat(choice, card)


def _show_parameters(choice: ProtocolChoice) -> None:
    # A container, since what moves to another place is drawn again, and closes.
    with st.container():
        if choice.settings:
            small(f"With the settings of the link: {', '.join(choice.changed_in_words())}.")
    if PLAY.controls():
        with st.expander("Parameters"):
            PLAY.show_controls()


def _choose_claim(start: Start, task: WantedTask) -> bool:
    """Let a person who argues for one side ask for a claim that is false; return whether it is."""
    rules = start.choice.rules
    argue = [seat for seat in rules.provers if seat in rules.roles.sides]
    # Where seats argue for different verdicts, one of them always lies.
    sides = {rules.roles.fixed_sides.get(seat) for seat in argue}
    mine = any(start.seats[seat] == "me" for seat in argue)
    drawn = not task.name.startswith("id:") and len(task.own) != 1
    if not (mine and drawn and rules.roles.on_statement and len(sides) == 1):
        return False
    keep_choice("play-lies", CHOICES.asked("claim", list(CLAIMS), CLAIMS[0]) == CLAIMS[1])
    return st.toggle(
        "My claim is false",
        help="Draws a claim for which you have to lie. Otherwise chance decides.",
        key="play-lies",
    )


def _show_cards(start: Start, about: str, *, lies: bool) -> None:
    choice, rules = start.choice, start.choice.rules
    cards = seat_cards(rules, start.seats, lies=lies)

    def take_seat(key: str) -> None:
        st.session_state[SEAT] = key
        _take_seat(choice, next(card for card in cards if card.key == key))

    show_choices(
        "Your seat",
        shown_cards(rules, cards),
        selected_seat(cards, start.seats),
        key="play-seats",
        on_choice=take_seat,
    )
    agents = opponents(rules, start.seats)
    if not agents:
        return
    offered = opponent_cards(choice, agents, about)
    show_choices(
        opponents_title(rules, agents),
        shown_cards(rules, offered),
        selected_opponent(choice, agents, start.seats, start.levels, start.strategies),
        key="play-opponents",
        on_choice=partial(_take_opponent, choice, agents),
        note=note_on_opponents(offered, about),
    )


def _take_seat(choice: ProtocolChoice, card: Card) -> None:
    """Give people the card's seats, and scripted players the seats that people leave."""
    for seat in choice.rules.seat_names:
        key = seat_key(choice, seat)
        if seat in card.people:
            st.session_state[key] = card.people[seat]
        elif st.session_state.get(key) in (None, "me", "friend"):
            st.session_state[key] = "scripted"
    st.session_state["play-lies"] = card.lies


def _take_opponent(choice: ProtocolChoice, agents: tuple[str, ...], key: str) -> None:
    what, options = ways_to_play(choice, agents)
    for agent in agents:
        st.session_state[seat_key(choice, agent)] = MODEL if key == MODEL else "scripted"
        if key in options:
            st.session_state[seat_key(choice, agent, what)] = key


def _write_address(start: Start, task: WantedTask, seed: int | None, *, lies: bool) -> None:
    asked, choice = address(), start.choice
    usual = _usual_seats(choice)
    named = {"seat": asked["seat"]} if "seat" in asked else {}
    if task.name.startswith("id:"):
        named["task"] = task.name
    chosen = {
        "sits": {seat: kind for seat, kind in start.seats.items() if kind != usual[seat]},
        "level": _unusual(start.levels, {s: scripts_for(choice, s).level for s in start.levels}),
        "strategy": _unusual(
            start.strategies, {s: scripts_for(choice, s).strategy for s in start.strategies}
        ),
    }
    players = {f"{what}.{seat}": of for what, by in chosen.items() for seat, of in by.items()}
    more = {"seed": str(seed)} if seed is not None else {}
    claim = {"claim": CLAIMS[1]} if lies else {}
    CHOICES.to_address(
        {**PLAY.entries_of(choice), **named, **players, **task.entries, **more, **claim}
    )


def _unusual(chosen: Mapping[str, str], usual: Mapping[str, str]) -> dict[str, str]:
    return {seat: name for seat, name in chosen.items() if name != usual[seat]}


def _usual_seats(choice: ProtocolChoice) -> dict[str, str]:
    """Return the default players: the person in the link's seat, or in one that decides."""
    return default_seats(choice.rules, from_link("seat", choice.rules.seat_names))
