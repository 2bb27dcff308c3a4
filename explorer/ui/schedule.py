"""The Schedule page: the picture of a protocol, or of two compared ones, in words and in tables."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import OWN, NumberRange, remarks_on
from explorer.files import csv_bytes
from explorer.pictures import (
    Comparison,
    View,
    caption,
    columns_of,
    differences,
    grid_table,
    read_so_far,
    schedule_payload,
    seats_data,
    side_by_side_rows,
    turns_data,
)
from explorer.ui.fronts import ROUND, show_schedule
from explorer.ui.layout import header, link, page_address
from explorer.ui.page_link import from_link, page_link
from explorer.ui.schedule_choice import (
    ShownProtocol,
    choose_protocol,
    choose_settings,
    is_comparing,
    open_former,
    pick_view,
    selected_column,
    take_up,
)
from explorer.ui.schedule_downloads import offer_export
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, offer_file, segments, small
from nip_core.errors import TooLargeError
from nip_core.language import Wording
from nip_core.registry import protocol_names, protocol_title, published_names
from nip_core.spec import Remark, shown_round

MOST = 4  # notes below the picture; the others are folded
MOST_WORDS = 600  # characters of a description that is not folded
# How a remark on a protocol begins.
TONES = {"warning": "Warning", "note": "Note"}
READ, TABLE, TURNS, FACTS, DIFFER = (
    "Read so far",
    "The grid as a table",
    "Turns",
    "Facts",
    "Differences",
)
DETAILS = (FACTS, TURNS, READ, TABLE)
NOT_BY_HAND = (
    "People cannot play a protocol with zero knowledge: its rewards compare the output "
    "probabilities (logits) of neural networks, which written messages do not have."
)


def title_and_line(protocols: list[ShownProtocol]) -> tuple[str, str]:
    """Return the page's title and a line: one protocol, or two that are compared."""
    if len(protocols) == 1:
        return protocols[0].name, protocols[0].choice.line
    left, right = protocols
    name = right.name if right.name != left.name else "the second"
    # Within the sentence; not of abbreviations.
    name = f"{name[:1].lower()}{name[1:]}" if name[1:2].islower() else name
    line = Comparison(left.spec, right.spec).sentence(name)
    return f"{left.name} and {right.name}", line


def show_links_on(protocol: ShownProtocol) -> None:
    """Show links to other pages with the same parameters."""
    # Links can open in a new window, and Streamlit's switch of pages could not set `protocol`.
    query, links = protocol.choice.to_query(), list[str]()
    if not protocol.choice.is_zero_knowledge:
        links.append(link(page_address("play", query), "Play this", button=True, main=True))
    if protocol.choice.name in protocol_names():
        links.append(link(page_address("rewards", query), "What is a seat worth?", button=True))
    st.html(f'<div class="nip-links">{" ".join(links)}</div>', width="content")


def show_words(protocols: list[ShownProtocol]) -> None:
    """Show each protocol in words, and notes about it."""
    for protocol in protocols:
        spec, choice = protocol.spec, protocol.choice
        name = f"{protocol.name}. " if len(protocols) > 1 else ""
        if spec.about:
            st.markdown(escaped(f"{name}{spec.about}"))
        words = caption(spec, protocol.seed)
        if len(words) <= MOST_WORDS and not spec.about:
            st.markdown(escaped(f"{name}{words}"))
        else:
            with st.expander(escaped(f"{name}In words")):
                st.markdown(escaped(words))
        if len(protocols) > 1:
            continue
        if spec.simplified:
            small(f"About this version: {spec.simplified}")
        if choice.is_zero_knowledge:
            small(NOT_BY_HAND)
        if spec.about or choice.name == OWN:
            small(f"What was understood: {' '.join(Wording(spec).roles())}")
        found = remarks_on(choice.spec)
        if choice.name in published_names():
            # Whoever writes a file looks for its own names in it.
            found = [Wording(spec).remark(remark) for remark in found]
        _notes(found)
        if choice.name == OWN and not found:
            small("The checker found nothing to remark on.")


def _notes(found: list[Remark]) -> None:
    lines = [
        " ".join(
            filter(
                None,
                (f"{TONES[r.tone]}:", r.place and f"{r.place}:", r.message, r.remedy),
            )
        )
        for r in found
    ]
    for line in lines[:MOST]:
        small(line)
    if len(lines) > MOST:
        with st.expander(f"{len(lines) - MOST:d} more"):
            for line in lines[MOST:]:
                small(line)


def _show_details(protocols: list[ShownProtocol], selected: int) -> bool:
    """Show the panel of facts and tables when unfolded; return whether it depends on the column."""
    folded = st.expander("Details", key="details", on_change="rerun")
    if not folded.open:
        return False
    tables = (DIFFER, *DETAILS) if len(protocols) > 1 else DETAILS
    with folded:
        chosen = segments(
            "What to show",
            tables,
            tables[0],
            key=f"detail of {len(protocols)}",
            label_visibility="collapsed",
        )
        if chosen == DIFFER:
            _differences(*protocols)
            return False
        for protocol in protocols:
            if len(protocols) > 1:
                st.markdown(f"**{escaped(protocol.name)}**")
            _show_table(protocol, chosen, selected)
    return chosen == READ


def _show_table(protocol: ShownProtocol, chosen: str, selected: int) -> None:
    spec, seed, name = protocol.spec, protocol.seed, protocol.name
    if chosen == READ:
        before = f"What each seat has read before column {selected + 1:d}"
        read = read_so_far(spec, selected, seed)
        if read.empty:
            small(f"{before}: nothing yet.")
        else:
            wide_table(read, before)
    elif chosen == TURNS:
        wide_table(turns_data(spec, seed), f"The turns of {name}")
    elif chosen == TABLE:
        wide_table(grid_table(spec, seed).reset_index(), f"The grid of {name}")
    else:
        rows = [
            {"question": row["question"], "what": row["what"], "answer": row[protocol_title(spec)]}
            for row in side_by_side_rows([spec])
        ]
        wide_table(rows, f"Facts about {name}")
        wide_table(seats_data(spec), f"The seats of {name}")


def _differences(left: ShownProtocol, right: ShownProtocol) -> None:
    seeds = (left.seed, right.seed)
    rows = Comparison(left.spec, right.spec, seeds).rows()
    only = st.toggle("Only what differs", value=True, key="only what differs")
    shown: list[dict[str, str]] = []
    question = ""
    for row in rows:
        if only and not row["differs"]:
            continue
        asked, what, one, other, differs = (str(cell) for cell in row.values())
        # A question is shown once, beside the first of its rows.
        head = {"Question": "" if asked == question else asked, "What": what}
        question = asked
        names = (left.name, right.name if right.name != left.name else f"{right.name} (second)")
        mark = {"": "≠" if differs == "True" else "="}
        shown.append(head | mark | dict(zip(names, (one, other), strict=True)))
    wide_table(shown, "What differs between the two protocols")
    offer_file(
        "Differences (CSV)",
        lambda: csv_bytes(differences(left.spec, right.spec, seeds=seeds)),
        "differences.csv",
        key="differences file",
    )


def show_picture(protocols: list[ShownProtocol], view: View, selected: int) -> None:
    """Show a view of a protocol, or the grids of two, with their notes."""
    place = st.container()
    try:
        payload = schedule_payload([protocol.shown for protocol in protocols], view)
    except TooLargeError as error:
        with place:
            alert("error", str(error))
        return
    show_words(protocols)
    follows = _show_details(protocols, selected)
    # Not a fragment: the browser reports the column together with the next use of another control,
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
    with page_link("schedule", place=notes) as problems:
        _show_protocols(problems, summary, head, controls)


def _show_protocols(
    problems: list[str], summary: DeltaGenerator, head: DeltaGenerator, controls: DeltaGenerator
) -> None:
    with summary:
        choice = choose_protocol(problems)
    open_former(choice, problems)
    compare = is_comparing()
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
        view: View = "grid" if compare else pick_view()
    with head:
        actions = header(*title_and_line(protocols))
    columns = columns_of([protocol.shown for protocol in protocols])
    selected = selected_column(columns)
    from_link(ROUND, NumberRange(1, columns), str(shown_round(selected)))
    with actions:
        if not compare:
            show_links_on(protocols[0])
        offer_export(protocols, view, selected)
    show_picture(protocols, view, selected)
