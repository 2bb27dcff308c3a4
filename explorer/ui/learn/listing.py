"""The list of lessons."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer.lessons.lesson import Lesson
from explorer.ui.components.progress import show_progress
from explorer.ui.header import header
from explorer.ui.learn.links import learn_address
from explorer.ui.links import link, show_links
from explorer.ui.text import alert

__all__ = ["show_list"]

STYLE = """<style>
.nip-lessons {
  display: grid; gap: 0.9rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr));
}
.nip-lessons a {
  display: block; padding: 0.9rem 1rem; border: 1px solid var(--st-border-color, #8886);
  border-radius: 10px; text-decoration: none; color: inherit;
}
.nip-lessons a:hover, .nip-lessons a:focus-visible { outline: 2px solid currentColor; }
.nip-lessons b { display: block; font-size: 1.08rem; line-height: 1.35; }
.nip-lessons span { display: block; margin-top: 0.4rem; font-size: 0.9rem; }
</style>"""


def show_list(lessons: list[Lesson], problems: list[str]) -> None:
    """Every lesson by its question."""
    header("Learn", "Each lesson opens with a question and something to try. No background needed.")
    cards = (
        f'<a href="{escape(learn_address(lesson=lesson.slug))}" target="_self">'
        f"<b>{escape(lesson.question)}</b>"
        f"<span>{escape(lesson.title)} ({lesson.minutes} minutes)</span>"
        f"<span>{escape(lesson.summary)}</span>"
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
