"""The Learn page: the list of lessons, the reference, or the part that the address names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from explorer.lessons import Lesson, document, lessons, protocols_table, small_picture
from explorer.ui.fronts import show_positions
from explorer.ui.layout import address, header, link, page_address, picture_tag, show_links, theme
from explorer.ui.lesson import all_lessons, learn_address, show_lesson, show_writing
from explorer.ui.page_link import from_link, page_link
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, in_html, show_prose, small
from explorer.ui.widgets import show_progress


def show_list(lessons: list[Lesson], problems: list[str]) -> None:
    """Show every lesson by its question."""
    with header(
        "Learn", "Each lesson opens with a question and something to try. No background needed."
    ):
        show_links(
            link(page_address("room", {}), "Join a room", button=True),
            link(page_address("room", {"new": "1"}), "Start a workshop", button=True),
        )
    cards = (
        f'<a href="{in_html(learn_address(lesson=lesson.slug))}" target="_self">'
        f"{_picture(lesson)}"
        f"<small>{number} · {in_html(lesson.title)} · {lesson.minutes_alone} min</small>"
        f"<b>{in_html(lesson.question)}</b>"
        f"<span>{in_html(lesson.summary)}</span>"
        "</a>"
        for number, lesson in enumerate(lessons, start=1)
    )
    st.html(f'<div class="nip-lessons">{"".join(cards)}</div>')
    show_progress()
    show_links(
        link(learn_address(show="positions"), "Positions: one question left"),
        link(learn_address(show="glossary"), "Glossary"),
        link(learn_address(show="guide"), "For facilitators"),
        link(learn_address(show="protocols"), "Table of protocols"),
        link(learn_address(show="research"), "Research"),
    )
    for problem in problems:
        # A teacher's own file: its errors may quote untrusted text.
        alert("warning", "A lesson cannot be shown.")
        st.text(problem)


def _picture(lesson: Lesson) -> str:
    """Return a lesson's picture for its card, in the page's colours."""
    drawn = small_picture(lesson, theme())
    if drawn is None:
        return ""
    # The card's words say what the lesson is about; the picture adds nothing for a screen reader.
    return picture_tag(drawn)


def show_glossary() -> None:
    """Show the whole glossary, or the terms that match a search."""
    about = "Words used in the lessons, each explained in a sentence or two."
    header("Glossary", about, back=all_lessons())
    wanted = st.text_input("Search", key="q", bind="query-params", width=320).strip().lower()
    entries = [
        entry
        for entry in document("glossary")["entry"]
        if wanted in entry["term"].lower() or wanted in entry["text"].lower()
    ]
    if not entries:
        alert("info", "No words match.")
    for entry in entries:
        see = entry.get("see", [])
        also = f" *See also: {escaped(', '.join(see))}.*" if see else ""
        show_prose(f"**{escaped(entry['term'])}.** {entry['text']}{also}")


def show_guide(lessons: list[Lesson]) -> None:
    """Show three plans for workshops."""
    import pandas as pd

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
    """Show what each protocol is, and what is known about it."""
    header(
        "Table of protocols",
        "Who speaks, who reads, and what can be decided that way. Rounds and seats are those of "
        "each protocol's defaults; the class holds for optimal play of unbounded provers, under "
        "the conditions named.",
        back=all_lessons(),
    )
    wide_table(protocols_table(), "Protocols, who reads what, and what they can decide")


def show_research() -> None:
    """Show the works that lessons build on, the newest first: the result of each, and a link."""
    header(
        "Research",
        "Debate and interactive proofs with language models, and the theory behind them: what "
        "each work has shown, in a sentence. The links lead to arXiv.",
        back=all_lessons(),
    )
    works = sorted(document("research")["work"], key=lambda work: -work["year"])
    items = (
        f"<li>{link(work['link'], work['title'], beside=True)}"
        f"<small>{in_html(work['authors'])}, {work['year']:d}</small>"
        f"<p>{in_html(work['shown'])}</p></li>"
        for work in works
    )
    st.html(f'<ul class="nip-research">{"".join(items)}</ul>')


def show_one_question_left() -> None:
    """Show positions from games, in which one question is left."""
    from explorer.play import POSITIONS, all_positions

    header("One question left", POSITIONS, back=all_lessons())
    show_positions(all_positions(), key="positions")


PARTS: Mapping[str, Callable[[], None]] = {
    "glossary": show_glossary,
    "protocols": show_protocols,
    "research": show_research,
    "positions": show_one_question_left,
    "writing": show_writing,
}


def show_page() -> None:
    """Show the part of the section that the address names."""
    st.html(Path(__file__).with_suffix(".css"))
    all_lessons, problems = lessons()
    by_slug = {lesson.slug: lesson for lesson in all_lessons}
    query = address()
    # What the lesson or the part has besides its own name.
    if "lesson" in query:
        known = ("lesson", "step", "d")
    else:
        known = ("show", "q") if query.get("show") == "glossary" else ("show",)
    with page_link(" ".join(query.get(name, "") for name in ("lesson", "show")), known):
        slug = from_link("lesson", by_slug)
        show = None if slug else from_link("show", (*PARTS, "guide"))
        if slug is not None:
            show_lesson(by_slug[slug], all_lessons)
        elif show == "guide":
            show_guide(all_lessons)
        elif show is not None:
            PARTS[show]()
        else:
            show_list(all_lessons, problems)
