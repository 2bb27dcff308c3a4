"""The pace of a lesson in a room."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.lessons.library import lessons
from explorer.rooms.errors import NotNowError
from explorer.rooms.lesson import ASKING, ROUNDS, TIMES, Pace, steps
from tests.depth import each
from tests.explorer.rooms.lesson_places import GUESS, LESSON, PAIRS, step_of

LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}
TEXT = next(n for n, block in enumerate(LESSON.blocks, 1) if block.kind == "text")
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)

ACTS = st.one_of(
    st.tuples(st.just("went"), st.integers(0, len(steps(LESSON)))),
    st.tuples(st.just("staged"), st.sampled_from(["open", "locked", "revealed"])),
    st.tuples(st.just("timed"), st.sampled_from(TIMES)),
    st.tuples(st.just("asked_in"), st.sampled_from(ROUNDS)),
    st.tuples(st.just("reset")),
    st.tuples(st.just("alone"), st.booleans()),
)


def done(pace, act, *value):
    try:
        if act == "timed":
            return pace.timed(LESSON, *value, NOW)
        if act == "alone":
            return pace.played(LESSON, alone=value[0])
        return getattr(pace, act)(LESSON, *value)
    except NotNowError:
        return pace


@given(st.lists(ACTS, max_size=30), st.booleans())
def test_a_pace_is_kept_and_shows_only_what_was_revealed(acts, led):
    pace, revealed = Pace(led=led), set()
    for act in acts:
        before, pace = pace, done(pace, *act)
        place = before.asking(LESSON)
        key = None if place is None else before.key(place)
        if act == ("staged", "revealed") and key:
            revealed.add(key)
        elif act[0] in ("staged", "timed", "reset") and key:
            revealed.discard(key)
    assert {key for key, stage in pace.stages.items() if stage == "revealed"} == revealed
    assert Pace.from_dict(json.loads(json.dumps(pace.to_dict(LESSON))), LESSON) == pace
    if pace.led:
        assert pace.shown(LESSON) == tuple(n for step in steps(LESSON)[: pace.at] for n in step)


@each("slug", LESSONS)
def test_steps_are_all_blocks_in_order_and_each_asks_at_most_once(slug):
    lesson = LESSONS[slug]
    made = steps(lesson)
    assert [n for step in made for n in step] == list(range(1, len(lesson.blocks) + 1))
    assert all(sum(lesson.blocks[n - 1].kind in ASKING for n in step) <= 1 for step in made)


def at(place):
    return Pace().went(LESSON, step_of(place))


def test_a_timer_locks_by_itself():
    guess = at(GUESS).timed(LESSON, 30, NOW)
    assert guess.stage(LESSON, (GUESS, "before"), NOW) == "open"
    assert guess.stage(LESSON, (GUESS, "before"), NOW + timedelta(seconds=30)) == "locked"
    assert guess.staged(LESSON, "open").until is None


def test_pairs_agree_first_and_rounds_are_kept_apart():
    pairs = at(PAIRS)
    assert pairs.stage(LESSON, (PAIRS, "before"), NOW) == "locked"
    walled = pairs.staged(LESSON, "revealed").asked_in(LESSON, "after")
    assert not walled.is_revealed(walled.key(PAIRS))
    assert walled.is_revealed((PAIRS, "before"))
    alone = pairs.played(LESSON, alone=True)
    assert alone.stage(LESSON, (PAIRS, "before"), NOW) == "open"


def test_what_asks_nothing_cannot_be_opened():
    with pytest.raises(NotNowError, match="asks nothing"):
        at(TEXT).staged(LESSON, "open")
