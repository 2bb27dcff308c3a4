"""The first page: an introduction, an episode that plays by itself, and links to other pages."""

from __future__ import annotations

from typing import Any, cast

import streamlit as st

from explorer.front_page import LINE, TITLE, Link, entrances, story
from explorer.ui.fronts import front_component
from explorer.ui.layout import link, page_address, page_file, page_names, show_links
from explorer.ui.page_link import page_link
from explorer.ui.text import alert
from nip_core.errors import NipError

# Links that begin a game, and where each leads if it is opened in another window.
SPECIAL: dict[str, tuple[str, dict[str, str]]] = {"first-game": ("play", {})}


def go(chosen: Any, episode: Any) -> None:
    """Go to the chosen page; stay here if it does not exist."""
    if isinstance(episode, str):
        st.switch_page(page_file("play"), query_params={"episode": episode[:100]})
    if not isinstance(chosen, dict):
        return
    choice = cast("dict[str, object]", chosen)
    page, query = choice.get("page"), choice.get("query")
    if page == "first-game":
        st.switch_page(page_file("play"), query_params={"episode": _first_game()})
    if page in page_names():
        entries = cast("dict[Any, Any]", query) if isinstance(query, dict) else {}
        st.switch_page(
            page_file(str(page)),
            query_params={str(key)[:100]: str(text)[:100] for key, text in entries.items()},
        )


def _first_game() -> str:
    """Begin the first of the games with hints; return its id."""
    # Imported here, since the first page does not need it before somebody plays.
    from explorer.play import StoredTable, first_games
    from explorer.ui.database import storage

    table = StoredTable.open_new(storage(), first_games()[0].start)
    table.play_until_a_person()
    return table.id


FIRST: tuple[Link, ...] = (
    ("Play a first game", "first-game", {}),
    ("See the protocols", "protocols", {}),
)

_home = front_component("home")


def show_page() -> None:
    """Show the first page."""
    with page_link("home", ()):
        _show_story()


def _show_story() -> None:
    data = {
        "title": TITLE,
        "line": LINE,
        "story": story(),
        "first": [_way(*link) for link in FIRST],
        "doors": [
            {
                "name": door.name,
                "about": door.about,
                "picture": door.picture,
                "links": [_way(*link) for link in door.links],
            }
            for door in entrances(page_names())
        ],
    }
    with st.container(
        horizontal=True, vertical_alignment="center", width="content", key="nip-actions"
    ):
        show_links(link(page_address("room", {"new": "1"}), "Start a workshop", button=True))
    chosen = _home(data=data, key="home", go=_nothing, open=_nothing)
    try:
        go(chosen.get("go"), chosen.get("open"))
    except NipError as error:
        alert("error", str(error))


def _nothing(_: object) -> None:
    """Do nothing: the choice is read outside the callback, where the page can be switched."""


def _way(label: str, page: str, query: dict[str, str]) -> dict[str, object]:
    to = {"page": page, "query": query}
    real, kept = SPECIAL.get(page, (page, query))
    return {"label": label, "href": page_address(real, kept), "to": to}
