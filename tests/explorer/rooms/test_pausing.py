"""A pause of a lesson: nobody answers, nothing is shown that was hidden, and the timer stops."""

from datetime import timedelta

import pytest

from explorer.rooms import (
    NotNowError,
    answer_block,
    join,
    lead_view,
    load_lesson,
    person_now,
    person_view,
    projector_now,
    projector_view,
)
from explorer.rooms.changes import now
from explorer.rooms.lesson_windows import lead_now
from explorer.rooms.slides import lesson_slide
from tests.explorer.rooms.all_slides import invite
from tests.explorer.rooms.test_lesson_acts import ADA, GUESS, code, go, lead

__all__ = ["code"]


def test_in_a_pause_nobody_answers_and_every_window_says_so(storage, access, code):
    ada = join(access(code, ADA)).number
    go(storage, code, GUESS)
    answer_block(access(code, ADA), ada, GUESS, "40")
    lead(storage, code, ("pause",))
    with pytest.raises(NotNowError, match=r"lesson is paused\. Look up"):
        answer_block(access(code, ADA), ada, GUESS, "50")
    at = load_lesson(access(code))
    mine, wall, led = person_view(at, ada), projector_view(at), lead_view(at)
    assert [part.stage for part in mine.parts] == ["locked"]
    assert person_now(mine)["now"].startswith("Paused.")
    assert lead_now(led)["now"].startswith("Paused:")
    # Answers are still open, so nothing of them is on the projector.
    assert all(part.stage == "open" and not part.charts for part in wall.parts)
    slide = lesson_slide(wall, invite(code), {})
    assert (slide["kind"], slide["title"], slide["live"]) == ("words", "Paused", None)
    lead(storage, code, ("resume",))
    answer_block(access(code, ADA), ada, GUESS, "50")
    at = load_lesson(access(code))
    # All have answered: the bar on the projector is full.
    assert projector_now(projector_view(at))["far"] == 1
    assert (at.mine(GUESS, ada), at.stage(GUESS), at.pace.paused) == ("50", "open", False)


def test_a_pause_stops_the_timer_and_every_other_act_ends_the_pause(storage, access, code):
    go(storage, code, GUESS, ("timer", 60))
    ends = load_lesson(access(code)).pace.until
    lead(storage, code, ("pause",))
    pace = load_lesson(access(code)).pace
    assert (pace.until, pace.paused) == (None, True)
    assert 0 < pace.left <= 60
    later = pace.resumed(now() + timedelta(minutes=5))
    assert later.until > ends
    assert (later.left, later.paused) == (None, False)
    lead(storage, code, ("lock",))
    pace = load_lesson(access(code)).pace
    assert (pace.paused, pace.left, pace.stages[GUESS]) == (False, None, "locked")
