"""The picture, and what is said beside it."""

from __future__ import annotations

from typing import cast

import streamlit as st

from explorer.figures import read_so_far
from explorer.pictures import View
from explorer.schedule.screen import schedule_payload
from explorer.ui.components.schedule import show_schedule
from explorer.ui.parts import part
from explorer.ui.schedule.rounds import selected_round, take_up
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.schedule.words import show_words
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped, small
from nip_core.spec import shown_round

__all__ = ["show_picture"]


def show_picture(protocols: list[ShownProtocol], view: str) -> None:
    """Show a view of a protocol, or the grids of two."""
    kind = cast("View", view if len(protocols) == 1 else "grid")
    payload = schedule_payload([protocol.shown for protocol in protocols], kind)
    part(_picture)(protocols, payload)


def _picture(protocols: list[ShownProtocol], payload: str) -> None:
    """The part of the page that a new round changes; nothing else runs again."""
    selected = selected_round(protocols)
    show_schedule(
        payload,
        selected=selected,
        pick=st.session_state.get("pick"),
        key="schedule",
        on_pick=take_up,
    )
    show_words(protocols)
    before = f"What each seat has read before round {shown_round(selected)}"
    folded = st.expander("What each seat has read so far", key="read so far", on_change="rerun")
    with folded:
        if folded.open:
            for protocol in protocols:
                if len(protocols) > 1:
                    st.markdown(f"**{escaped(protocol.name)}**")
                read = read_so_far(protocol.spec, selected, protocol.seed)
                if read.empty:
                    small(f"{before}: nothing yet.")
                else:
                    plain_table(read, before)
