"""A lesson on the screen, block by block."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from explorer.lessons.handout import handout_html
from explorer.lessons.lesson import Block, Lesson
from explorer.ui.components.progress import note_progress
from explorer.ui.header import header
from explorer.ui.learn.experiment import show_experiment
from explorer.ui.learn.game import show_game
from explorer.ui.learn.links import all_lessons, learn_address, workshop
from explorer.ui.learn.words import show_prose
from explorer.ui.links import link, page_address, show_links
from explorer.ui.parts import part
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, small

__all__ = ["show_lesson"]

# Where the session notes which questions were answered rightly.
RIGHT = "quiz-right-"


def show_lesson(lesson: Lesson, lessons: list[Lesson]) -> None:
    """Show a lesson; what follows a question that is to be guessed comes after the guess."""
    stop = "" if lesson.title.endswith(("?", "!", ".")) else "."
    line = f"{lesson.title}{stop} {lesson.minutes} minutes."
    with header(lesson.question, line, back=all_lessons()):
        show_links(workshop(lesson))
    # Lines that are too long cannot be read.
    with st.container(width=760):
        ways: list[str] = []
        for place, block in enumerate(lesson.blocks, start=1):
            if block.kind == "open":
                address = page_address(block.name, block.settings or {})
                ways.append(link(address, block.label, button=True))
                continue
            # Ways on that follow each other stand beside each other.
            show_links(*ways)
            ways.clear()
            _block(lesson, place, block)
        show_links(*ways)
        _close(lesson)
    here = lessons.index(lesson)
    around = [("Previous", here - 1), ("Next", here + 1)]
    show_links(
        *(
            link(learn_address(lesson=lessons[n].slug), f"{word}: {lessons[n].title}")
            for word, n in around
            if 0 <= n < len(lessons)
        )
    )


def _close(lesson: Lesson) -> None:
    """What stands at a lesson's end: how far one is, sources, and notes for teachers."""
    quizzes = [f"{lesson.slug}-{n}" for n, b in enumerate(lesson.blocks, 1) if b.kind == "quiz"]
    right = sum(st.session_state.get(RIGHT + key, False) for key in quizzes)
    note_progress(lesson.slug, lesson.title, right=right, questions=len(quizzes))
    st.download_button(
        "Open as notebook",
        partial(_notebook, lesson),
        file_name=f"{lesson.slug}.ipynb",
        mime="application/x-ipynb+json",
        on_click="ignore",
        type="tertiary",
        key="lesson-notebook",
    )
    if lesson.sources:
        with st.expander("Sources"):
            for number, text in enumerate(lesson.sources.values(), start=1):
                st.markdown(f"{number:d}. {escaped(text)}")
    part(_facilitator)(lesson)


def _notebook(lesson: Lesson) -> bytes:
    # Only whoever wants one should wait for what makes it.
    from explorer.notebook.document import written
    from explorer.notebook.lessons import lesson_notebook

    return written(lesson_notebook(lesson))


def _block(lesson: Lesson, place: int, block: Block) -> None:
    """Show a block; a click in it draws what can be clicked there anew, and nothing around it."""
    key = f"{lesson.slug}-{place}"
    if block.kind == "text":
        show_prose(block.text, lesson.sources)
    elif block.kind == "game":
        show_prose(block.text, lesson.sources)
        part(show_game)(block, key)
    elif block.kind == "experiment":
        show_prose(block.text, lesson.sources)
        part(show_experiment)(block, key)
    elif block.kind == "predict":
        part(_predict)(lesson, block, key)
    elif block.kind == "quiz":
        part(_quiz)(block, key)
    else:
        wide_table(pd.DataFrame(list(block.rows), columns=list(block.columns)), block.caption)
        if block.caption:
            small(block.caption)


def _predict(lesson: Lesson, block: Block, key: str) -> None:
    with st.container(border=True):
        st.markdown(f"**Your guess.** {escaped(block.question)}")
        guessed = f"guess-{key}"
        if block.choices:
            guess = st.radio(
                "Your guess",
                block.choices,
                index=None,
                format_func=escaped,
                key=f"ask-{key}",
                label_visibility="collapsed",
            )
        else:
            value = st.slider(
                "Your guess",
                float(block.low),
                float(block.high),
                float(block.low + block.high) / 2,
                key=f"ask-{key}",
                format="%g " + block.unit.replace("%", "%%"),
                label_visibility="collapsed",
            )
            guess = f"{value:g}" if st.button("Guess", key=f"say-{key}") else None
        if guess is not None and guessed not in st.session_state:
            st.session_state[guessed] = guess
        if guessed in st.session_state:
            st.markdown(f"Your guess: {escaped(str(st.session_state[guessed]))}.")
            show_prose(block.text, lesson.sources)


def _quiz(block: Block, key: str) -> None:
    with st.container(border=True):
        texts = [answer.text for answer in block.answers]
        st.markdown(f"**Question.** {escaped(block.question)}")
        chosen = st.radio(
            "Answers",
            texts,
            index=None,
            format_func=escaped,
            key=f"quiz-{key}",
            label_visibility="collapsed",
        )
        if chosen is None:
            return
        answer = block.answers[texts.index(chosen)]
        if answer.right:
            if not st.session_state.get(RIGHT + key):
                st.session_state[RIGHT + key] = True
                st.rerun()  # it counts at the lesson's end, too
            alert("success", f"Right. {answer.why}", icon="✔️")
        else:
            alert("error", f"Not quite. {answer.why}", icon="✖️")


def _in_a_room(lesson: Lesson) -> None:
    """How to lead the lesson with many people."""
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
        *(["Two phones together are the two liars: first in one room, then with a wall."] * pairs),
        "Rehearse with 30 bots first, and keep all answers as a file (CSV) afterwards.",
    ]
    st.markdown("\n".join(f"- {escaped(hint)}" for hint in hints))


def _facilitator(lesson: Lesson) -> None:
    notes = lesson.facilitator
    with st.expander("For facilitators", on_change="rerun", key="facilitator") as folded:
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
            for label, with_answers in (
                ("Handout to print", False),
                ("Handout with answers", True),
            ):
                st.download_button(
                    label,
                    handout_html(lesson, answers=with_answers).encode("utf-8"),
                    file_name=f"{lesson.slug}{'-answers' * with_answers}.html",
                    mime="text/html",
                    on_click="ignore",
                    key=label,
                )
