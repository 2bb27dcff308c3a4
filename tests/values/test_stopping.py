"""The optimal stopping rule, compared with every rule, by hand, and as a model of play."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler, protocol_names
from nip_core.errors import ModelError, UnsupportedError
from nip_core.values import exact_values, listening_play, optimal_stopping, simple_play
from tests.depth import cases

eighths = st.integers(-16, 16).map(lambda n: n / 8)


def handler_of(name, **groups):
    chosen = HyperParameters(interaction_protocol=name, **groups)
    return build_protocol_handler(chosen, ExperimentSettings())


@pytest.mark.parametrize("name", protocol_names())
@pytest.mark.parametrize("accuracy", [0.5, 0.6, 0.9, 1.0])
def test_the_rule_is_worth_what_it_says(name, accuracy):
    handler = handler_of(name, protocol_common={"verifier_no_guess_reward": -0.05})
    rule = optimal_stopping(handler, accuracy=accuracy, prior=0.4)
    verifier = handler.spec.verifier
    assert exact_values(handler, rule.model).mean(verifier) == pytest.approx(rule.value, abs=1e-12)
    # No simpler rule is worth more.
    for decides in (0.2, 0.7, 1.0):
        other = listening_play(handler.spec, decides=decides, accuracy=accuracy, prior=0.4)
        assert exact_values(handler, other).mean(verifier) <= rule.value + 1e-12
    for accepts in (0, 1):
        other = simple_play(
            handler.spec, decides=1, accepts_true=accepts, accepts_false=accepts, prior=0.4
        )
        assert exact_values(handler, other).mean(verifier) <= rule.value + 1e-12


def best_of_all_rules(handler, q: Fraction, p: Fraction) -> Fraction:
    """Return the best expectation over every rule of nip with two turns, by trying all of them.

    A rule says what to do at first, and what to do after each answer. (Two turns, one answer.)
    """
    pay = handler.payoff
    reward = {True: Fraction(pay.verifier_reward), False: Fraction(pay.verifier_incorrect_penalty)}
    ask, fine = Fraction(pay.verifier_no_guess_reward), Fraction(pay.verifier_terminated_penalty)
    values = []
    for first, *second in itertools.product(range(3), repeat=3):
        total = Fraction(0)
        for y in (0, 1):
            chance = p if y else 1 - p
            if first != 2:
                total += chance * reward[first == y]
                continue
            for answer in (0, 1):
                heard = q if answer == y else 1 - q
                then = second[answer]
                end = ask + fine if then == 2 else reward[then == y]
                total += chance * heard * (ask + end)
        values.append(total)
    return max(values)


@settings(max_examples=cases(60), deadline=None)
@given(st.data())
def test_against_every_rule(data):
    pays = [data.draw(eighths) for _ in range(4)]
    handler = handler_of(
        "nip",
        nip_protocol={"max_message_rounds": 4},
        protocol_common=dict(
            zip(
                (
                    "verifier_reward",
                    "verifier_incorrect_penalty",
                    "verifier_no_guess_reward",
                    "verifier_terminated_penalty",
                ),
                pays,
                strict=True,
            )
        ),
    )
    q, p = (Fraction(data.draw(st.integers(0, 16)), 16) for _ in range(2))
    rule = optimal_stopping(handler, accuracy=float(q), prior=float(p))
    assert rule.value == pytest.approx(float(best_of_all_rules(handler, q, p)), abs=1e-12)


# Payoffs of very different sizes, as a person writes them.
wide = st.sampled_from(
    [0.0, 0.01, -0.01, 5e-4, 1.0, -1.0, 0.1, 0.3, 1e-12, -1e9, 1e12, -1e12, 1e30]
)
wide |= st.tuples(st.integers(-99, 99), st.integers(-20, 20)).map(lambda n: float(f"{n[0]}e{n[1]}"))
chances_of = st.sampled_from([0.0, 1.0, 0.5, 0.7, 0.1, 1 / 3, 0.999999, 1e-9]) | st.floats(0, 1)


def read(number: float) -> Fraction:
    """Return a number as it was written; chances here are decimals, except a third."""
    return Fraction(1, 3) if number == 1 / 3 else Fraction(repr(number))


def best_by_histories(pay, rounds, least, q, p):
    """Return the best expectation in nip, by trying every decision after every history."""

    def after(round_id, one, zero):
        """Return the value to come, times the chances of the history with label 1 and 0."""
        if round_id % 2:  # the prover answers
            if round_id == rounds - 1:
                return (one + zero) * pay["terminated"]
            said_true = after(round_id + 1, one * q, zero * (1 - q))
            return said_true + after(round_id + 1, one * (1 - q), zero * q)
        ends = round_id == rounds - 1
        rest = pay["terminated"] * (one + zero) if ends else None
        asked = rest if ends else pay["no_guess"] * (one + zero) + after(round_id + 1, one, zero)
        if round_id < least - 1:
            return asked
        accept = pay["right"] * one + pay["wrong"] * zero
        reject = pay["right"] * zero + pay["wrong"] * one
        return max(accept, reject, asked)

    return after(0, p, 1 - p)


@settings(max_examples=cases(300), deadline=None)
@given(
    st.tuples(wide, wide, wide, wide), st.integers(1, 9), st.integers(1, 4), chances_of, chances_of
)
def test_it_is_optimal_for_payoffs_of_any_size(pays, rounds, least, accuracy, prior):
    least = min(least, rounds)
    names = ("right", "wrong", "no_guess", "terminated")
    handler = handler_of(
        "nip",
        nip_protocol={"max_message_rounds": rounds, "min_message_rounds": least},
        protocol_common=dict(
            zip(
                (
                    "verifier_reward",
                    "verifier_incorrect_penalty",
                    "verifier_no_guess_reward",
                    "verifier_terminated_penalty",
                ),
                pays,
                strict=True,
            )
        ),
    )
    rule = optimal_stopping(handler, accuracy=accuracy, prior=prior)
    exact = dict(zip(names, map(read, pays), strict=True))
    best = best_by_histories(exact, rounds, least, read(accuracy), read(prior))
    assert float(rule.exact) == pytest.approx(float(best), rel=1e-15)
    assert rule.value == float(rule.exact)
    mean = exact_values(handler, rule.model).mean("verifier")
    assert mean == pytest.approx(rule.value, abs=1e-12 * max(map(abs, pays)) + 1e-15)


@pytest.mark.parametrize(
    ("penalty", "asking", "value"),
    [(-1e12, 0.01, 1.02), (-1e9, 5e-4, 1.001), (-1e30, 1e-9, 1 + 2e-9)],
)
def test_small_payoffs_count_beside_huge_ones(penalty, asking, value):
    handler = handler_of(
        "nip",
        nip_protocol={"max_message_rounds": 6},
        protocol_common={"verifier_incorrect_penalty": penalty, "verifier_no_guess_reward": asking},
    )
    rule = optimal_stopping(handler, accuracy=1)
    assert rule.value == value
    assert exact_values(handler, rule.model).mean("verifier") == pytest.approx(value, rel=1e-15)


def test_a_tie_in_decimals_is_a_tie():
    # Following one answer is worth 0.7 - 0.3, exactly the price of asking for it.
    handler = handler_of(
        "nip",
        nip_protocol={"max_message_rounds": 4},
        protocol_common={"verifier_no_guess_reward": -0.4},
    )
    rule = optimal_stopping(handler, accuracy=0.7)
    assert rule.exact == 0
    assert rule.ties[0, 0, 1].all()


def test_impossible_states_are_not_in_the_table():
    rule = optimal_stopping(handler_of("nip"), accuracy=1)
    states = {(row[1], row[2]) for row in rule.table().rows}
    # Certain answers are all for or all against.
    assert states == {(0, 0), (2, -1), (2, 1), (4, -2), (4, 2), (6, -3), (6, 3)}


def test_two_turns_by_hand():
    # nip, four rounds: rounds 0 and 2 are the verifier's, one answer between them. q = 3/4 and an
    # even prior. Deciding at once is worth 0. Asking, then following the answer: 3/4 - 1/4 = 1/2,
    # less the price of asking.
    for price, value, first in ((-0.25, 0.25, 2), (-0.5, 0.0, 1), (-0.75, 0.0, 1)):
        handler = handler_of(
            "nip",
            nip_protocol={"max_message_rounds": 4},
            protocol_common={"verifier_no_guess_reward": price},
        )
        rule = optimal_stopping(handler, accuracy=0.75)
        assert rule.value == pytest.approx(value)
        assert rule.decisions[0, 0, 1] == first
        assert rule.decisions[0, 2].tolist() == [0, 2, 1]
        assert rule.belief.tolist() == pytest.approx([0.25, 0.5, 0.75])
        # At a price of a half all three are as good: the tie is reported.
        assert rule.ties[0, 0, 1].tolist() == [price <= -0.5, price <= -0.5, price >= -0.5]
        assert rule.reachable[0, 2].tolist() == [True, False, True]


def test_listening_longer_pays_until_it_costs():
    def worth(rounds, price):
        handler = handler_of(
            "nip",
            nip_protocol={"max_message_rounds": rounds},
            protocol_common={"verifier_no_guess_reward": price},
        )
        return optimal_stopping(handler, accuracy=0.7).value

    free = [worth(rounds, 0.0) for rounds in (2, 4, 8, 16, 32)]
    assert free == sorted(free)
    assert free[-1] > 0.85
    assert worth(32, -0.5) == pytest.approx(0.0)


def test_what_cannot_be_computed_is_refused_with_the_reason():
    with pytest.raises(UnsupportedError, match="two verifiers"):
        optimal_stopping(handler_of("nip", protocol_common={"zero_knowledge": True}), accuracy=0.7)
    with pytest.raises(UnsupportedError, match="499 answers are heard here; the rule"):
        optimal_stopping(handler_of("nip", nip_protocol={"max_message_rounds": 999}), accuracy=0.7)
    with pytest.raises(ModelError, match="accuracy"):
        optimal_stopping(handler_of("nip"), accuracy=1.2)


def test_sure_answers_and_sure_priors():
    handler = handler_of("nip")
    assert optimal_stopping(handler, accuracy=1.0).value == pytest.approx(1)
    assert optimal_stopping(handler, accuracy=0.7, prior=1.0).value == pytest.approx(1)
    assert optimal_stopping(handler, accuracy=0.0).value == pytest.approx(1)
    assert np.isfinite(optimal_stopping(handler, accuracy=1.0, prior=0.0).value)
