"""One transcript: replayed position by position, from any seat or from the gallery."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer.game_table.screen import gallery, screen, tree
from explorer.game_table.table import Table
from explorer.game_table.takeaway import FORMATS, as_csv, as_text, as_view
from explorer.players.scripted import why
from explorer.serving.public import is_public
from explorer.storage import Storage
from explorer.ui.components.game_table import Act, show_table
from explorer.ui.links import link, page_address
from explorer.ui.text import alert, escaped, small
from nip_core.errors import NipError
from nip_core.play import Commented, Episode, Node

__all__ = ["show_transcript"]

GALLERY = "everything"


def show_transcript(storage: Storage, episode_id: str) -> None:
    """Show an episode that is over; one that goes on is shown to its own seats only."""
    table = Table(storage, episode_id)
    st.html(link(page_address("transcripts", {}), "All transcripts"))
    st.markdown(f"### {escaped(table.entry.title)}")
    if not table.over:
        alert(
            "info",
            "This episode is not over, so that only its seats may look, each at its own view.",
        )
        address = page_address("play", {"episode": episode_id})
        st.html(link(address, "Go to the table", button=True))
        return
    told = table.told()
    if not told.settled:
        alert("info", "A line that is not over stays closed: only what was said on others is here.")
    node = _position(_line(told))
    seats = [GALLERY, *told.spec.agent_names]
    eyes = st.radio(
        "Seen by", seats, format_func=escaped, horizontal=True, key="eyes", bind="query-params"
    )
    _table(table.id, told, node, eyes or GALLERY)
    _origins(told, node, eyes or GALLERY)
    left, right = st.columns(2)
    with left:
        _comments(table, told, node)
        _label(storage, table)
    with right:
        _take_away(table.id, told)
        _compare(told)
    _beside(storage, table.id, told)


def _line(episode: Episode) -> tuple[Node, ...]:
    """The line to read, if there are several that are over."""
    leaves = {leaf.id: f"Line {n}, {leaf.round} rounds" for n, leaf in _ends(episode).items()}
    if len(leaves) == 1:
        return episode.path()
    chosen = st.selectbox(
        "Line",
        list(leaves),
        index=list(leaves).index(episode.node.id) if episode.node.id in leaves else 0,
        format_func=leaves.__getitem__,
        width=240,
    )
    return episode.path(chosen)


def _ends(episode: Episode) -> dict[int, Node]:
    """The ends of the lines that are over, by the lines' numbers."""
    return {number: leaf for number, leaf in enumerate(episode.leaves, 1) if leaf.over}


def _position(line: tuple[Node, ...]) -> Node:
    last = len(line) - 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = min(st.session_state.get("position", last), last)
        if st.button("Back", disabled=place == 0):
            place -= 1
        if st.button("Next", disabled=place == last):
            place += 1
        st.session_state["position"] = place
        if last:
            place = st.slider("After how many rounds", 0, last, key="position")
    return line[place]


def _table(episode_id: str, episode: Episode, node: Node, eyes: str) -> None:
    if eyes == GALLERY:
        shown = gallery(episode, node.id)
    else:
        shown = screen(episode.view_for(eyes, node.id), played=False)
        if eyes in node.tainted:
            small("On this line the seat knew what had come out on another one.")
    seat = episode.spec.verifier if eyes == GALLERY else eyes
    around = {**tree(episode, seat), "here": node.id}

    def go(act: Act) -> None:
        wanted = act.get("goto") if isinstance(act, dict) else None
        if isinstance(wanted, int) and 0 <= wanted < len(episode.nodes):
            st.session_state["position"] = episode.nodes[wanted].round

    show_table(shown, episode=episode_id, tree=around, key=f"read-{episode_id}-{eyes}", on_act=go)


def _origins(told: Episode, node: Node, eyes: str) -> None:
    """How the moves of the latest round came about, as the record says; to a seat, its own."""
    # What a scripted prover has to say of its move follows from the record and the label.
    said = {
        each.agent: each.lines
        for each in why(told, node.id)
        if each.round == node.round - 1 and each.agent in told.spec.provers
    }
    found = {
        agent: origin
        for agent, origin in told.origins(node.id).items()
        if eyes in (GALLERY, agent)
        and (origin.summary or origin.refused or origin.reasoning or agent in said)
    }
    if not found:
        return
    with st.expander("How the moves of this round came about"):
        for agent, origin in found.items():
            st.markdown(f"**{escaped(agent)}**")
            st.text(origin.summary)
            for refused in origin.refused:
                small("An answer that could not be played")
                st.text(refused.answer)
                small("What it was told")
                st.text(refused.reason)
            if origin.reasoning:
                small("What it thought, for nobody else at the table")
                st.text(origin.reasoning)
            if agent in said:
                small("Why it said so, now that the truth is known")
                st.text("\n".join(said[agent]))


def _comments(table: Table, told: Episode, node: Node) -> None:
    st.subheader("Comments", anchor=False)
    for event in told.events:
        if isinstance(event, Commented) and event.node == node.id:
            st.text(event.text)
    with st.form("comment", clear_on_submit=True):
        text = st.text_area("Say something about this position", key="comment-text")
        if st.form_submit_button("Keep it") and text:
            try:
                table.comment(node.id, text)
            except NipError as error:
                alert("error", str(error))
            else:
                st.rerun()


def _label(storage: Storage, table: Table) -> None:
    with st.form("label"):
        title = st.text_input("Title", table.entry.title)
        tags = st.text_input("Tags, with commas between", ", ".join(table.entry.tags))
        if st.form_submit_button("Rename"):
            wanted = [tag.strip() for tag in tags.split(",") if tag.strip()]
            try:
                storage.describe(table.id, title=title, tags=wanted)
            except NipError as error:
                alert("error", str(error))
            else:
                st.rerun()


def _take_away(episode_id: str, episode: Episode) -> None:
    st.subheader("Take away", anchor=False)
    for name, (ending, make) in FORMATS.items():
        st.download_button(
            escaped(name),
            partial(make, episode),
            file_name=f"{episode_id[:8]}.{ending}",
            on_click="ignore",
            key=f"take {name}",
        )
    st.download_button(
        "Tables (CSV)",
        lambda: as_csv([(episode_id, episode)]),
        file_name=f"{episode_id[:8]}.zip",
        on_click="ignore",
    )
    for agent in episode.spec.agent_names:
        st.download_button(
            f"What {escaped(agent)} saw (JSON)",
            partial(as_view, episode, agent),
            file_name=f"{episode_id[:8]}-{agent}.json",
            on_click="ignore",
        )


def _compare(episode: Episode) -> None:
    """Two lines that are over side by side, from where they part."""
    lines = list(_ends(episode).items())[-2:]
    if len(lines) < 2:
        return
    st.subheader("Lines side by side", anchor=False)
    for (number, leaf), column in zip(lines, st.columns(2), strict=True):
        with column:
            small(f"Line {number}")
            for node in episode.path(leaf.id)[1:]:
                for agent, move in node.moves.items():
                    said = " / ".join(move.messages.values()) or ("reject", "accept")[move.decision]
                    st.text(f"{node.round - 1} {agent}: {said}")


def _beside(storage: Storage, episode_id: str, told: Episode) -> None:
    """Another transcript beside this one."""
    if is_public():
        return
    others = {
        entry.id: f"{entry.title} ({entry.protocol}, {entry.minute})"
        for entry in storage.find(limit=100)
        if entry.outcome != "running" and entry.id != episode_id
    }
    if not others:
        return
    chosen = st.selectbox(
        "Compare with",
        list(others),
        index=None,
        placeholder="another transcript",
        format_func=others.__getitem__,
        width=420,
    )
    if chosen is not None:
        both = told, storage.load(chosen).told()
        for episode, column in zip(both, st.columns(2), strict=True):
            column.text(as_text(episode))
