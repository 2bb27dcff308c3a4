"""The list of lessons."""

from __future__ import annotations

import streamlit as st

from explorer.lessons.lesson import Lesson
from explorer.ui.components.progress import show_progress
from explorer.ui.header import header
from explorer.ui.learn.links import learn_address
from explorer.ui.links import link, page_address, show_links
from explorer.ui.text import alert, in_html

__all__ = ["show_list"]

STYLE = """<style>
.nip-lessons {
  display: grid; gap: var(--nip-s4); grid-template-columns: repeat(3, minmax(0, 1fr));
}
.nip-lessons a {
  display: flex; flex-direction: column; gap: var(--nip-s2); padding: var(--nip-s4);
  background: var(--nip-sheet); border: 1px solid var(--nip-border); border-radius: 12px;
  text-decoration: none;
}
.nip-lessons a:hover { border-color: var(--nip-text); }
.nip-lessons small { font-size: var(--nip-t2); color: var(--nip-quiet); }
.nip-lessons b { font: 500 1.2rem/1.3 var(--nip-book); text-wrap: pretty; }
.nip-lessons span { font-size: var(--nip-t2); color: var(--nip-quiet); text-wrap: pretty; }
@media (max-width: 1000px) { .nip-lessons { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
/* On a phone the question has to do. */
@media (max-width: 620px) {
  .nip-lessons { grid-template-columns: minmax(0, 1fr); gap: var(--nip-s2); }
  .nip-lessons span { display: none; }
}
</style>"""


def show_list(lessons: list[Lesson], problems: list[str]) -> None:
    """Every lesson by its question."""
    with header(
        "Learn", "Each lesson opens with a question and something to try. No background needed."
    ):
        show_links(link(page_address("room", {}), "Join a room", button=True))
    cards = (
        f'<a href="{in_html(learn_address(lesson=lesson.slug))}" target="_self">'
        f"<small>{lesson.minutes} min · {in_html(lesson.title)}</small>"
        f"<b>{in_html(lesson.question)}</b>"
        f"<span>{in_html(lesson.summary)}</span>"
        "</a>"
        for lesson in lessons
    )
    st.html(f'{STYLE}<div class="nip-lessons">{"".join(cards)}</div>')
    show_progress()
    show_links(
        link(learn_address(show="glossary"), "Glossary"),
        link(learn_address(show="guide"), "For facilitators"),
        link(learn_address(show="protocols"), "Table of protocols"),
    )
    for problem in problems:
        # A file of a teacher's own: the words of its faults may be a stranger's.
        alert("warning", "A lesson cannot be shown.")
        st.text(problem)
