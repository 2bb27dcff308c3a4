"""How many codes may be tried before one has to wait."""

import pytest

from explorer import rooms
from explorer.server.rate_limit import (
    LEAST_WAIT,
    MOST_WAIT,
    MOST_WAIT_FOR_OTHERS,
    RateLimit,
    RoomRateLimit,
)
from explorer.storage import MINUTES, open_storage
from explorer.visitors import neighbourhood
from tests.explorer.rooms.people import LEADER, plan


@pytest.fixture
def processes(tmp_path):
    """Two processes' storages of one database."""
    url = f"sqlite:///{tmp_path}/e.db"
    with open_storage(url) as one, open_storage(url) as two:
        yield one, two


def test_attempts_are_counted_for_each_address_and_for_all_processes_together(processes):
    one, two = processes
    now = [0.0]
    tries, others = RateLimit("join", 2, 5, lambda: now[0]), RateLimit("code", 1, 1, lambda: now[0])
    for address, storage in zip("abab", (one, two, two, one), strict=True):
        assert tries.wait(storage, address) == 0
        tries.count(storage, address)
    for storage in processes:
        for address in ("a", "b"):
            assert tries.wait(storage, address) == LEAST_WAIT
    # Asking does not count, and other kinds are counted separately.
    for _ in range(3):
        assert tries.wait(one, "c") == 0
        assert others.wait(two, "a") == 0
    tries.count(one, "c")
    assert tries.wait(two, "d") == LEAST_WAIT
    now[0] += 60 * MINUTES
    tries.count(one, "a")
    with one._engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT who, count FROM tries").all()
    # Expired counts are deleted, and addresses are stored only as hashes.
    assert sorted(count for _, count in rows) == [1, 1]
    assert "a" not in dict(rows)


def test_a_wait_grows_and_has_an_end(processes):
    tries, waits = RateLimit("join", 4, 8, lambda: 0.0), []
    for _ in range(40):
        tries.count(processes[0], "192.0.2.7")
        waits.append(tries.wait(processes[0], "192.0.2.7"))
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (0, MOST_WAIT)
    # An attempt from elsewhere costs this address only a moment.
    assert tries.wait(processes[1], "198.51.100.7") == MOST_WAIT_FOR_OTHERS


def test_whose_attempts_count_together():
    assert neighbourhood("192.0.2.7") == neighbourhood("::ffff:192.0.2.7") == "192.0.2.7"
    assert neighbourhood("2001:db8::1") == neighbourhood("2001:db8::ffff:1%eth0")
    assert neighbourhood("2001:db8::1") != neighbourhood("2001:db8:0:1::1")
    assert neighbourhood("") == ""


@pytest.mark.parametrize(
    ("made", "at_once"),
    [
        (plan(), 60),
        (plan(tables=2), 12),
        (plan(tables=30), 90),
        (plan("nip", "mnip", tables=30), 90),
        (rooms.RoomPlan(kind="lesson", lesson="two-rooms"), 60),
    ],
)
def test_with_a_code_as_many_join_at_once_as_the_room_has_places_for(processes, made, at_once):
    one, two = processes
    code = rooms.open_room(one, made, LEADER).code
    now = [600.0 * 7 + 1]

    def came(address, seconds=0.0, step=0.5):
        """Return how many of any number of people got in, who all try all the time."""
        found = 0
        for _ in range(1 + round(seconds / step)):
            door = RoomRateLimit(rooms.load_room(rooms.Access(one, code)), lambda: now[0])
            while door.wait((one, two)[found % 2], address) == 0:
                found += 1
            now[0] += step
        return found

    assert came("school") == at_once
    # A script that goes on is as slow as before, and there is time to lock the room.
    assert came("school", 8) <= 12
    # Others do not wait for them, and are not counted with them.
    door = RoomRateLimit(rooms.load_room(rooms.Access(one, code)), lambda: now[0])
    assert door.wait(one, "elsewhere") == 0
    assert 0 < [door.wait(one, "school") for _ in "ab"][1] < 3
    # A lecture hall, after its facilitator has allowed it.
    rooms.set_door(rooms.Access(one, code, LEADER), "wide")
    assert came("school", 21) >= 300
    with one._engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT what, who FROM tries").all()
    assert not [row for row in kept if "school" in "".join(row)]
