"""Tests of events.py and explorer/storage/rooms.py.

A room is its log: rows follow from it, one of two writers wins, and deletion leaves it valid.
"""

import json

import pytest

from explorer import rooms
from explorer.rooms.errors import MovedOnError
from explorer.rooms.events import BlockReset, DoorSet, fold
from explorer.storage import ConflictError, Storage
from explorer.storage.rooms import append_events
from tests.explorer.rooms.logs import assert_logs_say_the_rows, assert_rebuilt, rows_of
from tests.explorer.rooms.people import LEADER, opened, plan, play_out, visitor


def kinds(storage: Storage, code: str) -> list[str]:
    return [logged.kind for logged in storage.rooms.log(code)[1]]


def test_a_task_from_the_start_to_the_truth(storage, access):
    code = opened(storage, 3)
    play_out(storage, code)
    rooms.reveal(access(code, LEADER))
    joined = ["PersonJoined"] * 3
    expected = ["RoomCreated", "LeaderAdded", *joined, "TaskStarted", "TableDealt", "TableEnded"]
    assert kinds(storage, code) == [*expected, "Revealed"]


def test_one_of_two_commands_on_the_same_position_wins(storage, access):
    code = opened(storage, 3)
    number, log = storage.rooms.log(code)
    rooms.set_door(access(code, LEADER), "locked")
    late = [(DoorSet(door="wide"), "2026-01-01T00:00:00.000000Z")]

    def append() -> None:
        with storage.change_feed.writing() as connection:
            append_events(connection, number, len(log) + 1, late)

    with pytest.raises(ConflictError):
        append()
    assert rooms.load_room(access(code)).door == "locked"


def test_the_second_of_two_facilitators_learns_what_the_first_has_done(storage, access):
    code = opened(storage, 6)
    shown = rooms.load_room(access(code)).version
    rooms.join(access(code, visitor(30)))  # which changes nothing about what they want
    rooms.pause(access(code, LEADER, since=shown), 2)
    rooms.pause(access(code, LEADER, since=shown), 1)
    with pytest.raises(MovedOnError, match="faster: a table was paused"):
        rooms.end(access(code, LEADER, since=shown), 1)
    now = rooms.load_room(access(code)).version
    rooms.end(access(code, LEADER, since=now))
    with pytest.raises(MovedOnError, match="the task was ended"):
        rooms.next_task(access(code, LEADER, since=now))
    with pytest.raises(rooms.NotNowError, match="not running"):  # it names no position
        rooms.pause(access(code, LEADER))
    assert kinds(storage, code).count("TaskStarted") == 1


def test_the_second_of_two_who_lead_a_lesson_learns_it_too(storage, access):
    code = opened(storage, 4, started=False, plan=plan(kind="lesson", lesson="two-rooms"))
    shown = rooms.load_room(access(code)).version
    rooms.steer(access(code, LEADER, since=shown), "go", 3)
    with pytest.raises(MovedOnError, match="the lesson is at another step"):
        rooms.steer(access(code, LEADER, since=shown), "go", 4)
    now = rooms.load_room(access(code)).version
    rooms.leave(access(code, visitor(4)), 4)
    rooms.steer(access(code, LEADER, since=now), "open")


def test_what_a_person_deletes_is_in_no_log_and_the_log_stays_valid(storage, access):
    code = opened(storage, 3, names=True)
    rooms.join(access(code, visitor(9)), "Zebedee")
    rooms.answer(access(code, visitor(9)), 4, "x", 1, "", "prediction", "xylophone")
    assert "Zebedee" in repr([logged.private for logged in storage.rooms.log(code)[1]])
    # Nothing of it is in the log itself, which may be shown.
    bodies = json.dumps([logged.body for logged in storage.rooms.log(code)[1]])
    for secret in ("Zebedee", "xylophone", visitor(9), LEADER):
        assert secret not in bodies
    rooms.forget(access(code, visitor(9)), 4)
    number, log = storage.rooms.log(code)
    assert "Zebedee" not in repr([logged.private for logged in log])
    assert "xylophone" not in repr([logged.private for logged in log])
    assert fold(number, log).people[4]["name"] == ""


def test_what_was_replaced_is_in_no_log_either(storage, access):
    code = opened(storage, 2, started=False, names=True)
    rooms.join(access(code, visitor(9)), "Zebedee")
    for said in ("aardvark", "badger"):
        rooms.answer(access(code, visitor(9)), 3, "x", 1, "", "prediction", said)
        rooms.answer(access(code, visitor(1)), 1, "x", 1, "", "prediction", f"{said} 1")
    rooms.rename_person(access(code, LEADER), 3, "Yves")
    number, log = storage.rooms.log(code)
    beside = repr([logged.private for logged in log])
    assert "aardvark" not in beside
    assert "Zebedee" not in beside
    assert all(said in beside for said in ("'badger'", "badger 1", "Yves", visitor(9)))
    with storage.rooms.changing(code) as change:
        change.append(BlockReset(act="reset", changes={}, blocks=[[1, ""]]))
    assert "badger" not in repr([logged.private for logged in storage.rooms.log(code)[1]])
    assert not storage.rooms.answers_of(number)


def test_a_row_that_was_changed_past_the_log_is_noticed_and_mended(storage, access):
    """It shows that the comparison after every test of rooms can fail."""
    code = opened(storage, 3)
    before = rows_of(storage)
    for statement in (
        "UPDATE people SET name = 'Eve' WHERE number = 2",
        "UPDATE room_seats SET person = NULL",
        "UPDATE room_tables SET phase = 'over'",
        "UPDATE rooms SET phase = 'ended'",
        "DELETE FROM leaders",
    ):
        with storage._engine.begin() as connection:
            connection.exec_driver_sql(statement)
        with pytest.raises(AssertionError):
            assert_logs_say_the_rows(storage)
        with pytest.raises(AssertionError):
            assert_rebuilt(storage)
        assert rows_of(storage) == before
    assert rooms.load_room(access(code)).phase == "running"
