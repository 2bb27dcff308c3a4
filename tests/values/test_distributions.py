"""Distributions of single values: exact where the values are."""

from fractions import Fraction

import numpy as np
import pytest

from nip_core.values import Distribution


def test_fractions_stay_fractions():
    third = Fraction(1, 3)
    law = Distribution.of([(Fraction(1), third), (Fraction(-1), third), (Fraction(1), third)])
    assert law.values.tolist() == [-1, 1]
    assert law.probabilities.tolist() == [third, 2 * third]
    assert (law.mean, law.variance) == (third, Fraction(8, 9))
    assert law.table().rows == [(-1.0, -1.0, 1 / 3), (1.0, 1.0, 2 / 3)]
    assert law.quantile(0.25) == -1
    assert law.quantile(0.5) == 1


def test_intervals_count_with_their_middles():
    law = Distribution(np.array([2.0]), np.array([0.5]), np.array([0.0, 1.0]), np.array([0.5]))
    assert law.mean == 1.25
    assert law.variance == 0.5625
    assert law.quantile(0.25) == pytest.approx(0.5)
