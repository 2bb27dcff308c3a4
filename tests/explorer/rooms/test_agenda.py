"""Tests of agenda.py, plan.py and rehearsal.py.

A workshop's plan: its minutes, its clock, and rehearsals that run and are deleted.
"""

import json
from datetime import timedelta

import pytest

from explorer import rooms
from explorer.lessons import lessons, pair_game, plain
from explorer.lessons.lesson import LessonError, lesson_of
from explorer.rooms.agenda import doing_of, lesson_steps_of, share_minutes
from explorer.rooms.changes import changing, now
from explorer.rooms.events import ClockStarted
from explorer.rooms.lesson import steps
from explorer.storage import stamp
from tests.depth import each
from tests.explorer.rooms.lesson_places import GUESS

LEADS, OTHER = "a" * 32, "b" * 32
LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}
PLANS = {
    **{slug: rooms.RoomPlan(kind="lesson", lesson=slug) for slug in LESSONS},
    **{f"at tables: {n}": rooms.RoomPlan(conditions=rooms.conditions_of(n)) for n in rooms.PRESETS},
}


def made(storage, plan):
    return rooms.open_room(storage, plan, LEADS).code


@each("minutes", rooms.workshop_lengths())
@each("name", PLANS)
def test_the_minutes_of_a_plan_add_up_and_every_step_says_something(name, minutes):
    found = rooms.agenda(PLANS[name], minutes)
    assert [step.start for step in found[1:]] == [step.end for step in found[:-1]]
    assert (found[0].start, found[-1].end) == (0, minutes)
    for step in found:
        assert step.minutes >= 1
        assert step.sees
        assert step.do or step.what == "A break"
        assert "{" not in " ".join((step.what, *step.do, *step.say, *step.sees))


@each("lesson", LESSONS.values(), ids=lambda lesson: lesson.slug)
def test_a_plan_goes_through_all_steps_of_a_lesson_in_order(lesson):
    groups = lesson_steps_of(lesson)
    for step, group in zip(lesson.facilitator.timing, groups, strict=True):
        assert group or lesson.blocks[step.block - 1].kind == "open"
    assert [n for group in groups for n in group] == list(range(1, len(steps(lesson)) + 1))
    plan = rooms.agenda(PLANS[lesson.slug], 45)
    said = [line for step in plan for line in step.say]
    assert all(plain(line) in said for line in lesson.facilitator.say)
    assert not any("$" in line for step in plan for line in (*step.say, *step.sees, step.what))
    places = [line.split(",")[0] for step in plan for line in step.sees if line.startswith("Step")]
    assert places == [f"Step {n}" for n in range(1, len(steps(lesson)) + 1)]
    done = " ".join(line for step in plan for line in step.do)
    assert all(f"“{pair_game(each.name).change}”" in done for each in lesson.blocks if each.pairs)


def test_a_lesson_without_a_plan_of_its_own_is_one_step(tmp_path, monkeypatch):
    (tmp_path / "10_mine.toml").write_text(
        'schema = 1\ntitle = "Mine"\nquestion = "Why?"\nminutes = 5\nsummary = "Short."\n'
        '[[block]]\nkind = "text"\ntext = "One."\n',
        "utf-8",
    )
    monkeypatch.setenv("NIP_LESSONS", str(tmp_path))
    found = rooms.agenda(rooms.RoomPlan(kind="lesson", lesson="mine"), 20)
    assert [(step.what, step.minutes) for step in found][1] == ("Mine", 16)
    assert found[1].sees == ("Step 1, text: One.",)


@pytest.mark.parametrize(
    ("step", "says"),
    [({"block": 3}, r"timing\[0\]\.block is 3"), ({"say": [2]}, r"timing\[0\]\.say names line 2")],
)
def test_a_plan_that_names_what_is_not_there_is_refused(step, says):
    block = {"kind": "text", "text": "One."}
    timing = [{"minutes": 5, "what": "All of it", **step}]
    document = {
        "schema": 1,
        "title": "Mine",
        "question": "Why?",
        "minutes": 5,
        "summary": "Short.",
        "block": [block],
        "facilitator": {"say": ["Hello."], "timing": timing},
    }
    with pytest.raises(LessonError, match=says):
        lesson_of(document, "mine.toml", "10", "mine")


def test_minutes_are_shared_in_proportion():
    assert share_minutes([3, 5, 4, 3], 15) == [3, 5, 4, 3]
    assert share_minutes([3, 5, 4, 3], 30) == [6, 10, 8, 6]
    assert share_minutes([1, 9], 5) == [1, 4]
    assert share_minutes([0, 0], 4) == [2, 2]
    assert share_minutes([1, 1, 1], 2) == [1, 1, 1]
    # What is asked has its minute, also where the plan gave it less, unless there are too few.
    assert share_minutes([1, 9], 10, [3, 1]) == [3, 7]
    assert share_minutes([1, 9], 10, [9, 3]) == [1, 9]


def test_the_clock_says_the_minute_and_only_a_leader_starts_it(storage, access):
    code = made(storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms", minutes=20))
    assert rooms.agenda_minute(rooms.load_room(access(code)).state.get("clock")) is None
    with pytest.raises(rooms.NotLeaderError):
        rooms.start_clock(access(code, OTHER))
    rooms.start_clock(access(code, LEADS))
    assert 0 <= rooms.agenda_minute(rooms.load_room(access(code)).state.get("clock")) < 1
    with changing(access(code)) as (change, room):
        change.append(ClockStarted(since=stamp(now() - timedelta(minutes=5))))
    minute = rooms.agenda_minute(rooms.load_room(access(code)).state.get("clock"))
    plan = rooms.agenda(room.plan, 20)
    assert plan[rooms.step_at(plan, minute)].what.startswith("Pairs of phones")
    assert rooms.step_at(plan, 500) == len(plan) - 1
    # A restart of the server keeps it.
    assert "clock" in json.loads(storage.rooms.read(code).room["state"])


def test_a_plan_has_a_length_that_there_is():
    with pytest.raises(rooms.PlanError, match="20, 45, 90"):
        rooms.RoomPlan(kind="lesson", lesson="two-rooms", minutes=21).check()


@pytest.mark.parametrize("name", ["two-rooms", "at tables: apart"])
def test_a_rehearsal_runs_at_once_with_bots_in_all_seats_and_is_thrown_away(storage, access, name):
    plan = rooms.RoomPlan.from_dict({**PLANS[name].to_dict(), "rehearsal": True, "minutes": 20})
    code = made(storage, plan)
    rooms.run_rehearsal(access(code, LEADS))
    room = rooms.load_room(access(code))
    assert len(room.here) == rooms.MOST_BOTS
    assert rooms.agenda_minute(room.state.get("clock")) is not None
    if name != "two-rooms":
        assert room.phase == "running"
        assert all(seat.person for table in room.tables for seat in table.seats.values())
    else:
        assert rooms.load_lesson(access(code)).pace.at == 1
        # From a window that shows the room's present position.
        window = access(code, LEADS, room.version)
        rooms.steer_rehearsal(window, "go", GUESS)  # all blocks before it are steps of their own
        at = rooms.load_lesson(access(code))
        assert at.answered[at.pace.key(GUESS)] == rooms.MOST_BOTS
    with pytest.raises(rooms.NotLeaderError):
        rooms.throw_away(access(code, OTHER))
    rooms.throw_away(access(code, LEADS))
    with pytest.raises(rooms.NoSuchRoomError):
        rooms.load_room(access(code))


def test_a_real_room_is_not_thrown_away_and_its_bots_do_not_answer_by_themselves(storage, access):
    code = made(storage, PLANS["two-rooms"])
    rooms.bots_join(access(code, LEADS), 4)
    rooms.steer_rehearsal(access(code, LEADS), "go", 2)
    at = rooms.load_lesson(access(code))
    assert not at.rows
    with pytest.raises(rooms.NotNowError, match="Close the room"):
        rooms.throw_away(access(code, LEADS))


def behind(storage, code, minute):
    """Return how many minutes the class is behind at a minute of the clock, and in which step."""
    with changing(rooms.Access(storage, code)) as (change, room):
        change.append(ClockStarted(since=stamp(now() - timedelta(minutes=minute))))
    room = rooms.load_room(rooms.Access(storage, code))
    plan = rooms.agenda(room.plan, room.plan.minutes)
    places = rooms.class_steps(doing_of(room), plan)
    late = (
        rooms.minutes_behind(plan, places, rooms.agenda_minute(room.state.get("clock")))
        if places
        else None
    )
    return late, [plan[place].what for place in places]


def test_a_class_in_a_lesson_is_compared_with_the_plan(storage, access):
    code = made(storage, rooms.RoomPlan(kind="lesson", lesson="two-rooms", minutes=45))
    plan = rooms.agenda(rooms.load_room(access(code)).plan, 45)
    assert behind(storage, code, 1) == (0, ["People join"])
    assert behind(storage, code, plan[0].end + 2.5) == (2, ["People join"])
    rooms.steer_rehearsal(access(code, LEADS), "go", 1)
    assert behind(storage, code, 0.5) == (-2, [plan[1].what])
    last = len(steps(LESSONS["two-rooms"]))
    for number in range(2, last + 1):
        rooms.steer_rehearsal(access(code, LEADS), "go", number)
    # The handout and the end need no further step of the lesson.
    assert behind(storage, code, 44)[0] == 0
    assert behind(storage, code, 44)[1][-1] == plan[-1].what
    # Where all go at their own pace, there is nothing to compare.
    rooms.steer_rehearsal(access(code, LEADS), "led", False)
    assert behind(storage, code, 44) == (None, [])


@each("minutes", rooms.workshop_lengths())
def test_every_step_of_a_plan_says_what_the_room_is_at(minutes):
    for plan in PLANS.values():
        assert all(step.during for step in rooms.agenda(plan, minutes))


def test_a_class_at_tables_is_compared_with_the_plan(storage, access):
    plan = rooms.RoomPlan.from_dict(
        {**PLANS["at tables: apart"].to_dict(), "rehearsal": True, "minutes": 45}
    )
    code = made(storage, plan)
    rooms.run_rehearsal(access(code, LEADS))
    assert behind(storage, code, 5) == (0, ["First task"])
    assert behind(storage, code, 1.5)[0] == -2
    assert behind(storage, code, 19)[0] == 4
    rooms.end(access(code, LEADS))
    assert behind(storage, code, 5) == (0, ["First task"])
    rooms.reveal(access(code, LEADS))
    assert behind(storage, code, 16) == (0, ["The first truth"])
