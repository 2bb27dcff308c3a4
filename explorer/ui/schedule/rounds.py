"""The round that is selected: the address brings one, and the picture tells of each choice."""

from __future__ import annotations

import streamlit as st

from explorer.ui.components.schedule import ROUND, Pick
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.text import quoted
from nip_core.spec import round_of_shown, shown_round

__all__ = ["check_round", "selected_round", "take_up", "with_round"]

SELECTED, ASKED = "selected round", "round that the address asked for"


def selected_round(protocols: list[ShownProtocol]) -> int:
    """The selected round, from 0; both protocols share it."""
    asked = st.query_params.get(ROUND)
    # The browser writes each choice into its address without a word to us: what we read there is
    # news only if it is not what we read before, as after a link or the browser's Back.
    if asked != st.session_state.get(ASKED):
        st.session_state[ASKED] = asked
        number = _number(asked)
        st.session_state[SELECTED] = None if number is None else round_of_shown(number)
    return max(0, min(_last(protocols), st.session_state.get(SELECTED) or 0))


def take_up(choice: Pick) -> None:
    """Take up a round that was chosen in the picture; a browser may send anything."""
    if not isinstance(choice, dict):
        return
    chosen = choice.get("round")
    if isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < 10**9:
        st.session_state[SELECTED] = chosen
    st.session_state["pick"] = str(choice.get("pick"))


def with_round(query: dict[str, str]) -> dict[str, str]:
    """An address that is written whole, with the selected round."""
    selected = st.session_state.get(SELECTED)
    return {**query, ROUND: str(shown_round(selected))} if selected else query


def check_round(problems: list[str], protocols: list[ShownProtocol]) -> None:
    """Say so if a link asks for a round that there is not."""
    text, last = st.query_params.get(ROUND), _last(protocols)
    # Later, fewer rounds may have been chosen: then the last one is shown.
    if st.session_state.setdefault("round of the link", text or "") != text:
        return
    st.session_state["round of the link"] = ""
    if text is not None and _number(text) != shown_round(selected_round(protocols)):
        problems.append(f"There is no round {quoted(text)}; there are 1 to {shown_round(last)}.")


def _number(text: str | None) -> int | None:
    """A round as people count, from 1; None if it is no number."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


def _last(protocols: list[ShownProtocol]) -> int:
    return max(protocol.spec.max_message_rounds for protocol in protocols) - 1
