"""The optimal stopping rule: against every rule, by hand, and as a model of play."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    build_protocol_handler,
    protocol_names,
)
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
    # Nothing simpler is worth more.
    for decides in (0.2, 0.7, 1.0):
        other = listening_play(handler.spec, decides=decides, accuracy=accuracy, prior=0.4)
        assert exact_values(handler, other).mean(verifier) <= rule.value + 1e-12
    for accepts in (0, 1):
        other = simple_play(
            handler.spec, decides=1, accepts_true=accepts, accepts_false=accepts, prior=0.4
        )
        assert exact_values(handler, other).mean(verifier) <= rule.value + 1e-12


def best_of_all_rules(handler, q: Fraction, p: Fraction) -> Fraction:
    """The best expectation over every rule of nip with two turns, by trying all of them.

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


def test_by_hand():
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
        assert rule.decisions[0, 2].tolist() == [0, 1, 1]
        assert rule.belief.tolist() == pytest.approx([0.25, 0.5, 0.75])
        # At a price of a half all three are as good: the tie is told.
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
    with pytest.raises(UnsupportedError, match="fewer rounds"):
        optimal_stopping(handler_of("nip", nip_protocol={"max_message_rounds": 999}), accuracy=0.7)
    with pytest.raises(ModelError, match="accuracy"):
        optimal_stopping(handler_of("nip"), accuracy=1.2)


def test_sure_answers_and_sure_priors():
    handler = handler_of("nip")
    assert optimal_stopping(handler, accuracy=1.0).value == pytest.approx(1)
    assert optimal_stopping(handler, accuracy=0.7, prior=1.0).value == pytest.approx(1)
    assert optimal_stopping(handler, accuracy=0.0).value == pytest.approx(1)
    assert np.isfinite(optimal_stopping(handler, accuracy=1.0, prior=0.0).value)
