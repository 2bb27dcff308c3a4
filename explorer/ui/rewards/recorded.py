"""What was played here."""

from __future__ import annotations

import streamlit as st

from explorer.access import is_public
from explorer.storage import Criteria
from explorer.ui.database import storage
from nip_core.play import Episode

__all__ = ["asked_episodes", "recorded_episodes"]

MOST_RECORDED = 500


def recorded_episodes(protocol: str) -> list[Episode]:
    """What was played of a protocol here; nothing on a server that others use too."""
    if is_public():
        return []
    kept = storage()
    found = kept.find(Criteria(protocol=protocol), limit=MOST_RECORDED)
    return [kept.load(entry.id).finished() for entry in found if entry.outcome != "running"]


def asked_episodes(protocol: str) -> list[Episode]:
    """Offer to put the games played here beside theory; return them if that is wanted."""
    if is_public() or not st.toggle("Games played here", key="own", bind="query-params"):
        return []
    return recorded_episodes(protocol)
