"""Remarks about a position, a message or a part of one: who wrote them, when, and anew."""

from __future__ import annotations

import streamlit as st

from explorer.game_table.remarks import new_thread, wrote
from explorer.game_table.table import Table
from explorer.ui.text import alert, small
from explorer.ui.visitor import visitor
from nip_core.errors import NipError
from nip_core.play import Commented, Episode, Node, comments_of
from nip_core.spec import ProtocolSpec

__all__ = ["show_comments"]

AUTHOR = "comment-author"
POSITION = ("", "")
SHOWN = 60  # characters of a message, where it is chosen


def show_comments(table: Table, told: Episode, node: Node) -> None:
    """Show the remarks about a position, and let another one be written."""
    st.subheader("Comments", anchor=False)
    standing = comments_of(told.events)
    for comment in standing:
        if comment.node == node.id:
            _comment(table, told.spec, comment)
    elsewhere = sorted({told.node_at(c.node).round for c in standing if c.node != node.id})
    if elsewhere:
        rounds = ", ".join(map(str, elsewhere))
        small(f"There are comments at other positions, too: after round {rounds}.")
    _new(table, told.spec, node)


def _comment(table: Table, spec: ProtocolSpec, comment: Commented) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="top"):
        with st.container():
            when = (comment.at or "")[:16].replace("T", " ")
            about = (
                f"on the message of {spec.seat_phrase(comment.agent)}"
                if comment.agent in spec.agent_names
                else ""
            )
            said = filter(None, (comment.author or "Somebody", about, when))
            small(", ".join(said))
            if comment.quote:
                st.text(f"“{comment.quote}”")
            st.text(comment.text)
        thread = comment.thread
        if thread and wrote(visitor(), thread):
            with st.popover("Edit"), st.form(f"edit-{thread}", border=False):
                text = st.text_area("Comment", comment.text, key=f"text-{thread}")
                small("Left empty, it is taken back.")
                if st.form_submit_button("Save"):
                    author = comment.author
                    _keep(
                        table, comment.node, text, author, (comment.agent, comment.channel),
                        comment.quote, thread,
                    )  # fmt: skip


def _new(table: Table, spec: ProtocolSpec, node: Node) -> None:
    messages = {
        (agent, channel): text
        for agent, move in node.moves.items()
        for channel, text in move.messages.items()
    }

    def name(place: tuple[str, str]) -> str:
        if place == POSITION:
            return "the position"
        where = f" ({spec.channel_title(place[1])})" if len(spec.channel_names) > 1 else ""
        short = " ".join(messages[place].split())
        short = short if len(short) <= SHOWN else f"{short[:SHOWN]}…"
        return f"{spec.seat_name(place[0])}{where}: {short}"

    with st.form("comment", clear_on_submit=True):
        text = st.text_area("Say something about this position", key="comment-text")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            place = st.selectbox("About", [POSITION, *messages], format_func=name, width=380)
            quote = st.text_input(
                "Which part of the message?", key="comment-quote", placeholder="all of it"
            )
            author = st.text_input(
                "Your name", st.session_state.get(AUTHOR, ""), width=180, max_chars=100
            )
        if not st.form_submit_button("Keep it") or not text:
            return
    st.session_state[AUTHOR] = author
    if quote and quote not in messages.get(place, ""):
        alert("warning", "That part does not stand in the message: copy it from there.")
        return
    about = (None, None) if place == POSITION else place
    _keep(table, node.id, text, author or None, about, quote or None, new_thread(visitor()))


def _keep(
    table: Table,
    node: int,
    text: str,
    author: str | None,
    about: tuple[str | None, str | None],
    quote: str | None,
    thread: str,
) -> None:
    agent, channel = about
    try:
        table.comment(
            Commented(
                node=node, text=text.strip(), author=author, agent=agent, channel=channel,
                quote=quote, thread=thread,
            ),
            by=visitor(),
        )  # fmt: skip
    except NipError as error:
        alert("error", str(error))
    else:
        st.rerun()
