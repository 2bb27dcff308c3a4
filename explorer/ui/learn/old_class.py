"""What the addresses of classes lead to, now that classes meet in rooms."""

from __future__ import annotations

import streamlit as st

from explorer.lessons.lesson import Lesson
from explorer.ui.header import header
from explorer.ui.learn.links import all_lessons, learn_address, workshop
from explorer.ui.links import link, page_address, show_links

__all__ = ["show_old_class"]


def show_old_class(lesson: Lesson | None) -> None:
    """Say where classes are, and offer the ways there."""
    header("Classes meet in rooms now", back=all_lessons())
    st.markdown(
        "This address is one of a class as it was before. Ask whoever leads yours for the code of "
        "its room. If you lead it, start a workshop: people join by a code, and you see what they "
        "answer as it comes."
    )
    ways = [link(page_address("room", {}), "Join a room", button=True, main=True)]
    if lesson is not None:
        own = link(learn_address(lesson=lesson.slug), f"{lesson.title}, by yourself", button=True)
        ways += [workshop(lesson), own]
    else:
        ways.append(link(page_address("room", {"new": "1"}), "Start a workshop", button=True))
    show_links(*ways)
