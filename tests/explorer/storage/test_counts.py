"""Counts of attempts, in either kind of database."""

from concurrent.futures import ThreadPoolExecutor


def test_no_attempt_is_lost_when_several_are_counted_at_once(storage):
    def count(number):
        return storage.attempts.count("join", f"192.0.2.{number % 2}", 0.0)[1]

    with ThreadPoolExecutor(4) as crowd:
        assert sorted(crowd.map(count, range(12))) == [*range(1, 13)]
    assert storage.attempts.made("join", "192.0.2.0", 0.0) == (6, 12)
    assert storage.attempts.made("code", "192.0.2.0", 0.0) == (0, 0)
    # Another kind begins anew, and old counts are gone.
    assert storage.attempts.count("code", "192.0.2.0", 600.0) == (1, 1)
    assert storage.attempts.made("join", "192.0.2.0", 0.0) == (0, 0)
