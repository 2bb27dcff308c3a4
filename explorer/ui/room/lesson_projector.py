"""What a room sees in front while it takes a lesson. Nothing here tells an answer early."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.lessons.library import game
from explorer.rooms import (
    NotLeaderError,
    Part,
    ProjectorView,
    Room,
    load_lesson,
    projector_view,
)
from explorer.ui.components.now import show_now
from explorer.ui.components.tally import show_tally
from explorer.ui.database import storage
from explorer.ui.learn.words import show_prose
from explorer.ui.room.invite import STYLE, join_address, show_invitation
from explorer.ui.room.lesson_parts import show_choices, show_reading, show_truth
from explorer.ui.text import escaped
from explorer.ui.visitor import visitor

__all__ = ["show_lesson_projector"]

# To be read from the last row.
LARGE = """<style>
.st-key-wall-lesson { --wall-text: clamp(1.15rem, 1.7vw, 2rem); --wall-line: 50em; }
.st-key-wall-lesson [data-testid='stMarkdownContainer'] :is(p, li) { line-height: 1.4; }
.st-key-wall-lesson [data-testid='stMarkdownContainer'] h3 {
  font-size: clamp(1.4rem, 2.2vw, 2.6rem);
}
.st-key-wall-now { zoom: 1.7; }
.st-key-wall-now .nip-far { zoom: 0.6; }
</style>"""


def show_lesson_projector(code: str) -> None:
    """Show the step at hand to all who are in the room."""
    at = load_lesson(storage(), code, even_closed=True)
    if not at.room.leads(visitor()):
        raise NotLeaderError
    view = projector_view(at)
    st.html(f'{STYLE}{LARGE}<div class="nip-wall"></div>')
    if not view.parts:
        _title(view.question, _people(view))
        show_invitation(at.room.code, big=True)
        return
    with st.container(key="wall-lesson"):
        for part in view.parts:
            _part(at.room, view, part)


def _people(view: ProjectorView) -> str:
    here = "1 person is here" if view.people == 1 else f"{view.people} people are here"
    return f"{here}. A rehearsal with bots" if view.rehearsal else here


def _title(text: str, beside: str) -> None:
    st.html(
        f'<header class="nip-walltitle"><h1>{escape(text)}</h1><p>{escape(beside)}</p></header>'
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
    elif block.kind == "game":
        show_prose(block.text, view.sources)
    with st.container(key="wall-now"):
        _how_far(view, part, key)
    if part.stage != "revealed" and block.kind != "game" and not part.charts:
        show_choices(block)
    if part.told:
        show_truth(part, view.sources, key, big=True)
    else:
        show_tally(part.charts, key=f"{key}-tally", big=True)


PAIRS = (
    "Two phones together are two liars, and chance asks them. Each gets a question of its own; the "
    "answers have to fit each other. Four fitting answers in a row win."
)
STAGES = {"open": "It is open: look at your phone", "locked": "Closed", "revealed": "The result"}


def _how_far(view: ProjectorView, part: Part, key: str) -> None:
    """How many have answered, and how much time is left."""
    said = STAGES[part.stage or "open"]
    beginning = part.stage == "locked" and part.pairs and not part.answered
    if beginning:
        said = "Find your partner and agree on a plan"
    done = "played" if part.block.kind == "game" else "answered"
    far = f"{part.answered} of {view.people} have {done}."
    show_now(
        f"{said}: {part.round_name}" if part.round_name else said,
        tone="go" if part.stage == "open" else "wait",
        where="" if beginning else far,
        key=f"{key}-now",
        ends=view.until if part.stage == "open" else None,
    )
    if part.stage == "open":
        share = part.answered / max(1, view.people)
        st.html(
            f'<div class="nip-far" role="progressbar" aria-label="Have answered" '
            f'aria-valuemin="0" aria-valuemax="100" aria-valuenow="{100 * share:.0f}">'
            f'<i style="width: {share:.1%}"></i></div>'
        )
