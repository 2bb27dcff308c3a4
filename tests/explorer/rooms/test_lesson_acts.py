"""Tests of lesson_acts.py, lesson_answers.py, lesson_views.py and lesson_windows.py.

A lesson that a room takes together: who may do what when, and what each window shows.
"""

import dataclasses
import json
from collections import Counter
from random import Random

import pytest

from explorer import rooms
from explorer.lessons.library import lessons
from explorer.rooms.lesson import Pace, steps
from explorer.rooms.lesson_answers import charts
from tests.depth import FULL, each
from tests.explorer.rooms import lesson_places
from tests.explorer.rooms.people import opened, plan, play_out, visitor

TEACHER, ADA, BEN, EVE = ("t" * 32, "a" * 32, "b" * 32, "e" * 32)
LESSON = lesson_places.LESSON
GUESS, PAIRS, SOLO, QUIZ = (
    (place, "before")
    for place in (lesson_places.GUESS, lesson_places.PAIRS, lesson_places.SOLO, lesson_places.QUIZ)
)
WALL = (lesson_places.PAIRS, "after")


@pytest.fixture
def code(storage):
    return rooms.open_room(storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms"), TEACHER).code


def lead(storage, code, *acts):
    for act, *value in acts:
        rooms.steer(rooms.Access(storage, code, TEACHER), act, *value)


def go(storage, code, key, *acts):
    step = lesson_places.step_of(key[0])
    lead(storage, code, ("go", step), ("round", key[1]), *acts)


def text_of(view):
    return json.dumps(dataclasses.asdict(view), default=str)


def seen(storage, code, person):
    return rooms.person_view(rooms.load_lesson(rooms.Access(storage, code)), person)


DRAWN = [
    (lesson, place)
    for lesson in lessons()[0]
    for place, block in enumerate(lesson.blocks, 1)
    if block.kind == "playable"
]


@each(("lesson", "place"), DRAWN[:: 1 if FULL else 5], ids=lambda at: f"{at[0].slug} {at[1]}")
def test_what_people_find_in_a_drawing_is_opened_locked_and_revealed(
    storage, access, lesson, place
):
    code = rooms.open_room(storage, rooms.RoomPlan(kind="lesson", lesson=lesson.slug), TEACHER).code
    ada, ben = (rooms.join(access(code, who)).number for who in (ADA, BEN))
    block, key = lesson.blocks[place - 1], (place, "before")
    lead(storage, code, ("go", lesson_places.step_of(place, lesson)))

    def parts():
        at = rooms.load_lesson(access(code))
        return rooms.person_view(at, ada).parts[0], rooms.projector_view(at).parts[0]

    rooms.answer_block(access(code, ADA), ada, key, f"{block.high:g}")
    mine, wall = parts()
    assert (mine.stage, mine.mine, mine.block.truth) == ("open", f"{block.high:g}", None)
    assert (wall.charts, wall.answered, wall.block.truth) == ((), 1, None)
    with pytest.raises(rooms.RoomError):
        rooms.answer_block(access(code, BEN), ben, key, f"{block.high + 1:g}")
    lead(storage, code, ("lock",))
    with pytest.raises(rooms.NotNowError):
        rooms.answer_block(access(code, BEN), ben, key, f"{block.low:g}")
    (chart,) = parts()[1].charts
    assert (chart["kind"], chart["total"], chart["bins"][-1]) == ("histogram", 1, 1)
    assert chart["truth"] is None
    lead(storage, code, ("reveal",))
    for part in parts():
        assert part.charts[0]["truth"] == block.truth


def test_answers_are_taken_where_the_class_is_and_while_they_are_open(storage, access, code):
    ada = rooms.join(access(code, ADA)).number
    with pytest.raises(rooms.NotNowError, match="another part"):
        rooms.answer_block(access(code, ADA), ada, GUESS, "40")
    go(storage, code, GUESS)
    with pytest.raises(rooms.NotYoursError):
        rooms.answer_block(access(code, EVE), ada, GUESS, "40")
    for bad in ("101", "-1", "nan", "", "x", "1e999"):
        with pytest.raises(rooms.RoomError, match="does not answer"):
            rooms.answer_block(access(code, ADA), ada, GUESS, bad)
    rooms.answer_block(access(code, ADA), ada, GUESS, "40")
    rooms.answer_block(access(code, ADA), ada, GUESS, "60")
    assert seen(storage, code, ada).parts[0].mine == "60"
    lead(storage, code, ("lock",))
    with pytest.raises(rooms.NotNowError, match="No answers"):
        rooms.answer_block(access(code, ADA), ada, GUESS, "70")
    with pytest.raises(rooms.NotLeaderError):
        rooms.steer(access(code, ADA), "open")
    lead(storage, code, ("reset",))
    assert seen(storage, code, ada).parts[0].mine is None
    lead(storage, code, ("round", "after"))
    rooms.answer_block(access(code, ADA), ada, (GUESS[0], "after"), "80")
    rooms.leave(access(code, ADA), ada)
    with pytest.raises(rooms.NotNowError, match="left"):
        rooms.answer_block(access(code, ADA), ada, (GUESS[0], "after"), "90")


def test_an_answer_has_a_size_and_names_a_block(storage, access, code):
    ada = rooms.join(access(code, ADA)).number

    def give(lesson="l", block=0, part="p", kind="said", value="v"):
        rooms.answer(access(code, ADA), ada, lesson, block, part, kind, value)

    for most in (
        {"lesson": "l" * 60},
        {"part": "p" * 60},
        {"value": "v" * 200},
        {"block": 2**31 - 1},
    ):
        give(**most)
        ((name, value),) = most.items()
        for wrong in (
            {name: value + 1 if name == "block" else value + "x"},
            {name: -1 if name == "block" else "\0"},
            {**most, "kind": "rumour"},
        ):
            with pytest.raises(rooms.RoomError, match="does not answer a question"):
                give(**wrong)


def test_answers_of_a_person_are_counted_up_to_a_limit(storage, access, code, monkeypatch):
    # Many times what a lesson asks, and not enough to fill a disk.
    assert (rooms.lesson_answers.MOST_OF_ONE, rooms.lesson_answers.MOST_IN_ALL) == (300, 1_000)
    monkeypatch.setattr(rooms.lesson_answers, "MOST_OF_ONE", 3)
    monkeypatch.setattr(rooms.lesson_answers, "MOST_IN_ALL", 5)
    ada, ben = (rooms.join(access(code, who)).number for who in (ADA, BEN))

    def give(block, kind="outcome", who=(ADA, ada)):
        rooms.answer(access(code, who[0]), who[1], "two-rooms", block, "before", kind, "x")

    def is_refused(*given):
        with pytest.raises(rooms.RoomError, match="the most answers that are counted"):
            give(*given)

    # Every outcome of a game counts; of a guess only the last.
    for _ in range(3):
        give(4)
    is_refused(4)
    for block in (5, 6, 5):
        give(block, "guess")
    is_refused(7, "guess")
    is_refused(8)
    give(4, who=(BEN, ben))


def test_at_their_own_pace_people_see_the_truth_after_their_first_answer(storage, access, code):
    lead(storage, code, ("led", False))
    ada, ben = rooms.join(access(code, ADA)).number, rooms.join(access(code, BEN)).number
    rooms.answer_block(access(code, ADA), ada, GUESS, "40")
    with pytest.raises(rooms.NotNowError, match="first answer"):
        rooms.answer_block(access(code, ADA), ada, GUESS, "87.5")
    assert "Exactly" in text_of(seen(storage, code, ada))
    assert "Exactly" not in text_of(seen(storage, code, ben))


def test_a_game_goes_on_after_a_reload_and_its_end_is_counted(storage, access, code):
    ada = rooms.join(access(code, ADA)).number
    go(storage, code, SOLO)
    first = rooms.game_of(access(code, ADA), ada, SOLO)
    for _ in range(4):
        assert rooms.game_of(access(code, ADA), ada, SOLO).scene == first.scene
        rooms.play(access(code, ADA), ada, SOLO, "0", random=Random(1))
        first = rooms.game_of(access(code, ADA), ada, SOLO)
        if first.scene.outcome:
            break
    assert first.ended
    (row,) = rooms.lesson_table(access(code, TEACHER))
    assert row["answer"] in ("liar: caught", "liar: survived")
    rooms.forget(access(code, ADA), ada)
    assert rooms.lesson_table(access(code, TEACHER)) == []
    with pytest.raises(rooms.NotLeaderError):
        rooms.lesson_table(access(code, ADA))


def test_a_pair_plays_in_two_rooms_and_in_one(storage, access, code):
    ada, ben, eve = (rooms.join(access(code, who)).number for who in (ADA, BEN, EVE))
    for key in (PAIRS, WALL):
        go(storage, code, key)
        (part,) = seen(storage, code, ada).parts
        assert part.stage == "locked"
        assert part.pair.scene.choices == ()
        lead(storage, code, ("open",))
        at = rooms.load_lesson(access(code))
        alone = next(n for n in (ada, ben, eve) if "bot" in at_pair(at, n).partner)
        two = [n for n in (ada, ben, eve) if n != alone]
        who = {ada: ADA, ben: BEN, eve: EVE}
        for number in two:
            asked = at_pair(rooms.load_lesson(access(code)), number)
            played, _, seat = at.pair(key, number)
            mine, other = played.rounds[0].asked[seat], played.rounds[0].asked[1 - seat]
            assert f"country {mine}." in asked.scene.prompt
            assert (f"country {other}." in asked.scene.prompt) == (key == PAIRS or mine == other)
            rooms.pair_answer(access(code, who[number]), number, key, 0, "0")
            rooms.pair_answer(access(code, who[number]), number, key, 0, "1")  # pressed twice
        after = rooms.load_lesson(access(code)).pair(key, two[0])[0]
        assert after.rounds[0].answers == (0, 0)
        rooms.pair_answer(access(code, who[alone]), alone, key, 0, "0")
        counts = rooms.lead_view(rooms.load_lesson(access(code))).steps[PAIRS[0] - 1][0].charts[0]
        assert (counts["total"], counts["note"][:1]) == (1, "1")
    table = rooms.lesson_table(access(code, TEACHER))
    assert {(row["round"], row["wall"]) for row in table} == {("before", False), ("after", True)}
    assert len(table) == 6


def at_pair(at, person):
    (part,) = rooms.person_view(at, person).parts
    return part.pair


def test_bots_answer_for_an_absent_partner_and_beside_a_latecomer(storage, access, code):
    ada, ben = rooms.join(access(code, ADA)).number, rooms.join(access(code, BEN)).number
    go(storage, code, WALL, ("open",))
    rooms.pair_answer(access(code, ADA), ada, WALL, 0, "0")
    assert at_pair(rooms.load_lesson(access(code)), ada).waiting
    rooms.pair_seat(access(code, ADA), ada, WALL, "bot")
    assert at_pair(rooms.load_lesson(access(code)), ben).away
    assert at_pair(rooms.load_lesson(access(code)), ada).question == 1
    with pytest.raises(rooms.NotNowError, match="Take your place back"):
        rooms.pair_answer(access(code, BEN), ben, WALL, 1, "0")
    eve = rooms.join(access(code, EVE)).number
    assert at_pair(rooms.load_lesson(access(code)), eve) is None
    rooms.pair_seat(access(code, EVE), eve, WALL, "join")
    assert at_pair(rooms.load_lesson(access(code)), eve).partner == "A bot"
    # Ben may still come back to his place.
    rooms.pair_seat(access(code, BEN), ben, WALL, "back")
    assert at_pair(rooms.load_lesson(access(code)), ada).partner == "Person 2"
    rooms.leave(access(code, BEN), ben)
    assert at_pair(rooms.load_lesson(access(code)), ada).partner == "A bot"


def test_a_window_is_notified_of_what_it_shows_and_seldom_drawn_anew(storage, access, code):
    """The connection alone brings the number of answers, the answers, and the remaining time."""
    ada, ben = rooms.join(access(code, ADA)).number, rooms.join(access(code, BEN)).number
    windows = {
        "ada": rooms.Watcher("person", ada, ADA),
        "ben": rooms.Watcher("person", ben, BEN),
        "wall": rooms.Watcher("projector", None, TEACHER),
        "lead": rooms.Watcher("lead", None, TEACHER),
    }

    def look():
        return {
            name: rooms.view_for(rooms.room_of(access(code)), each).to_dict()
            for name, each in windows.items()
        }

    def drawn_anew(act):
        before = look()
        act()
        after = look()
        told.append({name for name in windows if before[name] != after[name]})
        return {name for name in windows if before[name]["page"] != after[name]["page"]}, after

    everybody, told = set(windows), []
    assert drawn_anew(lambda: go(storage, code, GUESS))[0] == everybody
    anew, shown = drawn_anew(lambda: rooms.answer_block(access(code, ADA), ada, GUESS, "40"))
    # Until then, pairs could still have agreed on a plan: afterwards other commands are allowed.
    assert anew == {"ada", "lead"}
    anew, shown = drawn_anew(lambda: rooms.answer_block(access(code, BEN), ben, GUESS, "60"))
    assert anew == {"ben"}
    assert "2 of 2 have answered" in shown["lead"]["live"]["now"]["now"]
    assert shown["lead"]["live"][f"charts-{GUESS[0]}-before"]["charts"][0]["total"] == 2
    assert "2 of 2 have answered" in shown["wall"]["live"]["now"]["where"]
    assert shown["wall"]["live"]["now"]["far"] == 1
    assert shown["wall"]["live"][f"charts-{GUESS[0]}-before"] == {"charts": []}
    anew, shown = drawn_anew(lambda: lead(storage, code, ("timer", 30)))
    assert anew == set()
    assert all(each["live"]["now"]["ends"] for each in shown.values())
    anew, shown = drawn_anew(lambda: lead(storage, code, ("lock",)))
    assert anew == everybody
    assert shown["ada"]["live"]["now"]["now"] == "Answers are closed. Look at the front."
    assert shown["wall"]["live"][f"charts-{GUESS[0]}-before"]["charts"][0]["total"] == 2
    # Who has answered is told to nobody but the facilitator, and only how many to the class.
    assert told[:3] == [everybody, {"ada", "wall", "lead"}, {"ben", "wall", "lead"}]
    lead(storage, code, ("open",))
    drawn_anew(lambda: rooms.answer_block(access(code, ADA), ada, GUESS, "60"))
    assert told[-1] == {"ada", "lead"}
    go(storage, code, WALL, ("open",))
    drawn_anew(lambda: rooms.pair_answer(access(code, ADA), ada, WALL, 0, "0"))
    drawn_anew(lambda: rooms.pair_answer(access(code, BEN), ben, WALL, 0, "0"))
    assert told[-2:] == [{"ada", "wall", "lead"}, everybody]


def test_bots_rehearse_every_part_and_go(storage, access, code):
    rooms.bots_join(access(code, TEACHER))
    for number, step in enumerate(steps(LESSON), 1):
        lead(storage, code, ("go", number))
        if rooms.load_lesson(access(code)).pace.asking(LESSON) is None:
            continue
        lead(storage, code, ("open",))
        rooms.bots_answer(access(code, TEACHER), chance=Random(number))
        part = rooms.lead_view(rooms.load_lesson(access(code))).steps[number - 1][0]
        assert part.answered == 30, step
        assert sum(chart["total"] for chart in part.charts) >= 15
    assert all(row["bot"] for row in rooms.lesson_table(access(code, TEACHER)))
    with pytest.raises(rooms.NotLeaderError):
        rooms.bots_answer(access(code, ADA))
    rooms.bots_go(access(code, TEACHER))
    assert rooms.lesson_table(access(code, TEACHER)) == []
    assert not rooms.load_lesson(access(code)).bots


def test_a_guess_moves_in_whole_steps_and_its_median_is_one_of_them():
    percent = LESSON.blocks[GUESS[0] - 1]
    assert percent.step == 1
    assert dataclasses.replace(percent, low=0, high=1).step == pytest.approx(0.01)
    for values, median in ((["50", "50.2"], 50), (["50", "51"], 51), (["62"], 62)):
        (chart,) = charts(percent, Counter(values), truth=False)
        assert chart["median"] == median


def reordered(monkeypatch):
    """Move the lesson's quiz before everything else, as an update of the program might."""
    blocks = list(LESSON.blocks)
    order = [QUIZ[0], *(n for n in range(1, len(blocks) + 1) if n != QUIZ[0])]
    changed = dataclasses.replace(
        LESSON,
        blocks=tuple(blocks[n - 1] for n in order),
        numbers=tuple(LESSON.numbers[n - 1] for n in order),
    )
    monkeypatch.setattr("explorer.rooms.lesson.lessons", lambda: ([changed], []))


def test_answers_stay_with_their_block_when_a_lesson_is_reordered(
    storage, access, code, monkeypatch
):
    ada = rooms.join(access(code, ADA)).number
    go(storage, code, GUESS)
    rooms.answer_block(access(code, ADA), ada, GUESS, "40")
    go(storage, code, QUIZ)
    rooms.answer_block(access(code, ADA), ada, QUIZ, "1")
    lead(storage, code, ("reveal",))
    reordered(monkeypatch)
    at = rooms.load_lesson(access(code))
    quiz, guess = (1, "before"), (GUESS[0] + 1, "before")
    assert at.pace.at == 1
    assert at.pace.is_revealed(quiz)
    assert (at.mine(quiz, ada), at.mine(guess, ada)) == ("1", "40")
    assert at.counts == {quiz: {"1": 1}, guess: {"40": 1}}
    assert at.answered == {quiz: 1, guess: 1}
    assert {row["block"] for row in rooms.lesson_table(access(code, TEACHER))} == {1, GUESS[0] + 1}


# In the form of the lesson of that time, the guess was the second block, and the drawing, whose
# question is another one today, the fourth. Today other blocks stand there.
FORMER_GUESS, FORMER_DRAWING = (2, "before"), (4, "before")


def test_answers_that_were_stored_by_place_stay_with_their_block(storage, access, code):
    ada, ben = (rooms.join(access(code, who)).number for who in (ADA, BEN))
    assert FORMER_GUESS[0] == LESSON.former_place(GUESS[0]) != GUESS[0]
    assert LESSON.place(FORMER_DRAWING[0]) is None
    assert LESSON.blocks[FORMER_DRAWING[0] - 1].takes(6)
    rooms.answer(access(code, ADA), ada, "two-rooms", *FORMER_GUESS, "guess", "40")
    rooms.answer(access(code, BEN), ben, "two-rooms", *FORMER_GUESS, "guess", "75")
    rooms.answer(access(code, ADA), ada, "two-rooms", *FORMER_DRAWING, "guess", "6")
    at = rooms.load_lesson(access(code))
    assert at.mine(GUESS, ada) == "40"
    assert at.counts == {GUESS: {"40": 1, "75": 1}}
    assert at.answered == {GUESS: 2}
    # The same place as a key of today is another block, which nobody has answered.
    assert [at.of(key) for key in (FORMER_GUESS, FORMER_DRAWING)] == [[], []]
    assert sorted(row["block"] for row in rooms.lesson_table(access(code, TEACHER))) == [0, 3, 3]
    go(storage, code, GUESS)
    rooms.answer_block(access(code, ADA), ada, GUESS, "60")
    assert rooms.load_lesson(access(code)).counts[GUESS] == {"60": 1, "75": 1}
    lead(storage, code, ("reset",))
    assert GUESS not in rooms.load_lesson(access(code)).counts


def test_a_room_of_an_earlier_version_is_where_it_was(storage, access, code):
    """It was stored with the number of its step and the places of its blocks, as in 2026."""
    former = {
        "led": True,
        "at": 2,
        "until": None,
        "alone": [FORMER_GUESS[0]],
        "rounds": {"2": "after"},
        "resets": {},
        "pairs": {},
        "stages": {"2/before": "revealed", "4/before": "locked", "5/before": "locked"},
    }
    pace = Pace.from_dict(former, LESSON)
    assert pace.asking(LESSON) == GUESS[0]
    assert pace.rounds == {GUESS[0]: "after"}
    game = LESSON.place(5)
    assert LESSON.blocks[game - 1].kind == "game"
    assert pace.stages == {GUESS: "revealed", (game, "before"): "locked"}


@each("kind", ["predict", "quiz"])
def test_answers_in_another_order_make_another_block(kind):
    """They are stored as numbers, which would then name other answers."""
    lesson = next(each for each in lessons()[0] if each.slug == "language-models")
    block = next(b for b in lesson.blocks if b.kind == kind and b.answers)
    changed = dataclasses.replace(block, answers=block.answers[::-1], choices=block.choices[::-1])
    assert changed.content != block.content
    worded = [dataclasses.replace(answer, why="Because.") for answer in block.answers]
    assert dataclasses.replace(block, answers=tuple(worded)).content == block.content


def test_lessons_of_today_know_most_blocks_of_former_ones():
    known = [lesson for lesson in lessons()[0] if lesson.former is not None]
    assert len(known) == 11
    for lesson in known:
        places = [lesson.place(n) for n in range(1, len(lesson.former.numbers) + 1)]
        found = [place for place in places if place is not None]
        assert len({*found}) == len(found) >= len(places) / 2
        assert all(
            lesson.former_place(place) == n
            for n, place in enumerate(places, 1)
            if place is not None
        )
        assert lesson.place(len(places) + 1) is None


def test_people_see_what_they_have_predicted_themselves(storage, access):
    code = opened(storage, 4, plan=plan("nip", "mnip"))
    play_out(storage, code, verdict=0)

    def shown(person):
        watcher = rooms.Watcher("person", person, visitor(person))
        return rooms.view_for(rooms.room_of(access(code)), watcher).page.prediction

    choices = shown(1).choices
    for said in choices[:2]:
        rooms.answer(access(code, visitor(1)), 1, "", 0, "1", "prediction", said)
        assert [shown(person).mine for person in (1, 2)] == [said, None]
