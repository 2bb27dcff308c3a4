"""What is written about a protocol below its picture: in words, remarks, and tables of details."""

from __future__ import annotations

import streamlit as st

from explorer.choice import OWN, remarks_on
from explorer.files import csv_bytes
from explorer.pictures import (
    Comparison,
    caption,
    differences,
    grid_table,
    read_so_far,
    seats_data,
    side_by_side_rows,
    turns_data,
)
from explorer.ui.protocols.about import lead_and_rest
from explorer.ui.protocols.choice import ShownProtocol
from explorer.ui.tables import wide_table
from explorer.ui.text import escaped, offer_file, segments, small
from nip_core.language import Wording
from nip_core.registry import protocol_title, published_names
from nip_core.spec import Remark

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
_DETAILS, _DETAIL = "details", "detail of {}"  # keys
NOT_BY_HAND = (
    "People cannot play a protocol with zero knowledge: its rewards compare the output "
    "probabilities (logits) of neural networks, which written messages do not have."
)


def show_words(protocols: list[ShownProtocol]) -> None:
    """Show the picture of each protocol in words."""
    for protocol in protocols:
        spec, several = protocol.spec, len(protocols) > 1
        name = f"{protocol.name}. " if several else ""
        words = caption(spec, protocol.seed)
        about = spec.about if several else lead_and_rest(protocol.choice)[1]
        if about:
            st.markdown(escaped(f"{name}{about}"))
        if len(words) <= MOST_WORDS and not spec.about:
            st.markdown(escaped(f"{name}{words}"))
        else:
            with st.expander(escaped(f"{name}In words")):
                st.markdown(escaped(words))


def show_remarks(protocol: ShownProtocol) -> None:
    """Show what the program understands of a protocol, and what the checker remarks on."""
    spec, choice = protocol.spec, protocol.choice
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


def follows_the_column(protocols: list[ShownProtocol]) -> bool:
    """Return whether the details show something that depends on the selected column."""
    chosen = st.session_state.get(_DETAIL.format(len(protocols)))
    return bool(st.session_state.get(_DETAILS)) and chosen == READ


def show_details(protocols: list[ShownProtocol], selected: int) -> None:
    """Show the panel of facts and tables, if it is unfolded."""
    folded = st.expander("Details", key=_DETAILS, on_change="rerun")
    if not folded.open:
        return
    tables = (DIFFER, *DETAILS) if len(protocols) > 1 else DETAILS
    with folded:
        chosen = segments(
            "What to show",
            tables,
            tables[0],
            key=_DETAIL.format(len(protocols)),
            label_visibility="collapsed",
        )
        if chosen == DIFFER:
            _differences(*protocols)
            return
        for protocol in protocols:
            if len(protocols) > 1:
                st.markdown(f"**{escaped(protocol.name)}**")
            _show_table(protocol, chosen, selected)


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
