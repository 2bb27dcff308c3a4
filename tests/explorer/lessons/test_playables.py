"""Tests of playables/. The numbers that playables get from the engine."""

import json
import math
import re
from fractions import Fraction
from itertools import product

import pytest

from explorer.front import FOLDER, address, text_at
from explorer.lessons.games.real_or_simulated import advantage
from explorer.lessons.games.sumcheck import evaluate, success
from explorer.lessons.games.two_rooms import APART, PLAN, passes
from explorer.lessons.library import all_playables
from explorer.lessons.playables import (
    clouds,
    curve,
    fog,
    forgery,
    halving,
    legible,
    marks,
    redo,
    seat,
    strangers,
    twins,
    two_rooms,
)
from nip_core.tasks import passages
from tests.depth import each


@each("name", all_playables())
def test_each_playable_has_a_front_and_plain_data(name):
    played = all_playables()[name]
    assert played.TITLE
    data = played.data()
    assert json.loads(json.dumps(data)) == data
    there = address(played.FRONT, "paper", "touch", played.FRONT)
    assert text_at(there.removeprefix(FOLDER)) is not None


def test_the_best_plans_of_two_rooms_are_those_of_the_lesson():
    shown = two_rooms.data()
    assert shown["plans"] == 3**8
    assert 1 - Fraction(shown["least"], 16) == APART
    caught = [q for q in product(range(4), repeat=2) if not passes(q, (PLAN[q[0]], PLAN[q[1]]))]
    assert len(caught) == shown["least"]
    assert shown["best"] == two_rooms.red_counts()[2]
    assert two_rooms.red_counts()[1] == two_rooms.red_counts()[0] == 0


def test_a_false_curve_has_the_claimed_sum_and_touches_the_true_one_at_its_two_points():
    shown = curve.data()
    true, prime = shown["true"], curve.PRIMES[0]
    assert true == [evaluate(curve.TRUTH, x, prime) for x in range(prime)]
    assert (true[0] + true[1]) % prime != shown["claim"]
    for pair, false in shown["curves"].items():
        assert (false[0] + false[1]) % prime == shown["claim"]
        touching = [x for x in range(prime) if false[x] == true[x]]
        assert touching == [int(x) for x in pair.split(",")]
    # Every point can be touched; a liar who sees the dart first is always safe.
    assert {x for pair in shown["curves"] for x in pair.split(",")} >= set(map(str, range(prime)))
    assert shown["chances"] == [[p, float(success(p, 2, 1))] for p in curve.PRIMES]


def test_the_fog_of_a_debate_has_the_chances_of_its_formula():
    shown = halving.data()
    assert len(shown["amounts"]) == 2**halving.STEPS == 1024
    assert shown["skills"][0] == [100, 1]
    for percent, chance in shown["skills"]:
        assert chance == pytest.approx((percent / 100) ** 10)
    assert shown["skills"][-1] == [50, 1 / 1024]


def test_of_the_strangers_believed_after_five_tests_one_in_thirty_three_guesses():
    shown = strangers.data()
    for tests in range(strangers.MOST + 1):
        assert shown["guessers"][tests][tests] == 0.5**tests
        assert shown["tasters"][0][tests][tests] == 1
        assert shown["tasters"][2][tests][tests] == pytest.approx(0.9**tests)
    bad = shown["guessers"][5][5]
    assert bad / (1 + bad) == pytest.approx(1 / 33)


def test_the_clouds_part_as_often_as_the_engine_counts():
    shown = clouds.data()
    first = dict(zip(shown["sizes"], shown["chances"][0], strict=True))
    assert first[50] == pytest.approx([0.868, 0.089], abs=0.005)
    assert first[150][0] == pytest.approx(0.981, abs=0.001)
    for pair, row in zip(shown["right"], shown["chances"], strict=True):
        assert pair[0] > pair[1]
        assert all(0 <= good + bad <= 1 for good, bad in row)
        assert [good for good, _ in row] == sorted(good for good, _ in row)


def test_a_seat_is_worth_what_the_formula_says():
    shown = seat.data()
    steps, cost = shown["steps"], shown["cost"]
    for rules in shown["fines"]:
        fine = rules["fine"]
        assert rules["secret"] == pytest.approx(1 - cost)
        assert rules["announced"] - rules["secret"] == pytest.approx(cost * fine / (1 + fine))
        # The edge is on the grid, and there the prover is indifferent.
        edge = rules["edge"] * steps
        assert edge == round(edge)
        replies = rules["rewards"][round(edge)]
        assert {reply[1] for reply in replies} == {0}
        assert max(reply[0] for reply in replies) == pytest.approx(rules["announced"])
        # At that rate of lies, checking and trusting earn the same.
        lie = round(shown["lie"] * steps)
        assert rules["rewards"][0][lie][0] == pytest.approx(rules["rewards"][steps][lie][0])


def test_all_copies_of_a_graph_are_counted_and_shared_only_by_the_same():
    given = twins.data()
    assert len(given["slots"]) == 70
    same, different = given["pairs"]
    assert (same["same"], different["same"]) == (True, False)
    assert same["lands"][0] == same["lands"][1]
    assert len(same["lands"][0]) == math.factorial(6) // 12
    ring, triangles = map(set, different["lands"])
    assert (len(ring), len(triangles)) == (60, math.factorial(6) // 72)
    assert not ring & triangles
    # All six lines meet only if a renaming exists.
    assert (same["most"], different["most"]) == (6, 4)
    for pair in given["pairs"]:
        for graph, lands in zip(pair["graphs"], pair["lands"], strict=True):
            assert given["slots"].index(graph) in lands


def test_a_mark_loses_its_meaning_while_both_rates_stay():
    for world in marks.data()["worlds"]:
        cats, dogs = world["cats"], world["dogs"]
        assert cats * world["kinds"] == 90
        assert dogs[0] == 10
        assert world["precision"] == pytest.approx(cats / (cats + 10))
        assert world["promised"][0] == pytest.approx(0.9)
        # Once no two marks share a dog, the bound is the meaning of a mark.
        assert dogs[-1] == 10 * world["kinds"]
        assert world["promised"][-1] == pytest.approx(world["precision"])


def test_the_best_friend_is_as_good_as_the_distance_of_both_laws():
    half = Fraction(1, 2)
    for rounds in (1, 2):
        for shuffles in (True, False):
            found = half + advantage(rounds, shuffles=shuffles, known=False)
            assert forgery.right(rounds, shuffles=shuffles) == found
    # Each further round multiplies the forger's chance by the same factor.
    assert forgery.right(3, shuffles=False) == 1 - half / 36


def test_quotes_of_fogged_stories_are_in_them_and_both_sides_have_some():
    given = fog.data()
    texts = {passage.question: passage for passage in passages()}
    assert len(given["stories"]) == fog.STORIES
    for story in given["stories"]:
        passage, turn = texts[story["question"]], -1 if fog.opened(story["seal"]) else 1
        right, rival = story["sides"][::turn]
        assert right["text"] == passage.answers[passage.right].text != rival["text"]
        for side in (right, rival):
            assert side["argument"]
            assert side["quotes"]
            assert all(quote in passage.text for quote in side["quotes"])
    # Neither the first nor the second quote is the right one everywhere.
    assert {fog.opened(story["seal"]) for story in given["stories"]} == {0, 1}


def test_bob_finds_a_lie_in_steps_that_he_can_redo_and_mostly_accepts_true_ones():
    given = redo.data()
    for step, true in enumerate(redo.TRUE):
        for place, tries in enumerate(redo.TRIES):
            # Over all possible tries, for the few that can be listed.
            if tries == 5:
                chance = Fraction(true, redo.STEP)
                far = sum(
                    (
                        chance ** sum(seen) * (1 - chance) ** (tries - sum(seen))
                        for seen in product((0, 1), repeat=tries)
                        if abs(Fraction(sum(seen), tries) - chance) >= redo.THRESHOLD
                    ),
                    Fraction(0),
                )
                assert given["rejects"][step][place][true] == round(float(far), 5)
        assert given["rejects"][step][-1][true] < 1e-4
        # An error of five twentieths, the smallest that must be found, is found in 200 tries.
        for claim in (true - 5, true + 5):
            if 0 <= claim <= redo.STEP:
                assert given["rejects"][step][-1][claim] > 0.998


def test_a_sneaky_solution_has_one_wrong_line_and_a_helpful_one_none():
    given = legible.data()["solutions"]
    assert [each["kind"] for each in given[:2]] == [1, 0]
    for solution in given:
        lines, before = solution["lines"], re.search(r"\d+", solution["task"]).group()
        assert len(lines) == (legible.STEPS if solution["kind"] else 2)
        wrong = []
        for place, text in enumerate(lines):
            left, right = text.split(" = ")
            assert left.split()[0] == before
            if eval(left.replace("×", "*").replace("−", "-")) != int(right):
                wrong.append(place)
            before = right
        assert wrong == ([] if solution["wrong"] is None else [solution["wrong"]])
    assert {solution["wrong"] is None for solution in given} == {True, False}
