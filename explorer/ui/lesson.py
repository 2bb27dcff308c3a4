"""A lesson as a page: its text, games, experiments and saved progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from explorer import notebook
from explorer.choice import NumberRange
from explorer.languages import tr
from explorer.lessons import (
    BLOCKS,
    CONTENT,
    LESSON,
    SCHEMA,
    Data,
    Lesson,
    LessonAlone,
    all_experiments,
    all_games,
    drawn,
    explained,
    handout_html,
    in_language,
    step_digests,
)
from explorer.ui.language import choose_language
from explorer.ui.layout import header, link, page_address, part, show_links
from explorer.ui.lesson_front import show_parts
from explorer.ui.page_link import from_link
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, offer_file, small, whole_number
from explorer.ui.visitor import learned
from explorer.ui.widgets import offer_notebook
from nip_core.documents import Schema, schema

if TYPE_CHECKING:
    import pandas as pd


def learn_address(**query: str) -> str:
    """Return an address on the Learn page."""
    return page_address("learn", query)


def all_lessons() -> str:
    """Return the link back to the list of lessons."""
    return link(learn_address(), tr("All lessons"))


def workshop(lesson: Lesson) -> str:
    """Return the link that opens a room for a lesson."""
    address = page_address("room", {"new": "1", "lesson": lesson.slug})
    return link(address, tr("Start a workshop"), button=True)


def show_writing() -> None:
    """Show the lesson format as tables, and two example files."""
    header(
        "A lesson of your own",
        "A lesson is a text file in the TOML format; no code is needed.",
        back=link(learn_address(show="guide"), "For facilitators"),
    )
    st.markdown(
        "Download the file to fill in, put it into a folder of your own, and start the explorer "
        "with that folder in the variable `NIP_LESSONS`. The lesson appears in the list, and is "
        "read again whenever you save it. If something in it is wrong, the list says what and "
        "where; places in lists count from 0, so that `block[0]` is the first block."
    )
    with st.container(horizontal=True):
        template = (CONTENT / "template.toml").read_bytes()
        offer_file("A lesson to fill in (TOML)", template, "10_my_lesson.toml")
        format_file = json.dumps(SCHEMA, indent=2).encode("utf-8")
        offer_file("The format for your editor (JSON Schema)", format_file, "lesson.schema.json")
    small("Beside the lesson, the second file lets an editor complete keys and mark mistakes.")
    st.markdown("#### The file")
    wide_table(_keys({"": LESSON}).drop(columns="kind"), "Keys of a lesson")
    st.markdown("#### Kinds of blocks")
    wide_table(_keys(BLOCKS), "Keys of each kind of block")
    st.markdown("#### Games")
    wide_table(_games(), "Games, their sides and settings")
    st.markdown("#### Experiments")
    wide_table(_experiments(), "Experiments and their settings")


def _keys(tables: Mapping[str, Schema]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "kind": kind,
                "key": name,
                "needed": "yes" if needed else "",
                "what for": key["description"],
            }
            for kind, table in tables.items()
            for name, key, needed in schema.keys(table)
        ]
    )


def _games() -> pd.DataFrame:
    import pandas as pd

    rows: list[dict[str, str]] = []
    for name, played in all_games().items():
        sides = ", ".join(role.name for role in played.roles)
        settings = [
            {"setting": setting, "what it does": says} for setting, says in played.settings.items()
        ]
        rows += _beside({"game": name, "title": played.title, "sides": sides}, settings)
    return pd.DataFrame(rows)


def _experiments() -> pd.DataFrame:
    import pandas as pd

    rows: list[dict[str, str]] = []
    for name, tried in all_experiments().items():
        settings = [
            {
                "setting": knob.name,
                "what it is": knob.label,
                "values": f"{knob.allowed} ({knob.default})",
            }
            for knob in tried.knobs
        ]
        rows += _beside({"experiment": name, "title": tried.title}, settings)
    return pd.DataFrame(rows)


def _beside(first: dict[str, str], settings: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return a row for each setting; only the first row also names the experiment."""
    empty = dict.fromkeys(first, "")
    return [(empty if n else first) | each for n, each in enumerate(settings or [{}])]


def show_lesson(lesson: Lesson, lessons: list[Lesson]) -> None:
    """Show a lesson; what follows a question to guess appears after the guess."""
    shown = in_language(lesson)
    with header(shown.question, shown.about, back=all_lessons()):
        choose_language()
        show_links(workshop(lesson))
    # Long lines are hard to read.
    with st.container(width=760):
        step, note = _step_of_link(lesson)
        if note:
            alert("info", note)
        part(_alone)(lesson, step)
        look = {"type": "tertiary", "key": "lesson-notebook", "label": tr("Open as notebook")}
        # Files are in English.
        offer_notebook(lambda: notebook.lesson_notebook(explained(lesson)), lesson.slug, **look)
        part(_facilitator)(shown)
    here = [each.slug for each in lessons].index(lesson.slug)
    around = [(tr("Previous"), here - 1), (tr("Next"), here + 1)]
    show_links(
        *(
            link(learn_address(lesson=lessons[n].slug), f"{word}: {in_language(lessons[n]).title}")
            for word, n in around
            if 0 <= n < len(lessons)
        )
    )


def _step_of_link(lesson: Lesson) -> tuple[int, str]:
    """Return the step that the address names, from 1, and what is to be said about it."""
    step = whole_number(from_link("step", NumberRange(1, len(lesson.blocks))))
    if step is None:
        return 0, ""
    digest = step_digests(lesson)[step - 1]
    changed = st.query_params.get("d", digest) != digest
    return step, tr(
        "This step of the lesson has changed since the link was made."
    ) if changed else ""


def _alone(lesson: Lesson, step: int) -> None:
    """Show the parts of a lesson up to the first guess that is not made."""
    done = learned(lesson)
    alone = LessonAlone(drawn(explained(in_language(lesson)), done), done)

    def with_link(place: int) -> Data:
        digest = step_digests(lesson)[place]
        address = learn_address(lesson=lesson.slug, step=f"{place + 1}", d=digest)
        return alone.part(place) | {"link": address}

    parts = [(with_link(place), alone.now(place)) for place in alone.seen(step)]
    show_parts(
        alone.about(),
        parts,
        key=f"lesson-{lesson.slug}",
        done=alone.told(),
        step=step,
        answer=partial(alone.act, "answer"),
        experiment=partial(alone.act, "experiment"),
        game=partial(alone.act, "game"),
    )


def _in_a_room(lesson: Lesson) -> None:
    """Show how to lead the lesson with many people."""
    st.markdown("**In a room**")
    pairs = any(block.pairs for block in lesson.blocks)
    hints = [
        "“Start a workshop”, at the top, gives you a code. People join with their phones, without "
        "an account.",
        "You open one step after the other: a guess, a question, a game. Lock when enough have "
        "answered, let people talk, ask again if you like (the second round is counted apart), "
        "then reveal.",
        "Put the projector's window on the wall. It shows what people answered, and never what is "
        "right before you reveal it.",
        *(["Two people play a game on two phones: choose who plays under “This game”."] * pairs),
        "Rehearse with 30 bots first, and keep all answers as a file (CSV) afterwards.",
    ]
    st.markdown("\n".join(f"- {escaped(hint)}" for hint in hints))


def _facilitator(lesson: Lesson) -> None:
    import pandas as pd

    notes = lesson.facilitator
    label = escaped(tr("For facilitators"))
    with st.expander(label, on_change="rerun", key="facilitator") as folded:
        if not folded.open:
            return
        _in_a_room(lesson)
        if notes.say:
            st.markdown("**What to say**")
            st.markdown("\n".join(f"- {escaped(line)}" for line in notes.say))
        if notes.timing:
            st.markdown("**Timing**")
            rows = [{"minutes": str(step.minutes), "what": step.what} for step in notes.timing]
            wide_table(pd.DataFrame(rows), "Timing")
        if notes.handout:
            for label, answers in (("Handout to print", False), ("Handout with answers", True)):
                name = f"{lesson.slug}{'-answers' * answers}.html"
                offer_file(label, handout_html(lesson, answers=answers), name, key=label)
