"""Choosing what to play: sensible as it stands, so that one click begins."""

from __future__ import annotations

import secrets

import streamlit as st

from explorer.playing.seats import KINDS
from explorer.playing.start import TASK_KINDS, Start, default_seats
from explorer.playing.table import Table
from explorer.storage import Storage
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_names, protocol_spec
from nip_core.tasks import DIFFICULTIES

__all__ = ["show_start"]

DEFAULT_PROTOCOL = "nip"
# What each protocol is, for somebody who has never heard of it.
BLURBS = {
    "nip": "You question one expert, who argues that the statement is true.",
    "adp": "One expert makes one case; then the verifier decides.",
    "debate": "Two experts argue for opposite verdicts, and read each other.",
    "mnip": "Two experts on one side are questioned apart: neither reads the other.",
    "merlin_arthur": "One message, from a friend or a foe: nobody says which.",
    "solo_verifier": "Nobody to ask: the verifier decides alone.",
}


def show_start(storage: Storage) -> None:
    """Let a person choose, and begin."""
    st.title("Take a seat")
    st.write(
        "An expert claims something, and you do not know whether it is true. Question it, then "
        "accept or reject. Or sit on the other side."
    )
    names = protocol_names()
    chosen = st.query_params.get("protocol", DEFAULT_PROTOCOL)
    left, right = st.columns(2)
    with left:
        protocol = st.selectbox(
            "Protocol",
            names,
            index=names.index(chosen if chosen in names else DEFAULT_PROTOCOL),
            key="play-protocol",
        )
        st.caption(BLURBS.get(protocol, "See the Schedule page for who speaks when."))
        parameters = HyperParameters(interaction_protocol=protocol)
        seats = _choose_seats(parameters)
    with right:
        kind = st.selectbox("About", list(TASK_KINDS), format_func=TASK_KINDS.__getitem__)
        difficulty = st.segmented_control(
            "How hard?", ["any", *DIFFICULTIES], default="easy", key="play-difficulty"
        )
        wanted = kind if difficulty in (None, "any") else f"{kind}:{difficulty}"
        st.caption("Which one comes, and whether it is true, is drawn when you begin.")
    if st.button("Begin", type="primary", key="play-begin"):
        start = Start(parameters, wanted, seats, secrets.randbelow(2**31))
        try:
            table = Table.open_new(storage, start.setup(), start.players())
        except NipError as error:
            st.error(str(error))
            return
        table.play_until_a_person()
        st.query_params.from_dict({"episode": table.id})
        st.rerun()
    _continue(storage)


def _choose_seats(parameters: HyperParameters) -> dict[str, str]:
    spec = protocol_spec(parameters)
    defaults = default_seats(parameters, _my_seat(spec.agent_names))
    seats: dict[str, str] = {}
    for agent in spec.agent_names:
        seats[agent] = st.selectbox(
            agent,
            list(KINDS),
            index=list(KINDS).index(defaults[agent]),
            format_func=KINDS.__getitem__,
            key=f"play-seat-{spec.name}-{agent}",
        )
    return seats


def _my_seat(agents: tuple[str, ...]) -> str | None:
    seat = st.query_params.get("seat")
    return seat if seat in agents else None


def _continue(storage: Storage) -> None:
    """The latest unfinished episodes of this browser session's server."""
    mine = [e for e in st.session_state.get("play-episodes", []) if e]
    if not mine:
        return
    st.subheader("Continue where you left off")
    for episode_id in mine[-3:][::-1]:
        entry = storage.entry(episode_id)
        if st.button(f"{entry.title} ({entry.protocol})", key=f"continue-{episode_id}"):
            st.query_params.from_dict({"episode": episode_id})
            st.rerun()
