"""A person's seat in a room, which comes over a line of its own; see ``explorer/front/seat.js``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.rooms import mark_of, with_clock
from explorer.ui.components.front import front_component
from explorer.ui.components.game_table import fill_window
from explorer.ui.components.news import heard, known_marks

__all__ = ["show_own_seat"]

_component = front_component("seat", "miniature", "table", "lines", "review", "now", "line", "seat")


def show_own_seat(
    seat: dict[str, Any],
    *,
    address: str | None,
    mark: str,
    key: str,
    on_act: Callable[[Any], dict[str, str | None] | None],
) -> None:
    """Put the seat on the page; this part of it runs again when what is around it has changed.

    Parameters
    ----------
    seat : dict
        What is shown before the line tells, from :func:`~explorer.rooms.seat_screen`.
    address : str, optional
        Where the line is. Without one, what is done goes through the page.
    mark : str
        Of what the page draws around it.
    key : str
    on_act : callable
        Does what was asked for through the page, which may be anything; why it was refused.
    """
    answered = f"{key}-answer"

    def acted() -> None:
        said = st.session_state.get(key, {}).get("act")
        st.session_state[answered] = {"mark": mark_of(said), "refused": on_act(said)}

    fill_window()
    data = {
        "address": address,
        "known": known_marks(key, mark),
        "seat": with_clock(seat),
        "answer": st.session_state.pop(answered, None),
    }
    _component(data=data, key=key, on_news_change=lambda: heard(key), on_act_change=acted)
