"""Models at a table: the visitor's consent, progress, failures, and advice for a seat."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from explorer.play import (
    HUMAN,
    Around,
    StoredTable,
    draft_of,
    failed_worker,
    grants,
    in_words,
    work_at,
)
from explorer.players import (
    AddressRefusedError,
    Client,
    LLMError,
    LLMFailedError,
    LLMPlayer,
    LLMSettings,
    Secret,
    ServerPolicy,
    find_key,
)
from explorer.ui.play.model_form import choose_model, latest_settings
from explorer.ui.play.seats import Chosen, choose_caps, choose_models
from explorer.ui.text import alert, dropdown, escaped, segments, small
from explorer.ui.visitor import visitor
from nip_core.play import Move, View

ONCE, FROM_NOW_ON = "This move", "From now on"


# -- when one fails -----------------------------------------------------------------------------


def say_what_failed(table: StoredTable, failure: tuple[str, str]) -> None:
    """Show why a model's move failed, as far as a seat may see it, and what can be done."""
    words, raw = failure
    if words:
        alert("error", words)
    if raw:
        with st.expander("What the model wrote"):
            st.text(raw)
    if words:
        _after_failure(table)


def _after_failure(table: StoredTable) -> None:
    caps = table.caps(visitor())
    if _is_over_budget(table):
        caps = choose_caps(f"again-{table.id}", caps)
    with st.container(horizontal=True):
        if st.button("Try again", type="primary", key="llm-again"):
            table.set_caps(visitor(), caps)
            work_at(table.storage, table.id, visitor())
            st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ways = (ONCE, FROM_NOW_ON)
        way = segments("Or somebody else moves for it", ways, ONCE, key="llm-how-long")
        once = way == ONCE
        if st.button("I move for it", key="llm-take-seat"):
            table.replace_models(HUMAN, once=once)
            st.rerun()
        if st.button("A scripted player moves for it", key="llm-script-seat"):
            table.replace_models("scripted", once=once)
            work_at(table.storage, table.id, visitor())
            st.rerun()
    small(
        "Where no scripted player exists, the move is random. Or change the models, their "
        "settings or keys:"
    )


# -- changing them ------------------------------------------------------------------------------


def _is_over_budget(table: StoredTable) -> bool:
    worker = failed_worker(table)
    return worker is not None and worker.over_budget


def offer_changes(table: StoredTable, about: Around) -> None:
    """Let a person change a table's models and budget during a game."""
    # All models are offered in the same way, since which one is to move, or has failed, may be
    # hidden.
    seats = table.once_models
    if not seats or about.settled:
        return
    with st.popover("Models"):
        if not st.toggle("Change the models", key="change-models"):
            return
        if about.at_work:
            small("A model is at work. Stop it first, or wait for its move.")
            return
        names = {agent: table.spec.seat_name(agent) for agent in seats}
        agent = dropdown("Seat", names, key=f"change-seat-{table.id}", width=280)
        _change(table, agent, seats[agent])
        if not _is_over_budget(table):
            _change_caps(table)


def _change_caps(table: StoredTable) -> None:
    st.markdown("**For the whole episode**")
    caps = choose_caps(f"change-{table.id}", table.caps(visitor()))
    if st.button("Set this cap", key="change-caps"):
        table.set_caps(visitor(), caps)
        alert("success", "The new cap applies from now on. What was used before still counts.")


def _change(table: StoredTable, agent: str, record: Mapping[str, Any]) -> None:
    now = None
    with suppress(LLMError):
        now = LLMSettings.from_record(record)
    found = choose_model(agent, table.spec.seat_phrase(agent), f"at-{table.id}", now=now)
    if found is None or not st.button("Use it from now on", key="change-model"):
        return
    keys = {(agent, found.settings.base_url): found.key} if found.key else {}
    grants.lend(visitor(), table.id, [found.settings], keys)
    if found.settings != now or agent not in table.model_seats:
        table.seat(agent, {"kind": "llm", **found.settings.describe()})
    if not table.waits_for and not table.over:
        work_at(table.storage, table.id, visitor())
    st.rerun()


OPENAI = "https://api.openai.com/v1"


def ask_about_models(table: StoredTable, waiting: dict[str, LLMSettings]) -> None:
    """Ask for consent to models in turn that lack it."""
    with st.container(border=True, key="model-consent"):
        _ask(table, waiting)


def _ask(table: StoredTable, waiting: dict[str, LLMSettings]) -> None:
    several = len(waiting) > 1
    st.subheader(
        "Language models sit at this table" if several else "A language model sits at this table",
        anchor=False,
    )
    why = f"{'They were' if several else 'It was'} chosen in another browser."
    if table.was_let_by(visitor()):
        why = (
            "You have allowed models to move here before, but the server was restarted and has "
            "forgotten that and your keys."
        )
    st.write(
        f"{why} If you let them move, the server sends what their seats may read to these "
        "addresses, and you pay for the answers, if anybody does:"
        if several
        else f"{why} If you let it move, the server sends what its seat may read to this address, "
        "and you pay for the answer, if anybody does:"
    )
    asked: dict[tuple[str, str], list[str]] = {}
    for agent, settings in waiting.items():
        name = table.spec.seat_name(agent)
        asked.setdefault((settings.model, settings.base_url or OPENAI), []).append(name)
    for (model, address), names in asked.items():
        st.markdown(f"**{escaped(', '.join(names))}**: {escaped(model)} at")
        st.code(address, language=None, wrap_lines=True)
    for agent, settings in waiting.items():
        if settings.extra:
            small(f"With every request of {table.spec.seat_phrase(agent)}, this is sent too:")
            st.code(json.dumps(settings.extra, indent=1), language=None, wrap_lines=True)
    policy = ServerPolicy.from_environment()
    try:
        for settings in waiting.values():
            policy.check(settings)
    except AddressRefusedError as error:
        alert("warning", str(error))
        _offer_to_move(table, several)
        return
    keys = ask_keys(waiting)
    if any(find_key(settings, {}, policy) for settings in waiting.values()):
        small("Without a key of yours, the server's own is used.")
    caps = choose_caps(f"consent-{table.id}", table.caps(visitor()))
    with st.container(horizontal=True):
        # The click is for the models that were shown, not for later ones.
        key = f"consent-{[(agent, model.describe()) for agent, model in waiting.items()]}"
        if st.button("Let them move" if several else "Let it move", type="primary", key=key):
            grants.lend(visitor(), table.id, waiting.values(), keys)
            table.set_caps(visitor(), caps)
            work_at(table.storage, table.id, visitor())
            st.rerun()
        _offer_to_move(table, several)
    small("Or wait: the person who chose these players can continue the game at their own screen.")


def ask_keys(waiting: Mapping[str, LLMSettings]) -> dict[tuple[str, str | None], Secret]:
    """Show a key field for each address of some models; return the keys by seat and address."""
    keys: dict[tuple[str, str | None], Secret] = {}
    for address, host in {s.base_url: s.host for s in waiting.values()}.items():
        typed = st.text_input(
            escaped(f"Key for {host}"),
            type="password",
            key=f"consent-key-{address}",
            help="Only if this address wants one. It stays in the server's memory until the "
            "episode is over, goes to this address only, and is used only for moves that you have "
            "approved.",
            width=360,
            max_chars=500,
            autocomplete="off",
        )
        try:
            key = Secret(typed) if typed else None
        except LLMError as error:
            alert("warning", str(error))
            continue
        if key is not None:
            there = (agent for agent, each in waiting.items() if each.base_url == address)
            keys |= {(agent, address): key for agent in there}
    return keys


def _offer_to_move(table: StoredTable, several: bool) -> None:
    if st.button("I move for them" if several else "I move for it", key="consent-take-seat"):
        table.replace_models()
        st.rerun()


# -- advice ----------------------------------------------------------------------------------------

FIRST, SECOND = "the first model", "the second model"


def offer_models(table: StoredTable, seat: str, notes: dict[str, Any]) -> None:
    """Let a person ask models what they would do in the same seat, when it is to move.

    It stands above the table in every round, so that its settings are kept between rounds. A draft
    is stored in `notes`, the data kept for the seat.
    """
    view = table.seen_by(seat).view
    with st.popover("Ask a model"):
        if not st.toggle("Set models up", key="ask-models", persist_state="session"):
            small("What would a model say in your seat? It gets what you see, and nothing else.")
            return
        # The forms keep their initial model even if another model is set up elsewhere later.
        like = st.session_state.setdefault("ask-like", latest_settings())
        chosen = choose_models({FIRST: FIRST, SECOND: SECOND}, compare=True, like=like)
        waits = not view.legal.channels
        with st.container(horizontal=True):
            draft = st.button("Draft my move", key="ask-draft", disabled=waits)
            compare = st.button("What would both have said?", key="ask-both", disabled=waits)
        if waits:
            small("They can be asked when it is your turn.")
            return
        if draft and FIRST in chosen.seats:
            said = _advice(table, chosen, FIRST, view)
            if isinstance(said, Move):
                notes["draft"] = draft_of(said, view)
                alert("success", "The draft is in the boxes, for you to change and send.")
        if compare:
            for place, column in zip((FIRST, SECOND), st.columns(2), strict=True):
                with column:
                    _show_answer(table, chosen, place, view)


def _show_answer(table: StoredTable, chosen: Chosen, place: str, view: View) -> None:
    if place not in chosen.seats:
        return
    st.markdown(f"**{escaped(place.capitalize())}**")
    said = _advice(table, chosen, place, view)
    if isinstance(said, Move):
        st.text(in_words(said))


def _advice(table: StoredTable, chosen: Chosen, place: str, view: View) -> Move | None:
    """Return the move that a model suggests, given only the view."""
    policy, settings = ServerPolicy.from_environment(), chosen.seats[place]
    key = chosen.keys.get((place, settings.base_url))
    try:
        policy.check(settings)
        key = key or find_key(settings, {}, policy)
        budget = table.budget(visitor(), settings.prices, chosen.caps)
        client = Client(settings, key, policy, budget)
        with st.spinner("Asking the model..."):
            return LLMPlayer(client).turn(view).move
    except LLMFailedError as error:
        alert("error", str(error))
        st.text(error.raw)
    except LLMError as error:
        alert("error", str(error))
    return None
