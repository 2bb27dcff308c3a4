"""Tests of mechanisms.py: commitments by linear programs, by theorems and in larger games.

They are compared with documents in test_opposed.py, and with trees in test_two_provers.py.
"""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from nip_core.errors import UnsupportedError
from nip_core.values import best_mechanism, exact_values, simple_play
from tests.depth import exhaustive
from tests.growth import seconds
from tests.values.test_two_provers import handler_of


def test_too_many_rounds_are_refused_with_the_remedy():
    with pytest.raises(UnsupportedError, match=r"1,001 rounds.*up to 1,000. Take fewer"):
        best_mechanism(handler_of("nip", 1001), pessimistic=False)


HARD = {"prior": Fraction(2, 5), "prover_accuracy": 0.8, "verifier_accuracy": 0.6}


@exhaustive
def test_a_thousand_rounds_take_time_in_proportion():
    def run(rounds):
        handler = handler_of("nip", rounds, shared_reward=True, verifier_no_guess_reward=-0.001)
        best_mechanism(handler, pessimistic=True, **HARD)

    # Four times the rounds; linear programming costs somewhat more than that.
    assert seconds(lambda: run(1000)) < 12 * seconds(lambda: run(250))


def test_a_strategy_says_what_happens_in_each_round_that_is_reached():
    handler = handler_of("nip", 4, shared_reward=True, verifier_no_guess_reward=0.0)
    found = best_mechanism(handler, pessimistic=True, prior=0.5, prover_accuracy=1)
    assert found.value == 1
    assert (found.completeness, found.soundness_error) == (1, 0)
    assert all(min(a, b) >= 0 and a + b <= 1 for a, b in found.stops.values())
    last = {report: stop for (_, report, r), stop in found.stops.items() if report is not None}
    assert last == {0: (1, 0), 1: (0, 1)}


def test_an_impossible_label_has_no_share():
    found = best_mechanism(handler_of("nip", 3), pessimistic=False, prior=1)
    assert (found.completeness, found.soundness_error) == (1, None)


def test_any_play_has_completeness_and_soundness_error():
    handler = handler_of("nip", 6)
    play = simple_play(handler.spec, decides=0.5, accepts_true=0.9, accepts_false=0.2, prior=0.3)
    values = exact_values(handler, play)
    turns = sum(handler.spec.may_decide(r) for r in range(6))
    decided = 1 - 0.5**turns
    assert values.completeness == pytest.approx(0.9 * decided)
    assert values.soundness_error == pytest.approx(0.2 * decided)
    sure = dataclasses.replace(play, prior=1.0)
    assert math.isnan(exact_values(handler, sure).soundness_error)
    assert np.isclose(exact_values(handler, sure).completeness, values.completeness)
