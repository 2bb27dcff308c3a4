"""A lesson in a room, as a participant sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from explorer.languages import tr
from explorer.lessons import Data, about_parts, answer_from_words, settings_sent
from explorer.rooms import (
    NOW,
    LessonPart,
    Own,
    PersonView,
    RoomError,
    Shown,
    answer_block,
    answers_of,
    game_of,
    load_lesson,
    note_guess,
    noted_guess,
    pair_answer,
    pair_seat,
    part_before,
    part_had,
    person_now,
    person_part,
    person_view,
    play,
    play_again,
    reading_part,
)
from explorer.server import Snapshot
from explorer.ui.acting import is_refused, show_refusal
from explorer.ui.fronts import show_now
from explorer.ui.language import choose_language
from explorer.ui.layout import part as part_by_itself
from explorer.ui.lesson_front import show_parts
from explorer.ui.room.about import access_to, act_in_room, offer_more
from explorer.ui.text import escaped


def show_lesson(shown: Snapshot, view: PersonView) -> None:
    """Show the lesson to a person of the room."""
    own, now = view.own, shown.live[NOW]
    for part in view.parts:
        if part.pairs and part.pair is None:  # the person joined after this step
            access = access_to(own.code)
            pair_seat(access, own.person, part.key, "join")
            view = person_view(load_lesson(access), own.person)
            now = person_now(view)
    with st.container(key="lesson-head"):
        show_now(now, key="lesson-now", live=NOW)
    show_refusal()
    with st.container(width=760):
        if not view.parts:
            st.subheader(escaped(view.question), anchor=False)
        # A person's own game does not affect the rest of their page.
        part_by_itself(_own_parts)(own, [view])
        _before(view)
        with st.container(horizontal=True, vertical_alignment="center"):
            offer_more(own)
            choose_language()


def _own_parts(own: Own, drawn: list[PersonView]) -> None:
    """Show the parts to their person; `drawn` has the view until it was shown."""
    if is_refused():
        st.rerun()  # the reason is shown at the top
    try:
        view = drawn.pop() if drawn else person_view(load_lesson(access_to(own.code)), own.person)
        parts = {part.place: _part(view, part) for part in view.parts if part.stage is not None}
    except RoomError:
        st.rerun()  # the whole page says that the room is closed, or what else has happened
    show_room_parts(
        view.parts,
        lambda part: parts[part.place],
        sources=view.sources,
        spoken=view.language,
        key=f"lesson-{own.code}-{own.person}",
        answer=partial(_act, view, "answer"),
        moved=partial(_act, view, "moved"),
        game=partial(_act, view, "game"),
        seat=partial(_act, view, "seat"),
    )


def own_settings(key: str, parts: Sequence[LessonPart]) -> tuple[Data, Callable[[Data], None]]:
    """Return this window's settings of experiments, and what changes them as a browser asks."""
    settings: Data = st.session_state.setdefault(f"{key}-settings", {})
    blocks = {part.place - 1: part.block for part in parts}

    def tried(request: Data) -> None:
        place = request.get("place")
        block = blocks.get(place) if isinstance(place, int) else None
        if block is not None and block.kind == "experiment":
            settings[f"knobs-{place}"] = settings_sent(block, request.get("knobs"))

    return settings, tried


def show_room_parts(
    parts: Sequence[LessonPart],
    shown: Callable[[LessonPart], Shown],
    *,
    sources: Mapping[str, str],
    spoken: str,
    key: str,
    **how: Any,
) -> None:
    """Show parts of a room's lesson; `shown` returns the data of those that ask something.

    `spoken` is the language of the lesson's texts. The settings of experiments are this window's
    own.
    """
    settings, tried = own_settings(key, parts)

    def data(part: LessonPart) -> Shown:
        if part.stage is not None:
            return shown(part)
        return reading_part(part, settings.get(f"knobs-{part.place - 1}"))

    if parts:
        show_parts(
            about_parts(key, dict.fromkeys(sources, ""), spoken),
            [data(part) for part in parts],
            key=key,
            done={**settings, **answers_of(parts)},
            experiment=tried,
            **how,
        )


def _part(view: PersonView, part: LessonPart) -> Shown:
    access, who = access_to(view.own.code), (view.own.person, part.key)
    draft, game = None, None
    if part.stage == "open" and part.block.kind == "game" and not part.pairs:
        game = game_of(access, *who)
    elif part.stage == "open" and part.block.kind in ("predict", "playable"):
        draft = noted_guess(access, *who)
    return person_part(view, part, draft=draft, game=game)


def _act(view: PersonView, does: str, request: Data) -> None:
    """Do what the person's browser asks for, which may be anything."""
    part = next((part for part in view.parts if part.place - 1 == request.get("place")), None)
    if part is None:
        return
    about = view.own.code, view.own.person, part.key
    value = answer_from_words(part.block, request.get("value"))
    choice, change = request.get("choice"), request.get("change")
    if does == "answer" and value is not None:
        act_in_room(answer_block, *about, value)
    elif does == "moved" and value is not None and part.block.kind in ("predict", "playable"):
        # The number is stored, so that it survives a reload.
        act_in_room(note_guess, *about, float(value))
    elif does == "seat" and change in ("back", "bot"):
        act_in_room(pair_seat, *about, change)
    elif does == "game" and part.block.kind == "game":
        if part.pairs:
            act_in_room(pair_answer, *about, request.get("question"), str(choice))
        elif isinstance(choice, str):
            act_in_room(play, *about, choice)
        else:
            act_in_room(play_again, *about, request.get("role"))


def _before(view: PersonView) -> None:
    """Show the earlier steps, folded."""
    if not view.before:
        return
    with st.expander(
        escaped(tr("What we had before")), on_change="rerun", key="lesson-before"
    ) as folded:
        if not folded.open:
            return
        at = load_lesson(access_to(view.own.code))
        parts = [part_before(at, place, view.own.person) for place, *_ in view.before]
        show_room_parts(
            [part for part in parts if part.block.kind != "experiment"],
            part_had,
            sources=view.sources,
            spoken=view.language,
            key=f"lesson-before-{view.own.code}",
        )
