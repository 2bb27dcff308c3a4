"""Beginning a game, and letting the players of a table go on."""

from __future__ import annotations

import streamlit as st

from explorer.play import Start, StoredTable, TurnStart, grants, work_at
from explorer.storage import Storage
from explorer.ui.play.seats import Chosen
from explorer.ui.text import alert
from explorer.ui.visitor import visitor
from nip_core.errors import NipError
from nip_core.play.turns import Material
from nip_core.tasks import Task

__all__ = ["begin", "go_on", "go_to", "open_next"]


def begin(
    storage: Storage, start: Start | TurnStart, chosen: Chosen, task: Task | None = None
) -> None:
    """Begin a game with the models that were set up for it, and show its table; or say why not."""
    try:
        table = StoredTable.open_new(storage, start, task)
        if chosen.seats:
            grants.lend(visitor(), table.id, chosen.seats.values(), chosen.keys)
            table.set_caps(visitor(), chosen.caps)
        if table.humans:
            go_on(storage, table)
    except NipError as error:
        alert("error", str(error))
        return
    go_to(table.id)
    st.rerun()


def open_next(
    storage: Storage,
    before: StoredTable,
    start: Start | TurnStart,
    task: Task | Material | None = None,
) -> StoredTable:
    """Begin an episode after another one, and let the players move until a person is to."""
    table = StoredTable.open_new(storage, start, task)
    grants.follow(visitor(), before.id, table.id)
    if table.model_seats:
        table.set_caps(visitor(), before.caps(visitor()))
    # With nobody at the table, a person who watches says when it begins, and at what pace.
    if table.humans:
        go_on(storage, table)
    return table


def go_on(storage: Storage, table: StoredTable) -> None:
    """Let the players move until a person is to; models think in the background."""
    if table.model_seats:
        work_at(storage, table.id, visitor())
    else:
        table.play_until_a_person()


def go_to(episode_id: str) -> None:
    """Have the next run of the page show an episode."""
    st.query_params.from_dict({"episode": episode_id})
