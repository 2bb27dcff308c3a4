"""A lesson as a page: its text, games, experiments and saved progress."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from explorer import notebook
from explorer.lessons import (
    BLOCKS,
    CONTENT,
    LESSON,
    SCHEMA,
    WORDS,
    Block,
    ExperimentResult,
    GameInProgress,
    Knob,
    Lesson,
    LessonGame,
    Scene,
    all_experiments,
    all_games,
    experiment,
    explained,
    game,
    handout_html,
    playable,
    sums_of,
)
from explorer.ui.fronts import show_chart, show_front, show_guess
from explorer.ui.layout import header, link, page_address, part, show_links
from explorer.ui.tables import table_below, wide_table
from explorer.ui.text import alert, dropdown, escaped, offer_file, segments, show_prose, small
from explorer.ui.visitor import learned
from explorer.ui.widgets import note_progress, offer_notebook, show_drawings
from nip_core.documents import Schema, schema

if TYPE_CHECKING:
    import pandas as pd

    from explorer.pictures import Chart


def learn_address(**query: str) -> str:
    """Return an address on the Learn page."""
    return page_address("learn", query)


def all_lessons() -> str:
    """Return the link back to the list of lessons."""
    return link(learn_address(), "All lessons")


def workshop(lesson: Lesson) -> str:
    """Return the link that opens a room for a lesson."""
    address = page_address("room", {"new": "1", "lesson": lesson.slug})
    return link(address, "Start a workshop", button=True)


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


_computing = threading.Lock()


def show_experiment(block: Block, key: str, done: dict[str, Any] | None = None) -> None:
    """Show an experiment: knobs, the result in a sentence, a figure, and its table.

    `done` keeps the settings.
    """
    tried = experiment(block.name)
    kept: dict[str, Any] = {} if done is None else done.setdefault(f"knobs-{key}", {})
    settings = {**(block.settings or {}), **kept}
    with st.container(border=True):
        st.markdown(f"**{escaped(tried.title)}**")
        asked: dict[str, Any] = {}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for knob in tried.knobs:
                asked[knob.name] = _value_from(knob, settings.get(knob.name, knob.default), key)
        kept |= asked
        # If a whole class opens an experiment at once, one session computes it and the others wait.
        with _computing:
            found, chart = _result(block.name, tuple(asked.items()))
        st.markdown(escaped(found.sentence))
        show_chart(chart, f"figure-{key}")
        table_below(found.data, found.sentence, f"table-{key}", f"{block.name}.csv")


# A class uses the same few settings, and each click in a game reruns the whole lesson.
@lru_cache(maxsize=128)
def _result(name: str, settings: tuple[tuple[str, Any], ...]) -> tuple[ExperimentResult, Chart]:
    """Return an experiment's result, which depends only on its settings, and its figure."""
    tried = experiment(name)
    found = tried.run(dict(settings))
    return found, found.chart(tried.title)


def _value_from(knob: Knob, value: Any, key: str) -> Any:
    name = f"knob-{key}-{knob.name}"
    label, text = escaped(knob.label), escaped(knob.help) or None
    if knob.choices is not None:
        return dropdown(label, knob.choices, str(value), width=200, key=name, help=text)
    if isinstance(knob.default, bool):
        return st.toggle(label, bool(value), key=name, help=text)
    low, high = knob.low or 0, knob.high or 1
    if isinstance(knob.default, int):
        whole = (int(low), int(high), int(value), int(knob.step or 1))
        return st.slider(label, *whole, width=280, key=name, help=text)
    real = (float(low), float(high), float(value), knob.step or 0.01)
    return st.slider(label, *real, width=280, key=name, help=text)


def show_game(block: Block, key: str, done: dict[str, Any]) -> None:
    """Let a person play a game repeatedly; `done` keeps its state."""
    played, place = game(block.name), f"game-{key}"

    def keep(now: GameInProgress) -> GameInProgress:
        done[place] = now.kept()
        return now

    def present() -> GameInProgress:
        return GameInProgress.resume(block, done.get(place)) or keep(GameInProgress.begin(block))

    # A click acts on what is kept then: another window of this visitor may have played on.
    def move(choice: str) -> None:
        before = present()
        if choice in before.scene.options:
            keep(before.choose(choice))

    def again() -> None:
        keep(present().again())

    with st.container(border=True, key=f"play-{key}"):
        roles = {role.name: role.label for role in played.roles}
        st.markdown(f"**{escaped(played.title)}**")
        now = present()
        if len(roles) > 1:
            role = segments(WORDS["side"], roles, now.role, key=f"role-{key}")
            if role != now.role:
                now = keep(GameInProgress.begin(block, role))
        show_scene(now.scene, key, move, again)
        show_sums(played, now.ended)


def show_playable(block: Block, key: str) -> None:
    """Show an interactive drawing. Using it does not rerun the page."""
    played = playable(block.name)
    with st.container(border=True):
        st.markdown(f"**{escaped(played.TITLE)}**")
        show_front(played.FRONT, _playable_data(block.name), key=f"playable-{key}")


# Computed by the engine once per server process.
@lru_cache
def _playable_data(name: str) -> dict[str, Any]:
    return playable(name).data()


def show_scene(
    scene: Scene,
    key: str,
    move: Callable[[str], None],
    again: Callable[[], None] | None = None,
) -> None:
    """Show what the person at a seat sees now, and the choices they have.

    `move` is called with a choice; `again`, if given, begins another game.
    """
    for line in scene.said:
        st.markdown(f"**{escaped(line.who)}:** {escaped(line.text)}")
    show_drawings(scene.drawings, f"drawing-{key}", move)
    if scene.prompt:
        st.markdown(escaped(scene.prompt))
    with st.container(horizontal=True):
        for choice in scene.choices:
            st.button(
                escaped(choice.label),
                key=f"choice-{key}-{choice.name}",
                on_click=move,
                args=(choice.name,),
            )
        if scene.outcome is not None and again is not None:
            st.button(WORDS["again"], key=f"again-{key}", type="primary", on_click=again)


def show_sums(played: LessonGame, ended: Sequence[str]) -> None:
    """Show how often the person's games ended in each way."""
    if said := sums_of(played.outcomes, ended):
        small(said)


def show_lesson(lesson: Lesson, lessons: list[Lesson]) -> None:
    """Show a lesson; what follows a question to guess appears after the guess."""
    done, lesson = learned(lesson), explained(lesson)
    with header(lesson.question, lesson.about, back=all_lessons()):
        show_links(workshop(lesson))
    # Long lines are hard to read.
    with st.container(width=760):
        ways: list[str] = []
        for place, block in enumerate(lesson.blocks, start=1):
            if block.kind == "open":
                address = page_address(block.name, block.settings or {})
                # Opens in a new window, so that the lesson keeps its place.
                ways.append(link(address, block.label, button=True, beside=True))
                continue
            # Consecutive links stand side by side.
            show_links(*ways)
            ways.clear()
            _block(lesson, place, block, done)
            rest = lesson.after_guess(place)
            if rest and f"guess-{lesson.slug}-{place}" not in done:
                small(rest)
                break
        show_links(*ways)
        _close(lesson, done)
    here = [each.slug for each in lessons].index(lesson.slug)
    around = [("Previous", here - 1), ("Next", here + 1)]
    show_links(
        *(
            link(learn_address(lesson=lessons[n].slug), f"{word}: {lessons[n].title}")
            for word, n in around
            if 0 <= n < len(lessons)
        )
    )


def _close(lesson: Lesson, done: Mapping[str, Any]) -> None:
    """Show the end of a lesson: progress, the notebook, sources, and notes for teachers."""
    quizzes = [
        (block, done.get(f"quiz-{lesson.slug}-{place}"))
        for place, block in enumerate(lesson.blocks, 1)
        if block.kind == "quiz"
    ]
    right = sum(
        answer.right and answer.text == chosen
        for block, chosen in quizzes
        for answer in block.answers
    )
    answered = sum(chosen is not None for _, chosen in quizzes)
    note_progress(lesson.slug, lesson.title, answered=answered, right=right, questions=len(quizzes))
    look = {"type": "tertiary", "key": "lesson-notebook"}
    offer_notebook(lambda: notebook.lesson_notebook(lesson), lesson.slug, **look)
    if lesson.sources:
        with st.expander(WORDS["sources"]):
            for number, text in enumerate(lesson.sources.values(), start=1):
                st.markdown(f"{number:d}. {escaped(text)}")
    part(_facilitator)(lesson)


def _block(lesson: Lesson, place: int, block: Block, done: dict[str, Any]) -> None:
    """Show a block. A click in it redraws only the interactive part of the block."""
    key = f"{lesson.slug}-{place}"
    if block.kind == "predict":
        part(_predict)(lesson, block, key, done)
    elif block.kind == "quiz":
        part(_quiz)(block, key, done)
    else:
        show_reading(block, lesson.sources, key, done)
        if block.kind == "game":
            part(show_game)(block, key, done)
        elif block.kind == "playable" and block.question:
            part(_result_of)(block, key, done)


def show_reading(
    block: Block, sources: Mapping[str, str], key: str, done: dict[str, Any] | None = None
) -> None:
    """Show a block without a question, or what stands above one; `done` keeps its settings."""
    if block.kind == "open":
        # Opens in a new window, so that the lesson keeps its place.
        address = page_address(block.name, block.settings or {})
        show_links(link(address, block.label, button=True, beside=True))
    elif block.kind == "table":
        wide_table(
            [dict(zip(block.columns, row, strict=True)) for row in block.rows], block.caption
        )
        if block.caption:
            small(block.caption)
    else:
        show_prose(block.text, sources)
        if block.kind == "experiment":
            part(show_experiment)(block, key, done)
        elif block.kind == "playable":
            show_playable(block, key)


SHOWN = ""  # kept in place of a guess by visitors who chose to see the answer


def _predict(lesson: Lesson, block: Block, key: str, done: dict[str, Any]) -> None:
    """Ask for a guess; the answer and the rest of the lesson appear after it."""
    guessed = f"guess-{key}"
    with st.container(border=True):
        st.markdown(f"**{WORDS['guess']}.** {escaped(block.question)}")
        if guessed in done:
            said = str(done[guessed])
            if said != SHOWN:
                st.markdown(f"{WORDS['guess']}: {escaped(said)}.")
            show_prose(block.text, lesson.sources)
            return
        guess = _choice(block, key) if block.choices else _number(block, key)
        if st.button(WORDS["show"], key=f"show-{key}", type="tertiary"):
            guess = SHOWN
        if guess is not None:
            done[guessed] = guess
            st.rerun()  # the rest of the lesson appears now


def _choice(block: Block, key: str) -> str | None:
    return st.radio(
        WORDS["guess"],
        block.choices,
        index=None,
        format_func=escaped,
        key=f"ask-{key}",
        label_visibility="collapsed",
    )


def _number(block: Block, key: str) -> str | None:
    value = show_guess(block, label=WORDS["guess"], say=WORDS["say"], key=f"ask-{key}")
    return None if value is None else block.with_unit(f"{value:g}")


def _result_of(block: Block, key: str, done: dict[str, Any]) -> None:
    """Ask what a person has found in a drawing; then say what is right."""
    kept = f"result-{key}"
    given: float | None = done.get(kept)
    with st.container(border=True):
        st.markdown(f"**{WORDS['result']}.** {escaped(block.question)}")
        say = WORDS["send" if given is None else "change"]
        label, ask = WORDS["result"], f"ask-{key}"
        said = show_guess(block, label=label, say=say, key=ask, value=given, given=given)
        if said is not None:
            done[kept] = said
            st.rerun(scope="fragment")
        if given is not None:
            number = block.with_unit(f"{given:g}")
            st.markdown(escaped(f"{WORDS['result']}: {number}. {block.truth_in_words}".strip()))


def _quiz(block: Block, key: str, done: dict[str, Any]) -> None:
    with st.container(border=True):
        texts = [answer.text for answer in block.answers]
        before = done.get(f"quiz-{key}")
        st.markdown(f"**{WORDS['question']}.** {escaped(block.question)}")
        if block.text:
            show_prose(block.text)
        chosen = st.radio(
            "Answers",
            texts,
            index=texts.index(before) if before in texts else None,
            format_func=escaped,
            key=f"quiz-{key}",
            label_visibility="collapsed",
        )
        if chosen is None:
            return
        if chosen != before:
            done[f"quiz-{key}"] = chosen
            st.rerun()  # the progress at the lesson's end changes too
        answer = block.answers[texts.index(chosen)]
        kind, icon = ("success", "✔️") if answer.right else ("error", "✖️")
        alert(kind, f"{answer.verdict} {answer.why}", icon=icon)


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
            for label, answers in (("Handout to print", False), ("Handout with answers", True)):
                name = f"{lesson.slug}{'-answers' * answers}.html"
                offer_file(label, handout_html(lesson, answers=answers), name, key=label)
