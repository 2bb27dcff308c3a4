"""The sheet of each person's course: only with names that the room has asked for, and erasable."""

import pytest

from explorer import rooms
from explorer.lessons import options, own_answers
from explorer.lessons.library import lessons
from tests.explorer.rooms.lesson_places import LESSON, step_of

TEACHER, ADA, BEN = "t" * 32, "a" * 32, "b" * 32
QUIZ = next(n for n, block in enumerate(LESSON.blocks, 1) if block.kind == "quiz")


def made(storage, *, names):
    plan = rooms.RoomPlan(kind="lesson", lesson=LESSON.slug, names=names)
    code = rooms.open_room(storage, plan, TEACHER).code
    return {who: rooms.Access(storage, code, who) for who in (TEACHER, ADA, BEN)}


def at_quiz(leads):
    rooms.steer(leads, "go", step_of(QUIZ))


def test_a_sheet_has_a_row_for_each_person_until_they_delete_their_part(storage):
    access = made(storage, names=True)
    ada, ben = rooms.join(access[ADA], "Ada").number, rooms.join(access[BEN], "Ben").number
    at_quiz(access[TEACHER])
    answers = LESSON.blocks[QUIZ - 1].answers
    right = next(n for n, each in enumerate(answers) if each.right)
    rooms.answer_block(access[ADA], ada, (QUIZ, "before"), str(right))
    rooms.answer_block(access[BEN], ben, (QUIZ, "before"), str((right + 1) % len(answers)))
    columns, rows = rooms.course_sheet(access[TEACHER])
    asked = next(column for column in columns if column.startswith(f"{QUIZ}. "))
    assert [(row["name"], row["right"], row["answered"]) for row in rows] == [
        ("Ada", 1, 1),
        ("Ben", 0, 1),
    ]
    assert rows[0][asked] == answers[right].text
    assert set(rows[0]) == set(columns)
    rooms.forget(access[ADA], ada)
    _, rows = rooms.course_sheet(access[TEACHER])
    assert [row["name"] for row in rows] == ["Ben"]


def test_what_is_right_before_and_after_depends_on_who_is_asked_what(storage):
    """In this lesson the same words are right for one question and wrong for the other."""
    lesson = next(each for each in lessons()[0] if each.slug == "rewards")
    first, last = (place + 1 for place in lesson.transfer)
    code = rooms.open_room(
        storage, rooms.RoomPlan(kind="lesson", lesson="rewards", names=True), TEACHER
    ).code
    access = {who: rooms.Access(storage, code, who) for who in (TEACHER, ADA, BEN)}
    people = {who: rooms.join(access[who], who[0]).number for who in (ADA, BEN)}
    for place in (first, last):
        rooms.steer(access[TEACHER], "go", step_of(place, lesson))
        for who, person in people.items():
            block = rooms.load_lesson(access[who]).asked(place, person)
            right = next(n for n in own_answers(block) if options(block)[n][1] == (who == ADA))
            rooms.answer_block(access[who], person, (place, "before"), str(right))
    columns, rows = rooms.course_sheet(access[TEACHER])
    assert [(row["name"], row["right"], row["answered"]) for row in rows] == [
        ("a", 2, 2),
        ("b", 0, 2),
    ]
    before, after = f"{first}. Question before the lesson", f"{last}. Question after the lesson"
    assert {before, after} < {*columns}
    questions = {lesson.blocks[place - 1].question for place in (first, last)}
    for row in rows:
        assert all(any(q in row[at] for at in (before, after)) for q in questions)


def test_there_is_none_without_names_and_only_the_facilitator_gets_it(storage):
    access = made(storage, names=False)
    rooms.join(access[ADA], "Ada")
    with pytest.raises(rooms.RoomError, match="has asked nobody for a name"):
        rooms.course_sheet(access[TEACHER])
    with pytest.raises(rooms.NotLeaderError):
        rooms.course_sheet(access[ADA])


@pytest.mark.parametrize("names", [True, False])
def test_people_are_told_of_it_before_they_join(storage, names):
    access = made(storage, names=names)
    told = " ".join(rooms.recorded(rooms.room_of(access[TEACHER])))
    assert ("a sheet of who answered what, with names" in told) == names
