"""Tests of processor_time.py and runs.py.

A visitor's processor time is counted, and work ends when its browser has gone.
"""

import time
from contextlib import contextmanager

import pytest

from explorer.choice import ProtocolChoice
from explorer.server import runs
from explorer.server.processor_time import MINUTE, ProcessorTime, ProcessorTimeError
from nip_core import budget
from nip_core.budget import PLAYS, STEPS_BETWEEN_CHECKS, spend
from tests.explorer.frames.client import Page
from tests.language.hostile import document, turns

# Without a budget, this takes a minute of the processor.
LONG = document([turns({"a": "c"}, {"b": "c"}, times=450_000)])


class Clocks:
    """The time, and the processor's, which tests set."""

    now = used = 0.0


def test_seconds_of_all_windows_count_for_a_minute():
    clocks = Clocks()
    kept = ProcessorTime(10.0, lambda: clocks.now, lambda: clocks.used)

    def run(seconds, visitor="ann"):
        with kept.counted(visitor, lambda: None):
            clocks.used += seconds
            spend(STEPS_BETWEEN_CHECKS, PLAYS)

    run(6)
    clocks.now = 20
    run(4)
    assert kept.seconds("ann") == 10
    run(0)
    with pytest.raises(
        ProcessorTimeError, match=r"used 10 seconds .* Wait 40 seconds, then reload"
    ):
        run(1)
    with pytest.raises(ProcessorTimeError):  # at once
        run(0)
    run(9, "bob")
    clocks.now = MINUTE
    run(2)
    assert kept.seconds("ann") == 7


def test_a_run_ends_as_its_check_says_and_is_counted():
    clocks = Clocks()
    kept = ProcessorTime(10.0, lambda: clocks.now, lambda: clocks.used)

    def gone():
        clocks.used += 3
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), kept.counted("ann", gone):
        spend(STEPS_BETWEEN_CHECKS, PLAYS)
    assert kept.seconds("ann") == 3


# -- on a server: these functions run in its process -----------------------------------------------


def set_limits(steps: int, seconds: float) -> None:
    from explorer.choice.sources import kept
    from explorer.server.runs import processor_time

    budget.MOST_STEPS, processor_time.most = steps, seconds
    kept.clear()


def running() -> int:
    """Return how many runs of pages are in progress."""
    from explorer.server.runs import processor_time

    return sum(len(used.running) for used in processor_time._used.values())


def read() -> int:
    """Return how many specifications were read to the end."""
    from explorer.choice.sources import kept

    return sum(isinstance(key, str) for key in kept._found)


def wait_for(condition) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def limited(frames, *, steps=budget.MOST_STEPS, seconds=600.0):
    frames.call(set_limits, steps, seconds)
    try:
        yield
    finally:
        frames.call(set_limits, budget.MOST_STEPS, 600.0)


def test_work_ends_when_the_visitor_has_gone(frames):
    with limited(frames, steps=10**12):
        page = Page(frames.port, "protocols", ProtocolChoice.own(LONG).to_query())
        page.send(page.request())
        wait_for(lambda: frames.call(running))
        page.close()
        wait_for(lambda: not frames.call(running))
        assert frames.call(read) == 0


def test_the_worst_link_is_read_within_the_budget(frames):
    page = frames.open("protocols", **ProtocolChoice.own(LONG).to_query())
    assert "so it was not tried what never happens" in page.said
    assert frames.call(read) == 1


def test_a_visitor_who_has_used_much_is_asked_to_wait(frames):
    first = frames.open("protocols", protocol="mnip")
    with limited(frames, seconds=0.001):
        second = frames.open("protocols", protocol="mnip", visitor=first)
        said = "run the explorer on your own computer"
        assert said in second.said
        assert "could not be shown" not in second.said
        assert said not in frames.open("protocols", protocol="mnip").said


def test_a_specification_that_is_too_large_is_refused_with_a_sentence(frames):
    with limited(frames, steps=100):
        page = frames.open("protocols", **ProtocolChoice.own(LONG).to_query())
        assert "takes more than 100 steps of work" in page.said


def test_a_file_is_counted_when_it_is_made(monkeypatch):
    """Browsers may ask for a file any number of times."""
    kept = ProcessorTime(1.0, lambda: 0.0)
    monkeypatch.setattr(runs, "processor_time", kept)
    monkeypatch.setattr(runs, "page_visitor", lambda: "ann")
    monkeypatch.setattr(runs, "upload_ledger", object)
    make = runs.counted_file(lambda: sum(range(100_000)))
    before = kept.seconds("ann")
    assert make() == sum(range(100_000))
    assert kept.seconds("ann") > before
    kept.most = 0.0
    with pytest.raises(ProcessorTimeError):
        make()
