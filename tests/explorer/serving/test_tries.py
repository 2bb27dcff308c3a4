"""How often codes may be tried."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer.rooms import TooManyError
from explorer.serving.addresses import neighbourhood
from explorer.serving.tries import Tries
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
        tries.take(storage, address)
    for storage in processes:
        for address in ("a", "b"):
            with pytest.raises(TooManyError, match="Wait 10 minutes"):
                tries.check(storage, address)
    # Who only asks is not counted, and other things are counted by themselves.
    for _ in range(3):
        tries.check(one, "c")
        others.check(two, "a")
    tries.count(one, "c")
    with pytest.raises(TooManyError):
        tries.take(two, "d")
    now[0] += 60 * MINUTES
    tries.take(one, "a")
    with one._engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT who, count FROM tries").all()
    # What is over is forgotten, and no address is kept as it is.
    assert sorted(count for _, count in rows) == [1, 1]
    assert "a" not in dict(rows)


def test_a_flood_at_once_gets_no_further_than_the_limit(processes):
    tries = Tries("join", 100, 10, lambda: 0.0)

    def knock(number):
        try:
            tries.take(processes[number % 2], f"192.0.2.{number}")
        except TooManyError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as crowd:
        assert sum(crowd.map(knock, range(40))) == 10


def test_whose_tries_count_together():
    assert neighbourhood("192.0.2.7") == neighbourhood("::ffff:192.0.2.7") == "192.0.2.7"
    assert neighbourhood("2001:db8::1") == neighbourhood("2001:db8::ffff:1%eth0")
    assert neighbourhood("2001:db8::1") != neighbourhood("2001:db8:0:1::1")
    assert neighbourhood("") == ""
