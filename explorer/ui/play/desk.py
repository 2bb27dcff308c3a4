"""What this screen keeps for whoever sits at it; all of it goes when the next person sits down."""

from __future__ import annotations

from typing import Any

import streamlit as st

__all__ = ["notes", "sit_down", "sits"]

SEAT = "seat"


def sits(table_id: str) -> str | None:
    """The seat whose person was last seen at this screen."""
    return _desk(table_id).get(SEAT)


def sit_down(table_id: str, seat: str) -> None:
    """Somebody sits down; what was kept for another seat is forgotten."""
    if sits(table_id) != seat:
        st.session_state[f"desk-{table_id}"] = {SEAT: seat}


def notes(table_id: str, seat: str) -> dict[str, Any]:
    """What is kept for a seat, to be read and written; lost at once if it does not sit here."""
    desk = _desk(table_id)
    return desk if desk.get(SEAT) == seat else {}


def _desk(table_id: str) -> dict[str, Any]:
    return st.session_state.get(f"desk-{table_id}", {})
