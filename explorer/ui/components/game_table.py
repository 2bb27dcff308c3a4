"""The table in the browser: a seat's view, and where it makes its move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.ui.components.front import front_component

__all__ = ["Act", "show_table"]

Act = dict[str, Any]

_component = front_component("table", "miniature", "table", "lines", "review")


def show_table(
    shown: dict[str, Any],
    *,
    episode: str,
    tree: dict[str, Any],
    key: str,
    title: str | None = None,
    thinking: str | None = None,
    note: str | None = None,
    draft: dict[str, Any] | None = None,
    error: dict[str, str] | None = None,
    on_act: Callable[[Act], None],
) -> None:
    """Put the table on the page.

    Parameters
    ----------
    shown : dict
        What the seat may see, from :func:`~explorer.game_table.screen.screen`.
    episode : str
        The episode's id; drafts are kept under it.
    tree : dict
        The lines of the episode, from :func:`~explorer.game_table.lines.tree`.
    title : str, optional
        What the browser remembers the episode as; without it, it does not.
    thinking : str, optional
        What a model has written so far, as far as the seat may read it: empty text if it may not,
        None if nobody thinks.
    note : str, optional
        A remark about the position.
    draft : dict, optional
        What to put into the boxes, once: its ``mark``, and ``messages`` by channel.
    error : dict, optional
        Why the last move was refused: its ``mark``, a ``message``, and the ``channel``, if one
        is to blame.
    key : str
    on_act : callable
        Takes a move as it was made: ``messages``, ``decision``, ``confidence``, ``round``,
        ``seat`` and its ``mark``; or a position to go to: ``goto``; or ``stop``, for the models
        that think. It comes from a browser, so it may be anything.
    """

    def acted() -> None:
        act = st.session_state[key].get("act")
        if act:
            on_act(act)

    around = {
        "episode": episode,
        "tree": tree,
        "keep": None if title is None else {"title": title},
        "thinking": thinking,
        "note": note,
        "draft": draft,
        "error": error,
    }
    _component(data={**shown, **around}, key=key, on_act_change=acted)
