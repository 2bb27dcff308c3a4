"""A lesson in a room, as a participant sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from explorer.lessons import WORDS, Block, game, title_of
from explorer.rooms import (
    NOW,
    Key,
    LessonPart,
    PersonView,
    RoomError,
    answer_block,
    game_of,
    load_lesson,
    note_guess,
    noted_guess,
    pair_answer,
    pair_seat,
    part_before,
    person_now,
    person_view,
    play,
    play_again,
)
from explorer.server import Snapshot
from explorer.ui.acting import is_refused, show_refusal
from explorer.ui.fronts import show_guess, show_now, show_tally
from explorer.ui.layout import part as part_by_itself
from explorer.ui.lesson import show_playable, show_reading, show_scene, show_sums
from explorer.ui.room.about import access_to, act_in_room, offer_more
from explorer.ui.text import alert, escaped, segments, show_prose, small


def show_choices(block: Block) -> None:
    """Show the possible answers as a list."""
    texts = [answer.text for answer in block.answers] or list(block.choices)
    if texts:
        st.markdown("\n".join(f"- {escaped(text)}" for text in texts))
    elif block.kind in ("predict", "playable"):
        st.markdown(escaped(block.with_unit(f"A number from {block.low:g} to {block.high:g}")))


def show_truth(
    part: LessonPart,
    sources: Mapping[str, str],
    key: str,
    *,
    big: bool = False,
    live: str | None = None,
) -> None:
    """Show the answers and, once it is revealed, what is right and why.

    The texts are big on a projector. With the part's name `live`, the answers are kept up to date.
    """
    show_tally(part.charts, key=f"{key}-tally", big=big, live=live)
    if not part.revealed:
        return
    block = part.block
    if block.kind == "predict":
        show_prose(block.text, sources)
    for number, answer in enumerate(block.answers):
        if answer.right:
            alert("success", f"Right: {answer.text}. {answer.why}", icon="✔️")
        elif part.mine == str(number):
            alert("error", f"Not quite: {answer.text}. {answer.why}", icon="✖️")


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
        for part in view.parts:
            _part(view, part)
        _before(view)
        offer_more(own)


def _part(view: PersonView, part: LessonPart) -> None:
    # A reset also resets the controls.
    own = view.own
    key = f"lesson-{own.code}-{own.person}-{part.place}-{part.key[1]}-{part.resets}"
    if part.stage is None:
        show_reading(part.block, view.sources, key)
        return
    if part.block.kind in ("game", "playable") and not part.pairs:
        show_prose(part.block.text, view.sources)
    if part.block.kind == "playable":
        show_playable(part.block, key)
    with st.container(border=True):
        if part.round_name:
            small(part.round_name)
        if part.block.kind in ("predict", "playable"):
            _guess(view, part, key)
        elif part.block.kind == "quiz":
            _quiz(view, part, key)
        elif part.pair is not None:
            _pair(view, part, key)
        elif part.stage == "open":
            # A person's own game does not affect the rest of their page.
            part_by_itself(_game)(view, part, key)
        else:
            st.markdown(f"**{escaped(title_of(part.block))}**")
        show_truth(part, view.sources, key)


def _about(view: PersonView, part: LessonPart) -> tuple[str, int, Key]:
    """Return how an act names the person and the question."""
    return view.own.code, view.own.person, part.key


def _guess(view: PersonView, part: LessonPart, key: str) -> None:
    block = part.block
    # A result from a drawing is not a guess.
    said = "guess" if block.kind == "predict" else "result"
    st.markdown(f"**{WORDS[said]}.** {escaped(block.question)}")
    if block.choices:
        _choose(view, part, key, list(block.choices))
        return
    if _takes_answers(view, part):
        about, mine = _about(view, part), None if part.mine is None else float(part.mine)
        noted = noted_guess(access_to(view.own.code), view.own.person, part.key)
        send = WORDS["say" if block.kind == "predict" else "send"]
        show_guess(
            block,
            label=WORDS[said],
            say=send if mine is None else f"Change my {said}",
            key=f"{key}-ask",
            value=mine if noted is None else noted,
            given=mine,
            # The number is stored, so that it survives a reload.
            on_moved=lambda value: act_in_room(note_guess, *about, value),
            on_said=lambda value: act_in_room(answer_block, *about, f"{value:g}"),
        )
    elif part.mine is None and not part.revealed:
        show_choices(block)
    if part.mine is not None:
        st.markdown(f"{WORDS[said]}: **{escaped(block.with_unit(f'{float(part.mine):g}'))}**")


def _takes_answers(view: PersonView, part: LessonPart) -> bool:
    """Return whether an answer is accepted, also instead of an earlier one."""
    return part.stage == "open" and (view.led or part.mine is None)


def _quiz(view: PersonView, part: LessonPart, key: str) -> None:
    st.markdown(f"**Question.** {escaped(part.block.question)}")
    _choose(view, part, key, [answer.text for answer in part.block.answers])


def _choose(view: PersonView, part: LessonPart, key: str, texts: list[str]) -> None:
    """Offer the answers; one tap answers."""
    numbers = list(map(str, range(len(texts))))
    if not _takes_answers(view, part):
        if part.revealed and part.block.kind == "quiz":
            return  # the right answer and the person's own are shown below
        for number, text in enumerate(texts):
            st.markdown(f"{'**●**' if part.mine == str(number) else '○'} {escaped(text)}")
        return

    def chosen() -> None:
        value = st.session_state.get(f"{key}-ask")
        if value is not None:
            act_in_room(answer_block, *_about(view, part), value)

    st.radio(
        "Answers",
        numbers,
        index=numbers.index(part.mine) if part.mine in numbers else None,
        format_func=lambda number: escaped(texts[int(number)]),
        key=f"{key}-ask",
        label_visibility="collapsed",
        on_change=chosen,
    )


def _game(view: PersonView, part: LessonPart, key: str) -> None:
    """Show a game against the machine."""
    if is_refused():
        st.rerun()  # the reason is shown at the top
    played = game(part.block.name)
    st.markdown(f"**{escaped(played.title)}**")
    access, about = access_to(view.own.code), _about(view, part)
    try:
        now = game_of(access, view.own.person, part.key)
    except RoomError:
        st.rerun()  # the whole page says that the room is closed, or what else has happened
    roles = {role.name: role.label for role in played.roles}

    def chosen() -> None:
        # Start another game only on a choice: another window may show another side.
        if role := st.session_state.get(f"{key}-role"):
            game_of(access, view.own.person, part.key, role)

    segments(WORDS["side"], roles, now.role, key=f"{key}-role", on_change=chosen)
    show_scene(
        now.scene,
        key,
        lambda choice: act_in_room(play, *about, choice),
        lambda: act_in_room(play_again, *about),
    )
    show_sums(played, now.ended)


def _pair(view: PersonView, part: LessonPart, key: str) -> None:
    """Show one's own half of a game that two phones play."""
    pair = part.pair
    assert pair is not None
    st.markdown(f"**{escaped(title_of(part.block))}**")
    about = _about(view, part)
    playing = part.stage == "open"
    if part.stage == "locked" or playing:
        show_scene(
            # Without choices while no answers are accepted.
            pair.scene
            if playing or not pair.scene.choices
            else replace(pair.scene, choices=(), prompt=""),
            f"{key}-{pair.question}",
            lambda choice: act_in_room(pair_answer, *about, pair.question, choice),
        )
    if not playing:
        return
    if pair.away:
        back = partial(act_in_room, pair_seat, *about, "back")
        st.button("Take my place back", key=f"{key}-back", type="primary", on_click=back)
    elif pair.waiting:
        label = escaped(f"Do not wait for {pair.partner}: go on with a bot")
        bot = partial(act_in_room, pair_seat, *about, "bot")
        st.button(label, key=f"{key}-bot", type="tertiary", on_click=bot)


def _before(view: PersonView) -> None:
    """Show the earlier steps, folded."""
    if not view.before:
        return
    with st.expander("What we had before", on_change="rerun", key="lesson-before") as folded:
        if not folded.open:
            return
        at = load_lesson(access_to(view.own.code))
        for place, *_ in view.before:
            part = part_before(at, place, view.own.person)
            key = f"lesson-before-{part.place}"
            if part.stage is None:
                if part.block.kind != "experiment":
                    show_reading(part.block, view.sources, key)
            else:
                st.markdown(f"**{escaped(title_of(part.block))}**")
                if part.mine is not None and not part.revealed:
                    show_choices(part.block)
                show_truth(part, view.sources, key)
