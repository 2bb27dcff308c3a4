"""One transcript: replayed position by position, from any seat or from the gallery."""

from __future__ import annotations

import streamlit as st

from explorer.game_table.branching import play_on
from explorer.game_table.lines import tree
from explorer.game_table.screen import gallery, screen
from explorer.game_table.table import Table
from explorer.game_table.takeaway import as_text
from explorer.players.scripted import why
from explorer.review import shown as reviewed
from explorer.serving.public import is_public
from explorer.storage import Storage
from explorer.ui.components.game_table import Act, show_table
from explorer.ui.header import header
from explorer.ui.links import link, page_address, page_file
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, small, told_apart
from explorer.ui.transcripts.comments import show_comments
from explorer.ui.transcripts.places import choose_eyes, choose_place, go_to
from explorer.ui.transcripts.taking import offer_files
from nip_core.errors import NipError
from nip_core.play import Episode, Node
from nip_core.registry import protocol_title
from nip_core.spec import shown_round

__all__ = ["show_reader", "show_transcript"]

GALLERY = "everything"


def show_transcript(storage: Storage, episode_id: str) -> None:
    """Show an episode that is over; one that goes on is shown to its own seats only."""
    table = Table(storage, episode_id)
    back = link(page_address("transcripts", {}), "All transcripts")
    if not table.over:
        header(table.entry.title, protocol_title(table.entry.protocol), back=back)
        alert(
            "info",
            "This episode is not over, so that only its seats may look, each at its own view.",
        )
        address = page_address("play", {"episode": episode_id})
        st.html(link(address, "Go to the table", button=True))
        return
    told = table.told()
    actions = header(table.entry.title, _summary(table, told), back=back)
    if not told.settled:
        alert("info", "A line that is not over stays closed: only what was said on others is here.")
    node = show_reader(table.id, told)
    with actions:
        _play_on(storage, table, node)
        with st.popover("Download"):
            offer_files(table, told)
        with st.popover("Title and tags"):
            _label(storage, table)
    show_comments(table, told, node)
    _beside(storage, table.id, told)


def show_reader(name: str, told: Episode) -> Node:
    """Read an episode that is over: line, position, eyes, the table, and how its moves came about.

    Parameters
    ----------
    name : str
        Tells episodes apart, on the page and in the browser.
    told : Episode
        As everybody may read it; see :meth:`Episode.finished`.

    Returns
    -------
    Node
        The position that is shown.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        node = choose_place(name, told)
        eyes = choose_eyes(GALLERY, told.spec)
    _table(name, told, node, eyes)
    _origins(told, node, eyes)
    _costs(told, node, eyes)
    return node


def _summary(table: Table, told: Episode) -> str:
    """What was played, in a line."""
    truth = "true" if told.task.y else "false"
    ends = {"accept": "accepted", "reject": "rejected", "terminated": "no verdict"}
    verdict = ends.get(table.entry.outcome, "")
    right = {True: ", right", False: ", wrong", None: ""}[table.entry.right]
    protocol = protocol_title(table.entry.protocol)
    return f"{protocol}. The claim is {truth}; verdict: {verdict}{right}. {table.entry.minute}"


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
            go_to(episode_id, episode, episode.nodes[wanted])

    review = reviewed(episode, node.id) if node.over and eyes == GALLERY else None
    show_table(
        {**shown, "review": review, "replay": True},
        episode=episode_id,
        tree=around,
        key=f"read-{episode_id}-{eyes}",
        on_act=go,
    )


def _play_on(storage: Storage, table: Table, node: Node) -> None:
    """A game of one's own from here."""
    with st.popover("Play on from here", disabled=node.over):
        if node.over:
            small("The episode has ended here: step back first.")
            return
        spec = table.spec
        seat = st.selectbox(
            "I am",
            spec.agent_names,
            index=spec.agent_names.index(spec.verifier),
            format_func=spec.seat_name,
            key="play-on-seat",
        )
        small("It becomes a game of its own; this transcript stays as it is.")
        if st.button("Play on", key="play-on"):
            try:
                mine = play_on(storage, table, node.id, seat)
                mine.play_until_a_person()
            except NipError as error:
                alert("error", str(error))
                return
            st.switch_page(page_file("play"), query_params={"episode": mine.id})


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
            st.markdown(f"**{escaped(told.spec.seat_name(agent))}**")
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


def _costs(told: Episode, node: Node, eyes: str) -> None:
    """Which model made each move of the line, and what that took."""
    rows = [
        {
            "Round": shown_round(position.round - 1),
            "Seat": told.spec.seat_name(agent),
            "Model": origin.model,
            "Tokens in": origin.tokens_in,
            "Tokens out": origin.tokens_out,
            "Seconds": origin.seconds,
            "Cost": origin.cost,
        }
        for position in told.path(node.id)[1:]
        for agent, origin in told.origins(position.id).items()
        if origin.model and eyes in (GALLERY, agent)
    ]
    if rows:
        with st.expander("Models, tokens and cost of every message"):
            wide_table(rows, "Models, tokens and cost of every message")


def _label(storage: Storage, table: Table) -> None:
    with st.form("label", border=False):
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


def _beside(storage: Storage, episode_id: str, told: Episode) -> None:
    """Another transcript beside this one."""
    if is_public():
        return
    others = told_apart(
        {
            entry.id: f"{entry.title} ({protocol_title(entry.protocol)}, {entry.minute})"
            for entry in storage.find(limit=100)
            if entry.outcome != "running" and entry.id != episode_id
        }
    )
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
