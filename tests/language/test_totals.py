"""Choices of numbers with a required total."""

import pytest

from nip_core.language import totals


@pytest.fixture
def limits(monkeypatch):
    """Return a function that sets the most additions and sums; what was found before is gone."""

    def limit(additions, sums):
        monkeypatch.setattr(totals, "MAX_ADDITIONS", additions)
        monkeypatch.setattr(totals, "MAX_SUMS", sums)
        totals._sums.cache_clear()

    yield limit
    totals._sums.cache_clear()


def test_options_stay_open_from_which_the_others_can_still_reach_the_total():
    choices = ((0, 1), (0, 10), (0, 100))
    assert [total for total in range(120) if totals.reachable_total(choices, total)] == [
        *(0, 1, 10, 11, 100, 101, 110, 111)
    ]
    assert totals.open_for_total((0, 1), choices[1:], 101) == (1,)
    assert totals.open_for_total((0, 1), choices[1:], 102) == ()


def test_too_many_sums_or_additions_are_refused(limits):
    # Two sums of the last choice, by two additions; then four, by four more; then eight, by eight.
    choices = ((0, 1), (0, 10), (0, 100))
    for additions, sums, found in ((14, 8, True), (13, 8, False), (14, 7, False)):
        limits(additions, sums)
        assert totals.reachable_total(choices, 111) == found
