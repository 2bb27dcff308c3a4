"""How often codes may be tried before one waits."""

from __future__ import annotations

import pytest

from explorer.serving.addresses import neighbourhood
from explorer.serving.tries import LEAST_WAIT, MOST_WAIT, MOST_WAIT_FOR_OTHERS, Tries
from explorer.storage import MINUTES, open_storage


@pytest.fixture
def processes(tmp_path):
    """Two processes' storages of one database."""
    url = f"sqlite:///{tmp_path}/e.db"
    with open_storage(url) as one, open_storage(url) as two:
        yield one, two


def test_tries_are_counted_for_each_address_and_for_all_processes_together(processes):
    one, two = processes
    now = [0.0]
    tries, others = Tries("join", 2, 5, lambda: now[0]), Tries("code", 1, 1, lambda: now[0])
    for address, storage in zip("abab", (one, two, two, one), strict=True):
        assert tries.wait(storage, address) == 0
        tries.count(storage, address)
    for storage in processes:
        for address in ("a", "b"):
            assert tries.wait(storage, address) == LEAST_WAIT
    # Who only asks is not counted, and other things are counted by themselves.
    for _ in range(3):
        assert tries.wait(one, "c") == 0
        assert others.wait(two, "a") == 0
    tries.count(one, "c")
    assert tries.wait(two, "d") == LEAST_WAIT
    now[0] += 60 * MINUTES
    tries.count(one, "a")
    with one._engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT who, count FROM tries").all()
    # What is over is forgotten, and no address is kept as it is.
    assert sorted(count for _, count in rows) == [1, 1]
    assert "a" not in dict(rows)


def test_a_wait_grows_and_has_an_end(processes):
    tries, waits = Tries("join", 4, 8, lambda: 0.0), []
    for _ in range(40):
        tries.count(processes[0], "192.0.2.7")
        waits.append(tries.wait(processes[0], "192.0.2.7"))
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (0, MOST_WAIT)
    # Somebody elsewhere pays for it with a moment only.
    assert tries.wait(processes[1], "198.51.100.7") == MOST_WAIT_FOR_OTHERS


def test_whose_tries_count_together():
    assert neighbourhood("192.0.2.7") == neighbourhood("::ffff:192.0.2.7") == "192.0.2.7"
    assert neighbourhood("2001:db8::1") == neighbourhood("2001:db8::ffff:1%eth0")
    assert neighbourhood("2001:db8::1") != neighbourhood("2001:db8:0:1::1")
    assert neighbourhood("") == ""
