"""In a lesson, a connection brings what to do before any page runs, and nothing of other people."""

import json
from contextlib import ExitStack

import pytest

from tests.explorer.connections import lesson
from tests.explorer.connections.browsers import Browser

TRUTH = "87.5"


def receive_until(window, words):
    while words not in window.frames[-1]:
        window.receive()


@pytest.fixture
def browser(frames):
    with ExitStack() as opened:
        yield lambda: Browser(frames, opened)


def screen_of(window):
    window.receive()
    return json.loads(window.frames[-1])


def test_what_to_do_comes_first_and_answers_run_no_page(frames, browser):
    leader, phones = browser(), [browser() for _ in range(2)]
    code = frames.call(lesson.open_lesson, leader.visitor)
    people = [frames.call(lesson.join, code, phone.visitor) for phone in phones]
    windows = [
        phone.open_window(code, f"person:{n}") for phone, n in zip(phones, people, strict=True)
    ]
    wall, lead = leader.open_window(code, "projector"), leader.open_window(code, "lead")
    for window in windows:
        window.ask()
    frames.call(lesson.steer, code, "go", lesson.GUESS[0], leader.visitor)
    for window in windows:
        first = screen_of(window)
        assert first["live"]["now"]["now"] == "Your turn: answer this."
        assert "mark" not in first
        assert screen_of(window).keys() == {"mark"}
    frames.call(lesson.steer, code, "timer", 60, leader.visitor)
    for window in windows:
        timed = screen_of(window)
        assert timed.keys() == {"live"}
        assert 0 < timed["live"]["now"]["ends"] - timed["live"]["now"]["clock"] <= 60
    for person, phone in zip(people, phones, strict=True):
        frames.call(lesson.guess, code, person, "40", phone.visitor)
    # The last answer reruns no page, neither on the projector nor at the facilitator's.
    for window in (wall, lead):
        receive_until(window, "2 of 2 have answered")
        assert json.loads(window.frames[-1]).keys() == {"live"}
    assert not any(TRUTH in frame for window in (*windows, wall, lead) for frame in window.frames)
