"""The table on the page: one seat's view, its move, and how play goes on."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.playing.screen import screen
from explorer.playing.table import Table
from explorer.storage import ConflictError, Storage, StorageError
from explorer.ui.table_component import Act, show_table
from nip_core.errors import NipError
from nip_core.play import Move

__all__ = ["move_of", "show_game"]


def show_game(storage: Storage, episode_id: str) -> None:
    """Show an episode to the person whose turn it is at this screen."""
    table = _table(storage, episode_id)
    _remember(episode_id)
    seat = _seat_at_screen(table)
    if len(table.humans) > 1 and _covered(table, seat):
        _cover(table, seat)
        return
    _controls(table, seat)
    show_table(
        screen(table.episode.view_for(seat)),
        episode=table.id,
        error=st.session_state.pop(f"refused-{table.id}", None),
        key=f"table-{table.id}-{seat}",
        on_act=lambda act: _act(table, seat, act),
    )


def _table(storage: Storage, episode_id: str) -> Table:
    key = f"at-{episode_id}"
    table = st.session_state.get(key)
    if table is None:
        table = st.session_state[key] = Table(storage, episode_id)
    elif table.refresh():
        st.toast("Somebody has played at this table.")
    return table


def _remember(episode_id: str) -> None:
    known = st.session_state.setdefault("play-episodes", [])
    if episode_id not in known:
        known.append(episode_id)


# -- two people at one screen -------------------------------------------------------------------


def _seat_at_screen(table: Table) -> str:
    """Whose view is shown: of the people, the one to move next; the verifier's without people."""
    people = table.humans
    if not people:
        return table.episode.spec.verifier
    waiting = table.waits_for
    present = st.session_state.get(f"present-{table.id}")
    if present in waiting:
        return present
    if waiting:
        return waiting[0]
    return present if present in people else people[0]


def _covered(table: Table, seat: str) -> bool:
    return not table.episode.over and st.session_state.get(f"present-{table.id}") != seat


def _cover(table: Table, seat: str) -> None:
    name = table.episode.view_for(seat).human_name(seat)
    st.header(f"Hand over to {name}")
    st.write(f"The table is covered until {name} is here. Nobody else should look.")
    if st.button(f"I am {name}, and I am here", type="primary", key="present"):
        st.session_state[f"present-{table.id}"] = seat
        st.rerun()


# -- moves --------------------------------------------------------------------------------------


def move_of(act: Any, seat: str, round_id: int) -> Move:
    """A move as the browser sent it, which may be anything.

    Raises
    ------
    NipError
        If it is none, or was meant for another round or seat.
    """
    if not isinstance(act, dict) or act.get("seat") != seat or act.get("round") != round_id:
        raise NipError("Play has gone on since: look at the table, then make your move.")
    messages = act.get("messages")
    decision = act.get("decision")
    return Move(
        seat,
        messages if isinstance(messages, dict) else {},
        decision if decision in (0, 1) else 2,
        act.get("confidence"),
    )


def _act(table: Table, seat: str, act: Act) -> None:
    """Make a move; what is refused is told beside the text, which is still there."""
    try:
        table.refresh()
        table.play(move_of(act, seat, table.episode.node.round))
        table.play_until_a_person()
    except (NipError, ConflictError, StorageError) as error:
        mark = act.get("mark") if isinstance(act, dict) else None
        st.session_state[f"refused-{table.id}"] = {"mark": str(mark), "message": str(error)}


# -- going on -----------------------------------------------------------------------------------


def _controls(table: Table, seat: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        episode = table.episode
        people = bool(table.humans)
        if not people and not episode.over:
            if st.button("Step", key="step"):
                table.step()
                st.rerun()
            if st.button("Play to the end", key="to-the-end"):
                table.play_to_the_end()
                st.rerun()
        if st.button("Undo my last move", key="undo", disabled=not _can_undo(table, seat)):
            table.undo(seat)
            st.rerun()
        if len(episode.leaves) > 1:
            _lines(table)
        if st.button("Play again", key="again"):
            st.query_params.clear()
            st.rerun()
    if seat in episode.tainted():
        st.info("On this line you know what has come out on another one. The transcript says so.")


def _can_undo(table: Table, seat: str) -> bool:
    # By what the seat itself has done, so that the button tells nothing about others.
    view = table.episode.view_for(seat)
    return view.held is not None or any(seen.own is not None for seen in view.rounds)


def _lines(table: Table) -> None:
    """The lines of the tree, to go from one to another."""
    episode = table.episode
    leaves = {leaf.id: f"Line {n}: {leaf.round} rounds" for n, leaf in enumerate(episode.leaves, 1)}
    here = episode.node.id if episode.node.id in leaves else None
    chosen = st.selectbox(
        "Lines",
        list(leaves),
        index=list(leaves).index(here) if here is not None else None,
        format_func=leaves.__getitem__,
        placeholder="Another line",
        label_visibility="collapsed",
        width=200,
        key=f"line-{table.id}-{episode.node.id}",
    )
    if chosen is not None and chosen != episode.node.id:
        table.goto(chosen)
        st.rerun()
