"""Where one reads: a line and a round of it, chosen on the page and named in the address."""

from __future__ import annotations

import streamlit as st

from explorer.ui.text import escaped
from nip_core.play import Episode, Node
from nip_core.spec import ProtocolSpec

__all__ = ["choose_place", "go_to"]

# What the address calls them. Lines and rounds count from 1, as people do; a seat has the name of
# the specification.
LINE, ROUND, EYES = "line", "round", "eyes"
READS = "reads"


def choose_place(episode_id: str, told: Episode) -> Node:
    """The position to read: the one of the address, or the end."""
    ends = {number: leaf for number, leaf in enumerate(told.leaves, 1) if leaf.over}
    usual = next((n for n, leaf in ends.items() if leaf.id == told.node.id), next(iter(ends)))
    if st.session_state.get(READS) != episode_id:
        # Another transcript, or the first: what was chosen for the one before means nothing here.
        st.session_state[READS] = episode_id
        asked = _number(LINE)
        st.session_state["line"] = asked if asked in ends else usual
        wanted = _number(ROUND)
        last = ends[st.session_state["line"]].round
        st.session_state["position"] = last if wanted is None else min(wanted, last)
    number = usual
    if len(ends) > 1:
        number = st.selectbox(
            "Line",
            list(ends),
            format_func=lambda each: f"Line {each}, {_rounds(ends[each].round)}",
            key="line",
            width=170,
        )
    line = told.path(ends[number].id)
    last = len(line) - 1
    place = min(st.session_state.get("position", last), last)
    if st.button("Back", disabled=place == 0):
        place -= 1
    if st.button("Next", disabled=place == last):
        place += 1
    st.session_state["position"] = place
    if last:
        place = st.slider("After how many rounds", 0, last, key="position", width=220)
    _tell(LINE, None if number == usual else number)
    _tell(ROUND, None if place == last else place)
    return line[place]


def choose_eyes(everything: str, spec: ProtocolSpec) -> str:
    """Through whose eyes one reads: a seat's, or everything."""
    names = {everything: "Everything", **{a: spec.seat_name(a) for a in spec.agent_names}}
    # Another protocol has other seats.
    if st.session_state.get(EYES, "") not in names:
        asked = st.query_params.get(EYES)
        st.session_state[EYES] = asked if asked in names else everything
    eyes = (
        st.radio(
            "Seen by",
            list(names),
            format_func=lambda each: escaped(names[each]),
            horizontal=True,
            key=EYES,
            width="content",
        )
        or everything
    )
    _tell(EYES, None if eyes == everything else eyes)
    return eyes


def go_to(episode_id: str, told: Episode, node: Node) -> None:
    """Read at another position from the next run on."""
    ends = {number: leaf for number, leaf in enumerate(told.leaves, 1) if leaf.over}
    now = st.session_state.get("line")
    through = [n for n, leaf in ends.items() if node in told.path(leaf.id)]
    if not through or st.session_state.get(READS) != episode_id:
        return  # it is not over on any line through there
    st.session_state["line"] = now if now in through else through[0]
    st.session_state["position"] = node.round


def _rounds(count: int) -> str:
    return f"{count} round{'s' * (count != 1)}"


def _number(name: str) -> int | None:
    said = st.query_params.get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else None


def _tell(name: str, value: int | str | None) -> None:
    """Let the address say where one reads, if that is not where one begins."""
    said = None if value is None else str(value)
    if st.query_params.get(name) == said:
        return
    if said is None:
        del st.query_params[name]
    else:
        st.query_params[name] = said
