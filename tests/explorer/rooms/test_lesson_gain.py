"""What a lesson has taught a class: to the facilitator, with an interval, and nobody's name."""

import dataclasses
import json
from math import comb

import pytest

from explorer.rooms import (
    Access,
    RoomPlan,
    answer_block,
    join,
    lead_view,
    load_lesson,
    open_room,
    person_view,
    projector_view,
    steer,
)
from explorer.rooms.lesson import steps
from explorer.rooms.lesson_gain import ClassGain, class_gain
from tests.explorer.rooms.lesson_places import LESSON
from tests.explorer.rooms.people import visitor

TEACHER = "t" * 32
FIRST, LAST = (place + 1 for place in LESSON.transfer)


def numbers(place):
    """Return the numbers of a wrong answer and of the right one."""
    block = LESSON.blocks[place - 1]
    right = [choice == block.right for choice in block.choices] or [
        answer.right for answer in block.answers
    ]
    return str(right.index(False)), str(right.index(True))


def go(storage, code, place, *acts):
    step = next(n for n, step in enumerate(steps(LESSON), 1) if place in step)
    for act in (("go", step), ("open",), *acts):
        steer(Access(storage, code, TEACHER), *act)


@pytest.fixture
def room(storage):
    """A room of four, of whom one is right before, two after, and one answers only once."""
    code = open_room(storage, RoomPlan(kind="lesson", lesson="two-rooms", names=True), TEACHER).code
    people = [join(Access(storage, code, visitor(n)), f"Name{n}").number for n in range(1, 5)]
    for place, right in ((FIRST, (1, 0, 0, 0)), (LAST, (1, 1, 0, None))):
        go(storage, code, place)
        for n, (person, good) in enumerate(zip(people, right, strict=True), 1):
            if good is not None:
                said = numbers(place)[good]
                answer_block(Access(storage, code, visitor(n)), person, (place, "before"), said)
    return code


def shown(view):
    return json.dumps(dataclasses.asdict(view), default=str, ensure_ascii=False)


def test_the_facilitator_sees_the_gain_and_nobody_else_does(storage, room):
    at = load_lesson(Access(storage, room))
    assert class_gain(at) == ClassGain(people=3, before=1, after=2, gained=1, lost=0)
    said = class_gain(at).sentence
    assert said.startswith("3 people answered both questions: 1 right before the lesson, 2 after")
    assert "Gain: 33 points of 100 (95% interval: " in said
    assert "Name" not in said
    assert said in shown(lead_view(at))
    for view in (projector_view(at), *(person_view(at, person) for person in (1, 2, 3, 4))):
        assert "both questions" not in shown(view)


def test_what_was_right_before_is_not_told_even_if_it_is_revealed(storage, room):
    go(storage, room, FIRST, ("reveal",))
    at = load_lesson(Access(storage, room))
    for view in (projector_view(at), person_view(at, 2)):
        for part in view.parts:
            assert all(not row["right"] for chart in part.charts for row in chart["rows"])


def test_nothing_is_said_before_somebody_has_answered_both(storage):
    code = open_room(storage, RoomPlan(kind="lesson", lesson="two-rooms"), TEACHER).code
    person = join(Access(storage, code, visitor(1))).number
    go(storage, code, FIRST)
    answer_block(Access(storage, code, visitor(1)), person, (FIRST, "before"), "0")
    go(storage, code, LAST)
    at = load_lesson(Access(storage, code))
    assert class_gain(at) is None
    assert "both questions" not in shown(lead_view(at))


def law(people, gains, losses):
    """Yield each number of gains and of losses, with its chance."""
    for up in range(people + 1):
        for down in range(people - up + 1):
            ways = comb(people, up) * comb(people - up, down)
            rest = 1 - gains - losses
            yield up, down, ways * gains**up * losses**down * rest ** (people - up - down)


@pytest.mark.parametrize("people", [8, 15, 30])
@pytest.mark.parametrize(("gains", "losses"), [(0.1, 0.1), (0.4, 0.1), (0.5, 0.0), (0.7, 0.1)])
def test_the_interval_holds_the_gain_about_as_often_as_it_says(people, gains, losses):
    """Over all outcomes, each with its chance."""
    held = 0.0
    for up, down, chance in law(people, gains, losses):
        low, high = ClassGain(people, down, up, up, down).interval
        held += chance * (low <= gains - losses <= high)
    assert held > 0.92


def test_the_interval_of_one_person_says_nearly_nothing():
    low, high = ClassGain(1, 0, 1, 1, 0).interval
    assert low < 0 < high
    assert ClassGain(1, 1, 0, 0, 1).sentence.startswith("1 person answered both questions: 1 right")
    assert "Gain: −100 points" in ClassGain(1, 1, 0, 0, 1).sentence
