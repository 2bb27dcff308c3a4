"""What a game shows: graphs with nodes and edges that can be chosen, and boxes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from explorer.lessons.game import Boxes, Drawing

__all__ = ["show_drawings"]

HERE = Path(__file__).parent

_component = component(
    "nip_lesson_drawing",
    html='<div class="drawings"></div>',
    css=(HERE / "drawing.css").read_text("utf-8"),
    js=(HERE / "drawing.js").read_text("utf-8"),
)


def show_drawings(
    drawings: tuple[Drawing, ...], key: str, on_choice: Callable[[str], None]
) -> None:
    """Draw; a click (or Enter) on what can be chosen is a move."""

    def chosen() -> None:
        choice = st.session_state.get(key, {}).get("choice")
        if isinstance(choice, str):
            on_choice(choice)

    if drawings:
        data = [
            {"kind": "boxes" if isinstance(each, Boxes) else "graph", **dataclasses.asdict(each)}
            for each in drawings
        ]
        _component(key=key, data={"drawings": data}, on_choice_change=chosen)
