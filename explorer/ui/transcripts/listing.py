"""The list: search, filters, import, and what can be done with an entry."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import TypeVar

import streamlit as st

from explorer.game_table.takeaway import as_csv
from explorer.serving.public import is_public
from explorer.storage import (
    Criteria,
    Entry,
    EpisodeStatus,
    NoSuchEpisodeError,
    Storage,
    StorageError,
)
from explorer.ui.header import header
from explorer.ui.links import link, page_address
from explorer.ui.text import alert, escaped, small
from nip_core.errors import NipError
from nip_core.registry import protocol_names
from nip_core.tasks import task_kinds
from nip_core.transcript import load

__all__ = ["show_list"]

Option = TypeVar("Option", bound=str)

PAGE_SIZE = 20
KINDS = {kind.name: kind.plural for kind in task_kinds()}
OUTCOMES: Mapping[EpisodeStatus, str] = {
    "running": "goes on",
    "accept": "accepted",
    "reject": "rejected",
    "terminated": "no verdict",
}


def show_list(storage: Storage) -> None:
    """Show what was played here."""
    header("Transcripts", "What was played here, to read and to take with you.")
    if is_public():
        alert(
            "info",
            "On a server that others use too, a transcript is opened by the link to its episode; "
            "there is no list of what others have played.",
        )
        return
    criteria = _criteria(storage)
    _undo(storage)
    total = storage.count(criteria)
    wanted = st.session_state.get("transcripts-shown", PAGE_SIZE)
    found = storage.find(criteria, limit=wanted)
    if not found:
        _nothing(storage, criteria)
    else:
        small(f"{total} in all, the latest first.")
    for entry in found:
        _row(storage, entry)
    if total > len(found) and st.button("Show more"):
        st.session_state["transcripts-shown"] = wanted + PAGE_SIZE
        st.rerun()
    with st.expander("Take away, or bring in"):
        _all(storage, criteria)
        _import(storage)


def _criteria(storage: Storage) -> Criteria:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input("Search", key="search", bind="query-params", width=260)
        protocol = _choice("Protocol", "in", protocol_names())
        kind = _choice("About", "about", list(KINDS), KINDS)
        outcome = _choice("EpisodeStatus", "outcome", list(OUTCOMES), OUTCOMES)
        tag = _choice("Tag", "tagged", list(storage.tags()))
    return Criteria(text=text or "", protocol=protocol, kind=kind, outcome=outcome, tag=tag)


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
        width=160,
    )


def _nothing(storage: Storage, criteria: Criteria) -> None:
    if criteria == Criteria():
        st.write("Nothing has been played here yet.")
        st.html(link(page_address("play", {}), "Take a seat", button=True))
    else:
        st.write("Nothing that was played fits. Take a filter away.")


def _row(storage: Storage, entry: Entry) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        tags = "".join(f" :gray-badge[{escaped(tag)}]" for tag in entry.tags)
        st.markdown(f"**{escaped(entry.title)}** {escaped(entry.protocol)}{tags}", width="stretch")
        small(f"{OUTCOMES[entry.outcome]}, {entry.rounds} rounds, {entry.minute}")
        running = entry.outcome == "running"
        page, name = ("play", "Continue") if running else ("transcripts", "Open")
        address = page_address(page, {"episode": entry.id})
        st.html(link(address, name, button=True), width="content")
        if st.button("Delete", key=f"delete-{entry.id}"):
            storage.delete(entry.id)
            st.session_state["just-deleted"] = (entry.id, entry.title)
            st.rerun()


def _undo(storage: Storage) -> None:
    deleted = st.session_state.get("just-deleted")
    if deleted is None:
        return
    episode_id, title = deleted
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Deleted: {escaped(title)}")
        for label, act in (("Undo", storage.restore), ("Delete for good", storage.purge)):
            kind = "primary" if label == "Undo" else "secondary"
            # A click counts for the episode that stood there.
            if st.button(label, key=f"{label} {episode_id}", type=kind):
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
        file_name="transcripts.zip",
        mime="application/zip",
        on_click="ignore",
    )
    st.download_button(
        "All that is over in every line, for another explorer (JSONL)",
        lambda: b"".join(storage.export_all(settled=True)),
        file_name="episodes.jsonl",
        mime="application/x-ndjson",
        on_click="ignore",
    )


def _import(storage: Storage) -> None:
    # A form waits until every file has arrived before it can be sent.
    with st.form("bring-in", border=False, clear_on_submit=True):
        files = st.file_uploader(
            "Transcripts (.json), or everything of another explorer (.jsonl)",
            type=["json", "jsonl"],
            accept_multiple_files=True,
            key="transcript-files",
        )
        sent = st.form_submit_button("Bring in", type="primary")
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
