"""The Draw page: a protocol whose picture is its editor."""

from __future__ import annotations

import secrets
from functools import partial

import streamlit as st

from explorer.choice import OWN, Declared, ProtocolChoice, wrong_entry
from explorer.drawing import (
    DRAWING,
    WALL,
    Drawing,
    Wall,
    drawing_of,
    drawing_screen,
    is_drawing,
)
from explorer.front import address as front_address
from explorer.gallery import FAMILIES, gallery_names
from explorer.server import drawing_feed
from explorer.ui.choosing import Choosing
from explorer.ui.database import storage
from explorer.ui.fronts import front_component
from explorer.ui.layout import address, page_address
from explorer.ui.page_link import judge, page_link
from explorer.ui.visitor import visitor
from nip_core.editing import Draft
from nip_core.errors import NipError
from nip_core.registry import published_document, published_names

DRAW = Choosing("draw", "mnip", (DRAWING, WALL))
_draw = front_component("draw", "draw", "connection")
# Fronts that the page loads when they are first needed: the table of a game, and the pictures of
# two designs.
_TABLE = front_address("table", "paper", "miniature", "table", "lines", "review", "unset")
_SCHEDULE = front_address("schedule", "paper", "schedule", "miniature")


def show_page() -> None:
    """Show the drawing that the address names, or a new one."""
    query = address()
    # Of a link with a protocol, its choice says what it does not know.
    known = None if "protocol" in query else (DRAWING,)
    with page_link("draw", known) as problems:
        name = query.get(DRAWING)
        if name is None or not is_drawing(name):
            judge(DRAWING, "" if name is None else wrong_entry(DRAWING, name, ()).in_link)
            # The browser writes it into the address. A reload before that begins another one.
            begun = st.session_state.setdefault("drawings", {})
            name = begun.setdefault(frozenset(query.items()), secrets.token_hex(6))
        first = None
        if "protocol" in query:
            choice, wrong = DRAW.choice()
            problems += wrong
            if choice.name == query["protocol"]:
                first = partial(_first, choice, problems)
        drawing = drawing_of(visitor(), name, first, storage().drawings)
        if WALL in query and "protocol" in query:
            judge(WALL, _move_wall(drawing, query[WALL], is_fresh=DRAWING not in query))
        data = {
            "address": drawing_feed(drawing),
            "screen": drawing_screen(drawing),
            "protocols": _protocols(),
            "own": page_address("protocols", {"protocol": OWN}),
            "table": _TABLE,
            "schedule": _SCHEDULE,
        }
        _draw(data=data, key=f"draw-{name}", update=_nothing)


def _first(choice: ProtocolChoice, problems: list[str]) -> tuple[Draft, str] | None:
    """Return what a chosen protocol begins with; None if it cannot be used.

    Its text is kept with its comments, if it is one of its own or as published.
    """
    try:
        draft = Draft.of(choice.rules)
    except NipError as error:
        problems.append(str(error))
        return None
    if choice.settings:
        return draft, ""
    if choice.name in published_names():
        return draft, published_document(choice.name)
    text = choice.source.text if isinstance(choice.source, Declared) else ""
    return draft, "" if text.lstrip().startswith("{") else text


def _move_wall(drawing: Drawing, entry: str, *, is_fresh: bool) -> str:
    """Put a wall up or down, as the link to a new drawing says; return what is wrong with it."""
    wall = Wall.read(entry)
    if wall is None:
        return wrong_entry(WALL, entry, ("SEAT.SEAT.up", "SEAT.SEAT.down")).in_link
    # An address with a drawing is one that the browser has written: its wall was moved then.
    if not is_fresh:
        return ""
    arguments = {"one": wall.one, "other": wall.other, "closed": wall.closed}
    refused = drawing.act({"mark": WALL, "do": "wall", "arguments": arguments})
    if refused is not None:
        return f"The wall was not moved. {refused['message']}"
    # Beside the protocol as it was.
    drawing.act({"mark": f"{WALL} beside", "look": "beside", "with": 0})
    return ""


def _protocols() -> list[list[object]]:
    """Return the families with the names and titles of their protocols."""
    choices = [ProtocolChoice.of(name) for name in gallery_names()]
    return [
        [family, [[choice.name, choice.title] for choice in choices if choice.family == family]]
        for family in FAMILIES
    ]


def _nothing(_: object) -> None:
    """Do nothing: the connection brings what is new."""
