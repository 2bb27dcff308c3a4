"""Rounds, provers and walls: the table consists of the values of its protocols."""

import math
from fractions import Fraction

import pytest

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.errors import ModelError, UnsupportedError
from nip_core.values import best_mechanism, value_table
from tests.values.test_games import handler_of
from tests.values.test_two_provers import handler_of as two_provers

KNOWS = {"prover_accuracy": Fraction(4, 5), "verifier_accuracy": Fraction(3, 5)}


@pytest.mark.parametrize("pessimistic", [False, True])
def test_each_number_of_rounds_has_the_value_of_its_protocol(pessimistic):
    common = {"shared_reward": True, "verifier_no_guess_reward": -0.05}
    found = value_table(handler_of("nip", 6, **common), pessimistic=pessimistic, **KNOWS)
    assert found.rounds == (1, 2, 3, 4, 5, 6)
    alone = [
        best_mechanism(handler_of("nip", n, **common), pessimistic=pessimistic, **KNOWS).value
        for n in found.rounds
    ]
    assert found.values["nip"] == tuple(alone)
    gains = found.of_round("nip")
    assert gains[0] is None
    assert sum(gains[1:]) == alone[-1] - alone[0]


def test_payoffs_and_order_are_those_of_the_protocol_asked_about():
    common = {"verifier_reward": 3.0, "verifier_first": False, "shared_reward": True}
    asked = value_table(handler_of("debate", 6, **common), pessimistic=True, rounds=[2], **KNOWS)
    same = best_mechanism(handler_of("nip", 2, **common), pessimistic=True, **KNOWS)
    assert asked.values["nip"] == (same.value,)


def test_gains_are_differences_of_values():
    found = value_table(handler_of("nip"), pessimistic=False, rounds=[4, 2, 4], **KNOWS)
    assert found.rounds == (2, 4)
    for more, base, added in (
        ("mnip_together", "nip", found.of_second_prover()),
        ("mnip", "mnip_together", found.of_wall()),
    ):
        for place, difference in enumerate(added):
            a, b = found.values[more][place], found.values[base][place]
            bounds = found.at_most[more][place], found.at_most[base][place]
            assert difference == (a - b if bounds == (a, b) else None)
    assert found.safe == tuple(
        best_mechanism(handler_of("nip", n), pessimistic=False, **KNOWS).safe_value for n in (2, 4)
    )
    # A value that cannot be computed has its reason.
    missing = {name for name, values in found.values.items() if None in values}
    assert set(found.reasons) == missing


def test_the_table_has_a_row_for_each_number_of_rounds():
    frame = value_table("nip", pessimistic=True, rounds=range(2, 5)).to_frame()
    assert frame["rounds"].tolist() == [2, 3, 4]
    assert frame["one prover"].notna().all()
    assert math.isnan(frame["one prover: the round adds"][0])


def test_a_lower_bound_is_called_one():
    table = value_table("mnip", pessimistic=True, rounds=[3], verifier_accuracy=Fraction(3, 4))
    (row,) = table.to_frame().to_dict("records")
    assert "two isolated provers" not in row
    assert row["two isolated provers, at least"] < row["two isolated provers, at most"]
    assert "two provers that hear each other" in row


def test_incomparable_protocols_are_refused():
    zero_knowledge = HyperParameters(protocol_common={"zero_knowledge": True})
    with pytest.raises(UnsupportedError, match="without zero knowledge"):
        value_table(build_protocol_handler(zero_knowledge, ExperimentSettings()), pessimistic=True)
    with pytest.raises(ModelError, match=r"number of rounds .* is 51; it must be .* 1 to 50"):
        value_table("nip", pessimistic=True, rounds=[51])


def test_provers_that_hear_each_other_are_a_team():
    found = value_table("mnip", pessimistic=False, rounds=[3], verifier_accuracy=Fraction(3, 4))
    asked = {"pessimistic": False, "verifier_accuracy": Fraction(3, 4)}
    team = best_mechanism(two_provers("mnip_together", 3), opposition="team", **asked)
    apart = best_mechanism(two_provers("mnip", 3), **asked)
    assert found.values["mnip_together"] == (team.value,)
    # Isolated provers cannot agree, and contradict each other when one of them lies.
    assert found.of_wall() == (apart.value - team.value,) == (Fraction(1, 2),)


def test_a_wall_is_never_worth_less_than_nothing_where_interests_are_shared():
    common = {"shared_reward": True, "verifier_no_guess_reward": -0.05}
    found = value_table(handler_of("nip", 4, **common), pessimistic=False, rounds=[2, 4], **KNOWS)
    assert found.reasons == {}
    assert all(gain is None or gain >= 0 for gain in (*found.of_second_prover(), *found.of_wall()))
    assert any(gain for gain in found.of_second_prover())
