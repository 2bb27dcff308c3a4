"""What a room sees in front while it takes a lesson. Nothing here tells an answer early."""

from __future__ import annotations

import streamlit as st

from explorer.lessons.library import game
from explorer.rooms import (
    NOW,
    SIGN_STYLE,
    Part,
    ProjectorView,
    Room,
    lesson_of,
    projector_now,
    projector_view,
    sign_html,
)
from explorer.ui.components.now import show_now
from explorer.ui.database import storage
from explorer.ui.learn.words import show_prose
from explorer.ui.room.invite import STYLE, join_address, show_invitation
from explorer.ui.room.lesson_parts import show_choices, show_reading, show_truth
from explorer.ui.text import escaped, in_html

__all__ = ["show_lesson_projector"]

# To be read from the last row.
LARGE = """<style>
.st-key-wall-lesson { --wall-text: clamp(1.15rem, 1.7vw, 2rem); --wall-line: 50em; }
.st-key-wall-lesson [data-testid='stMarkdownContainer'] :is(p, li) { line-height: 1.4; }
.st-key-wall-lesson [data-testid='stMarkdownContainer'] h3 {
  font-size: clamp(1.4rem, 2.2vw, 2.6rem);
}
.st-key-wall-now { zoom: 2.1; }
</style>"""


def show_lesson_projector(room: Room) -> None:
    """Show the step at hand to all who are in a room that this browser leads."""
    at = lesson_of(storage(), room)
    view = projector_view(at)
    st.html(f'{STYLE}{LARGE}<div class="nip-wall"></div>')
    if not view.parts:
        _title(view.question, _people(view))
        show_invitation(at.room, big=True)
        return
    with st.container(key="wall-lesson"):
        for part in view.parts:
            _part(at.room, view, part)


def _people(view: ProjectorView) -> str:
    here = "1 person is here" if view.people == 1 else f"{view.people} people are here"
    return f"{here}. A rehearsal with bots" if view.rehearsal else here


def _title(text: str, beside: str) -> None:
    st.html(
        f'<header class="nip-walltitle"><h1>{in_html(text)}</h1><p>{in_html(beside)}</p></header>'
    )


def _part(room: Room, view: ProjectorView, part: Part) -> None:
    key = f"wall-{part.place}-{part.key[1]}"
    if part.block.kind == "open":
        return  # where to go on is for those who sit at a screen of their own
    late = f"Late? {join_address(room.code).split('://', 1)[-1]}"
    if part.stage is None:
        _title(view.title, late)
        show_reading(part, view.sources, key)
        return
    block = part.block
    name = game(block.name).title if block.kind == "game" else block.question
    _title(name, late)
    if part.pairs:
        st.markdown(escaped(PAIRS))
        if part.stage != "revealed":
            signs = "".join(f"<li>{sign_html(n)}</li>" for n in range(1, part.signs + 1))
            st.html(f'{SIGN_STYLE}<ul class="nip-signs" aria-label="Pairs">{signs}</ul>')
    elif block.kind == "game":
        show_prose(block.text, view.sources)
    if (now := projector_now(view)) is not None:
        with st.container(key="wall-now"):
            show_now(now, key=f"{key}-now", live=NOW)
    if part.stage != "revealed" and block.kind != "game" and not part.charts:
        show_choices(block)
    show_truth(part, view.sources, key, big=True, live=part.live)


PAIRS = (
    "Two phones together are two liars, and chance asks them. Each gets a question of its own; the "
    "answers have to fit each other. Four fitting answers in a row win."
)
