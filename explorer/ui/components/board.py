"""All tables of a room at once; see ``explorer/front/board.js``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.ui.components.front import front_component

__all__ = ["show_board"]

_component = front_component("board")


def show_board(data: dict[str, Any], *, key: str, on_table: Callable[[int], None]) -> None:
    """Put the board on the page.

    Parameters
    ----------
    data : dict
        From :func:`explorer.rooms.live.board_screen`.
    key : str
    on_table : callable
        Takes the number of the table that was chosen, if it is one of the board's.
    """
    numbers = {table["number"] for table in data["tables"]}

    def chosen() -> None:
        number = st.session_state.get(key, {}).get("table")
        if type(number) is int and number in numbers:
            on_table(number)

    _component(data=data, key=key, on_table_change=chosen)
