"""Models that nobody here has chosen are not asked before the person at the screen has said so."""

from __future__ import annotations

import streamlit as st

from explorer.game_table.loans import DEFAULT_TOKENS, loans
from explorer.game_table.table import Table
from explorer.game_table.workers import unconfirmed, work_at
from explorer.players.errors import AddressRefusedError
from explorer.players.llm import LLMSettings, ServerPolicy, find_key
from explorer.storage import Storage
from explorer.ui.play.model_seats import ask_keys, at_work, choose_cap, move_for_models
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import visitor

__all__ = ["ask_about_models"]

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
    st.write(
        "They were not chosen in this browser. If you let them move, the server sends what their "
        "seats may read to these addresses, and you pay for the answers, if anybody does:"
        if several
        else "It was not chosen in this browser. If you let it move, the server sends what its "
        "seat may read to this address, and you pay for the answer, if anybody does:"
    )
    asked: dict[tuple[str, str], list[str]] = {}
    for agent, settings in waiting.items():
        asked.setdefault((settings.model, settings.base_url or OPENAI), []).append(agent)
    for (model, address), agents in asked.items():
        st.markdown(f"**{escaped(', '.join(agents))}**: {escaped(model)} at")
        st.code(address, language=None, wrap_lines=True)
    policy = ServerPolicy.from_environment()
    try:
        for settings in waiting.values():
            policy.check(settings)
    except AddressRefusedError as error:
        alert("warning", str(error))
        _offer_to_move(table, several)
        return
    keys = ask_keys(waiting.values(), "consent")
    if any(find_key(settings, {}, policy) for settings in waiting.values()):
        small("Without a key of yours, the server's own is used.")
    most = choose_cap("consent-tokens", DEFAULT_TOKENS)
    with st.container(horizontal=True):
        # A click counts for the models that stood there, not for others that came since.
        key = f"consent-{[(agent, model.describe()) for agent, model in waiting.items()]}"
        if st.button("Let them move" if several else "Let it move", type="primary", key=key):
            loans.lend(visitor(), table.id, waiting.values(), keys, most)
            work_at(storage, table.id, visitor())
            st.rerun()
        _offer_to_move(table, several)
    small("Or wait: whoever chose what sits here can let play go on, at their own screen.")


def _offer_to_move(table: Table, several: bool) -> None:
    if st.button("I move for them" if several else "I move for it", key="consent-take-seat"):
        move_for_models(table)
        st.rerun()
