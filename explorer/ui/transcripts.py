"""The Transcripts page: the list of episodes with filters and uploads, or one of them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from explorer.choice import ProtocolChoice
from explorer.hosts import is_public
from explorer.pictures import AgentStyle, seat_styles, signed
from explorer.play import as_csv, calibrated
from explorer.storage import (
    Criteria,
    Entry,
    NoSuchEpisodeError,
    Order,
    StorageError,
)
from explorer.ui.database import storage
from explorer.ui.fronts import show_calibration
from explorer.ui.layout import header, link, page_address, theme
from explorer.ui.page_link import from_link, page_link
from explorer.ui.tables import scrolling_table
from explorer.ui.text import alert, distinct_labels, dropdown, escaped, in_html, offer_file, small
from explorer.ui.transcript_reader import EYES, LINE, ROUND, VERDICTS, show_transcript
from nip_core.displays import capitalized, name_in_words
from nip_core.errors import NipError
from nip_core.registry import protocol_infos, protocol_title, published_names
from nip_core.tasks import task_kinds
from nip_core.transcript import example_debate

COLUMNS = ("Task", "Protocol", "Claim", "Verdict", "Seats and rewards", "Rounds", "Tokens", "Date")
# Tags that repeat the column of seats.
SCRIPTED = {f"scripted {who}" for who in ("prover", "verifier", "expert", "player")}
SAID_BY_SEATS = SCRIPTED | {"language model", "random player"}
WHO = {"human": "person", "scripted": "scripted", "random": "random", "llm": "model"}


def _rows(entries: Iterable[Entry]) -> None:
    """Show entries, a row each, whose title leads to the transcript or to the table."""
    listed = list(entries)
    # Without models there are no tokens to show.
    tokens = any(entry.tokens is not None for entry in listed)
    shown = [name for name in COLUMNS if tokens or name != "Tokens"]
    head = "".join(f'<th scope="col"{_number(name)}>{name}</th>' for name in shown)
    body = "".join(f"<tr>{''.join(_cells(entry, tokens=tokens))}</tr>" for entry in listed)
    scrolling_table("nip-list", head, body, "Transcripts")


def _number(name: str) -> str:
    return ' class="number"' if name in ("Rounds", "Tokens") else ""


def _cells(entry: Entry, *, tokens: bool) -> Iterator[str]:
    over = entry.outcome != "running"
    address = page_address("transcripts" if over else "play", {"episode": entry.id})
    own = [tag for tag in entry.tags if tag not in SAID_BY_SEATS]
    tags = "".join(f'<span class="tag">{in_html(tag)}</span>' for tag in own)
    yield f'<th scope="row">{link(address, entry.title)} {tags}</th>'
    yield f"<td>{in_html(protocol_title(entry.protocol))}</td>"
    truth = {1: "true", 0: "false"}.get(entry.y if over and entry.y is not None else 2, "")
    yield f"<td>{truth}</td>"
    yield f"<td>{_verdict(entry)}</td>"
    seats = _seats(entry.protocol, entry.seats) if over else ""
    yield f"<td>{seats}</td>"
    yield f'<td class="number" data-name="rounds">{entry.rounds}</td>'
    if tokens:
        used = f"{entry.tokens:,}" if over and entry.tokens is not None else ""
        yield f'<td class="number" data-name="tokens">{used}</td>'
    yield f'<td class="when">{in_html(entry.minute)}</td>'


def _verdict(entry: Entry) -> str:
    words = VERDICTS[entry.outcome]
    if entry.right is None:
        return words
    kind, sign = ("right", "✓") if entry.right else ("wrong", "✕")
    return f'<span class="{kind}">{sign} {kind}</span>, {words}'


def _seats(protocol: str, seats: Mapping[str, Mapping[str, Any]]) -> str:
    """Return badges with rewards; neighbours with the same kind of player share its label."""
    styles = _styles(protocol)
    return "".join(
        "".join(_seat(a, seats[a].get("reward"), styles.get(a)) for a in agents)
        + (f'<span class="who">{in_html(who)}</span>' if who else "")
        for who, agents in groupby(seats, key=lambda agent: _who(seats[agent]))
    )


def _who(seat: Mapping[str, Any]) -> str:
    kind = str(seat.get("kind", ""))
    return str(seat.get("model") or WHO.get(kind, kind))


def _seat(agent: str, paid: object, style: AgentStyle | None) -> str:
    page = theme()
    badge = in_html(capitalized(name_in_words(agent)))
    if style is not None:
        colours = f"background:{style.fill(page)};color:{style.ink(page)}"
        name = in_html(f"{style.name} ({agent})")
        badge = (
            f'<span class="badge" style="{colours}" title="{name}">{in_html(style.label)}</span>'
        )
    reward = f" <strong>{signed(paid)}</strong>" if isinstance(paid, int | float) else ""
    return f'<span class="seat">{badge}{reward}</span>'


@lru_cache(maxsize=256)
def _styles(protocol: str) -> Mapping[str, AgentStyle]:
    """Return the styles of a protocol's seats; empty if the protocol is not installed."""
    try:
        return seat_styles(ProtocolChoice.of(protocol).spec)
    except NipError:
        return {}


Option = TypeVar("Option", bound=str)

# Games without any move are not listed.
ALL = Criteria(begun=True)
# The filters' keys, on the page and in its address.
FILTERS = ("search", "in", "outcome", "verdict", "truth", "by", "about", "tagged")

PAGE_SIZE = 25
# How many episodes are offered for deletion.
MOST_NAMED = 200
# How many episodes the calibration uses; each has to be replayed.
MOST_WEIGHED = 300
KINDS = {kind.name: kind.plural for kind in task_kinds()} | {
    "parts": "tasks of published protocols"
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


def show_page() -> None:
    """Show the list of episodes or the one that the address names."""
    episode_id = st.query_params.get("episode")
    try:
        if episode_id is not None:
            with page_link(f"transcript {episode_id}", ("episode", LINE, ROUND, EYES)):
                show_transcript(episode_id)
        else:
            with page_link("transcripts", () if is_public() else (*FILTERS, "order")):
                _list()
    except NoSuchEpisodeError:
        alert("warning", "There is no such transcript here. It may have been deleted.")
        if st.button("All transcripts", type="primary"):
            st.query_params.clear()
            st.rerun()
    except StorageError as error:
        alert("error", str(error))
        st.button("Try again", type="primary")


def _list() -> None:
    st.html(Path(__file__).with_suffix(".css"))
    actions = header("Transcripts", "What was played here, to read, to learn from and to export.")
    if is_public():
        alert(
            "info",
            "On a shared server, a transcript opens by the link to its episode; games of others "
            "are not listed.",
        )
        return
    criteria, order = _criteria()
    with actions:
        with st.popover("Import transcripts"):
            _import()
        log = page_address("studies", {"view": "log"})
        st.html(link(log, "Open a log", button=True), width="content")
        with st.popover("Export"):
            _all(criteria)
    _undo()
    total = storage().count(criteria)
    wanted = st.session_state.get("transcripts-shown", PAGE_SIZE)
    entries = storage().find(criteria, limit=wanted, order=order)
    if not entries:
        _nothing(criteria)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        small(f"{total} transcript{'s' * (total != 1)}, {ORDERS[order]}.")
        _offer_to_clear(criteria)
    _rows(entries)
    with st.container(horizontal=True):
        if total > len(entries) and st.button("Show more"):
            st.session_state["transcripts-shown"] = wanted + PAGE_SIZE
            st.rerun()
        with st.popover("Delete"):
            _delete(entries[:MOST_NAMED])
    _calibration(criteria)


def _criteria() -> tuple[Criteria, Order]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input("Search", key="search", bind="query-params", width=240)
        names = (*(info.name for info in protocol_infos()), *published_names())
        protocols = {name: protocol_title(name) for name in names}
        protocol = _choice("Protocol", "in", list(protocols), protocols)
        outcome = _choice("Verdict", "outcome", list(VERDICTS), VERDICTS)
        right = _choice("Right or wrong", "verdict", list(RIGHT))
        from_link("order", [*ORDERS.values()])
        order = dropdown("Order", ORDERS, key="order", bind="query-params", width=170)
        with st.popover("More filters"):
            truth = _choice("Claim", "truth", list(TRUTHS))
            player = _choice("Played by", "by", list(PLAYERS), PLAYERS)
            kind = _choice("About", "about", list(KINDS), KINDS)
            tag = _choice("Tag", "tagged", list(storage().tags()))
    criteria = Criteria(
        text=text or "",
        protocol=protocol,
        kind=kind,
        outcome=outcome,
        tag=tag,
        right=None if right is None else RIGHT[right],
        y=None if truth is None else TRUTHS[truth],
        player=player,
        begun=True,
    )
    return criteria, order


def _offer_to_clear(criteria: Criteria) -> None:
    if criteria != ALL:
        st.button("Clear filters", type="tertiary", on_click=_clear)


def _clear() -> None:
    for key in FILTERS:
        st.session_state[key] = "" if key == "search" else None


def _choice(
    label: str, key: str, options: list[Option], names: Mapping[Option, str] | None = None
) -> Option | None:
    def shown(option: Option) -> str:
        return names[option] if names else option

    from_link(key, [shown(option) for option in options])
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


def _nothing(criteria: Criteria) -> None:
    if criteria == ALL:
        st.write("Nothing has been played here yet.")
        st.html(link(page_address("play", {}), "Take a seat", button=True))
        small("Or read a debate of 2023 between people (Michael et al., CC BY 4.0).")
        if st.button("Bring in a real debate"):
            list(storage().bring_in(example_debate()))
            st.rerun()
    else:
        st.write("No transcripts match these filters. Remove one, or clear them all.")
        _offer_to_clear(criteria)


def _delete(entries: list[Entry]) -> None:
    names = distinct_labels(
        {
            entry.id: f"{entry.title} ({VERDICTS[entry.outcome]}, {entry.minute})"
            for entry in entries
        }
    )
    chosen = dropdown("Which transcript?", names, key="to-delete")
    if st.button("Delete this one", key=f"delete-{chosen}"):
        storage().delete(chosen)
        st.session_state["just-deleted"] = (chosen, names[chosen])
        st.rerun()


def _calibration(criteria: Criteria) -> None:
    """Show how well confidence matched the truth, over all finished episodes that match."""
    if not st.toggle("Was confidence justified?", key="calibration"):
        return
    over = [e for e in storage().find(criteria, limit=MOST_WEIGHED) if e.outcome != "running"]
    bins = calibrated(storage().load(entry.id).finished() for entry in over)
    if bins is None:
        small("Nobody has noted a confidence in these transcripts.")
    else:
        show_calibration(bins, key="calibrated")


def _undo() -> None:
    deleted = st.session_state.get("just-deleted")
    if deleted is None:
        return
    episode_id, title = deleted
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Deleted: {escaped(title)}")
        for label, act in (("Undo", storage().restore), ("Delete for good", storage().purge)):
            # The click is for the episode that was shown when the button was drawn.
            if st.button(label, key=f"{label} {episode_id}"):
                del st.session_state["just-deleted"]
                try:
                    act(episode_id)
                except NoSuchEpisodeError:
                    alert(
                        "warning",
                        "In the meantime somebody has restored it or deleted it for good.",
                    )
                    return
                st.rerun()


def _all(criteria: Criteria) -> None:
    def tables() -> bytes:
        # An episode in progress may contain what is still hidden from its players.
        over = (e for e in storage().find(criteria, limit=10_000) if e.outcome != "running")
        return as_csv([(entry.id, storage().load(entry.id).finished()) for entry in over])

    def episodes() -> bytes:
        return b"".join(storage().export_all(settled=True))

    for label, make, name in (
        ("Tables of all finished episodes (CSV)", tables, "tables.zip"),
        ("All finished episodes, to import elsewhere (JSONL)", episodes, "all-episodes.jsonl"),
    ):
        offer_file(label, make, f"transcripts-{name}", type="tertiary")


def _import() -> None:
    # A form waits until every file has arrived before it can be sent.
    with st.form("bring-in", border=False, clear_on_submit=True):
        files = st.file_uploader(
            "Transcripts (.json), debates of Michael et al. 2023 (.json) or of Khan et al. 2024 "
            "(.csv), an export of another explorer, saved rollouts, or a training run’s traces "
            "(.jsonl)",
            type=["json", "jsonl", "csv"],
            accept_multiple_files=True,
            key="transcript-files",
        )
        sent = st.form_submit_button("Bring in")
    if sent and not files:
        st.text("Choose one or more files first.")
    for file in files if sent else ():
        added, refused = 0, list[str]()
        shown = st.empty()
        for problem in _bring_in(file.name, file.getvalue()):
            added += problem is None
            refused += [] if problem is None else [problem]
            # Streamlit stops here if the visitor has left.
            shown.text(f"{file.name}: {added} added so far.")
        shown.text(f"{file.name}: {added} added." + "".join(f"\n{line}" for line in refused[:20]))


def _bring_in(name: str, content: bytes) -> Iterable[str | None]:
    """Yield for each transcript of a file None if it was added, or why it was not."""
    if name.endswith(".jsonl"):
        for line in storage().import_all(io.BytesIO(content)):
            problem = {"present": "is here already", "refused": line.reason}.get(line.status)
            yield None if problem is None else f"Line {line.line}: {problem}"
        return
    try:
        yield from storage().bring_in(content)
    except (NipError, StorageError) as error:
        yield str(error)
