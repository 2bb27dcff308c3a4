"""Reading one episode: positions, comments and downloads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from explorer import notebook
from explorer.choice import NumberRange
from explorer.hosts import is_public
from explorer.languages import in_english
from explorer.play import (
    FORMATS,
    StoredTable,
    as_csv,
    as_text,
    as_view,
    gallery,
    is_empty,
    minute_of,
    new_thread,
    place_comments,
    play_on,
    reviewed,
    screen_at,
    tree,
    watched,
    wrote,
)
from explorer.players import why
from explorer.storage import EpisodeStatus
from explorer.ui.database import storage
from explorer.ui.layout import header, link, note_in_address, page_address, page_file
from explorer.ui.page_link import from_link
from explorer.ui.table_front import show_table
from explorer.ui.tables import wide_table
from explorer.ui.text import (
    alert,
    distinct_labels,
    dropdown,
    escaped,
    offer_file,
    small,
    whole_number,
)
from explorer.ui.visitor import visitor
from explorer.ui.widgets import offer_notebook
from nip_core.displays import capitalized
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.play import Commented, Episode, Node, comments_of
from nip_core.registry import protocol_title
from nip_core.spec import shown_round

# Their keys in the address. Variations and rounds count from 1; a seat has its name in the
# specification.
LINE, ROUND, EYES = "line", "round", "eyes"
READS = "reads"


def _place(episode_id: str, episode: Episode) -> tuple[Node, Node]:
    """Return the position to read (from the address, or the end) and the end of its variation."""
    ends = {number: leaf for number, leaf in enumerate(episode.leaves, 1) if leaf.over}
    usual = next((n for n, leaf in ends.items() if leaf.id == episode.node.id), next(iter(ends)))
    if st.session_state.get(READS) != episode_id or st.session_state["line"] not in ends:
        # Another transcript is shown, so choices made for the previous one do not apply.
        st.session_state[READS] = episode_id
        wanted_line = whole_number(from_link(LINE, [*map(str, ends)], str(usual)))
        st.session_state["line"] = usual if wanted_line is None else wanted_line
        last = ends[st.session_state["line"]].round
        wanted = whole_number(from_link(ROUND, NumberRange(0, last), str(last)))
        st.session_state["position"] = last if wanted is None else wanted
    number: int = st.session_state["line"]
    line = episode.path(ends[number].id)
    last = len(line) - 1
    place: int = min(st.session_state["position"], last)
    note_in_address(LINE, None if number == usual else number)
    note_in_address(ROUND, None if place == last else place)
    return line[place], line[last]


def _choose_eyes(everything: str, spec: Specification) -> str:
    """Let a person choose to see everything or one seat's view; return the choice."""
    names = {everything: "Everything", **{a: spec.seat_name(a) for a in spec.agent_names}}
    # The seats depend on the protocol.
    if st.session_state.get(EYES, "") not in names:
        st.session_state[EYES] = from_link(EYES, [*names]) or everything
    eyes = (
        st.radio(
            "Seen by",
            list(names),
            format_func=lambda name: escaped(names[name]),
            horizontal=True,
            key=EYES,
            width="content",
        )
        or everything
    )
    note_in_address(EYES, None if eyes == everything else eyes)
    return eyes


def _go_to(episode_id: str, episode: Episode, node: Node) -> None:
    """Show another position from the next run on."""
    ends = {number: leaf for number, leaf in enumerate(episode.leaves, 1) if leaf.over}
    now = st.session_state.get("line")
    through = [n for n, leaf in ends.items() if node in episode.path(leaf.id)]
    if not through or st.session_state.get(READS) != episode_id:
        return  # no variation through this position has ended
    st.session_state["line"] = now if now in through else through[0]
    st.session_state["position"] = node.round


AUTHOR = "comment-author"
POSITION = ("", "")
SHOWN = 60  # characters of a message in a list of choices


def _comments(
    table: StoredTable, episode: Episode, node: Node, placed: Sequence[Commented]
) -> None:
    """Show the comments on a position that are not beside a message; offer to write one."""
    st.subheader("Comments", anchor=False)
    standing = comments_of(episode.events)
    for comment in standing:
        if comment.node == node.id:
            _comment(table, episode.rules, comment, placed=comment in placed)
    elsewhere = {c.node for c in standing if c.node != node.id and c not in placed}
    if elsewhere:
        turns = ", ".join(map(str, sorted({episode.node_at(n).round for n in elsewhere})))
        small(f"There are comments at other positions, too: after turn {turns}.")
    _new(table, episode.rules, node)


def _comment(table: StoredTable, spec: Specification, comment: Commented, *, placed: bool) -> None:
    """Show a comment; if a message already shows it, show only its author's controls."""
    thread = comment.thread
    mine = thread is not None and wrote(visitor(), thread)
    if placed and not mine:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="top"):
        with st.container():
            about = (
                f"on the message of {spec.seat_phrase(comment.agent)}"
                if comment.agent in spec.agent_names
                else ""
            )
            by = "Your comment" if placed else comment.author or "Somebody"
            small(", ".join(filter(None, (by, about, minute_of(comment)))))
            if not placed:
                if comment.quote:
                    st.text(f"“{comment.quote}”")
                st.text(comment.text)
        if mine:
            with st.popover("Edit"), st.form(f"edit-{thread}", border=False):
                text = st.text_area("Comment", comment.text, key=f"text-{thread}")
                small("Leave it empty to delete the comment.")
                if st.form_submit_button("Save"):
                    _keep(table, lambda: replace(comment, text=text.strip()))


def _new(table: StoredTable, spec: Specification, node: Node) -> None:
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
        alert("warning", "The message does not contain that part: copy it from there.")
        return
    agent, channel = (None, None) if place == POSITION else place
    _keep(
        table,
        lambda: Commented(
            node=node.id,
            text=text.strip(),
            author=author or None,
            agent=agent,
            channel=channel,
            quote=quote or None,
            thread=new_thread(visitor()),
        ),
    )


def _keep(table: StoredTable, make: Callable[[], Commented]) -> None:
    try:
        table.comment(make(), visitor=visitor())
    except NipError as error:
        alert("error", str(error))
    else:
        st.rerun()


LONGEST = 40


def _offer_files(table: StoredTable, episode: Episode) -> None:
    """Offer all forms of a transcript."""

    def file(label: str, make: Callable[[], str | bytes], what: str, ending: str, **more: Any):
        offer_file(label, make, f"{_stem(table, what)}.{ending}", type="tertiary", **more)

    for name, (ending, make) in FORMATS.items():
        empty = is_empty(name, episode)
        more = {"key": f"take {name}", "disabled": empty is not None, "help": empty}
        file(name, partial(make, episode), _what(name), ending, **more)
    offline = "One file that replays the game in any browser, without a network."
    file(
        "Replay as a page (HTML)",
        lambda: notebook.replay_html(episode.finished()),
        "replay",
        "html",
        help=offline,
    )
    file("Tables (CSV)", lambda: as_csv([(table.id, episode)]), "tables", "zip")
    offer_notebook(
        lambda: notebook.transcript_notebook(episode.finished()),
        _stem(table, "transcript"),
        type="tertiary",
    )
    for agent in episode.rules.agent_names:
        label = f"What {episode.rules.seat_phrase(agent)} saw (JSON)"
        file(label, partial(as_view, episode, agent), f"seen-by-{_words(agent)}", "json")


def _stem(table: StoredTable, what: str) -> str:
    """Return a file's name such as ``the-smallest-bus_mnip_1a2b3c4d_transcript``."""
    parts = (_words(table.entry.title) or "episode", _words(table.entry.protocol), table.id[:8])
    return "_".join(filter(None, (*parts, what)))


def _what(name: str) -> str:
    return _words(name.partition("(")[0]) or "transcript"


def _words(text: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:LONGEST].strip("-")


GALLERY = "everything"
VERDICTS: Mapping[EpisodeStatus, str] = {
    "accept": "accepted",
    "reject": "rejected",
    "ended": "another verdict",
    "terminated": "no verdict",
    "running": "in progress",
}


def show_transcript(episode_id: str) -> None:
    """Show a finished episode; one in progress is shown only at its table."""
    table = StoredTable(storage(), episode_id)
    back = link(page_address("transcripts", {}), "All transcripts")
    if not table.over:
        header(table.entry.title, protocol_title(table.spec), back=back)
        alert(
            "info",
            "This episode is not over, so only its seats can read it, each its own view.",
        )
        address = page_address("play", {"episode": episode_id})
        st.html(link(address, "Go to the table", button=True))
        return
    episode = table.public_episode()
    actions = header(table.entry.title, _summary(table, episode), back=back)
    if not episode.settled:
        alert("info", "Variations that are not over are hidden until they end.")
    node, placed = show_reader(table.id, episode)
    with actions:
        _play_on(table, node)
        with st.popover("Export"):
            _offer_files(table, episode)
        with st.popover("Title and tags"):
            _label(table)
    _comments(table, episode, node, placed)
    _beside(table.id, episode)


def show_reader(name: str, episode: Episode) -> tuple[Node, list[Commented]]:
    """Show a finished episode: choices of variation, position and view, the table, and origins.

    The episode is as everybody may read it; see :meth:`Episode.finished`. `name` distinguishes
    episodes on the page and in the browser. Return the position that is shown, and the comments
    that stand beside their messages.
    """
    node, end = _place(name, episode)
    eyes = _choose_eyes(GALLERY, episode.rules)
    placed = _table(name, episode, node, end, eyes)
    _origins(episode, node, eyes)
    _costs(episode, node, eyes)
    return node, placed


def _summary(table: StoredTable, episode: Episode) -> str:
    """Return a summary of the game in a line."""
    right = {True: ", right", False: ", wrong", None: ""}[table.entry.right]
    protocol = protocol_title(table.spec)
    spec, verdict = episode.rules, episode.result().verdict
    made = "none" if verdict is None else spec.title_of(verdict)
    truth = episode.result().choices.get(spec.roles.truth or "")
    is_so = "" if truth is None else f"The truth is {spec.title_of(truth)}; "
    if spec.roles.on_statement:
        is_so = f"The claim is {'true' if truth == spec.roles.first_answer else 'false'}; "
    return f"{protocol}. {capitalized(f'{is_so}verdict: {made}{right}')}. {table.entry.minute}"


# In English, like all of the page around the table.
@in_english
def _table(episode_id: str, episode: Episode, node: Node, end: Node, eyes: str) -> list[Commented]:
    if eyes == GALLERY:
        shown = gallery(episode, node.id)
    else:
        shown = screen_at(episode, eyes, node.id)
        if eyes in node.tainted:
            small("In this variation the seat already knew the outcome of another one.")
    seat = watched(episode.rules) if eyes == GALLERY else eyes
    around = {**tree(episode, seat), "here": node.id, "ahead": end.id}

    def go(act: dict[str, object]) -> None:
        wanted = act.get("goto") if isinstance(act, dict) else None
        if isinstance(wanted, int) and 0 <= wanted < len(episode.nodes):
            _go_to(episode_id, episode, episode.nodes[wanted])

    placed = place_comments(shown, episode, node.id)
    review = reviewed(episode, node.id) if node.over and eyes == GALLERY else None
    show_table(
        {**shown, "review": review, "replay": True},
        episode=episode_id,
        tree=around,
        key=f"read-{episode_id}-{eyes}",
        on_act=go,
    )
    return placed


def _play_on(table: StoredTable, node: Node) -> None:
    """Offer to begin one's own game from this position."""
    with st.popover("Play on from here", disabled=node.over):
        if node.over:
            small("The episode has ended here: step back first.")
            return
        seats = {agent: table.spec.seat_name(agent) for agent in table.spec.agent_names}
        seat = dropdown("I am", seats, watched(table.spec), key="play-on-seat")
        small("This starts a new game; this transcript stays as it is.")
        if st.button("Play on", key="play-on"):
            try:
                mine = play_on(table, node.id, seat)
                mine.play_until_a_person()
            except NipError as error:
                alert("error", str(error))
                return
            st.switch_page(page_file("play"), query_params={"episode": mine.id})


def _origins(episode: Episode, node: Node, eyes: str) -> None:
    """Show the recorded origins of the latest round's moves; in a seat's view, only its own."""
    # The reasons of a scripted prover follow from its record and the label.
    explanations = why(episode, node.id) if episode.setup.is_about_a_statement else ()
    reasons = {
        explained.agent: explained.lines
        for explained in explanations
        if explained.round == node.round - 1 and explained.agent in episode.rules.provers
    }
    origins = {
        agent: origin
        for agent, origin in episode.origins(node.id).items()
        if eyes in (GALLERY, agent)
        and (origin.summary or origin.refused or origin.reasoning or agent in reasons)
    }
    if not origins:
        return
    with st.expander("How the moves of this turn came about"):
        for agent, origin in origins.items():
            st.markdown(f"**{escaped(episode.rules.seat_name(agent))}**")
            st.text(origin.summary)
            for refused in origin.refused:
                small("An answer that could not be played")
                st.text(refused.answer)
                small("Its instructions")
                st.text(refused.reason)
            for answered in origin.answered:
                small(f"Asked by itself for {answered.question}")
                st.text(answered.answer)
            if origin.reasoning:
                small("What it thought, for nobody else at the table")
                st.text(origin.reasoning)
            if agent in reasons:
                small("Why it said so, now that the truth is known")
                st.text("\n".join(reasons[agent]))


def _costs(episode: Episode, node: Node, eyes: str) -> None:
    """Show the model behind each move of the variation, with its usage."""
    rows = [
        {
            "Turn": shown_round(position.round - 1),
            "Seat": episode.rules.seat_name(agent),
            "Model": origin.model,
            "Tokens in": origin.tokens_in,
            "Tokens out": origin.tokens_out,
            "Seconds": origin.seconds,
            "Cost": origin.cost,
        }
        for position in episode.path(node.id)[1:]
        for agent, origin in episode.origins(position.id).items()
        if origin.model and eyes in (GALLERY, agent)
    ]
    if rows:
        with st.expander("Models, tokens and cost of every message"):
            wide_table(rows, "Models, tokens and cost of every message")


def _label(table: StoredTable) -> None:
    with st.form("label", border=False):
        title = st.text_input("Title", table.entry.title)
        tags = st.text_input("Tags, with commas between", ", ".join(table.entry.tags))
        if st.form_submit_button("Rename"):
            wanted = [tag.strip() for tag in tags.split(",") if tag.strip()]
            try:
                storage().describe(table.id, title=title, tags=wanted)
            except NipError as error:
                alert("error", str(error))
            else:
                st.rerun()


def _beside(episode_id: str, episode: Episode) -> None:
    """Show another transcript beside this one."""
    if is_public():
        return
    others = distinct_labels(
        {
            entry.id: f"{entry.title} ({protocol_title(entry.protocol)}, {entry.minute})"
            for entry in storage().find(limit=100)
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
        both = episode, storage().load(chosen).finished()
        for episode, column in zip(both, st.columns(2), strict=True):
            column.text(as_text(episode))
