"""The page of a person who takes part in a study: consent, each stage, and the end with its code.

It is reached by the study's link only, which may bring ids of another site. They are taken out of
the address once the person has agreed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from math import ceil
from pathlib import Path
from typing import cast

import streamlit as st

from explorer.languages import in_english
from explorer.participants import Here, StudyDesk, TakingPartError, stage_of
from explorer.server import DATABASE_FEED, study_feed
from explorer.storage import StorageError
from explorer.studies import ENDS, End, PeopleStage, Question
from explorer.ui.acting import act_button, attempt, show_refusal
from explorer.ui.database import storage
from explorer.ui.fronts import show_noting
from explorer.ui.layout import address, header, link, part, show_links, write_address
from explorer.ui.table_front import fill_window, run_on_changes, show_own_seat
from explorer.ui.text import alert, escaped, in_html, small
from explorer.ui.visitor import visitor, visitor_token
from explorer.ui.widgets import sure_button

TITLE = "Take part in a study"
HAPPENS = {
    "done": "You reach the end",
    "screened_out": "Your answers show that the study is not for you",
    "timed_out": "The time is over, or nobody comes to play with you",
    "left": "You stop",
    "removed": "The organisers end your part",
}
TITLES = {
    "done": "You have reached the end",
    "screened_out": "This is the end for you",
    "timed_out": "The time is over",
    "left": "You have stopped",
    "removed": "Your part has ended",
}
# Keys of the session's state: whether the person has declined, or had everything deleted.
DECLINED, DELETED = "take-part-declined", "take-part-deleted"
MOST_NUMBERS = 11  # of a scale whose numbers stand beside each other
LOOK_EVERY = 2.0  # seconds, while a person waits

log = logging.getLogger("explorer")


def show_page() -> None:
    """Show where the person of the link is."""
    st.html(Path(__file__).with_suffix(".css"))
    part(_window)()


def _window() -> None:
    query = address()
    try:
        desk = StudyDesk(storage(), query.get("study", ""))
        if st.session_state.get(DELETED) == desk.opened.row.code:
            header("Everything that you gave was deleted")
            _back(desk.plan.ends["left"])
            return
        here = desk.find(visitor(), query)
        if here is None:
            _consent(desk, query)
            return
        # Out of the address, which may be seen by others, copied, or kept by the browser.
        write_address({"study": desk.opened.row.code})
        _show(desk, desk.look(here))
    except TakingPartError as error:
        header(TITLE)
        alert("warning", str(error))
    except StorageError as error:
        log.warning("A study could not be shown: %s", type(error).__name__)
        header(TITLE)
        alert("warning", f"{error.for_people} This page goes on by itself.")
        st.button("Try again")
        run_on_changes(DATABASE_FEED, "", key="database-updates")


def _paragraphs(text: str) -> None:
    for paragraph in filter(str.strip, text.split("\n")):
        st.markdown(escaped(paragraph))


# -- before anything is stored ---------------------------------------------------------------------


def _consent(desk: StudyDesk, query: Mapping[str, str]) -> None:
    plan = desk.plan
    header(TITLE, "Please read this first. Nothing is stored before you agree.")
    if st.session_state.get(DECLINED):
        alert("info", "You do not take part. Nothing was stored, and you can close this page.")
    if desk.opened.row.closed is not None:
        alert("info", "This study is closed: nobody can begin any more.")
        return
    show_refusal()
    with st.container(border=True, key="take-part-consent"):
        _paragraphs(plan.consent)
    st.markdown(f"**{escaped(f'You are paid: {plan.pay}')}**")
    rows = "".join(
        f"<tr><td>{in_html(HAPPENS[how])}</td><td>{in_html(plan.ends[how].pay)}</td></tr>"
        for how in ENDS
    )
    st.html(
        f'<table class="nip-pay"><thead><tr><th>What happens</th><th>You are paid</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    small(
        f"It takes at most {plan.minutes:g} minutes from here. Version {plan.version} of this text."
    )

    def begin() -> None:
        st.session_state.pop(DECLINED, None)
        desk.consent(visitor(), query, plan.version)

    def decline() -> None:
        st.session_state[DECLINED] = True

    with st.container(horizontal=True):
        act_button("I agree, and take part", begin, key="take-part-agree", kind="primary")
        act_button("I do not take part", decline, key="take-part-decline")


# -- the stages ------------------------------------------------------------------------------------


def _show(desk: StudyDesk, here: Here) -> None:
    stage = stage_of(desk.plan, here.state)
    if stage is None:
        _end(desk, here)
        return
    if desk.plan.notes:
        part(_count)(desk, here.person.id)
    if here.state.at is not None:
        _game(desk, here)
        return
    header(stage.title or "Next", f"Part {here.state.stage + 1} of {len(desk.plan.stages)}")
    show_refusal()
    if desk.plan.others == "after" and here.state.told is not None:
        alert("info", _who(here.state.told, "In your games, "))
    _paragraphs(stage.text)
    if here.state.waits is not None:
        part(_waiting, every=LOOK_EVERY)(desk, here.person.id, stage)
    elif stage.games:
        _before_game(desk, here, stage)
    elif stage.questions:
        _questions(desk, here, stage)
    else:
        _button("Go on", desk, here, desk.read)
    _way_out(desk, here)


def _count(desk: StudyDesk, participant: str) -> None:
    """Count what the consent names; this part runs alone when the browser reports it."""

    def noted(counts: object) -> None:
        if isinstance(counts, dict):
            counted = cast("dict[str, object]", counts)
            attempt(lambda: desk.note(desk.here(participant), counted))

    show_noting(desk.plan.notes, key="take-part-noting", on_noted=noted)


def _button(label: str, desk: StudyDesk, here: Here, act: Callable[[Here, str], object]) -> None:
    step, participant = here.state.step, here.person.id
    act_button(
        label,
        lambda: act(desk.here(participant), step),
        key=f"take-part-on-{step}",
        kind="primary",
    )


def _questions(desk: StudyDesk, here: Here, stage: PeopleStage) -> None:
    step, participant = here.state.step, here.person.id
    told = [each for each in desk.plan.stages[: here.state.stage] if each.kind == "text"]
    if stage.kind == "check" and told:
        with st.expander("Read again what you do"):
            for each in told:
                _paragraphs(each.text)
    if here.state.part:
        left = stage.tries - here.state.part
        alert(
            "warning",
            "Not all of your answers were right. Read again what you do, and answer once more. "
            f"{'This is your last try' if left == 1 else f'You have {left} tries left'}.",
        )

    def send() -> None:
        values = {q.name: _value(q, f"{step}-{q.name}") for q in stage.questions}
        desk.answer(desk.here(participant), step, values)

    with st.form(f"take-part-{step}", border=False):
        for question in stage.questions:
            _ask(question, f"{step}-{question.name}")
        st.form_submit_button("Go on", type="primary", on_click=attempt, args=(send,))


def _value(question: Question, key: str) -> object:
    """Return what a person has entered; numbers beside each other are texts."""
    value = st.session_state.get(key)
    return int(value) if question.kind == "scale" and isinstance(value, str) else value


def _ask(question: Question, key: str) -> None:
    label = escaped(question.ask + (" (optional)" if question.optional else ""))
    if question.kind == "choice":
        st.radio(label, question.options, index=None, format_func=escaped, key=key)
        return
    if question.kind == "text":
        st.text_area(label, max_chars=question.most, key=key)
        return
    numbers = range(question.low, question.high + 1)
    if len(numbers) > MOST_NUMBERS:
        st.number_input(label, question.low, question.high, None, 1, key=key)
    else:
        st.radio(
            label, [*map(str, numbers)], index=None, format_func=escaped, horizontal=True, key=key
        )
    if question.ends:
        low, high = question.ends
        small(f"{question.low}: {low}. {question.high}: {high}.")


# -- games -----------------------------------------------------------------------------------------


def _who(seats: Mapping[str, str], before: str = "") -> str:
    said = "; ".join(f"{name}: played {by}" for name, by in seats.items())
    return f"{before}{said}." if said else ""


def _before_game(desk: StudyDesk, here: Here, stage: PeopleStage) -> None:
    if stage.games > 1:
        st.markdown(escaped(f"Game {here.state.part + 1} of {stage.games}."))
    if desk.plan.others == "before":
        alert("info", _who(desk.games.coming(here)))
    _button("Begin", desk, here, desk.ready)


def _waiting(desk: StudyDesk, participant: str, stage: PeopleStage) -> None:
    here = desk.look(desk.here(participant))
    if here.state.waits is None:
        st.rerun()
    left = ceil(desk.waits_until(here))
    alert(
        "info",
        f"You wait for others. If nobody comes within {left} seconds, this ends for you, and you "
        f"are paid: {desk.plan.ends['timed_out'].pay} Keep this page open.",
    )


# In English, like all of the page around the table.
@in_english
def _game(desk: StudyDesk, here: Here) -> None:
    feed, shown = study_feed(desk, here.person.id, visitor_token())
    assert shown.seat is not None
    assert here.state.at is not None
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="table-bar"):
        small("Practice" if here.state.at.practice else "This game counts")
        with st.popover("Stop"):
            _offer_stop(desk, here)
    with st.container(key="table-above"):
        show_refusal()
    table = here.state.at.table
    show_own_seat(shown.seat, address=feed, mark=shown.mark, key=f"take-part-seat-{table}")


# -- the end ---------------------------------------------------------------------------------------


def _end(desk: StudyDesk, here: Here) -> None:
    how = here.state.end or "done"
    end = desk.plan.ends[how]
    header(TITLES[how])
    show_refusal()
    if desk.plan.others == "after" and here.state.told is not None:
        alert("info", _who(here.state.told, "In your games, "))
    _paragraphs(end.text)
    st.markdown(escaped(f"You are paid: {end.pay}"))
    _back(end)
    _way_out(desk, here)


def _back(end: End) -> None:
    if end.code:
        st.markdown(escaped("Your completion code:"))
        st.code(end.code, language=None)
    if end.link:
        show_links(link(end.link, "Back to the site that sent you", main=True))


def _way_out(desk: StudyDesk, here: Here) -> None:
    label = "Delete what I gave" if here.state.end else "Stop, or delete what I gave"
    with st.expander(label):
        _offer_stop(desk, here)


def _offer_stop(desk: StudyDesk, here: Here) -> None:
    participant, code = here.person.id, desk.opened.row.code

    def stop() -> None:
        attempt(lambda: desk.stop(desk.here(participant)))

    def delete() -> None:
        desk.forget(here)
        st.session_state[DELETED] = code

    if here.state.end is None:
        sure_button(
            "Stop taking part",
            f"You cannot go on afterwards. What you gave so far is kept. You are paid: "
            f"{desk.plan.ends['left'].pay}",
            "Stop now",
            key="take-part-stop",
            act=stop,
        )
    sure_button(
        "Delete what I gave",
        "Your answers, your messages and your ids are deleted for good. You cannot begin again: "
        "a hash of your id is kept for that. "
        f"You are paid: {desk.plan.ends[here.state.end or 'left'].pay}",
        "Delete now",
        key="take-part-delete",
        act=lambda: attempt(delete),
    )
