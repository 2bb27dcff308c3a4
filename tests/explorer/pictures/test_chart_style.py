"""Bars of a distribution: where they stand, and which rewards they stand for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.pictures.chart_style import NARROWEST, bars_of

REWARDS = st.lists(st.integers(-3_000, 3_000), min_size=1, max_size=60, unique=True)


def law_of(rewards):
    return sorted(rewards), [1 / len(rewards)] * len(rewards)


@given(REWARDS)
def test_bars_stand_over_their_rewards_and_beside_each_other(thousandths):
    rewards = sorted(n / 1_000 for n in thousandths)
    axis = (-3.3, 3.3)
    bars = bars_of(*law_of(rewards), axis)
    least = NARROWEST * (axis[1] - axis[0])
    assert np.isclose(sum(bar.chance for bar in bars), 1)
    assert [n for bar in bars for n in rewards if bar.low <= n <= bar.high] == rewards
    for bar in bars:
        for reward in (bar.low, bar.high):
            assert abs(bar.middle - reward) <= least / 2 + 1e-9
    assert all(one.right <= other.left + 1e-9 for one, other in pairwise(bars))


def test_bars_that_rewards_share_do_not_lean_to_one_side():
    rewards = [n / 1_000 for n in range(1_000)]
    bars = bars_of(*law_of(rewards), (-0.06, 1.06))
    assert len(bars) < len(rewards)
    middles = sum(bar.chance * bar.middle for bar in bars)
    assert abs(middles - np.mean(rewards)) < 0.0005


def test_twenty_one_rewards_a_hundredth_apart_have_a_bar_each():
    rewards = [n / 100 for n in range(80, 101)] + [-1.0]
    assert len(bars_of(*law_of(rewards), (-1.12, 1.12))) == len(rewards)
