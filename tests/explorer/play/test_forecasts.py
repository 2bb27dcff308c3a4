"""Scores of stated probabilities, and their tenths, for reviews and studies."""

import math

import pytest

from explorer.play import brier_score, by_tenth, clipped_log_score


def test_a_probability_belongs_to_the_tenth_that_it_begins_or_lies_in():
    found = by_tenth([100, 9, 10, 0, 99, 90, 55], lambda percent: percent)
    assert list(found.items()) == [
        ((0, 10), [9, 0]),
        ((10, 20), [10]),
        ((50, 60), [55]),
        ((90, 100), [100, 99, 90]),
    ]
    assert by_tenth([], lambda percent: percent) == {}


def test_scores_by_hand():
    assert brier_score(100, True) == brier_score(0, False) == 0
    assert brier_score(50, True) == brier_score(50, False) == 0.25
    assert brier_score(80, False) == pytest.approx(0.64)
    assert clipped_log_score(50, True) == clipped_log_score(50, False) == -1
    assert clipped_log_score(25, True) == clipped_log_score(75, False) == -2
    # Whoever says 0 or 100 is treated as if they had said 1 or 99.
    assert clipped_log_score(0, True) == clipped_log_score(100, False) == math.log2(0.01)
    assert clipped_log_score(0, False) == clipped_log_score(100, True) == math.log2(0.99)
