"""The protocol in words: the caption, and what the linter has to say."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.address import to_query
from explorer.figures import caption, differences
from explorer.ui.links import link, page_address
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped
from nip_core.spec import Remark

__all__ = ["places_of_picture", "show_captions", "show_findings"]

MOST = 4  # findings beside the picture; the others are folded
TONES = {"warning": ":orange-badge[Warning]", "note": ":gray-badge[Note]"}


def show_captions(protocols: list[ShownProtocol]) -> None:
    """Show the caption of each protocol and, of two, what differs."""
    if len(protocols) == 1:
        _caption(protocols[0])
        return
    for place, column in enumerate(st.columns(2, gap="large")):
        with column:
            _caption(protocols[place])
    left, right = protocols
    told = differences(left.spec, right.spec, seeds=(left.seed, right.seed))
    with st.expander(f"{len(told)} differences" if len(told) != 1 else "1 difference"):
        if told.empty:
            st.write("Both have the same schedule.")
        else:
            plain_table(told, "What differs between the two protocols")


def places_of_picture(
    protocols: list[ShownProtocol],
) -> tuple[DeltaGenerator, list[DeltaGenerator]]:
    """Where the picture goes, and what the linter finds of each protocol, if it finds anything."""
    found = [bool(protocol.spec.lint()) for protocol in protocols]
    if found == [True]:
        picture, beside = st.columns([4, 1], gap="medium")
        return picture, [beside]
    picture = st.container()
    return picture, st.columns(len(protocols), gap="large") if any(found) else []


def show_findings(protocols: list[ShownProtocol], places: list[DeltaGenerator]) -> None:
    """Show what the linter finds of each protocol, in its place."""
    for protocol, place in zip(protocols, places, strict=False):
        _findings(place, protocol.spec.lint())


def _findings(place: DeltaGenerator, findings: list[Remark]) -> None:
    lines = [f"{TONES[finding.tone]} {escaped(finding.message)}" for finding in findings]
    for line in lines[:MOST]:
        place.markdown(line)
    if len(lines) > MOST:
        place.expander(f"{len(lines) - MOST:d} more").markdown("\n\n".join(lines[MOST:]))


def _caption(protocol: ShownProtocol) -> None:
    st.markdown(f"**{escaped(caption(protocol.spec, protocol.seed))}**")
    # Links, so that they can be opened beside; a switch of pages could not set `protocol`, which
    # belongs to a widget here.
    pages = {"rewards": "What is a seat worth?"}
    # A zero-knowledge variant cannot be played in words.
    if not protocol.spec.is_zero_knowledge:
        pages = {"play": "Play this", **pages}
    query = to_query(protocol.parameters)
    links = (link(page_address(page, query), text, button=True) for page, text in pages.items())
    st.html(" ".join(links))
