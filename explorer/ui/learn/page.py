"""The Learn section: the list of lessons, a lesson, and what goes with them."""

from __future__ import annotations

import streamlit as st

from explorer.lessons.library import lessons
from explorer.ui.learn.lesson import show_lesson
from explorer.ui.learn.listing import show_list
from explorer.ui.learn.old_class import show_old_class
from explorer.ui.learn.reference import show_glossary, show_guide, show_protocols
from explorer.ui.learn.writing import show_writing
from explorer.ui.text import alert

__all__ = ["show_page"]


def show_page() -> None:
    """Show what the address asks for."""
    found, problems = lessons()
    wanted, show = st.query_params.get("lesson"), st.query_params.get("show")
    lesson = next((each for each in found if each.slug == wanted), None)
    if show == "tally" or "class" in st.query_params:
        show_old_class(lesson)
    elif lesson is not None:
        show_lesson(lesson, found)
    elif show == "glossary":
        show_glossary()
    elif show == "guide":
        show_guide(found)
    elif show == "protocols":
        show_protocols()
    elif show == "writing":
        show_writing()
    else:
        if wanted:
            alert("info", f"There is no lesson called “{wanted[:60]}” here. These are the lessons.")
        show_list(found, problems)
