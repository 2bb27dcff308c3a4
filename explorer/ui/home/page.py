"""The Home page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.address import is_schedule_link
from explorer.home import Link, doors, story
from explorer.ui.components.front import front_component
from explorer.ui.home.ways import SPECIAL, go
from explorer.ui.links import page_address, page_file, page_names
from explorer.ui.text import alert
from nip_core.errors import NipError

__all__ = ["show_page"]

TITLE = "Can you trust an answer you cannot check?"
LINE = (
    "In an interactive proof, a weak verifier questions strong provers who may lie, then decides."
)
FIRST: tuple[Link, ...] = (
    ("Play a first game", "first-game", {}),
    ("See a protocol", "schedule", {}),
)

_home = front_component("home")


def show_page() -> None:
    """Show the doors; a link from when the schedule was the first page goes on to it."""
    query = st.query_params.to_dict()
    if is_schedule_link(query):
        st.switch_page(page_file("schedule"), query_params=query)
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
            for door in doors(page_names())
        ],
    }
    chosen = _home(data=data, key="home", on_go_change=_nothing, on_open_change=_nothing)
    try:
        go(chosen.get("go"), chosen.get("open"))
    except NipError as error:
        alert("error", str(error))


def _nothing() -> None:
    """What is chosen is read where it can switch the page."""


def _way(label: str, page: str, query: dict[str, str]) -> dict[str, Any]:
    to = {"page": page, "query": query}
    real, kept = SPECIAL.get(page, (page, query))
    return {"label": label, "href": page_address(real, kept), "to": to}
