"""The picture, and the round that is selected in it."""

from __future__ import annotations

from typing import cast

import streamlit as st

from explorer.figures import read_so_far
from explorer.pictures import View
from explorer.schedule.screen import schedule_payload
from explorer.ui.components.schedule import ROUND, Pick, show_schedule
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.schedule.words import show_words
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped, quoted, small
from nip_core.spec import round_of_shown, shown_round

__all__ = ["check_round", "selected_round", "show_picture"]


def selected_round(protocols: list[ShownProtocol]) -> int:
    """The round that the address asks for, from 0; both protocols share it."""
    return max(0, min(_last(protocols), round_of_shown(_asked() or shown_round(0))))


def _asked() -> int | None:
    """The round in the address, in which people count from 1; None if it is no number."""
    text = st.query_params.get(ROUND, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _last(protocols: list[ShownProtocol]) -> int:
    return max(protocol.spec.max_message_rounds for protocol in protocols) - 1


def check_round(problems: list[str], protocols: list[ShownProtocol]) -> None:
    """Say so if a link asks for a round that there is not."""
    text, last = st.query_params.get(ROUND), _last(protocols)
    # Later, fewer rounds may have been chosen: then the last one is shown.
    if st.session_state.setdefault("round of the link", text or "") != text:
        return
    st.session_state["round of the link"] = ""
    if text is not None and _asked() != shown_round(selected_round(protocols)):
        problems.append(f"There is no round {quoted(text)}; there are 1 to {shown_round(last)}.")


def show_picture(protocols: list[ShownProtocol], view: str) -> None:
    """Show a view of a protocol, or the grids of two."""
    kind = cast("View", view if len(protocols) == 1 else "grid")
    payload = schedule_payload([protocol.shown for protocol in protocols], kind)
    st.fragment(_picture)(protocols, payload)


def _picture(protocols: list[ShownProtocol], payload: str) -> None:
    """The part of the page that a new round changes; nothing else runs again."""
    selected = selected_round(protocols)
    show_schedule(
        payload,
        selected=selected,
        pick=st.session_state.get("pick"),
        key="schedule",
        on_pick=_pick,
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


def _pick(choice: Pick) -> None:
    """Know which choice the page has taken up; its round comes with the address."""
    if isinstance(choice, dict):
        st.session_state["pick"] = str(choice.get("pick"))
