"""The Schedule page: the picture, its rounds, its facts and its sentences."""

from __future__ import annotations

from typing import cast

import streamlit as st

from explorer.address import to_query
from explorer.pictures import (
    View,
    agents_data,
    caption,
    differences,
    facts_data,
    grid_table,
    read_so_far,
    schedule_payload,
    visibility_data,
)
from explorer.ui.components.fronts import show_schedule
from explorer.ui.layout import header, part
from explorer.ui.links import link, page_address
from explorer.ui.schedule_choice import (
    ShownProtocol,
    check_round,
    choose_protocol,
    choose_settings,
    pick_view,
    selected_round,
    take_up,
)
from explorer.ui.schedule_downloads import offer_export
from explorer.ui.tables import plain_table
from explorer.ui.text import alert, escaped, small
from nip_core.registry import protocol_info
from nip_core.spec import Remark, shown_round

__all__ = [
    "show_facts",
    "show_links_on",
    "show_page",
    "show_picture",
    "show_words",
    "title_and_line",
]

MOST = 4  # notes below the picture; the others are folded
TONES = {"warning": "Warning", "note": "Note"}


def title_and_line(protocols: list[ShownProtocol]) -> tuple[str, str]:
    """What the page is about: a protocol and its sentence, or two that are compared."""
    if len(protocols) == 1:
        return protocols[0].name, protocol_info(protocols[0].spec.name).sentence
    one, two = (protocol.name for protocol in protocols)
    return f"{one} and {two}", "What differs is ringed."


def show_links_on(protocol: ShownProtocol) -> None:
    """Show what else can be done with the same parameters."""
    # Links, so that they can be opened beside; a switch of pages could not set `protocol`.
    query = to_query(protocol.parameters)
    links = [link(page_address("rewards", query), "What is a seat worth?", button=True)]
    # A zero-knowledge variant cannot be played in words.
    if not protocol.spec.is_zero_knowledge:
        links.insert(0, link(page_address("play", query), "Play this", button=True, main=True))
    st.html(f'<div class="nip-links">{" ".join(links)}</div>', width="content")


def show_words(protocols: list[ShownProtocol]) -> None:
    """Show each schedule in a sentence, what is worth knowing about it, and what differs."""
    for protocol in protocols:
        name = f"{protocol.name}. " if len(protocols) > 1 else ""
        st.markdown(escaped(f"{name}{caption(protocol.spec, protocol.seed)}"))
        _notes(protocol.spec.lint())
    if len(protocols) == 2:
        _differences(protocols)


def _differences(protocols: list[ShownProtocol]) -> None:
    left, right = protocols
    told = differences(left.spec, right.spec, seeds=(left.seed, right.seed))
    with st.expander(f"{len(told)} differences" if len(told) != 1 else "1 difference"):
        if told.empty:
            st.write("Both have the same schedule.")
        else:
            plain_table(told, "What differs between the two protocols")


def _notes(found: list[Remark]) -> None:
    lines = [f"{TONES[remark.tone]}: {remark.message}" for remark in found]
    for line in lines[:MOST]:
        small(line)
    if len(lines) > MOST:
        with st.expander(f"{len(lines) - MOST:d} more"):
            for line in lines[MOST:]:
                small(line)


def show_facts(protocols: list[ShownProtocol]) -> None:
    """Show the facts of each protocol, each table once it is unfolded."""
    part(_show_facts)(protocols)


def _show_facts(protocols: list[ShownProtocol]) -> None:
    for title, show in (
        ("Facts", _facts),
        ("Who sees which channel", _visibility),
        ("The grid as a table", _table),
    ):
        folded = st.expander(title, key=title, on_change="rerun")
        with folded:
            if folded.open:
                for protocol in protocols:
                    if len(protocols) > 1:
                        st.markdown(f"**{escaped(protocol.name)}**")
                    show(protocol)


def _facts(protocol: ShownProtocol) -> None:
    plain_table(facts_data(protocol.handler), f"Facts about {protocol.name}")
    plain_table(agents_data(protocol.handler), f"The seats of {protocol.name}")
    small(
        "Mid-point: a quick estimate of the reward under random play. Commits: the place in the "
        "order in which agents commit (Stackelberg)."
    )


def _visibility(protocol: ShownProtocol) -> None:
    spec = protocol.spec
    sees = visibility_data(spec).replace({True: "reads", False: "–"})
    sees = sees.rename(index=spec.seat_name, columns=spec.channel_title).rename_axis("seat")
    plain_table(sees.reset_index(), f"Who sees which channel in {protocol.name}")


def _table(protocol: ShownProtocol) -> None:
    cells = grid_table(protocol.spec, protocol.seed)
    plain_table(cells.reset_index(), f"The schedule of {protocol.name}")


def show_picture(protocols: list[ShownProtocol], view: str) -> None:
    """Show a view of a protocol, or the grids of two."""
    kind = cast("View", view if len(protocols) == 1 else "grid")
    payload = schedule_payload([protocol.shown for protocol in protocols], kind)
    part(_picture)(protocols, payload)


def _picture(protocols: list[ShownProtocol], payload: str) -> None:
    """The part of the page that a new round changes; nothing else runs again."""
    selected = selected_round(protocols)
    show_schedule(
        payload,
        selected=selected,
        pick=st.session_state.get("pick"),
        key="schedule",
        on_pick=take_up,
    )
    show_words(protocols)
    before = f"What each seat has read before round {shown_round(selected)}"
    folded = st.expander("What each seat has read so far", key="read so far", on_change="rerun")
    with folded:
        if folded.open:
            for protocol in protocols:
                if len(protocols) > 1:
                    st.markdown(f"**{escaped(protocol.name)}**")
                read = read_so_far(protocol.spec, selected, protocol.seed)
                if read.empty:
                    small(f"{before}: nothing yet.")
                else:
                    plain_table(read, before)


def show_page() -> None:
    """Show the page."""
    # The toggle stands below the strip, whose second protocol depends on it.
    with st.container(key="nip-top"):
        strip = st.container()
        head = st.container()
        controls = st.container(horizontal=True, vertical_alignment="center", key="nip-controls")
    notes = st.container()
    # What the address asks for and there is not.
    problems: list[str] = []
    compare = st.session_state.get("compare", st.query_params.get("compare") == "true")
    with strip:
        name = choose_protocol(problems)
    with controls:
        settings = st.container(key="nip-settings")
        views = st.container(key="nip-views", width="content")
    with settings:
        protocols = choose_settings(problems, name, compare=compare)
    with views, st.container(horizontal=True, vertical_alignment="center", key="nip-chips-end"):
        st.toggle("Compare", key="compare", bind="query-params")
        view = "grid" if compare else pick_view(problems)
    with head:
        actions = header(*title_and_line(protocols))
    with actions:
        if not compare:
            show_links_on(protocols[0])
        offer_export(protocols, view)
    check_round(problems, protocols)
    if problems:
        with notes:
            alert("info", " ".join(problems))
    show_picture(protocols, view)
    show_facts(protocols)
