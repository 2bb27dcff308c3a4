"""Words and polls in a lesson: nothing is shown to the class before it is let through."""

import dataclasses
import json

import pytest

from explorer import rooms
from explorer.lessons import library
from explorer.lessons.answers import answer_from_words
from explorer.lessons.lesson import lesson_of
from explorer.rooms.events import fold
from explorer.rooms.lesson_parts import lead_part, person_part
from explorer.rooms.lesson_windows import lead_now
from explorer.rooms.slides import lesson_slide
from tests.explorer.rooms.all_slides import invite

TEACHER, ADA, BEN = "t" * 32, "a" * 32, "b" * 32
WORDS, POLL = (1, "before"), (2, "before")
LESSON = lesson_of(
    {
        "schema": 1,
        "title": "Say it",
        "question": "What do you say?",
        "minutes": 5,
        "summary": "Words and a poll.",
        "block": [
            {"kind": "say", "question": "What would you ask a liar?"},
            {"kind": "say", "question": "Do you trust it?", "choices": ["yes", "no"]},
        ],
    },
    "say.toml",
    "90",
    "say-it",
)
SECRET = "I would ask it twice"


@pytest.fixture
def people(storage, monkeypatch):
    monkeypatch.setattr("explorer.rooms.lesson.lessons", lambda: ((LESSON,), ()))
    code = rooms.open_room(storage, rooms.RoomPlan(kind="lesson", lesson="say-it"), TEACHER).code
    access = {who: rooms.Access(storage, code, who) for who in (TEACHER, ADA, BEN)}
    people = {who: rooms.join(access[who]).number for who in (ADA, BEN)}
    rooms.steer(access[TEACHER], "go", 1)
    return access, people


def wall(access):
    return rooms.projector_view(rooms.load_lesson(access[TEACHER]))


def slide(access):
    return lesson_slide(wall(access), invite("ABCDE"), {})


def everything(view):
    return json.dumps(dataclasses.asdict(view), default=str)


def test_words_reach_the_projector_only_when_they_are_let_through(people):
    access, who = people
    rooms.answer_block(access[ADA], who[ADA], WORDS, SECRET)
    rooms.answer_block(access[BEN], who[BEN], WORDS, "Nothing at all")
    for act in ("open", "lock", "reveal", "open"):
        assert SECRET not in everything(wall(access))
        assert SECRET not in everything(rooms.person_view(rooms.load_lesson(access[BEN]), who[BEN]))
        rooms.steer(access[TEACHER], act)
    # The facilitator reads them without names, by the alphabet.
    (part,) = rooms.lead_view(rooms.load_lesson(access[TEACHER])).at_hand
    assert part.words == ((who[ADA], SECRET, False), (who[BEN], "Nothing at all", False))
    # Two taps put two answers side by side.
    rooms.steer(access[TEACHER], "let", (who[BEN], "Nothing at all"))
    rooms.steer(access[TEACHER], "let", (who[ADA], SECRET))
    shown = slide(access)
    assert (shown["kind"], shown["said"]) == ("said", ["Nothing at all", SECRET])
    assert "Person" not in json.dumps(shown)
    rooms.steer(access[TEACHER], "let", (who[BEN], "Nothing at all"))
    assert slide(access)["said"] == [SECRET]
    # No other phone gets them.
    assert SECRET not in everything(rooms.person_view(rooms.load_lesson(access[BEN]), who[BEN]))


def test_words_that_are_shown_stay_as_they_were_read(people):
    access, who = people
    rooms.answer_block(access[ADA], who[ADA], WORDS, SECRET)
    rooms.answer_block(access[ADA], who[ADA], WORDS, "Something else")
    with pytest.raises(rooms.NotNowError, match="words were changed or deleted meanwhile"):
        rooms.steer(access[TEACHER], "let", (who[ADA], SECRET))
    rooms.steer(access[TEACHER], "let", (who[ADA], "Something else"))
    with pytest.raises(rooms.NotNowError, match="class is reading your words"):
        rooms.answer_block(access[ADA], who[ADA], WORDS, "Something rude")
    rooms.steer(access[TEACHER], "reset")
    assert slide(access)["kind"] == "parts"
    rooms.answer_block(access[ADA], who[ADA], WORDS, "Something rude")
    assert slide(access)["kind"] == "parts"


def test_whoever_deletes_their_part_takes_their_words_off_the_projector(storage, people):
    access, who = people
    rooms.answer_block(access[ADA], who[ADA], WORDS, SECRET)
    rooms.steer(access[TEACHER], "let", (who[ADA], SECRET))
    rooms.forget(access[ADA], who[ADA])
    assert slide(access)["kind"] == "parts"
    room = rooms.room_of(access[TEACHER])
    _, log = storage.rooms.log(room.code)
    assert SECRET not in json.dumps([dataclasses.asdict(event) for event in log], default=str)
    assert fold(room.number, log).people[who[ADA]]["name"] == ""


def test_a_poll_shows_its_counts_when_it_is_revealed_and_not_before(people):
    access, who = people
    rooms.steer(access[TEACHER], "go", 2)
    rooms.answer_block(access[ADA], who[ADA], POLL, "0")
    for act in ("lock", "open"):
        rooms.steer(access[TEACHER], act)
        assert not any(part.charts for part in wall(access).parts)
    rooms.steer(access[TEACHER], "reveal")
    (part,) = wall(access).parts
    assert [row["count"] for row in part.charts[0]["rows"]] == [1, 0]
    assert not any(row["right"] for row in part.charts[0]["rows"])


def test_the_facilitator_is_told_to_show_words_and_to_reveal_a_poll(people):
    access, _ = people
    for step, said in ((1, "Show one answer, or two."), (2, "Reveal, when they have talked.")):
        rooms.steer(access[TEACHER], "go", step)
        rooms.steer(access[TEACHER], "lock")
        view = rooms.lead_view(rooms.load_lesson(access[TEACHER]))
        assert lead_now(view)["now"].endswith(said)
        # The facilitator sees what is asked.
        (part,) = view.at_hand
        assert lead_part(part)[0]["title"] == LESSON.blocks[step - 1].question


def test_words_are_one_short_line(people):
    access, who = people
    block = LESSON.blocks[0]
    assert answer_from_words(block, "  two\n words ") == "two words"
    for wrong in ("", " ", 3, None, "x" * 201, "a\0b"):
        assert answer_from_words(block, wrong) is None
    with pytest.raises(rooms.RoomError, match="does not answer that question"):
        rooms.answer_block(access[ADA], who[ADA], WORDS, "two\nlines")
    rooms.answer_block(access[ADA], who[ADA], WORDS, SECRET)
    view = rooms.person_view(rooms.load_lesson(access[ADA]), who[ADA])
    made, now = person_part(view, view.parts[0], draft=None, game=None)
    assert (made["most"], now["takes"], view.parts[0].mine) == (200, "change", SECRET)
    assert [row["answer"] for row in rooms.lesson_table(access[TEACHER])] == [SECRET]


def test_bots_of_a_rehearsal_say_something_too(people):
    access, _ = people
    rooms.bots_join(access[TEACHER], 4)
    rooms.bots_answer(access[TEACHER])
    (part,) = rooms.lead_view(rooms.load_lesson(access[TEACHER])).at_hand
    assert part.words == ()  # people take part, and have written nothing
    for who in (ADA, BEN):
        rooms.leave(access[who], people[1][who])
    (part,) = rooms.lead_view(rooms.load_lesson(access[TEACHER])).at_hand
    assert len(part.words) == 4
    assert library.title_of(LESSON.blocks[0]) == "What would you ask a liar?"
