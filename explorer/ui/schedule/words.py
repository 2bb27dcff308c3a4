"""The protocol in words: the caption, and what the linter has to say."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.address import to_query
from explorer.figures import caption, differences
from explorer.ui.links import link, page_address
from explorer.ui.schedule.shown import Side
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped
from nip_core.spec import Remark

__all__ = ["remark", "say"]

MOST = 4  # findings beside the picture; the others are folded
TONES = {"warning": ":orange-badge[Warning]", "note": ":gray-badge[Note]"}


def say(sides: list[Side]) -> None:
    """Show the caption of each protocol and, of two, what differs."""
    if len(sides) == 1:
        _caption(sides[0])
        return
    for place, column in enumerate(st.columns(2, gap="large")):
        with column:
            _caption(sides[place])
    left, right = sides
    told = differences(left.spec, right.spec, seeds=(left.seed, right.seed))
    with st.expander(f"{len(told)} differences" if len(told) != 1 else "1 difference"):
        if told.empty:
            st.write("Both have the same schedule.")
        else:
            plain_table(told, "What differs between the two protocols")


def remark(sides: list[Side]) -> DeltaGenerator:
    """Show what the linter finds beside the picture, and give the place of the picture."""
    found = [side.spec.lint() for side in sides]
    if len(sides) == 1 and found[0]:
        picture, beside = st.columns([4, 1], gap="medium")
        _findings(beside, found[0])
        return picture
    picture = st.container()
    if any(found):
        for column, findings in zip(st.columns(len(sides), gap="large"), found, strict=True):
            _findings(column, findings)
    return picture


def _findings(place: DeltaGenerator, findings: list[Remark]) -> None:
    lines = [f"{TONES[finding.tone]} {escaped(finding.message)}" for finding in findings]
    for line in lines[:MOST]:
        place.markdown(line)
    if len(lines) > MOST:
        place.expander(f"{len(lines) - MOST:d} more").markdown("\n\n".join(lines[MOST:]))


def _caption(side: Side) -> None:
    st.markdown(f"**{escaped(caption(side.spec, side.seed))}**")
    # Links, so that they can be opened beside; a switch of pages could not set `protocol`, which
    # belongs to a widget here.
    pages = {"rewards": "What is a seat worth?"}
    # A zero-knowledge variant cannot be played in words.
    if not side.spec.is_zero_knowledge:
        pages = {"play": "Play this", **pages}
    query = to_query(side.parameters)
    links = (link(page_address(page, query), text, button=True) for page, text in pages.items())
    st.html(" ".join(links))
