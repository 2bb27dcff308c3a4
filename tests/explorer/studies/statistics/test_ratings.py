"""Ratings of provers: a published table, another algorithm, invariance, and edge cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.studies import StudyError
from explorer.studies.statistics import RatedMatch, bradley_terry, matches, ratings
from explorer.studies.statistics.ratings import MOST_PLAYERS, without_bounds
from tests.depth import FULL
from tests.explorer.studies.rows import row

# Baseball, American League 1987, as in Agresti, "Categorical Data Analysis"; the strengths are
# those of the vignette of the R package BradleyTerry2, with Baltimore at 0.
BASEBALL = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ],
    float,
)
PUBLISHED = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0]


def test_strengths_of_a_published_table():
    found = bradley_terry(BASEBALL)
    assert found - found[-1] == pytest.approx(PUBLISHED, abs=0.0001)


def slow(wins: np.ndarray, given: float) -> np.ndarray:
    """Zermelo's fixed point (1929), one player at a time, with the prior games counted as games.

    The mean player's strength is among the unknowns, so it is held at 1.
    """
    strength = np.ones(len(wins))
    for _ in range(20_000):
        before = strength.copy()
        for i in range(len(wins)):
            met = sum(
                (wins[i, j] + wins[j, i]) / (strength[i] + strength[j])
                for j in range(len(wins))
                if j != i
            )
            strength[i] = (wins[i].sum() + given / 2) / (met + given / (strength[i] + 1))
        if not given:
            strength /= np.exp(np.log(strength).mean())
        if np.allclose(before, strength, rtol=1e-13, atol=0):
            break
    logs = np.log(strength)
    return logs - logs.mean()


@given(st.lists(st.integers(0, 6), min_size=12, max_size=12), st.sampled_from([0.5, 1.0, 3.0]))
def test_strengths_are_what_a_slow_algorithm_finds(counts, given_games):
    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = counts
    assert bradley_terry(wins, given_games) == pytest.approx(slow(wins, given_games), abs=1e-6)
    if not without_bounds(wins):
        assert bradley_terry(wins) == pytest.approx(slow(wins, 0), abs=1e-5)


@given(st.permutations(range(7)))
def test_strengths_do_not_depend_on_the_order_of_players(order):
    mixed = bradley_terry(BASEBALL[np.ix_(order, order)])
    assert mixed == pytest.approx(bradley_terry(BASEBALL)[list(order)], abs=1e-8)


def test_strengths_depend_on_shares_alone_and_turn_with_results():
    whole = bradley_terry(BASEBALL)
    assert bradley_terry(BASEBALL * 3) == pytest.approx(whole, abs=1e-8)
    assert bradley_terry(BASEBALL.T) == pytest.approx(-whole, abs=1e-8)
    assert bradley_terry(np.stack([BASEBALL, BASEBALL.T])) == pytest.approx(
        np.stack([whole, -whole]), abs=1e-8
    )
    # Two players who met: the logarithm of the odds.
    apart = bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]]))
    assert apart[0] - apart[1] == pytest.approx(math.log(3))


def test_without_bounds_there_is_no_number_but_a_sentence():
    never_lost = np.array([[0.0, 4.0], [0.0, 0.0]])
    apart = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], float)
    for wins in (never_lost, apart):
        assert without_bounds(wins)
        with pytest.raises(StudyError, match="Give everybody a game"):
            bradley_terry(wins)
        assert np.isfinite(bradley_terry(wins, 1.0)).all()
    assert not without_bounds(BASEBALL)


def against(results: str, first: str = "a", second: str = "b") -> list[RatedMatch]:
    score = {"1": 1.0, "0": 0.0, "=": 0.5}
    return [
        RatedMatch(f"{first}, honest", f"{second}, dishonest", score[result], str(n))
        for n, result in enumerate(results)
    ]


def test_a_rating_is_within_its_interval():
    for each in ratings(against("1101" * 10)):
        assert each.strength.low < each.strength.value < each.strength.high
        assert (each.strength.low > 1500) == (each.player == "a")


def test_who_never_loses_gets_a_finite_rating_and_a_remark():
    strong, weak = ratings(against("1" * 20))
    assert (strong.player, strong.side, strong.won) == ("a", "honest", 1)
    assert strong.remark.startswith("never lost; the rating is finite only because")
    assert weak.remark.startswith("never won")
    assert 1500 < strong.strength.value < 3000
    # More of the same gives a higher rating.
    assert ratings(against("1" * 40))[0].strength.value > strong.strength.value
    even = ratings(against("1010"))
    assert [each.remark for each in even] == ["", ""]
    assert [each.strength.value for each in even] == pytest.approx([1500, 1500])
    islands = ratings([*against("10"), *against("110", "c", "d")])
    assert all("not compared with all others" in each.remark for each in islands)
    group = ratings([*against("10"), *against("11", "a", "c"), *against("10", "d", "c"),
                     *against("11", "d", "b"), *against("11", "a", "c")])  # fmt: skip
    assert not any("nan" in repr(each) for each in group)
    assert ratings([]) == []


def test_matches_are_episodes_in_which_somebody_contradicted():
    seats = {"one": "ann", "other": "bob", "verifier": "v"}
    sides = {"one": 1, "other": 0}
    rows = [
        row("right", y=1, seats=seats, stances=sides),
        row("right", y=0, seats=seats, stances=sides),
        row("none", y=0, seats=seats, stances=sides, problem="q"),
        row("wrong", y=1, stances={"prover": 1}),
        row("wrong", y=1, stances={}),
    ]
    assert matches(rows) == [
        RatedMatch("ann, honest", "bob, dishonest", 1.0, "p"),
        RatedMatch("bob, honest", "ann, dishonest", 1.0, "p"),
        RatedMatch("bob, honest", "ann, dishonest", 0.5, "q"),
    ]


def test_intervals_of_ratings_hold_the_truth():
    """Honest players of one strength against dishonest ones of another, problem by problem."""
    times, held, apart = (300 if FULL else 20), 0, math.log(2) * 400 / math.log(10)
    for seed in range(times):
        rng = np.random.default_rng(seed)
        results = "".join("1" if won else "0" for won in rng.random(150) < 2 / 3)
        strong, weak = sorted(ratings(against(results)), key=lambda each: each.side == "dishonest")
        # The mean is 1500, so each is half of the difference away from it.
        held += strong.strength.low <= 1500 + apart / 2 <= strong.strength.high
        assert weak.strength.value == pytest.approx(3000 - strong.strength.value)
    assert held / times > 0.95 - 0.03 - 3 * math.sqrt(0.05 * 0.95 / times)


def test_too_many_players_are_refused():
    many = [RatedMatch(f"{n}, honest", f"{n}, dishonest", 1.0) for n in range(MOST_PLAYERS)]
    with pytest.raises(
        StudyError, match=r"at most 60 are rated together\. Choose fewer conditions"
    ):
        ratings(many)
