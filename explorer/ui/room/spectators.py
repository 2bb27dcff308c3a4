"""For the facilitator: who may look on while a table is played."""

from __future__ import annotations

import streamlit as st

from explorer.rooms import Room, end_watching, is_watched, lookers_on, watch_link
from explorer.ui.database import storage
from explorer.ui.room.invite import watching_address
from explorer.ui.sure import sure_button
from explorer.ui.text import small
from explorer.ui.visitor import visitor

__all__ = ["show_spectators"]

KEY = "room-watch-"
DANGER = (
    "Whoever opens this link sees what that seat sees, at once. A browser that has a seat is "
    "refused, but a player's second device is not known: give it to guests, and show it on no "
    "wall. If more have come by it than you have invited, make a new one. Those who play are told "
    "that somebody may look on."
)
COME = {0: "Nobody has come by it yet.", 1: "1 browser has come by it."}


def show_spectators(room: Room) -> None:
    """Offer a link to watch, where the room lets spectators see a seat before the end."""
    if room.plan.gallery != "seat":
        return
    st.markdown("**Spectators**")
    key = st.session_state.get(f"{KEY}{room.code}")
    watched = is_watched(room)
    if watched and key:
        st.code(watching_address(room.code, key), language=None, wrap_lines=True)
        small(DANGER)
    elif watched:
        small("There is a link to watch. It was shown when it was made, and is shown to nobody.")
    if watched:
        small(COME.get(lookers_on(room), "{} browsers have come by it.").format(lookers_on(room)))
    else:
        small("Nobody looks on before you have made a link to watch, and given it to them.")
    if not watched:
        st.button("Make a link to watch", key="lead-watch", on_click=_new_link, args=(room.code,))
        return
    sure_button(
        "Make a new link to watch",
        "The old link stops working, and whoever came by it sees no more.",
        "Make a new link to watch now",
        key="lead-watch",
        act=_new_link,
        args=(room.code,),
    )
    sure_button(
        "Nobody looks on",
        "The link stops working, and whoever came by it sees no more.",
        "End it now",
        key="lead-unwatch",
        act=_end,
        args=(room.code,),
    )


def _new_link(code: str) -> None:
    st.session_state[f"{KEY}{code}"] = watch_link(storage(), code, by=visitor())


def _end(code: str) -> None:
    st.session_state.pop(f"{KEY}{code}", None)
    end_watching(storage(), code, by=visitor())
