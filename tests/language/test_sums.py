"""Sums that pay is proportional to: the same means and variances as with all states."""

from fractions import Fraction

import pytest

from nip_core.language import GivenPlay, Habit, load_specification
from nip_core.language.forward import Forward, Limit, Result
from nip_core.language.sums import proportional
from nip_core.values import play_values
from tests.depth import each
from tests.language.zoo import published


def market(**changes):
    """Return a market with few prices, or with other pay."""
    document = published("market_making").to_dict()
    document["choices"]["price"]["options"] = {"from": 20, "to": 80, "step": 15}
    document["choices"]["belief"]["options"] = {"from": 0, "to": 100, "step": 25}
    return load_specification(document | changes)


AMOUNTS = (
    "belief / 100 * if_true + (100 - belief) / 100 * if_false",
    "if_true - 2 * if_false + 3",
    "-(if_true / 4) if belief > 50 else if_false * (belief - price)",
    "mean(if_true, if_false)",
)


def paid(*amounts):
    rules = [{"to": {"market": 2}, "amount": amount} for amount in amounts]
    # Also in the middle of play, with what was collected so far.
    rules.append({"to": "market", "amount": "if_true * price / 100", "at": "price"})
    return rules


@each("amount", AMOUNTS)
def test_means_and_variances_are_those_of_all_states(amount):
    spec = market(pay=paid(amount, "belief / 10"))
    habits = [Habit("price", {20: 1, 35: "price / 10 if price != none else 2", 80: 3})]
    known = play_values(spec, habits)
    assert "market" not in known.from_plays
    given, factors = GivenPlay(spec, habits), {0: Fraction(2), 1: Fraction(2), 2: Fraction(1)}
    limit = Limit(spec.name, None)
    found = Forward(spec, given, Result(factors), limit, exact=False, whole=False)
    assert found.sums.names == ("if_false", "if_true")
    assert found.mean == pytest.approx(known.means["market"])
    assert found.square - found.mean**2 == pytest.approx(known.variances["market"])


@each(
    ("amount", "fields", "names"),
    [
        ("if_true * if_false", {}, ()),
        ("max(if_true, if_false)", {}, ()),
        ("1 if if_true > -3 else 0", {}, ()),
        ("if_true", {}, ("if_true",)),
        ("if_true + power(if_false, 2)", {}, ()),
        ("if_true * belief", {"verdict": "if_true"}, ("if_true",)),
    ],
)
def test_only_sums_in_proportion_are_left_out_of_states(amount, fields, names):
    spec = market(pay=[{"to": "market", "amount": amount}], **fields)
    assert proportional(spec, GivenPlay(spec), [0]) == names


def test_a_market_of_99_prices_is_computed():
    found = play_values(published("market_making"))
    assert found.method == "fractions"
    assert found.from_plays == {"market", "adversary"}
    assert found.means["adversary"] == Fraction(98, 99)
    drawn = play_values(published("market_making"), most=0, plays=20_000)
    for seat, mean in found.means.items():
        low, high = drawn.interval(seat, 0.9999)
        assert low <= mean <= high
