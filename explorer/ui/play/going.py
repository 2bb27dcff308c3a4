"""Beginning a game, and letting the players of a table continue."""

from __future__ import annotations

import streamlit as st

from explorer.play import Start, StoredTable, TurnStart, go_on, grants
from explorer.storage import Storage
from explorer.ui.play.seats import Chosen
from explorer.ui.text import alert
from explorer.ui.visitor import visitor
from nip_core.errors import NipError
from nip_core.play.turns import Material
from nip_core.tasks import Task

__all__ = ["begin", "go_to", "open_next"]


def begin(
    storage: Storage, start: Start | TurnStart, chosen: Chosen, task: Task | None = None
) -> None:
    """Begin a game with its models and show its table, or show why that failed."""
    try:
        table = StoredTable.open_new(storage, start, task)
        if chosen.seats:
            grants.lend(visitor(), table.id, chosen.seats.values(), chosen.keys)
            table.set_caps(visitor(), chosen.caps)
        if table.humans:
            go_on(storage, table, visitor())
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
    """Begin an episode after another one, and let players move until it is a person's turn."""
    table = StoredTable.open_new(storage, start, task)
    grants.follow(visitor(), before.id, table.id)
    if table.model_seats:
        table.set_caps(visitor(), before.caps(visitor()))
    # At a table without people, the person who watches starts play and sets its pace.
    if table.humans:
        go_on(storage, table, visitor())
    return table


def go_to(episode_id: str) -> None:
    """Show an episode in the next run of the page."""
    st.query_params.from_dict({"episode": episode_id})
