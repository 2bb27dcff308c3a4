"""What a lesson has taught a class: to the facilitator, with an interval, and nobody's name."""

import dataclasses
import json
from math import comb

import pytest

from explorer import rooms
from explorer.lessons import answer_from_words, options, own_answers
from explorer.rooms.lesson_answers import give
from explorer.rooms.lesson_gain import ClassGain, class_gain
from explorer.rooms.lesson_parts import answer_in_words
from explorer.rooms.slides import lesson_slide
from tests.depth import each
from tests.explorer.rooms.lesson_places import LESSON, step_of
from tests.explorer.rooms.people import visitor

TEACHER = "t" * 32
FIRST, LAST = (place + 1 for place in LESSON.transfer)


def numbers(storage, code, place, person):
    """Return the numbers of a wrong answer and of the right one, to what a person is asked."""
    block = rooms.load_lesson(rooms.Access(storage, code)).asked(place, person)
    known = {options(block)[n][1]: str(n) for n in own_answers(block)}
    return known[False], known[True]


def go(storage, code, place, *acts):
    for act in (("go", step_of(place)), ("open",), *acts):
        rooms.steer(rooms.Access(storage, code, TEACHER), *act)


@pytest.fixture
def room(storage):
    """A room of four, of whom one is right before, two after, and one answers only once."""
    code = rooms.open_room(
        storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms", names=True), TEACHER
    ).code
    people = [
        rooms.join(rooms.Access(storage, code, visitor(n)), f"Name{n}").number for n in range(1, 5)
    ]
    for place, right in ((FIRST, (1, 0, 0, 0)), (LAST, (1, 1, 0, None))):
        go(storage, code, place)
        for n, (person, good) in enumerate(zip(people, right, strict=True), 1):
            if good is not None:
                said = numbers(storage, code, place, person)[good]
                rooms.answer_block(
                    rooms.Access(storage, code, visitor(n)), person, (place, "before"), said
                )
    return code


def shown(view):
    return json.dumps(dataclasses.asdict(view), default=str, ensure_ascii=False)


def test_the_facilitator_sees_the_gain_and_nobody_else_does(storage, room):
    at = rooms.load_lesson(rooms.Access(storage, room))
    gain = class_gain(at)
    assert gain == ClassGain(3, before=1, after=2, gained=1, lost=0, drawn=True)
    # As of 5, one more gained and one more lost: 1/5, and 1.96 times the root of (2/5 - 1/25) / 5.
    assert gain.interval == pytest.approx((0.2 - 0.5259, 0.2 + 0.5259), abs=1e-4)
    said = gain.sentence
    assert said.startswith("3 people answered both questions: 1 right before the lesson, 2 after")
    assert "Gain: 33 points of 100 (95% interval: " in said
    assert said.endswith(
        "which of the two questions came first, so this is no difference in difficulty."
    )
    assert "Name" not in said
    assert said in shown(rooms.lead_view(at))
    for view in (
        rooms.projector_view(at),
        *(rooms.person_view(at, person) for person in (1, 2, 3, 4)),
    ):
        assert "both questions" not in shown(view)


def test_what_was_right_before_is_not_told_even_if_it_is_revealed(storage, room):
    go(storage, room, FIRST, ("reveal",))
    at = rooms.load_lesson(rooms.Access(storage, room))
    for view in (rooms.projector_view(at), rooms.person_view(at, 2)):
        for part in view.parts:
            assert all(not row["right"] for chart in part.charts for row in chart["rows"])


def test_nothing_is_said_before_somebody_has_answered_both(storage):
    code = rooms.open_room(storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms"), TEACHER).code
    person = rooms.join(rooms.Access(storage, code, visitor(1))).number
    go(storage, code, FIRST)
    said, _ = numbers(storage, code, FIRST, person)
    rooms.answer_block(rooms.Access(storage, code, visitor(1)), person, (FIRST, "before"), said)
    go(storage, code, LAST)
    at = rooms.load_lesson(rooms.Access(storage, code))
    assert class_gain(at) is None
    assert "both questions" not in shown(rooms.lead_view(at))


def test_chance_draws_who_is_asked_which_question_first(storage):
    """Of two who join one after the other, one begins with each; the draw differs by room."""
    drawn = set()
    for _ in range(6):
        code = rooms.open_room(
            storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms"), TEACHER
        ).code
        at = rooms.load_lesson(rooms.Access(storage, code))
        first = tuple(at.begins_with_the_other(person) for person in range(2, 22))
        assert all(one != other for one, other in zip(first[::2], first[1::2], strict=True))
        again = rooms.load_lesson(rooms.Access(storage, code))
        assert first == tuple(again.begins_with_the_other(person) for person in range(2, 22))
        drawn.add(first)
    assert len(drawn) > 1


def test_everybody_is_asked_both_questions_and_nobody_else_s(storage):
    code = rooms.open_room(storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms"), TEACHER).code
    people = [rooms.join(rooms.Access(storage, code, visitor(n))).number for n in range(1, 4)]
    asked = {person: [] for person in people}
    for place in (FIRST, LAST):
        go(storage, code, place)
        for n, person in enumerate(people, 1):
            at = rooms.load_lesson(rooms.Access(storage, code))
            (part,) = (p for p in rooms.person_view(at, person).parts if p.stage is not None)
            asked[person].append(part.block.question)
            # The other question's answers are no answers here.
            others = {*range(6)} - {*own_answers(at.block(place))}
            mine = own_answers(at.asked(place, person))
            for value in range(6):
                access = rooms.Access(storage, code, visitor(n))
                if value in mine:
                    rooms.answer_block(access, person, (place, "before"), str(value))
                    continue
                with pytest.raises(rooms.RoomError, match="does not answer that question"):
                    rooms.answer_block(access, person, (place, "before"), str(value))
            assert len(mine) == len(others) == 3
            text = options(at.block(place))[mine[0]][0]
            assert answer_from_words(part.block, text) == str(mine[0])
            assert answer_in_words(part.block, str(mine[0])) == text
    both = {LESSON.blocks[place - 1].question for place in (FIRST, LAST)}
    assert all({*questions} == both for questions in asked.values())
    assert len({questions[0] for questions in asked.values()}) == 2


def slide_of(at):
    return lesson_slide(rooms.projector_view(at), {"address": "", "code": ""}, {})


def test_before_the_lesson_the_front_shows_neither_question(storage, room):
    questions = [LESSON.blocks[place - 1].question for place in (FIRST, LAST)]
    for act in (("open",), ("lock",), ("reveal",)):
        go(storage, room, FIRST, act)
        (part,) = rooms.projector_view(rooms.load_lesson(rooms.Access(storage, room))).parts
        slide = slide_of(rooms.load_lesson(rooms.Access(storage, room)))
        assert part.charts == ()
        assert slide["title"] == "Before we begin: a question on your phone"
        told = json.dumps({**slide, "about": ""}, ensure_ascii=False)
        assert not any(question in told for question in questions[1:])
    go(storage, room, LAST, ("reveal",))
    at = rooms.load_lesson(rooms.Access(storage, room))
    (part, *_) = rooms.projector_view(at).parts
    assert part.charts == ()
    assert slide_of(at)["title"] == "Your phone says what is right, and why"
    # The facilitator sees how each was answered.
    (part,) = (part for part in rooms.lead_view(at).at_hand if part.stage is not None)
    assert [chart["title"] for chart in part.charts] == questions[::-1]


def test_an_answer_of_before_there_was_a_draw_stays_with_its_question(storage):
    """Then everybody began with the file's first question."""
    code = rooms.open_room(storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms"), TEACHER).code
    people = [rooms.join(rooms.Access(storage, code, visitor(n))).number for n in range(1, 5)]
    for person in people:
        at = rooms.load_lesson(rooms.Access(storage, code))
        give(at.room, person, "two-rooms", *at.stored((FIRST, "before")), "guess", "1")
    at = rooms.load_lesson(rooms.Access(storage, code))
    assert not any(map(at.begins_with_the_other, people))
    assert [at.asked(LAST, person) for person in people] == [at.block(LAST)] * len(people)


def law(people, gains, losses):
    """Yield each number of gains and of losses, with its chance."""
    for up in range(people + 1):
        for down in range(people - up + 1):
            ways = comb(people, up) * comb(people - up, down)
            rest = 1 - gains - losses
            yield up, down, ways * gains**up * losses**down * rest ** (people - up - down)


@each("people", [8, 15, 30])
@each(("gains", "losses"), [(0.1, 0.1), (0.4, 0.1), (0.5, 0.0), (0.7, 0.1)])
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
