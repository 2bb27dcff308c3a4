"""Ending a rehearsal: its room is deleted, and the page that prepared it is there again."""

from __future__ import annotations

import streamlit as st

from explorer.rooms import Room, RoomPlan, preset_of, throw_away
from explorer.ui.room.about import REFUSED, act_in_room

__all__ = ["OTHER", "come_back", "offer_end", "workshop_query"]

# The choice of a protocol that is not one of the presets.
OTHER = "other"
# The key in the session's state for the rehearsal that was ended, and where the window goes then.
ENDED = "room-ended"


def workshop_query(plan: RoomPlan) -> dict[str, str]:
    """Return the query of the address at which the choices of a plan are made again."""
    query = {"new": "1"}
    if plan.kind == "lesson":
        query["lesson"] = plan.lesson
    else:
        query["play"] = preset_of(plan) or OTHER
    return query if plan.minutes is None else query | {"minutes": str(plan.minutes)}


def offer_end(room: Room) -> None:
    """Offer to delete a rehearsal; only bots and its facilitator have played in it."""
    if room.plan.rehearsal:
        st.button(
            "End the rehearsal",
            key="lead-end-rehearsal",
            help="Deletes this room with all that was played in it, and goes back to the page on "
            "which you open the real one.",
            on_click=_end,
            args=(room,),
        )


def _end(room: Room) -> None:
    act_in_room(throw_away, room.code)
    if REFUSED not in st.session_state:
        query = workshop_query(room.plan)
        st.session_state[ENDED] = room.code, query
        st.query_params.from_dict(query)


def come_back() -> None:
    """Return to the page that prepares a workshop if this window has ended its rehearsal.

    The change feed reports the deletion to this window too, which may then reload the address of
    the deleted room.
    """
    code, query = st.session_state.get(ENDED, ("", {}))
    if code and st.query_params.get("code") == code:
        st.query_params.from_dict(query)
