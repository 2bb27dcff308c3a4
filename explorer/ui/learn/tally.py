"""A class's tally: thirty solo phones make one experiment."""

from __future__ import annotations

import secrets
from html import escape

import streamlit as st

from explorer.lessons.lesson import Block, Lesson
from explorer.lessons.library import game
from explorer.storage import StorageError, room_code
from explorer.ui.database import storage
from explorer.ui.learn.links import class_code, learn_address, link, page_address, show_links
from explorer.ui.text import escaped, small

__all__ = ["count", "offer_class", "show_tally"]

# Letters and digits that cannot be taken for one another from the last row.
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
MOST_COUNTED = 300  # by one browser's visit
STYLE = """<style>
.nip-tally { display: grid; gap: 0.5rem; font-size: 1.5rem; }
.nip-tally div {
  display: grid; grid-template-columns: minmax(8rem, 1fr) 3fr 8rem; gap: 1rem; align-items: center;
}
.nip-tally i {
  display: block; height: 1.8rem; background: currentColor; opacity: 0.75; border-radius: 4px;
  min-width: 2px;
}
</style>"""


def count(lesson: Lesson, place: int, outcome: str) -> None:
    """Add an outcome to the class's tally, if the address names a class."""
    code = class_code()
    counted = st.session_state.get("lesson-counted", 0)
    if code is None or counted >= MOST_COUNTED:
        return
    st.session_state["lesson-counted"] = counted + 1
    try:
        storage().tallies.add(code, lesson.slug, place, outcome[:60])
    except StorageError as error:
        st.toast(escaped(f"The class's tally did not take it: {error}"))


def offer_class(lesson: Lesson) -> None:
    """Begin a class, or say how to join the one that the address names."""
    code = class_code()
    if code is None:
        small("With a class, everybody's outcomes are counted together, without names.")
        new = "".join(secrets.choice(ALPHABET) for _ in range(5))
        code = st.session_state.setdefault("class-offered", new)
        address = page_address("learn", {"lesson": lesson.slug, "class": code})
        show_links(link(address, f"Begin class {code}"))
        return
    st.markdown(
        f"This is class **{escaped(code)}**. Share this page's address, or let people type:"
    )
    st.code(f"/learn?lesson={lesson.slug}&class={code}", language=None)
    show_links(link(learn_address(show="tally", lesson=lesson.slug), "Tally for the projector"))


def show_tally(lessons: list[Lesson]) -> None:
    """The class's counts, live."""
    code = class_code()
    wanted = st.query_params.get("lesson")
    shown = [lesson for lesson in lessons if wanted in (None, lesson.slug)]
    if code is None:
        st.info("Which class? Add class=CODE to the address, or begin a class in a lesson.")
        typed = st.text_input("The class's code", max_chars=12)
        if room_code(typed):
            st.query_params["class"] = typed.upper()
            st.rerun()
        return
    st.subheader(f"Class {code}", anchor=False)
    show_links(
        *(link(learn_address(lesson=lesson.slug), f"Back: {lesson.title}") for lesson in shown[:1])
    )
    _live(code, shown)


@st.fragment(run_every="2s")
def _live(code: str, lessons: list[Lesson]) -> None:
    """Counts are asked for again every two seconds."""
    counts = storage().tallies.of(code)
    empty = True
    for lesson in lessons:
        for place, block in enumerate(lesson.blocks, start=1):
            found = counts.get((lesson.slug, place))
            if found:
                empty = False
                _bars(lesson, block, found)
    if empty:
        st.write(
            "Nothing has been counted yet. It appears here as soon as somebody finishes a game."
        )


def _bars(lesson: Lesson, block: Block, found: dict[str, int]) -> None:
    names = dict(game(block.name).outcomes) if block.kind == "game" else {}
    order = list(names) or list(block.choices) or sorted(found, key=_as_number)
    known = {name: found.get(name, 0) for name in order}
    total = sum(known.values())
    title = game(block.name).title if block.kind == "game" else block.question
    st.markdown(f"**{escaped(lesson.title)}:** {escaped(title)} ({total})")
    rows = "".join(
        f"<div><span>{escape(names.get(name, name))}</span>"
        f'<i style="width: {100 * number / max(1, total):.1f}%"></i>'
        f"<span>{number} ({number / max(1, total):.0%})</span></div>"
        for name, number in known.items()
    )
    st.html(f'{STYLE}<div class="nip-tally">{rows}</div>')


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
