"""Linear programs in rational numbers, compared with scipy's in floating point."""

from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import UnsupportedError
from nip_core.values import linear
from nip_core.values.linear import ONE, maximise
from tests.depth import cases

small = st.integers(-3, 3)


@st.composite
def programs(draw):
    size, count = draw(st.integers(1, 5)), draw(st.integers(0, 6))
    whole = [draw(st.lists(small, min_size=size + 1, max_size=size + 1)) for _ in range(count)]
    # Bounded, so that there is a largest value wherever anything is feasible.
    rows = [*whole, *([0] * n + [-1] + [0] * (size - 1 - n) + [4] for n in range(size))]
    goal = draw(st.lists(small, min_size=size, max_size=size))
    unit = draw(st.sampled_from([1, 10**12, 10**-12]))
    return size, rows, goal, Fraction(unit).limit_denominator(10**12)


def written(row, unit=Fraction(1)):
    *factors, constant = row
    found = {n: unit * factor for n, factor in enumerate(factors) if factor}
    return {**found, ONE: unit * constant} if constant else found


def at(row, place):
    *factors, constant = row
    return sum((f * x for f, x in zip(factors, place, strict=True)), Fraction(constant))


@settings(max_examples=cases(120), deadline=None)
@given(programs())
def test_the_largest_value_is_found(program):
    size, rows, goal, unit = program
    # Multiplying a row does not change its solutions.
    found = maximise(written([*goal, 0], unit), [written(row, unit) for row in rows], size)
    theirs = scipy.optimize.linprog(
        -np.array(goal), -np.array([row[:-1] for row in rows]), np.array([row[-1] for row in rows])
    )
    assert (found is None) == (theirs.status == 2)
    if found is None:
        return
    assert float(found.value / unit) == pytest.approx(-theirs.fun, abs=1e-7)
    assert at([*goal, 0], found.at) * unit == found.value
    assert min(found.at) >= 0
    assert all(at(row, found.at) >= 0 for row in rows)


@settings(max_examples=cases(100), deadline=None)
@given(programs(), small)
def test_the_search_stops_at_the_wanted_value(program, wanted):
    size, rows, goal, _ = program
    whole = [written(row) for row in rows]
    most = maximise(written([*goal, 0]), whole, size)
    some = maximise(written([*goal, 0]), whole, size, beyond=Fraction(wanted))
    assert (most is None) == (some is None)
    if most and some:
        assert some.value > wanted or some.value == most.value
        assert all(at(row, some.at) >= 0 for row in rows)


def test_differences_that_no_float_has_are_seen():
    # x <= 1 + 10^-40, and y <= 1; the slightly larger one is chosen.
    tiny = Fraction(1, 10**40)
    rows = [{ONE: 1 + tiny, 0: Fraction(-1)}, {ONE: Fraction(1), 1: Fraction(-1)}]
    rows.append({ONE: 1 + tiny, 0: Fraction(-1), 1: Fraction(-1)})
    found = maximise({0: Fraction(1), 1: 1 - tiny}, rows, 2)
    assert found is not None
    assert (found.value, found.at) == (1 + tiny, (1 + tiny, 0))


def test_programs_without_an_answer_say_so(monkeypatch):
    with pytest.raises(UnsupportedError, match="no largest value"):
        maximise({0: Fraction(1)}, [], 1)
    assert maximise({0: Fraction(1)}, [{ONE: Fraction(-1)}], 1) is None
    monkeypatch.setattr(linear, "MOST_WORK", 10)
    rows = [{ONE: Fraction(1), n: Fraction(-1), (n + 1) % 5: Fraction(-2)} for n in range(5)]
    with pytest.raises(UnsupportedError, match="too large"):
        maximise(dict.fromkeys(range(5), Fraction(1)), rows, 5)


def test_cycling_is_avoided():
    # Beale's example, on which the rule of the largest coefficient alone cycles.
    rows = [
        {0: Fraction(-1, 4), 1: Fraction(60), 2: Fraction(1, 25), 3: Fraction(-9)},
        {0: Fraction(-1, 2), 1: Fraction(90), 2: Fraction(1, 50), 3: Fraction(-3)},
        {2: Fraction(-1), ONE: Fraction(1)},
    ]
    goal = {0: Fraction(3, 4), 1: Fraction(-150), 2: Fraction(1, 50), 3: Fraction(-6)}
    found = maximise(goal, rows, 4)
    assert found is not None
    assert found.value == Fraction(1, 20)
