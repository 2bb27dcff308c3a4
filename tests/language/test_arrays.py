"""Columns and rows: each combination of values is worked out once, and nothing overflows."""

from fractions import Fraction

import numpy as np

from nip_core.language.arrays import Column, Rows, Ways, combined, joined, numbered

CODES = np.array([0, 1, 2, 0, 1, 2, 0])


def column(*values, codes=CODES):
    return Column([*values], codes)


def values_of(found, size):
    return [found.table[code] for code in found.filled(size).tolist()]


def test_a_function_is_called_once_for_each_combination():
    calls = []

    def added(a, b, c):
        calls.append((a, b, c))
        return a + b + c

    parts = [column(1, 2, 3), column(10, 20, 30), Column([100], None)]
    assert values_of(combined(added, parts), 7) == [111, 122, 133, 111, 122, 133, 111]
    assert len(calls) == len(set(calls)) <= 9
    # With many possible combinations, only those that some row has.
    wide = [column(*range(50)), column(*range(50)), column(*range(50))]
    calls.clear()
    assert values_of(combined(added, wide), 7) == [0, 3, 6, 0, 3, 6, 0]
    assert len(calls) == 3


def test_what_has_one_value_needs_no_codes():
    assert combined(lambda a: a > 5, [column(1, 2, 3)]).codes is None
    assert not column(1, 2, 3).has_none
    assert column(1, None, 3).has_none
    assert not Column([1, None], np.zeros(3, np.int64)).has_none
    groups = [(value, mask.tolist()) for value, mask in column("a", "b", "c", "unused").groups()]
    assert [value for value, _ in groups] == ["a", "b", "c"]
    assert groups[0][1] == [True, False, False, True, False, False, True]


def test_many_columns_are_numbered_although_their_product_is_too_large():
    wide = [(CODES + shift, 1 << 20) for shift in range(9)]
    first, numbers = numbered(wide)
    assert first.tolist() == [0, 1, 2]
    assert numbers.tolist() == CODES.tolist()


def test_equal_states_are_added_up():
    rows = Rows({"x": column("a", "b", "c"), "y": column(1, 1, 1)}, np.arange(1, 8), 28)
    kept = rows.kept(["x"])
    assert values_of(kept.columns["x"], 3) == ["a", "b", "c"]
    assert kept.chances() == [Fraction(12, 28), Fraction(7, 28), Fraction(9, 28)]
    exchanged = Rows(
        {
            "x": column("a", "b", codes=np.array([0, 1])),
            "y": column("a", "b", codes=np.array([1, 0])),
        },
        np.array([1, 1]),
        2,
    )
    assert len(exchanged.kept(["x", "y"], [["x", "y"]])) == 1


def test_probabilities_that_need_more_than_64_bits():
    rows = Rows({}, np.ones(1, np.int64), 1, np.zeros(1, np.int64))
    ways = Ways(np.array([0, 1]), np.array([[1, 999]]), 1000, None)
    for _ in range(12):
        rows = rows.spread("x", ["a", "b"], ways)
        rows.paid(Column([Fraction(1, 3), None], rows.columns["x"].codes), Fraction(3, 7))
        rows = rows.kept([])
    assert rows.denominator == 1000**12
    assert sum(rows.chances()) == 1
    assert sum(p * x for p, x in zip(rows.chances(), rows.amounts(), strict=True)) == Fraction(
        12, 7000
    )


def test_parts_are_joined_with_common_denominators_and_tables():
    one = Rows({"x": Column(["a"], None)}, np.array([1]), 6, np.array([1]), 2)
    two = Rows(
        {"x": Column(["b", "a"], np.array([0, 1]))}, np.array([1, 2]), 4, np.array([1, 2]), 3
    )
    both = joined([one, two])
    assert values_of(both.columns["x"], 3) == ["a", "b", "a"]
    assert both.chances() == [Fraction(1, 6), Fraction(1, 4), Fraction(1, 2)]
    assert both.amounts() == [Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)]


def test_plays_are_drawn_and_none_is_lost():
    rows = Rows({}, np.array([10_000]), 1, np.zeros(1, np.int64))
    ways = Ways(np.array([0, 1, 2]), np.array([[1, 2, 7]]), 10, None)
    drawn = rows.drawn("x", ["a", "b", "c"], ways, np.random.default_rng(0))
    assert drawn.weight.sum() == 10_000
    assert abs(drawn.weight[0] - 1_000) < 200
