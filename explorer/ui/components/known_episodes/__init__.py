"""The episodes that this browser has been at. Only the browser knows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

__all__ = ["show_known_episodes"]

HERE = Path(__file__).parent

_component = component(
    "nip_known_episodes",
    html='<section class="known" hidden></section>',
    css=(HERE / "known.css").read_text("utf-8"),
    js=(HERE / "known.js").read_text("utf-8"),
)


def show_known_episodes(on_open: Callable[[str], None]) -> None:
    """Offer to continue where one left off; nothing is shown to whoever has not played yet."""
    key = "known-episodes"

    def opened() -> None:
        chosen = st.session_state.get(key, {}).get("open")
        if isinstance(chosen, str):
            on_open(chosen)

    _component(key=key, on_open_change=opened)
