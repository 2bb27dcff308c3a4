"""Waiting for pages, by a clock that tests move."""

import pytest

from tests.browser import waiting


@pytest.fixture
def clock(monkeypatch):
    # Another test may have timed out before.
    monkeypatch.setattr(waiting, "_longest", waiting.TIMEOUT)
    seconds = [0.0]
    monkeypatch.setattr(waiting.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(waiting.time, "sleep", lambda more: seconds.append(seconds.pop() + more))
    yield seconds
    monkeypatch.undo()
    waiting.expect.set_options(timeout=waiting.longest() * 1_000)


def test_after_a_first_timeout_less_is_waited(clock):
    with pytest.raises(AssertionError, match=f"after {waiting.TIMEOUT} s it is still 1 instead"):
        waiting.becomes(lambda: 1, 2)
    begun = clock[0]
    assert begun > waiting.TIMEOUT
    waiting.shorten()
    with pytest.raises(AssertionError, match=f"after {waiting.SHORTER} s"):
        waiting.becomes(lambda: 1, 2)
    assert clock[0] - begun < waiting.SHORTER + 1


def test_tests_of_other_programs_stay_patient(clock):
    waiting.shorten()
    with waiting.patient():
        assert waiting.longest() == waiting.TIMEOUT
        waiting.shorten()
        assert waiting.longest() == waiting.TIMEOUT
    assert waiting.longest() == waiting.SHORTER
