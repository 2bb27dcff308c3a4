"""The strip of protocols to choose from; see ``explorer/front/protocols.js``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.ui.components.front import front_component

__all__ = ["show_protocols"]

_component = front_component("protocols", "protocols", "miniature")


def show_protocols(
    cards: list[dict[str, Any]],
    selected: str,
    *,
    query: str,
    key: str,
    on_choice: Callable[[Any], None],
) -> None:
    """Put the strip on the page.

    Parameters
    ----------
    cards : list of dict
        From :func:`~explorer.schedule.cards.protocol_cards`.
    selected : str
        The protocol that is chosen.
    query : str
        What the address says. When it changes, the browser's Back leads to what it said before.
    key : str
    on_choice : callable
        Takes what the browser says was chosen, which may be anything.
    """

    def chosen() -> None:
        on_choice(st.session_state.get(key, {}).get("protocol"))

    data = {"cards": cards, "selected": selected, "query": query}
    _component(data=data, key=key, on_protocol_change=chosen)
