"""Tests of explorer/storage/visitors.py.

After a process was killed or stopped, others continue its work, and within which time.
"""

from datetime import UTC, datetime, timedelta

import pytest

from explorer import rooms
from explorer.rooms import changes, running
from explorer.storage import presence_topic, visitors
from tests.explorer.rooms.people import act_of, at, opened, sits
from tests.explorer.storage.places import PostgresPlace


@pytest.fixture
def passing(monkeypatch):
    """A clock for all that rooms do, which a test advances."""
    time = [datetime.now(UTC)]
    for module in (changes, running, visitors):
        monkeypatch.setattr(module, "now", lambda: time[0])

    def later(seconds):
        time[0] += timedelta(seconds=seconds)

    return later


def test_another_process_ends_what_a_dead_one_has_begun(place, passing):
    with place.open() as dies, place.open() as lives:
        code = opened(dies, 3, round_seconds=60)
        number = rooms.load_room(rooms.Access(dies, code)).number
        notified = []
        lives.change_feed.subscribe(presence_topic(code), lambda: notified.append(1))
        dies.presence.enter(code, "person:1", "a" * 32)
        lives.presence.enter(code, "person:2", "b" * 32)
        mine = at(dies, code, sits(dies, code, "verifier"))
        assert mine.play(act_of(mine)) is None
        # From here on the first process does nothing, not even say that it ends.
        for _ in range(11):
            left = changes.seconds_until(
                rooms.load_room(rooms.Access(lives, code)).tables[0].deadline
            )
            # The other process runs in time, whenever and by whom the round was begun.
            assert 0 < rooms.run_due(lives) <= min(5.0, left + 0.05)
            passing(5)
            lives.presence.beat()
        assert lives.presence.there(number) == {"person:2": 1}
        passing(6)
        assert rooms.run_due(lives) <= 5.0
        rooms.run_due(lives)
        assert at(lives, code, sits(lives, code, "verifier")).seen.view.round == 2
        # An absent person is noticed within 15 seconds, and the pages say so.
        lives.presence.enter(code, "person:3", "c" * 32)
        dies.presence.enter(code, "person:1", "d" * 32)
        notified.clear()
        passing(14)
        lives.presence.beat()
        assert lives.presence.there(number) == {"person:1": 1, "person:2": 1, "person:3": 1}
        passing(2)
        lives.presence.beat()
        assert lives.presence.there(number) == {"person:2": 1, "person:3": 1}
        if not isinstance(place, PostgresPlace):
            assert notified


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_process_that_is_stopped_keeps_no_locks(place):
    """The server ends its transaction after half a minute; SQLite has no other process."""
    with place.open() as storage, storage._engine.connect() as connection:
        shown = connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar()
        assert shown == "30s"
