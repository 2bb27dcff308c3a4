"""Language models at a table: watching them think, changing them, and what to do when one fails."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from explorer.game_table.loans import loans
from explorer.game_table.seats import HUMAN
from explorer.game_table.table import Table
from explorer.game_table.workers import (
    Worker,
    visible_words,
    what_failed,
    what_goes_on,
    work_at,
    worker_of,
)
from explorer.players.errors import LLMError
from explorer.players.llm import LLMSettings
from explorer.storage import Storage
from explorer.ui.play.model_form import choose_model
from explorer.ui.play.model_seats import choose_caps
from explorer.ui.text import alert, small
from explorer.ui.visitor import visitor

__all__ = [
    "POLL",
    "at_work",
    "has_failed",
    "offer_changes",
    "say_what_failed",
    "stop_models",
    "words_for",
]

POLL = 0.5  # seconds
ONCE, FROM_NOW_ON = "This move", "From now on"


def at_work(episode_id: str) -> bool:
    """Is a worker busy at a table?"""
    worker = worker_of(episode_id)
    return worker is not None and worker.is_alive()


def stop_models(episode_id: str) -> None:
    """Stop the worker at a table."""
    worker = worker_of(episode_id)
    if worker is not None:
        worker.cancel.set()


def words_for(table: Table, seat: str) -> str:
    """What a seat may read of what is being written at a table."""
    worker = worker_of(table.id)
    if worker is None:
        return ""
    return f"{what_goes_on(worker, seat, table)}\n{visible_words(worker, seat)}".strip()


# -- when one fails -----------------------------------------------------------------------------


def say_what_failed(storage: Storage, table: Table, seat: str) -> None:
    """Show why a model's move was not made, as far as a seat may know, and what can be done."""
    worker = _failed(table)
    if worker is None:
        return
    words, raw = what_failed(worker, seat)
    if not table.waits_for:
        alert("error", words)
        _what_it_wrote(raw)
        _after_failure(storage, table, over_budget=worker.over_budget)
    elif table.waits_for[0] == seat and table.round == worker.round:
        # A person who has taken the model's seat may mend what it wrote.
        _what_it_wrote(raw)


def has_failed(table: Table) -> bool:
    """Does a model's failure wait for somebody to do something about it?"""
    return _failed(table) is not None and not table.waits_for


def _failed(table: Table) -> Worker | None:
    """The worker that has failed here, if one has since anybody last played."""
    worker = worker_of(table.id)
    idle = worker is not None and not worker.is_alive() and not table.over
    return worker if worker and worker.failed and idle else None


def _what_it_wrote(raw: str) -> None:
    if raw:
        with st.expander("What the model wrote"):
            st.text(raw)


def _after_failure(storage: Storage, table: Table, *, over_budget: bool) -> None:
    caps = table.caps(visitor())
    if over_budget:
        caps = choose_caps(f"again-{table.id}", caps)
    with st.container(horizontal=True):
        if st.button("Try again", type="primary", key="llm-again"):
            table.set_caps(visitor(), caps)
            work_at(storage, table.id, visitor())
            st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        once = _how_long()
        if st.button("I move for it", key="llm-take-seat"):
            table.replace_models(HUMAN, once=once)
            st.rerun()
        if st.button("A scripted player moves for it", key="llm-script-seat"):
            table.replace_models("scripted", once=once)
            work_at(storage, table.id, visitor())
            st.rerun()
    small("Where nothing is scripted, chance moves. Or change the models, their settings or keys:")


def _how_long() -> bool:
    wanted = st.segmented_control(
        "Or somebody else moves for it", [ONCE, FROM_NOW_ON], default=ONCE, key="llm-how-long"
    )
    return wanted != FROM_NOW_ON


# -- changing them ------------------------------------------------------------------------------


def offer_changes(storage: Storage, table: Table) -> None:
    """Let a person change the models at a table, and what they may use, in the middle of a game."""
    # All of them, and all alike: which one is to move, or has failed, can be a secret.
    seats = table.once_models
    if not seats or table.settled:
        return
    with st.popover("Models"):
        if not st.toggle("Change the models", key="change-models"):
            return
        if at_work(table.id):
            small("A model is at work. Stop it first, or wait for its move.")
            return
        agent = st.selectbox(
            "Seat",
            list(seats),
            format_func=table.spec.seat_name,
            key=f"change-seat-{table.id}",
            width=280,
        )
        _change(storage, table, agent, seats[agent])
        if not (failed := _failed(table)) or not failed.over_budget:
            _change_caps(table)


def _change_caps(table: Table) -> None:
    st.markdown("**For the whole episode**")
    caps = choose_caps(f"change-{table.id}", table.caps(visitor()))
    if st.button("Let them use so much", key="change-caps"):
        table.set_caps(visitor(), caps)
        alert("success", "From now on they may. What was used stays counted.")


def _change(storage: Storage, table: Table, agent: str, record: Mapping[str, Any]) -> None:
    now = None
    with suppress(LLMError):
        now = LLMSettings.from_record(record)
    found = choose_model(agent, table.spec.seat_phrase(agent), f"at-{table.id}", now=now)
    if found is None or not st.button("Use it from now on", key="change-model"):
        return
    keys = {(agent, found.settings.base_url): found.key} if found.key else {}
    loans.lend(visitor(), table.id, [found.settings], keys)
    if found.settings != now or agent not in table.model_seats:
        table.seat(agent, {"kind": "llm", **found.settings.describe()})
    if not table.waits_for and not table.over:
        work_at(storage, table.id, visitor())
    st.rerun()
