"""Tests of intervals.py: confidence intervals hold as often as they say."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import ModelError
from nip_core.values import betting_mean, bootstrap_ends, student_quantile, wilson
from tests.depth import FULL, cases, each


@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_wilson_solves_its_equation(hits, count, level):
    hits = min(hits, count)
    low, high = wilson(hits, count, level)
    assert 0 <= low <= hits / count <= high <= 1
    z = NormalDist().inv_cdf((1 + level) / 2)
    for end in {low, high} - {0.0, 1.0}:
        # At its ends, the found rate is z standard errors away.
        assert abs(hits / count - end) == pytest.approx(z * math.sqrt(end * (1 - end) / count))


def test_the_ends_of_a_bootstrap_lie_as_far_out_as_the_quantile_says():
    drawn = np.random.default_rng(0).normal(3, 2, 100_000)
    # A t table's values for 95%, with many and with three degrees of freedom.
    for freedom, z in ((1e9, 1.960), (3, 3.182)):
        assert student_quantile(0.95, freedom) == pytest.approx(z, abs=1e-3)
        ends = bootstrap_ends(drawn, student_quantile(0.95, freedom))
        assert ends == pytest.approx((3 - 2 * z, 3 + 2 * z), abs=0.15)


# Distributions between bounds: the values, their chances, and the bounds.
LAWS = {
    "a rare large loss": ([-50.0, 1.0], [0.03, 0.97], -50.0, 1.0),
    "a very rare one": ([-1000.0, 1.0], [0.001, 0.999], -1000.0, 1.0),
    "a fair coin": ([-1.0, 1.0], [0.5, 0.5], -1.0, 1.0),
    "a rate of a third": ([0.0, 1.0], [2 / 3, 1 / 3], 0.0, 1.0),
    "a rare gain": ([0.0, 1.0], [0.98, 0.02], 0.0, 1.0),
    "nine values": (np.linspace(-1, 1, 9).tolist(), [1 / 9] * 9, -1.0, 1.0),
    "far from its bounds": ([0.4, 0.5, 0.6], [0.25, 0.5, 0.25], -4.0, 1.0),
    "a constant": ([0.25], [1.0], 0.0, 1.0),
}


@pytest.mark.parametrize("law", LAWS)
@each("count", [1, 10, 30, 100])
def test_betting_holds_the_mean_as_often_as_it_says(law, count):
    values, chances, low, high = LAWS[law]
    mean = float(np.dot(values, chances))
    runs, level = (400 if FULL else 40), 0.95
    every = np.random.default_rng(count).multinomial(count, chances, size=runs)
    held = 0
    for counts, times in zip(*np.unique(every, axis=0, return_counts=True), strict=True):
        a, b = betting_mean(np.array(values), counts, low, high, level)
        held += times * (a <= mean <= b)
        assert low <= a <= b <= high
        # No interval is a single point while another mean is possible.
        assert b - a > 1e-4
    # The count may deviate by five standard deviations.
    assert held >= runs * level - 5 * math.sqrt(runs * level * (1 - level))


def test_ordinary_intervals_are_not_much_wider_than_normal_ones():
    for law in ("a fair coin", "a rate of a third", "nine values"):
        values, chances, low, high = LAWS[law]
        mean = np.dot(values, chances)
        spread = math.sqrt(np.dot((np.array(values) - mean) ** 2, chances))
        for count in (100, 10_000, 1_000_000):
            counts = np.round(np.array(chances) * count)
            a, b = betting_mean(np.array(values), counts, low, high)
            assert 1 < (b - a) / (2 * 1.96 * spread / math.sqrt(count)) < 1.7
            assert a < mean < b


@settings(max_examples=cases(60), deadline=None)
@given(
    st.lists(st.integers(0, 8), min_size=2, max_size=5, unique=True),
    st.data(),
    st.sampled_from([1e-12, 1e-6, 3.0, 1e12]),
    st.sampled_from([0.0, -5.0, 7.0]),
)
def test_intervals_move_with_their_unit_and_turn_with_their_sign(places, data, unit, shift):
    values = np.array(places) / 8
    counts = np.array([data.draw(st.integers(0, 40)) for _ in places])
    counts[0] += 1
    a, b = betting_mean(values, counts, 0.0, 1.0)
    c, d = betting_mean(unit * (values + shift), counts, unit * shift, unit * (1 + shift))
    assert (c / unit - shift, d / unit - shift) == pytest.approx((a, b), abs=1e-9)
    c, d = betting_mean(1 - values, counts, 0.0, 1.0)
    assert (1 - d, 1 - c) == pytest.approx((a, b), abs=1e-9)
    # A higher level gives a wider interval, more draws a narrower one.
    c, d = betting_mean(values, counts, 0.0, 1.0, 0.99)
    assert c <= a + 1e-9
    assert b - 1e-9 <= d
    c, d = betting_mean(values, 9 * counts, 0.0, 1.0)
    assert d - c <= b - a + 1e-9


def test_without_draws_the_interval_is_all_between_the_bounds():
    assert betting_mean(np.array([1.0]), np.array([0]), -3.0, 2.0) == (-3.0, 2.0)
    assert betting_mean(np.array([2.0]), np.array([5]), 2.0, 2.0) == (2.0, 2.0)


@each(
    ("values", "counts", "low", "high", "level", "said"),
    [
        ([2.0], [1], 0.0, 1.0, 0.95, "must be between"),
        ([0.5], [1], 1.0, 0.0, 0.95, "must be at most"),
        ([0.5], [-1], 0.0, 1.0, 0.95, "below 0"),
        ([0.5], [1, 2], 0.0, 1.0, 0.95, "as many counts"),
        ([0.5], [1], 0.0, 1.0, 1.0, "level"),
        ([0.5], [1], 0.0, 1.0, float("nan"), "level"),
        ([float("nan")], [1], 0.0, 1.0, 0.95, "finite numbers"),
    ],
)
def test_invalid_samples_are_refused(values, counts, low, high, level, said):
    with pytest.raises(ModelError, match=said):
        betting_mean(np.array(values), np.array(counts), low, high, level)


def test_bad_rates_are_refused():
    with pytest.raises(ModelError):
        wilson(3, 2)
    with pytest.raises(ModelError):
        wilson(1, 2, 1.0)
    assert wilson(0, 0) == (0.0, 1.0)
