"""What playables are told by the engine."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest

from explorer.front import FOLDER, address, text_at
from explorer.lessons.games.sumcheck import evaluate, success
from explorer.lessons.games.two_rooms import APART, PLAN, passes
from explorer.lessons.library import all_playables
from explorer.lessons.playables import curve, halving, strangers, two_rooms


@pytest.mark.parametrize("name", all_playables())
def test_each_has_a_front_and_plain_data(name):
    played = all_playables()[name]
    assert played.TITLE
    assert json.loads(json.dumps(played.data())) == played.data()
    there = address(played.FRONT, "paper", "touch", played.FRONT)
    assert text_at(there.removeprefix(FOLDER)) is not None


def test_the_best_plans_of_two_rooms_are_those_of_the_lesson():
    told = two_rooms.data()
    assert told["plans"] == 3**8
    assert 1 - Fraction(told["least"], 16) == APART
    caught = [q for q in product(range(4), repeat=2) if not passes(q, (PLAN[q[0]], PLAN[q[1]]))]
    assert len(caught) == told["least"]
    assert told["best"] == two_rooms.red_counts()[2]
    assert two_rooms.red_counts()[1] == two_rooms.red_counts()[0] == 0


def test_a_false_curve_has_the_claimed_sum_and_touches_the_true_one_at_its_two_points():
    told = curve.data()
    true, prime = told["true"], curve.PRIMES[0]
    assert true == [evaluate(curve.TRUTH, x, prime) for x in range(prime)]
    assert (true[0] + true[1]) % prime != told["claim"]
    for pair, false in told["curves"].items():
        assert (false[0] + false[1]) % prime == told["claim"]
        touching = [x for x in range(prime) if false[x] == true[x]]
        assert touching == [int(x) for x in pair.split(",")]
    # Every point can be touched: a liar who sees the dart first is always saved.
    assert {x for pair in told["curves"] for x in pair.split(",")} >= set(map(str, range(prime)))
    assert told["chances"] == [[p, float(success(p, 2, 1))] for p in curve.PRIMES]


def test_the_fog_of_a_debate_has_the_chances_of_its_formula():
    told = halving.data()
    assert len(told["amounts"]) == 2**halving.STEPS == 1024
    assert told["skills"][0] == [100, 1]
    for percent, chance in told["skills"]:
        assert chance == pytest.approx((percent / 100) ** 10)
    assert told["skills"][-1] == [50, 1 / 1024]


def test_of_the_strangers_believed_after_five_tests_one_in_thirty_three_guesses():
    told = strangers.data()
    for tests in range(strangers.MOST + 1):
        assert told["guessers"][tests][tests] == 0.5**tests
        assert told["tasters"][0][tests][tests] == 1
        assert told["tasters"][2][tests][tests] == pytest.approx(0.9**tests)
    bad = told["guessers"][5][5]
    assert bad / (1 + bad) == pytest.approx(1 / 33)
