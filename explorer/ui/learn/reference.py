"""The glossary, the facilitator's guide, and the table of protocols."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer.lessons.lesson import Lesson
from explorer.lessons.library import document
from explorer.lessons.protocols import protocols_table
from explorer.ui.header import header
from explorer.ui.learn.links import all_lessons, learn_address
from explorer.ui.learn.words import show_prose
from explorer.ui.links import link, page_address, show_links
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, small

__all__ = ["show_glossary", "show_guide", "show_protocols"]


def show_glossary() -> None:
    """All words, or those that are searched for."""
    header("Glossary", "The words of the lessons, each in a sentence or two.", back=all_lessons())
    wanted = st.text_input("Search", key="q", bind="query-params", width=320).strip().lower()
    entries = [
        entry
        for entry in document("glossary")["entry"]
        if wanted in entry["term"].lower() or wanted in entry["text"].lower()
    ]
    if not entries:
        alert("info", "There is no such word here.")
    for entry in entries:
        see = entry.get("see", [])
        also = f" *See also: {escaped(', '.join(see))}.*" if see else ""
        show_prose(f"**{escaped(entry['term'])}.** {entry['text']}{also}")


def show_guide(lessons: list[Lesson]) -> None:
    """Three plans for workshops."""
    guide = document("guide")
    by_number = {lesson.number: lesson for lesson in lessons}
    with header(guide["title"], "Plans for 20, 45 and 90 minutes.", back=all_lessons()):
        show_links(
            link(page_address("room", {"new": "1"}), "Start a workshop", main=True),
            link(learn_address(show="writing"), "Write a lesson of your own", button=True),
        )
    show_prose(guide["text"])
    for plan in guide["plan"]:
        st.markdown(f"#### {plan['minutes']:d} minutes: {escaped(plan['title'])}")
        small(plan["for"])
        start, rows = 0, list[dict[str, str]]()
        for step in plan["steps"]:
            lesson = by_number.get(step.get("lesson", ""))
            rows.append(
                {
                    "from": f"{start}",
                    "minutes": str(step["minutes"]),
                    "what": step["what"],
                    "lesson": "" if lesson is None else lesson.title,
                }
            )
            start += step["minutes"]
        wide_table(pd.DataFrame(rows), f"The plan for {plan['minutes']} minutes")
        used = dict.fromkeys(step.get("lesson", "") for step in plan["steps"])
        show_links(
            *(
                link(learn_address(lesson=by_number[number].slug), by_number[number].title)
                for number in used
                if number in by_number
            )
        )


def show_protocols() -> None:
    """What each protocol is, and what is known about it."""
    header(
        "Table of protocols",
        "Who speaks, who reads, and what can be decided that way. Rounds and seats are those of "
        "each protocol's defaults; the class holds for optimal play of unbounded provers, under "
        "the conditions named.",
        back=all_lessons(),
    )
    wide_table(protocols_table(), "Protocols, who reads what, and what they can decide")
