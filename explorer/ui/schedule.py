"""The Schedule page: the picture of a protocol, its rounds, facts and description."""

from __future__ import annotations

from typing import cast

import streamlit as st

from explorer.pictures import (
    View,
    agents_data,
    caption,
    difference_sentence,
    differences,
    facts_data,
    grid_table,
    read_so_far,
    schedule_payload,
)
from explorer.ui.fronts import show_schedule
from explorer.ui.layout import header, link, page_address
from explorer.ui.schedule_choice import (
    ShownProtocol,
    check_columns,
    choose_protocol,
    choose_settings,
    pick_view,
    rounds_of,
    selected_round,
    take_up,
)
from explorer.ui.schedule_downloads import TONES, offer_export
from explorer.ui.schedule_published import show_published_schedule, show_side_by_side
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, segments, small
from nip_core.registry import protocol_info
from nip_core.spec import Remark, shown_round

MOST = 4  # notes below the picture; the others are folded
READ, TABLE = "Read so far", "The grid as a table"
DETAILS = ("Facts", READ, TABLE)
COMPARED = ("Differences", "Facts", READ, TABLE)
NOT_BY_HAND = (
    "People cannot play a protocol with zero knowledge: its rewards compare the output "
    "probabilities (logits) of neural networks, which written messages do not have."
)


def title_and_line(protocols: list[ShownProtocol]) -> tuple[str, str]:
    """Return the page's title and a line: one protocol, or two that are compared."""
    if len(protocols) == 1:
        return protocols[0].name, protocol_info(protocols[0].spec.name).sentence
    left, right = protocols
    name = right.name if right.name != left.name else "the second"
    # Within the sentence; not of abbreviations.
    name = f"{name[:1].lower()}{name[1:]}" if name[1:2].islower() else name
    return f"{left.name} and {right.name}", difference_sentence(left.spec, right.spec, name)


def show_links_on(protocol: ShownProtocol) -> None:
    """Show links to other pages with the same parameters."""
    # Links can open in a new window, and Streamlit's switch of pages could not set `protocol`.
    query = protocol.choice.to_query()
    links = [link(page_address("rewards", query), "What is a seat worth?", button=True)]
    if not protocol.spec.is_zero_knowledge:
        links.insert(0, link(page_address("play", query), "Play this", button=True, main=True))
    st.html(f'<div class="nip-links">{" ".join(links)}</div>', width="content")


def show_words(protocols: list[ShownProtocol]) -> None:
    """Show each schedule in a sentence, notes about it, and the differences."""
    for protocol in protocols:
        name = f"{protocol.name}. " if len(protocols) > 1 else ""
        st.markdown(escaped(f"{name}{caption(protocol.spec, protocol.seed)}"))
        if protocol.spec.is_zero_knowledge:
            small(NOT_BY_HAND)
        _notes(protocol.spec.lint())


def _notes(found: list[Remark]) -> None:
    lines = [f"{TONES[remark.tone]}: {remark.message}" for remark in found]
    for line in lines[:MOST]:
        small(line)
    if len(lines) > MOST:
        with st.expander(f"{len(lines) - MOST:d} more"):
            for line in lines[MOST:]:
                small(line)


def _show_details(protocols: list[ShownProtocol], selected: int) -> bool:
    """Show the panel of facts and tables when unfolded; return whether it depends on the round."""
    folded = st.expander("Details", key="details", on_change="rerun")
    if not folded.open:
        return False
    tables = COMPARED if len(protocols) > 1 else DETAILS
    with folded:
        chosen = segments(
            "What to show",
            tables,
            tables[0],
            key=f"detail of {len(protocols)}",
            label_visibility="collapsed",
        )
        if chosen == "Differences":
            _differences(protocols)
            return False
        for protocol in protocols:
            if len(protocols) > 1:
                st.markdown(f"**{escaped(protocol.name)}**")
            if chosen == READ:
                _read(protocol, selected)
            elif chosen == TABLE:
                _table(protocol)
            else:
                _facts(protocol)
    return chosen == READ


def _differences(protocols: list[ShownProtocol]) -> None:
    left, right = protocols
    rows = differences(left.spec, right.spec, seeds=(left.seed, right.seed))
    wide_table(rows, "What differs between the two protocols")


def _read(protocol: ShownProtocol, selected: int) -> None:
    before = f"What each seat has read before round {shown_round(selected)}"
    read = read_so_far(protocol.spec, selected, protocol.seed)
    if read.empty:
        small(f"{before}: nothing yet.")
    else:
        wide_table(read, before)


def _facts(protocol: ShownProtocol) -> None:
    wide_table(facts_data(protocol.handler), f"Facts about {protocol.name}")
    wide_table(agents_data(protocol.handler), f"The seats of {protocol.name}")
    small(
        "Mid-point: a quick estimate of the reward under random play. Commits: the place in the "
        "order in which agents commit (Stackelberg)."
    )


def _table(protocol: ShownProtocol) -> None:
    cells = grid_table(protocol.spec, protocol.seed)
    wide_table(cells.reset_index(), f"The schedule of {protocol.name}")


def show_picture(protocols: list[ShownProtocol], view: str) -> None:
    """Show a view of a protocol, or the grids of two, with their notes."""
    kind = cast("View", view if len(protocols) == 1 else "grid")
    payload = schedule_payload([protocol.shown for protocol in protocols], kind)
    selected = selected_round(protocols)
    place = st.container()
    show_words(protocols)
    follows = _show_details(protocols, selected)
    # Not a fragment: the browser reports the round together with the next use of another control,
    # which may rerun the whole page.
    with place:
        show_schedule(
            payload,
            selected=selected,
            pick=st.session_state.get("pick"),
            key="schedule",
            on_pick=take_up,
            follows=follows,
        )


def show_page() -> None:
    """Show the page."""
    # The toggle stands below the protocols' cards, but the second card depends on it.
    with st.container(key="nip-top"):
        summary = st.container()
        head = st.container()
        controls = st.container(horizontal=True, vertical_alignment="center", key="nip-controls")
    notes = st.container()
    # Names in the address that do not exist.
    problems: list[str] = []
    compare = st.session_state.get("compare", st.query_params.get("compare") == "true")
    with summary:
        choice = choose_protocol(problems)
    if choice.turns is not None:
        show_published_schedule(choice, problems, head, controls)
        return
    with controls:
        settings = st.container(key="nip-settings")
        views = st.container(key="nip-views", width="content")
    with settings:
        protocols = choose_settings(problems, choice, compare=compare)
    if len({(protocol.spec, protocol.seed) for protocol in protocols}) < len(protocols):
        problems.append("Both are the same protocol. Choose another one, or change a setting.")
        protocols = protocols[:1]
    with views, st.container(horizontal=True, vertical_alignment="center", key="nip-chips-end"):
        st.toggle("Compare", key="compare", bind="query-params")
        view = "grid" if compare else pick_view(problems)
    with head:
        actions = header(*title_and_line(protocols))
    with actions:
        if not compare:
            show_links_on(protocols[0])
        offer_export(protocols, view)
    check_columns(problems, rounds_of(protocols))
    if problems:
        with notes:
            alert("info", " ".join(problems))
    show_picture(protocols, view)
    if not compare:
        show_side_by_side(choice)
