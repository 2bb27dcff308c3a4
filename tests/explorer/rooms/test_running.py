"""Tests of running.py and changes.py.

Late people, failing models, rehearsals: a table always reaches its end.
"""

import logging
import threading
from datetime import UTC, datetime, timedelta

import pytest

from explorer import rooms
from explorer.rooms import models
from explorer.rooms.events import RoomImported, RoundExtended
from explorer.rooms.opening import Steadiness
from explorer.storage import StorageError, open_storage, stamp
from tests.explorer.rooms.lesson_places import GUESS, step_of
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    lead_board,
    no_bot_answers,
    opened,
    plan,
    play_out,
    sits,
    visitor,
)
from tests.explorer.storage.places import PostgresPlace

MODEL = {"service": "openai", "model": "gpt-none"}


def let_time_pass(storage, code):
    """Put the end of all running rounds into the past."""
    with storage.rooms.changing(code) as change:
        for (turn, table), row in list(change.rows.tables.items()):
            if row["deadline"] is not None:
                past = stamp(rooms.changes.now() - timedelta(seconds=1))
                place = {"turn": turn, "table": table}
                change.append(RoundExtended(**place, deadline=past, left=row["left"]))


def events(storage, code, number=1):
    room = rooms.load_room(rooms.Access(storage, code))
    inside = storage.within(room.number)
    return inside.load(room.table(number).episode_id).episode.events


def test_a_round_that_is_over_goes_on_without_late_people(storage, access):
    code = opened(storage, 3, round_seconds=60)
    verifier, prover = sits(storage, code, "verifier"), sits(storage, code, "prover0")
    first = at(storage, code, verifier)
    assert first.deadline is not None
    rooms.run_due(storage)
    assert at(storage, code, verifier).seen.view.round == 0
    assert first.play(act_of(first)) is None
    quick = at(storage, code, prover)
    assert quick.deadline > first.deadline
    assert quick.play(act_of(quick, words="In time.")) is None
    # One person's move does not change how long the others have.
    assert at(storage, code, verifier).deadline == quick.deadline
    let_time_pass(storage, code)
    assert 0 <= rooms.run_due(storage) <= 5
    rooms.run_due(storage)
    late = sits(storage, code, "prover1")
    assert at(storage, code, late).seen.view.round == 2
    assert not at(storage, code, late).replaced
    made = [e for e in events(storage, code) if e.type == "seated" and e.agent == "prover1"]
    assert [(e.player["kind"], e.player.get("late")) for e in made[1:]] == [
        ("scripted", True),
        ("human", None),
    ]
    assert "In time." in at(storage, code, verifier).seen.view.to_json()
    # The person who was late plays on.
    for _ in range(10):
        let_time_pass(storage, code)
        rooms.run_due(storage)
    assert at(storage, code, late).over
    rooms.reveal(access(code, LEADER))
    # Bots have moved for late people, so this is not counted as people's judgement.
    assert [outcome.counted for outcome in rooms.outcomes(rooms.room_of(access(code)))] == [False]


def test_time_stands_still_in_a_pause(storage, access):
    code = opened(storage, 3, round_seconds=60)
    rooms.pause(access(code, LEADER))
    table = rooms.load_room(access(code)).tables[0]
    assert (table.phase, table.deadline) == ("paused", None)
    assert 50 < table.left <= 60
    rooms.run_due(storage)
    rooms.extend(access(code, LEADER), 1, 30)
    rooms.resume(access(code, LEADER))
    table = rooms.load_room(access(code)).tables[0]
    assert 80 < rooms.changes.seconds_until(table.deadline) <= 90
    rooms.pause(access(code, LEADER), 1)
    assert rooms.load_room(access(code)).phase == "running"
    with pytest.raises(rooms.NotNowError, match="no table 9"):
        rooms.pause(access(code, LEADER), 9)
    free = opened(storage, 3)
    with pytest.raises(rooms.NotNowError, match="time limit"):
        rooms.extend(access(free, LEADER))


def test_a_process_that_dies_between_two_steps_leaves_nothing_undone(storage, monkeypatch):
    code = opened(storage, 1, round_seconds=60)  # with two bots
    table = at(storage, code, 1)
    with no_bot_answers(), monkeypatch.context() as patch:
        assert table.play(act_of(table)) is None  # and no bot has moved
        let_time_pass(storage, code)
        patch.setattr(rooms.running, "let_bots_move", lambda *_: None)
        patch.setattr(rooms.running, "note_round", lambda *_: None)
        patch.setattr(rooms.running, "carry_table_on", lambda *_: None)
        rooms.run_due(storage)
    assert at(storage, code, 1).seen.view.round == 1
    rooms.run_due(storage)
    assert at(storage, code, 1).seen.view.round == 2
    play_out(storage, code)
    assert at(storage, code, 1).over


def test_a_model_that_fails_never_freezes_a_table(storage, access, monkeypatch):
    seats = {"prover0": "llm"}
    code = opened(storage, 2, plan=plan(seats=seats, models={"prover0": MODEL}))
    verifier = sits(storage, code, "verifier")
    asks = at(storage, code, verifier)
    assert asks.play(act_of(asks)) is None
    other = at(storage, code, sits(storage, code, "prover1"))
    assert other.play(act_of(other)) is None
    rooms.run_due(storage)
    note = rooms.load_room(access(code)).tables[0].seats["prover0"].note
    assert note.startswith("This model has no key since the server was started")
    version = rooms.load_room(access(code)).version
    rooms.run_due(storage)
    assert rooms.load_room(access(code)).version == version  # notified once
    monkeypatch.setattr(models, "TAKE_OVER_AFTER", 0.0)
    rooms.run_due(storage)
    facts = rooms.load_room(access(code)).tables[0].seats["prover0"]
    assert (facts.bot["kind"], facts.bot["instead_of"]) == ("scripted", "gpt-none")
    assert facts.note.startswith("A scripted player has taken over.")
    assert at(storage, code, verifier).seen.view.round == 2
    # The facilitator's note is shown to nobody else.
    wall = repr(rooms.board(rooms.room_of(access(code))))
    assert "taken over" in repr(lead_board(rooms.room_of(access(code))))
    assert "taken over" not in wall + repr(at(storage, code, verifier).seen.screen)


def later(monkeypatch, days):
    """Set the clock to a number of days from now."""
    then = datetime.now(UTC) + timedelta(days=days)
    monkeypatch.setattr("explorer.rooms.opening.now", lambda: then)


def test_a_clock_that_is_wrong_for_a_moment_deletes_nothing(storage, monkeypatch):
    code = opened(storage, 1)
    steady, clock = [0.0], Steadiness()
    monkeypatch.setattr("explorer.rooms.opening.time.monotonic", lambda: steady[0])

    def look(days, hours=1.0):
        """Run the scheduler some hours after its last run, with a clock that is some days ahead."""
        steady[0] += hours * 3600
        then = start + timedelta(seconds=steady[0], days=days)
        monkeypatch.setattr("explorer.rooms.opening.now", lambda: then)
        return rooms.purge_overdue(storage, clock)

    start = datetime.now(UTC)
    # The clock is set ahead, and further ahead, and the scheduler runs several times: marks are
    # removed.
    for days in (0, 31, 31, 62, 31, 0):
        assert look(days) == []
    assert storage.rooms.read(code).room["overdue"] is None
    # A process that starts while the clock is wrong knows nothing of the time before.
    for days in (31, 33, 40):
        clock = Steadiness()
        assert look(days) == []
    assert look(0) == []
    # When the time is really over, the room is deleted at once: it has been marked for a day.
    gone = [look(0, 12.0) for _ in range(70)]
    (at,) = (number for number, codes in enumerate(gone) if codes)
    assert 30 * 24 <= 12 * (at + 1) + 11 <= 30 * 24 + 24
    assert storage.rooms.listed() == []


def test_what_is_overdue_is_deleted(storage, access, monkeypatch):
    old, new = opened(storage, 3), opened(storage, 3)
    play_out(storage, old)
    rooms.reveal(access(old, LEADER))
    rooms.answer(access(old, visitor(1)), 1, "two-rooms", 1, "", "guess", "0.5")
    with storage.rooms.changing(old) as change:
        change.append(RoomImported(room={"expires": stamp(rooms.changes.now())}))
    assert rooms.purge_overdue(storage) == []  # marked
    later(monkeypatch, 1.01)
    assert rooms.purge_overdue(storage) == [old]
    assert rooms.purge_overdue(storage) == []
    assert [row["code"] for row in storage.rooms.listed()] == [new]
    assert storage.count() == 0
    with storage._engine.connect() as connection:
        counts = {
            name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar()
            for name in ("people", "answers", "room_tables", "room_seats", "leaders", "episodes")
        }
    assert counts == {
        "people": 3,
        "answers": 0,
        "room_tables": 1,
        "room_seats": 3,
        "leaders": 1,
        "episodes": 1,
    }


def test_the_end_of_a_timer_is_announced_once(storage, access, monkeypatch):
    announced = []
    told = lambda room, until: announced.append((room.code, until))  # noqa: E731
    monkeypatch.setattr(rooms.lesson_acts, "announce_end_of_timer", told)
    code = rooms.open_room(storage, plan(kind="lesson", lesson="two-rooms"), LEADER).code
    for act in (("go", step_of(GUESS)), ("timer", 60), ("led", False)):
        rooms.steer(access(code, LEADER), *act)
    assert announced == [(code, rooms.load_lesson(access(code)).pace.until)]


def test_a_lessons_timer_survives_the_process_that_began_it(tmp_path, monkeypatch):
    monkeypatch.setattr(rooms.lesson, "TIMES", (1,))
    url = f"sqlite:///{tmp_path / 'rooms.db'}"
    with open_storage(url) as storage:
        code = rooms.open_room(storage, plan(kind="lesson", lesson="two-rooms"), LEADER).code
        with monkeypatch.context() as patch:
            # The process ends before the timer does.
            patch.setattr(rooms.lesson_acts, "announce_end_of_timer", lambda *_: None)
            rooms.steer(rooms.Access(storage, code, LEADER), "go", step_of(GUESS))
            rooms.steer(rooms.Access(storage, code, LEADER), "timer", 1)
    with open_storage(url) as storage:
        published = threading.Event()
        monkeypatch.setattr(type(storage.change_feed), "publish", lambda _, topic: published.set())
        scheduler = rooms.Scheduler(lambda: storage)
        scheduler.start()
        assert published.wait(30)
        scheduler.stop()
        scheduler.join(30)
        assert rooms.load_lesson(rooms.Access(storage, code)).stage((GUESS, "before")) == "locked"
        # Notified once.
        published.clear()
        rooms.lesson_acts.take_over_timers(storage)
        assert not published.wait(0.1)


@pytest.mark.parametrize("error", [StorageError("It is away."), ValueError("a secret")])
def test_the_scheduler_goes_on_after_an_error_and_logs_it(storage, monkeypatch, caplog, error):
    caplog.set_level(logging.INFO, rooms.running.log.name)
    looked = []

    def fail_once(_):
        looked.append(1)
        if len(looked) == 1:
            raise error
        scheduler.stop()
        return 0.0

    monkeypatch.setattr(rooms.running, "CHECK_EVERY", 0.0)
    monkeypatch.setattr(rooms.running, "run_due", fail_once)
    scheduler = rooms.Scheduler(lambda: storage)
    scheduler.run()
    assert len(looked) == 2
    (logged,) = caplog.records
    # That a database was away for a moment is no error of the program.
    away = isinstance(error, StorageError)
    assert (logged.levelname, bool(logged.exc_info)) == (
        ("INFO", False) if away else ("ERROR", True)
    )
    assert "Maintenance of rooms failed" in logged.message


def test_time_without_a_server_does_not_count(storage, access, monkeypatch):
    code = opened(storage, 3, round_seconds=60)
    paused = opened(storage, 3, round_seconds=60)
    rooms.pause(access(paused, LEADER))
    lesson = rooms.open_room(storage, plan(kind="lesson", lesson="two-rooms"), LEADER).code
    rooms.steer(access(lesson, LEADER), "go", step_of(GUESS))
    rooms.steer(access(lesson, LEADER), "timer", 60)

    def left() -> list[float]:
        due = rooms.load_room(access(code)).table(1).deadline
        until = rooms.load_lesson(access(lesson)).pace.until
        at = rooms.running.now()
        return [(datetime.fromisoformat(due) - at).total_seconds(), (until - at).total_seconds()]

    rooms.running.move_timers(storage)
    before = left()
    # The next run is in another process, an hour later; a server counts as running until the last
    # thing that happened.
    passed = timedelta(hours=1)
    monkeypatch.setattr(rooms.running, "now", lambda: datetime.now(UTC) + passed)
    assert max(left()) < 0
    rooms.running.move_timers(storage)
    assert all(now == pytest.approx(then, abs=20) for now, then in zip(left(), before, strict=True))
    # While a server is running, time passes.
    before, passed = left(), passed + timedelta(seconds=10)
    rooms.running.move_timers(storage)
    assert all(now < then - 9 for now, then in zip(left(), before, strict=True))
    kinds = [logged.kind for logged in storage.rooms.log(paused)[1]]
    assert "TimersMoved" not in kinds
    # Nothing is due any more, so nothing is stored.
    rooms.steer(access(lesson, LEADER), "lock")
    rooms.end(access(code, LEADER))
    before, passed = storage.rooms.checked_at(), passed + timedelta(seconds=10)
    rooms.running.move_timers(storage)
    assert storage.rooms.checked_at() == before


def test_the_clock_of_a_database_elsewhere_counts_too(postgres, monkeypatch):
    with PostgresPlace(postgres).open() as storage:
        code = opened(storage, 0, started=False)
        for days in (31, 33):
            later(monkeypatch, days)
            assert rooms.purge_overdue(storage) == []
        assert storage.rooms.read(code).room["overdue"] is None
        # What is over by both clocks is deleted, a day after it was marked.
        with storage.rooms.changing(code) as change:
            now = rooms.changes.now()
            before = stamp(now - timedelta(days=1, minutes=1))
            change.append(RoomImported(room={"expires": stamp(now), "overdue": before}))
        assert rooms.purge_overdue(storage) == [code]
