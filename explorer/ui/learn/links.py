"""Links within the Learn section, and to the rooms that take a lesson together."""

from __future__ import annotations

from explorer.lessons.lesson import Lesson
from explorer.ui.links import link, page_address

__all__ = ["all_lessons", "learn_address", "workshop"]


def learn_address(**query: str) -> str:
    """An address within the section."""
    return page_address("learn", query)


def all_lessons() -> str:
    """The link back to the list of lessons."""
    return link(learn_address(), "All lessons")


def workshop(lesson: Lesson) -> str:
    """The link by which a room begins that takes a lesson together."""
    address = page_address("room", {"new": "1", "lesson": lesson.slug})
    return link(address, "Start a workshop", button=True)
