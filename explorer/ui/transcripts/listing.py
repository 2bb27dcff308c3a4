"""The list: search, filters, order, and what can be brought in, taken away and deleted."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import TypeVar

import streamlit as st

from explorer.game_table.takeaway import as_csv
from explorer.review import calibrated
from explorer.serving.public import is_public
from explorer.storage import (
    Criteria,
    Entry,
    EpisodeStatus,
    NoSuchEpisodeError,
    Order,
    Storage,
    StorageError,
)
from explorer.ui.components.calibration import show_calibration
from explorer.ui.header import header
from explorer.ui.links import link, page_address
from explorer.ui.text import alert, escaped, small, told_apart
from explorer.ui.transcripts.rows import show_rows
from nip_core.errors import NipError
from nip_core.registry import protocol_infos
from nip_core.tasks import task_kinds
from nip_core.transcript import load

__all__ = ["show_list"]

Option = TypeVar("Option", bound=str)

PAGE_SIZE = 25
# What can be deleted by name: the latest, as far as anybody scrolls.
MOST_NAMED = 200
# Whose notes of confidence are weighed: each has to be played again.
MOST_WEIGHED = 300
KINDS = {kind.name: kind.plural for kind in task_kinds()}
VERDICTS: Mapping[EpisodeStatus, str] = {
    "accept": "accepted",
    "reject": "rejected",
    "terminated": "no verdict",
    "running": "in progress",
}
RIGHT = {"right": True, "wrong": False}
TRUTHS = {"true": 1, "false": 0}
PLAYERS = {
    "human": "a person",
    "scripted": "a scripted player",
    "llm": "a language model",
    "random": "a random player",
}
ORDERS: Mapping[Order, str] = {
    "latest": "latest first",
    "oldest": "oldest first",
    "title": "by title",
    "rounds": "most rounds first",
    "tokens": "most tokens first",
}


def show_list(storage: Storage) -> None:
    """Show what was played here."""
    actions = header("Transcripts", "What was played here, to read, to learn from and to download.")
    if is_public():
        alert(
            "info",
            "On a server that others use too, a transcript is opened by the link to its episode; "
            "there is no list of what others have played.",
        )
        return
    criteria, order = _criteria(storage)
    with actions:
        with st.popover("Bring in transcripts"):
            _import(storage)
        with st.popover("Download"):
            _all(storage, criteria)
    _undo(storage)
    total = storage.count(criteria)
    wanted = st.session_state.get("transcripts-shown", PAGE_SIZE)
    found = storage.find(criteria, limit=wanted, order=order)
    if not found:
        _nothing(storage, criteria)
        return
    small(f"{total} transcript{'s' * (total != 1)}, {ORDERS[order]}.")
    show_rows(found)
    with st.container(horizontal=True):
        if total > len(found) and st.button("Show more"):
            st.session_state["transcripts-shown"] = wanted + PAGE_SIZE
            st.rerun()
        with st.popover("Delete"):
            _delete(storage, found[:MOST_NAMED])
    _calibration(storage, criteria)


def _criteria(storage: Storage) -> tuple[Criteria, Order]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input("Search", key="search", bind="query-params", width=240)
        protocols = {info.name: info.full_name for info in protocol_infos()}
        protocol = _choice("Protocol", "in", list(protocols), protocols)
        outcome = _choice("Verdict", "outcome", list(VERDICTS), VERDICTS)
        right = _choice("Right or wrong", "verdict", list(RIGHT))
        order = st.selectbox(
            "Order",
            list(ORDERS),
            format_func=ORDERS.__getitem__,
            key="order",
            bind="query-params",
            width=170,
        )
        with st.popover("More filters"):
            truth = _choice("Claim", "truth", list(TRUTHS))
            player = _choice("Played by", "by", list(PLAYERS), PLAYERS)
            kind = _choice("About", "about", list(KINDS), KINDS)
            tag = _choice("Tag", "tagged", list(storage.tags()))
    criteria = Criteria(
        text=text or "",
        protocol=protocol,
        kind=kind,
        outcome=outcome,
        tag=tag,
        right=None if right is None else RIGHT[right],
        y=None if truth is None else TRUTHS[truth],
        player=player,
    )
    return criteria, order


def _choice(
    label: str, key: str, options: list[Option], names: Mapping[Option, str] | None = None
) -> Option | None:
    def shown(option: Option) -> str:
        return names[option] if names else option

    return st.selectbox(
        escaped(label),
        options,
        index=None,
        placeholder="any",
        format_func=shown,
        key=key,
        bind="query-params",
        width=170,
    )


def _nothing(storage: Storage, criteria: Criteria) -> None:
    if criteria == Criteria():
        st.write("Nothing has been played here yet.")
        st.html(link(page_address("play", {}), "Take a seat", button=True))
    else:
        st.write("Nothing that was played fits. Take a filter away.")


def _delete(storage: Storage, found: list[Entry]) -> None:
    names = told_apart(
        {entry.id: f"{entry.title} ({VERDICTS[entry.outcome]}, {entry.minute})" for entry in found}
    )
    chosen = st.selectbox(
        "Which transcript?", list(names), format_func=names.__getitem__, key="to-delete"
    )
    if st.button("Delete this one", key=f"delete-{chosen}"):
        storage.delete(chosen)
        st.session_state["just-deleted"] = (chosen, names[chosen])
        st.rerun()


def _calibration(storage: Storage, criteria: Criteria) -> None:
    """How well confidence went with the truth, in all that is over here."""
    if not st.toggle("How well did confidence go with the truth?", key="calibration"):
        return
    over = [e for e in storage.find(criteria, limit=MOST_WEIGHED) if e.outcome != "running"]
    found = calibrated(storage.load(entry.id).told() for entry in over)
    if found is None:
        small("Nobody has noted a confidence in these transcripts.")
    else:
        show_calibration(found, key="calibrated")


def _undo(storage: Storage) -> None:
    deleted = st.session_state.get("just-deleted")
    if deleted is None:
        return
    episode_id, title = deleted
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Deleted: {escaped(title)}")
        for label, act in (("Undo", storage.restore), ("Delete for good", storage.purge)):
            # A click counts for the episode that stood there.
            if st.button(label, key=f"{label} {episode_id}"):
                del st.session_state["just-deleted"]
                try:
                    act(episode_id)
                except NoSuchEpisodeError:
                    alert("warning", "Somebody has restored it, or deleted it for good, since.")
                    return
                st.rerun()


def _all(storage: Storage, criteria: Criteria) -> None:
    def tables() -> bytes:
        # What goes on may hold what its players must not know yet.
        over = (e for e in storage.find(criteria, limit=10_000) if e.outcome != "running")
        return as_csv([(entry.id, storage.load(entry.id).told()) for entry in over])

    st.download_button(
        "Tables of all that is over here (CSV)",
        tables,
        file_name="transcripts-tables.zip",
        mime="application/zip",
        on_click="ignore",
    )
    st.download_button(
        "All that is over in every line, for another explorer (JSONL)",
        lambda: b"".join(storage.export_all(settled=True)),
        file_name="transcripts-all-episodes.jsonl",
        mime="application/x-ndjson",
        on_click="ignore",
    )


def _import(storage: Storage) -> None:
    # A form waits until every file has arrived before it can be sent.
    with st.form("bring-in", border=False, clear_on_submit=True):
        files = st.file_uploader(
            "Transcripts (.json), everything of another explorer, or saved rollouts (.jsonl)",
            type=["json", "jsonl"],
            accept_multiple_files=True,
            key="transcript-files",
        )
        sent = st.form_submit_button("Bring in")
    if sent and not files:
        st.text("Choose one or more files first.")
    for file in files if sent else ():
        added, refused = 0, list[str]()
        told = st.empty()
        for problem in _bring_in(storage, file.name, file.getvalue()):
            added += problem is None
            refused += [] if problem is None else [problem]
            # Whoever leaves stops here: a page that nobody waits for is not run any further.
            told.text(f"{file.name}: {added} added so far.")
        told.text(f"{file.name}: {added} added." + "".join(f"\n{line}" for line in refused[:20]))


def _bring_in(storage: Storage, name: str, content: bytes) -> Iterable[str | None]:
    """For each transcript of a file, None if it was added, or why it was not."""
    if name.endswith(".jsonl"):
        for line in storage.import_all(io.BytesIO(content)):
            said = {"present": "is here already", "refused": line.reason}.get(line.status)
            yield None if said is None else f"Line {line.line}: {said}"
        return
    try:
        storage.create(load(content), tags=["imported"])
        yield None
    except (NipError, StorageError) as error:
        yield str(error)
