"""Models that nobody here has chosen are not asked before the person at the screen has said so."""

from __future__ import annotations

import json
from collections.abc import Mapping

import streamlit as st

from explorer.game_table.loans import loans
from explorer.game_table.table import Table
from explorer.game_table.workers import unconfirmed, work_at
from explorer.players.errors import AddressRefusedError, LLMError
from explorer.players.llm import LLMSettings, Secret, ServerPolicy, find_key
from explorer.storage import Storage
from explorer.ui.play.model_seats import choose_caps
from explorer.ui.play.models_at_work import at_work
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import visitor

__all__ = ["ask_about_models", "ask_keys"]

OPENAI = "https://api.openai.com/v1"


def ask_about_models(storage: Storage, table: Table) -> bool:
    """If it is the models' turn and some may not be asked yet, ask; whether it is so."""
    if table.waits_for or table.over or at_work(table.id):
        return False
    waiting = unconfirmed(table, visitor())
    if waiting:
        with st.container(border=True, key="model-consent"):
            _ask(storage, table, waiting)
    return bool(waiting)


def _ask(storage: Storage, table: Table, waiting: dict[str, LLMSettings]) -> None:
    several = len(waiting) > 1
    st.subheader(
        "Language models sit at this table" if several else "A language model sits at this table",
        anchor=False,
    )
    who = "They were" if several else "It was"
    why = f"{who} not chosen in this browser."
    if table.was_let_by(visitor()):
        why = (
            "You have let models move here before, but the server has forgotten that and your keys."
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
        # A click counts for the models that stood there, not for others that came since.
        key = f"consent-{[(agent, model.describe()) for agent, model in waiting.items()]}"
        if st.button("Let them move" if several else "Let it move", type="primary", key=key):
            loans.lend(visitor(), table.id, waiting.values(), keys)
            table.set_caps(visitor(), caps)
            work_at(storage, table.id, visitor())
            st.rerun()
        _offer_to_move(table, several)
    small("Or wait: whoever chose what sits here can let play go on, at their own screen.")


def ask_keys(waiting: Mapping[str, LLMSettings]) -> dict[tuple[str, str | None], Secret]:
    """A field for each address; what is typed goes to the address that stood there.

    Parameters
    ----------
    waiting : mapping of str to LLMSettings
        The models, by seat.
    """
    keys: dict[tuple[str, str | None], Secret] = {}
    for address, host in {s.base_url: s.host for s in waiting.values()}.items():
        typed = st.text_input(
            escaped(f"Key for {host}"),
            type="password",
            key=f"consent-key-{address}",
            help="Only if this address wants one. It stays in the server's memory until the "
            "episode is over, goes to this address only, and is used for what you let go on.",
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


def _offer_to_move(table: Table, several: bool) -> None:
    if st.button("I move for them" if several else "I move for it", key="consent-take-seat"):
        table.replace_models()
        st.rerun()
