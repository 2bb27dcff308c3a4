"""Tests of sides.py, saddle.py, highs.py, leading.py and leader_programs.py, with small games."""

import random
from fractions import Fraction

import pytest

from nip_core.budget import Budget
from nip_core.errors import StoppedError
from nip_core.values.highs import largest, solution
from nip_core.values.leading import led
from nip_core.values.linear import ONE, maximise
from nip_core.values.saddle import saddle
from nip_core.values.sides import EMPTY
from tests.depth import each, seeds
from tests.values.small_games import (
    bimatrix,
    by_plans,
    count_of_plans,
    in_sequence_form,
    kuhn_poker,
    plans,
    random_game,
    some_game,
)

ONE_WINS, OTHER_WINS = {"one": 1}, {"other": 1}


def test_kuhn_poker_has_its_value():
    game = in_sequence_form(kuhn_poker())
    found = saddle(game, game.entries(ONE_WINS))
    assert found.low == found.high == Fraction(-1, 18)


def test_matching_pennies_are_mixed():
    game = in_sequence_form(bimatrix([[(1, -1), (-1, 1)], [(-1, 1), (1, -1)]]))
    found = saddle(game, game.entries(ONE_WINS))
    assert (found.low, found.high) == (0, 0)
    assert list(found.one) == [1, Fraction(1, 2), Fraction(1, 2)]


def test_probabilities_without_a_small_denominator_are_exact():
    one, two = 4_000_037, 6_000_011
    game = in_sequence_form(bimatrix([[(one, -one), (0, 0)], [(0, 0), (two, -two)]]))
    found = saddle(game, game.entries(ONE_WINS))
    assert found.low == found.high == Fraction(one * two, one + two)
    assert list(found.one) == [1, Fraction(two, one + two), Fraction(one, one + two)]


@each("seed", seeds(40))
def test_random_games_have_the_value_of_their_matrix(seed):
    game, _ = some_game(seed, depth=3)
    entries = game.entries(ONE_WINS)
    found = saddle(game, entries)
    assert found.low == found.high
    if count_of_plans(game.sides[0]) * count_of_plans(game.sides[1]) <= 400:
        assert found.low == by_plans(game, entries)
    # Each plan is a plan, and guarantees its bound against all others.
    for place, plan in enumerate((found.one, found.other)):
        side = game.sides[place]
        assert plan[EMPTY] == 1
        assert all(plan[d.before] == sum(plan[m] for m in d.moves) for d in side.decisions)


@each("seed", seeds(12))
def test_larger_games_are_exact_too(seed):
    game, _ = some_game(seed, depth=6)
    found = saddle(game, game.entries(ONE_WINS))
    assert found.low == found.high


@each("seed", seeds(20))
def test_a_best_plan_is_the_best_of_all(seed):
    game, _ = some_game(seed, depth=4)
    rng = random.Random(seed)
    side = game.sides[0]
    worth = [Fraction(rng.randint(-3, 3)) for _ in range(side.size)]
    tie = [Fraction(rng.randint(-3, 3)) for _ in range(side.size)]
    found = side.best(worth, tie)
    if count_of_plans(side) <= 500:

        def total(weights, each):
            return sum(a * b for a, b in zip(weights, each, strict=True))

        best = max((total(plan, worth), total(plan, tie)) for plan in plans(side))
        assert found.values == best
        assert side.most({n: float(w) for n, w in enumerate(worth) if w}) == pytest.approx(
            float(best[0])
        )


# -- commitments -----------------------------------------------------------------------------------


def by_replies(game, leads, follows, price):
    """Return the best commitment from one exact program for each reply.

    The follower pays a price for what the leader gains: a tiny positive one turns ties against the
    leader, and none turns them for it.
    """
    wants = [*follows, *((i, j, -price * v) for i, j, v in leads)]
    columns = {tuple(plan): plan for plan in plans(game.sides[1])}.values()

    def row(entries, plan):
        found = {}
        for i, j, amount in entries:
            if plan[j]:
                found[i] = found.get(i, Fraction(0)) + amount * plan[j]
        return found

    wanted, gained = ([row(entries, plan) for plan in columns] for entries in (wants, leads))
    rows = []
    for decision in game.sides[0].decisions:
        parts = dict.fromkeys(decision.moves, Fraction(1)) | {decision.before: Fraction(-1)}
        rows += [parts, {place: -factor for place, factor in parts.items()}]
    rows += [{EMPTY: Fraction(1), ONE: Fraction(-1)}, {EMPTY: Fraction(-1), ONE: Fraction(1)}]
    best = None
    for number, own in enumerate(wanted):
        preferred = []
        for other in wanted[:number] + wanted[number + 1 :]:
            gain = dict(own)
            for place, factor in other.items():
                gain[place] = gain.get(place, Fraction(0)) - factor
            preferred.append(gain)
        solved = maximise(gained[number], [*rows, *preferred], game.sides[0].size)
        if solved is not None and (best is None or solved.value > best):
            best = solved.value
    return best


def small_enough(game):
    return count_of_plans(game.sides[1]) <= 12 and game.sides[0].size <= 16


@each("seed", seeds(60))
def test_commitments_are_those_of_all_replies(seed):
    game, _ = some_game(seed, depth=3 + seed % 2, zero_sum=False)
    leads, follows = game.entries(ONE_WINS), game.entries(OTHER_WINS)
    if not leads or not follows or not small_enough(game):
        return
    safe = saddle(game, leads)
    kind, hard = led(game, leads, follows, safe, (False, True))
    assert safe.low <= hard.low <= kind.low
    assert kind.low == by_replies(game, leads, follows, 0)
    assert kind.high == pytest.approx(float(kind.low), abs=1e-5)
    expected = by_replies(game, leads, follows, Fraction(1, 10**9))
    assert hard.low == pytest.approx(float(expected), abs=1e-6)
    assert hard.high == pytest.approx(float(hard.low), abs=1e-5)
    for found, sign in ((kind, 1), (hard, -1)):
        if found.attained:
            wants, gains = (game.worth(each, 1, found.plan) for each in (follows, leads))
            value, tie = game.sides[1].best(wants, [sign * gain for gain in gains]).values
            assert (value, sign * tie) == (found.follower, found.low)


def test_ties_matter():
    # The follower is always indifferent: a kind one helps, a hostile one does not.
    game = in_sequence_form(bimatrix([[(1, 0), (0, 0)], [(0, 0), (1, 0)]]))
    leads, follows = game.entries(ONE_WINS), game.entries(OTHER_WINS)
    safe = saddle(game, leads)
    assert led(game, leads, follows, safe, [False])[0].low == 1
    assert led(game, leads, follows, safe, [True])[0].low == Fraction(1, 2)


def test_a_value_may_only_be_approached():
    # The follower takes the right column if the leader plays the upper row with more than 1/2.
    table = [[(0, 0), (4, 1)], [(0, 1), (2, 0)]]
    game = in_sequence_form(bimatrix(table))
    leads, follows = game.entries(ONE_WINS), game.entries(OTHER_WINS)
    safe = saddle(game, leads)
    # The leader gains more the less it plays the upper row, until the follower is indifferent.
    table[0][1], table[1][1] = (2, 1), (4, 0)
    game = in_sequence_form(bimatrix(table))
    leads, follows = game.entries(ONE_WINS), game.entries(OTHER_WINS)
    safe = saddle(game, leads)
    found = led(game, leads, follows, safe, [True])[0]
    assert (found.low, found.attained) == (3, False)
    assert found.high == pytest.approx(3, abs=1e-5)
    kind = led(game, leads, follows, safe, [False])[0]
    assert (kind.low, kind.attained) == (3, True)


def test_a_reply_that_is_never_strictly_best_does_not_count():
    # The last column equals the others where the rows are even, and is nowhere better.
    table = [[(1, 2), (0, 0), (10, 1)], [(0, 0), (1, 2), (10, 1)]]
    game = in_sequence_form(bimatrix(table))
    leads, follows = game.entries(ONE_WINS), game.entries(OTHER_WINS)
    safe = saddle(game, leads)
    assert led(game, leads, follows, safe, [False])[0].low == 10
    assert led(game, leads, follows, safe, [True])[0].low == 1


# -- programs --------------------------------------------------------------------------------------


def test_a_corner_is_exact():
    third, half = Fraction(1, 3), Fraction(1, 2)
    # x + y <= 1, x <= 1/3, maximise 2x + y with z = x - y free.
    rows = [{0: -1, 1: -1, ONE: 1}, {0: -1, ONE: third}]
    rows = [{place: Fraction(factor) for place, factor in row.items()} for row in rows]
    equal = [{0: Fraction(1), 1: Fraction(-1), 2: Fraction(-1)}]
    found = largest({0: Fraction(2), 1: Fraction(1)}, rows, equal, 3, [2])
    assert found.is_exact
    assert found.value == Fraction(4, 3)
    assert list(found.at) == [third, 2 * third, -third]
    assert largest({0: Fraction(1)}, [{0: Fraction(-1), ONE: -half}], [], 1) is None


def test_systems_of_equations_are_solved_or_refused():
    one = Fraction(1)
    rows = [{0: one, 1: one, ONE: -3 * one}, {0: one, 1: -one, ONE: -one}]
    assert solution(rows, [Fraction(0)] * 3) == [2, 1, 0]
    assert solution([*rows, {0: one}], [Fraction(0)] * 3) is None


def solved_often(game):
    for _ in range(100):
        saddle(game, game.entries(ONE_WINS))


def test_programs_end_with_the_time():
    game, _ = some_game(1, depth=7)
    with Budget(seconds=0), pytest.raises(StoppedError):
        solved_often(game)


def test_random_games_are_as_random_as_they_seem():
    games = [in_sequence_form(random_game(random.Random(seed))) for seed in range(30)]
    assert len({game.moves for game in games}) > 10
