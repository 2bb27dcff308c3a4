"""Where a click on the first page leads. A browser may send anything."""

from __future__ import annotations

import secrets
from typing import Any, cast

import streamlit as st

from explorer.ui.links import page_file, page_names

__all__ = ["SPECIAL", "go"]

PROTOCOL, TASK = "nip", "code:easy"
# What begins something, and where its link leads if it is opened like any other.
SPECIAL: dict[str, tuple[str, dict[str, str]]] = {
    "first-game": ("play", {}),
}


def go(chosen: Any, episode: Any) -> None:
    """Go where the person chose to; stay, if that is nowhere."""
    if isinstance(episode, str):
        st.switch_page(page_file("play"), query_params={"episode": episode[:100]})
    if not isinstance(chosen, dict):
        return
    said = cast("dict[str, Any]", chosen)
    page, query = said.get("page"), said.get("query")
    if page == "first-game":
        st.switch_page(page_file("play"), query_params={"episode": _first_game()})
    if page in page_names():
        asked = cast("dict[Any, Any]", query) if isinstance(query, dict) else {}
        st.switch_page(
            page_file(str(page)),
            query_params={str(key)[:100]: str(text)[:100] for key, text in asked.items()},
        )


def _first_game() -> str:
    """Begin a game against a scripted prover, the person in the verifier's seat; its id."""
    # The first page is painted without what plays.
    from explorer.game_table.start import Start, default_seats
    from explorer.game_table.table import Table
    from explorer.ui.database import storage
    from nip_core.parameters import HyperParameters

    parameters = HyperParameters(interaction_protocol=PROTOCOL)
    start = Start(parameters, TASK, default_seats(parameters), secrets.randbelow(2**31))
    table = Table.open_new(storage(), start.setup(), start.players())
    table.play_until_a_person()
    return table.id
