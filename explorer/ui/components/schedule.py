"""A schedule on a page; see ``explorer/front/schedule.js``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.ui.components.front import front_component

__all__ = ["ROUND", "Pick", "show_schedule"]

# Where the page's address has the selected round, which the browser writes: were it written here,
# the browser's Back would lead through all the rounds.
ROUND = "round"

Pick = dict[str, Any]

_component = front_component("schedule", "schedule", "miniature")


def show_schedule(
    payload: str,
    *,
    selected: int,
    pick: str | None,
    key: str,
    on_pick: Callable[[Pick], None],
) -> None:
    """Put a schedule on the page.

    Parameters
    ----------
    payload : str
        From :func:`~explorer.schedule.screen.schedule_payload`.
    selected : int
        The round that is framed.
    pick : str, optional
        The mark of the last choice that the page has taken up.
    key : str
    on_pick : callable
        Takes what the person chose: ``round``, and ``pick``, its mark. It comes from a browser,
        so it may be anything.
    """

    def picked() -> None:
        choice = st.session_state.get(key, {}).get("pick")
        if choice:
            on_pick(choice)

    data = {"picture": payload, "selected": selected, "pick": pick, "address": ROUND}
    _component(data=data, key=key, on_pick_change=picked)
