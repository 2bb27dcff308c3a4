"""Tests of pool.py and worker.py: computations in other processes, limited and cancelled."""

import os
import time

import pytest

from explorer.computations import BusyError, Computation, Computations, pool

HERE = "tests.explorer.computations.slowly"


@pytest.fixture
def made():
    made = Computations()
    yield made
    made.close()


def ended(computation, seconds=20.0):
    end = time.monotonic() + seconds
    while not computation.done:
        computation.look()
        assert time.monotonic() < end, "it does not end"
        time.sleep(0.01)
    return computation


def test_it_gives_each_result_then_ends(made):
    computation = ended(made.begin(f"{HERE}:count", 3))
    assert (computation.result, computation.number, computation.problem) == (3, 3, "")


def test_a_page_can_wait_for_the_first_result(made):
    assert made.begin(f"{HERE}:count", 1).look(20.0) == 1


def test_it_runs_in_another_process_with_a_lower_priority(made):
    process, priority = ended(made.begin(f"{HERE}:where")).result
    assert process != os.getpid()
    assert priority > os.nice(0)
    quick, _ = ended(made.begin(f"{HERE}:where", lane="quick")).result
    assert quick != process


def test_a_result_is_kept_by_its_key(made):
    first = ended(made.begin(f"{HERE}:where", key="a"))
    again = made.begin(f"{HERE}:where", key="a")
    assert again.done
    assert again.result == first.result
    other = ended(made.begin(f"{HERE}:count", 2, key="a"))
    assert other.result == 2


def test_a_failure_says_why(made):
    computation = ended(made.begin(f"{HERE}:fail", key="a"))
    assert (computation.result, computation.problem) == (1, "It cannot be done.")
    assert not made.begin(f"{HERE}:count", 2, key="a").done


@pytest.mark.parametrize("kind", ["forever", "deaf"])
def test_a_cancelled_one_makes_room_for_the_next(made, kind):
    process, _ = ended(made.begin(f"{HERE}:where")).result
    computation = made.begin(f"{HERE}:{kind}")
    assert computation.look(20.0) == 1
    computation.cancel()
    assert ended(made.begin(f"{HERE}:count", 2)).result == 2
    assert computation.done
    # A process that hears the cancellation goes on with the next; only a deaf one is ended.
    again, _ = ended(made.begin(f"{HERE}:where")).result
    assert (again == process) == (kind == "forever")


def test_one_that_no_page_looks_at_ends(made):
    computation = made.begin(f"{HERE}:forever")
    assert computation.look(20.0) == 1
    # A page looked at it long ago.
    computation._looked -= pool.LOOKED_FOR
    following = made.begin(f"{HERE}:count", 2)
    ended(following)
    assert computation.done
    assert computation.is_lost


def test_its_time_is_limited(made, monkeypatch):
    monkeypatch.setitem(pool.MOST_SECONDS, "quick", 0.2)
    computation = ended(made.begin(f"{HERE}:forever", lane="quick"))
    assert computation.result == 1
    assert computation.problem


def test_after_a_dead_process_there_is_another(made):
    assert "memory" in ended(made.begin(f"{HERE}:die")).problem
    assert ended(made.begin(f"{HERE}:count", 2)).result == 2


def test_the_queue_is_bounded(made, monkeypatch):
    monkeypatch.setattr(pool, "MOST_WAITING", 2)
    running = made.begin(f"{HERE}:forever")
    assert running.look(20.0) == 1
    waiting = [made.begin(f"{HERE}:forever") for _ in range(2)]
    with pytest.raises(BusyError, match=r"computing for many visitors\. Try again soon"):
        made.begin(f"{HERE}:forever")
    waiting[0].cancel()
    assert isinstance(made.begin(f"{HERE}:count", 1), Computation)
