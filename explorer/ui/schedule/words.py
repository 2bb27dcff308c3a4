"""The protocol in words: what it is, its schedule in a sentence, and the notes of the linter."""

from __future__ import annotations

import streamlit as st

from explorer.address import to_query
from explorer.figures import caption, differences
from explorer.ui.links import link, page_address
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped, small
from nip_core.registry import protocol_info
from nip_core.spec import Remark

__all__ = ["show_links_on", "show_words", "title_and_line"]

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
