"""Protocols of both versions in families, to be looked through and searched."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import streamlit as st

from explorer.pictures import StageGrid, miniature, stage_miniature
from explorer.ui.text import small
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import (
    ProtocolInfo,
    protocol_infos,
    protocol_names,
    protocol_spec,
    protocol_title,
    published_names,
    specification,
)

__all__ = ["FAMILIES", "family_of", "protocol_cards", "published_card", "shown_cards"]

PROOFS = "Proofs"  # all protocols of version 1
FAMILIES = (PROOFS, "Debates", "Consultancy", "Critique", "Oversight")
ROUNDS = 8  # rounds in a card's small grid
MOST_SEARCHED = 80  # characters
FAMILY, SEARCH, FOLLOWED = "family", "find protocols", "family of"


def protocol_cards(infos: Iterable[ProtocolInfo]) -> list[dict[str, Any]]:
    """Return a card for each protocol as plain data; leave out those whose defaults are invalid."""
    return [card for info in infos if (card := _card(info))]


@lru_cache(64)
def _card(info: ProtocolInfo) -> dict[str, Any] | None:
    try:
        spec = protocol_spec(HyperParameters(interaction_protocol=info.name))
    except NipError:
        return None
    drawing = miniature(spec, rounds=ROUNDS).to_plain()
    return {"name": info.name, "title": info.full_name, "about": info.sentence, "drawing": drawing}


@lru_cache(64)
def published_card(name: str) -> dict[str, Any]:
    """Return the card of a published protocol, as plain data."""
    spec = specification(name)
    drawing = stage_miniature(StageGrid(spec), turns=ROUNDS).to_plain()
    return {"name": name, "title": protocol_title(name), "about": spec.source, "drawing": drawing}


def family_of(name: str) -> str:
    """Return the family that a protocol belongs to."""
    return PROOFS if name in protocol_names() else specification(name).family


def shown_cards(chosen: str) -> list[dict[str, Any]]:
    """Let a person pick a family or search all protocols; return the cards to show."""
    # A link, a card or the browser's Back may have changed the family.
    if st.session_state.get(FOLLOWED) != chosen:
        st.session_state[FOLLOWED], st.session_state[FAMILY] = chosen, family_of(chosen)
    with st.container(horizontal=True, vertical_alignment="center", key="nip-families"):
        family = st.segmented_control(
            "Family",
            FAMILIES,
            required=True,
            key=FAMILY,
            label_visibility="collapsed",
            width="content",
        )
        searched = st.text_input(
            "Search protocols",
            placeholder="Search all protocols",
            max_chars=MOST_SEARCHED,
            key=SEARCH,
            label_visibility="collapsed",
            width=220,
        )
    words = searched[:MOST_SEARCHED].lower().split()
    infos = [info for info in protocol_infos() if info.name == chosen or not info.for_developers]
    if not words and family == PROOFS:
        return protocol_cards(infos)
    if not words:
        return [published_card(name) for name in published_names() if family_of(name) == family]
    found = protocol_cards(i for i in infos if _holds(words, i.name, i.full_name, i.sentence))
    for name in published_names():
        spec = specification(name)
        seats = map(spec.seat_name, spec.seat_names)
        texts = (spec.source, spec.family, spec.about, spec.simplified, *seats)
        if _holds(words, name, protocol_title(name), *texts):
            found.append(published_card(name))
    if not found:
        small("No protocol matches this search. Try fewer words, such as “judge” or “Khan”.")
    return found


def _holds(words: Iterable[str], *texts: str) -> bool:
    searched = " ".join(texts).lower()
    return all(word in searched for word in words)
