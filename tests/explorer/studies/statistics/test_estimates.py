"""Tests of estimates.py, paired.py and summary.py.

Every number compared with a hand-calculated case, and intervals by simulation.
"""

import math

import numpy as np
import pytest
import scipy

from explorer.studies import StudyError, Usage
from explorer.studies.statistics import (
    DEFINITIONS,
    MEASURES,
    bootstrap_interval,
    calibration,
    calibration_error,
    clustered_error,
    compare,
    estimate,
    frame,
    gaps,
    of_mean,
    of_rate,
    over_provers,
    pilot,
    plan,
    sign_flips,
    summarize,
)
from explorer.studies.statistics.estimates import RESAMPLES, Redrawn
from nip_core.values import wilson
from tests.depth import FULL, each
from tests.explorer.studies.rows import row

# Two problems. Of the true statements, one was accepted, one rejected, one undecided; of the false
# ones, one was accepted and one undecided.
FIVE = [
    row("right", y=1, problem="p", confidence=90, rounds=2),
    row(
        "wrong",
        y=1,
        problem="p",
        confidence=40,
        rounds=4,
        words=7,
        rewards={"prover": 0.0, "verifier": 1},
    ),
    row("none", y=1, problem="q", rounds=8, used=Usage(2, 100, 20, 0.5)),
    row("wrong", y=0, problem="q", confidence=100, rounds=2),
    row("none", y=0, problem="q", rounds=4),
]
BY_HAND = {
    "accuracy": 1 / 5,
    "accuracy_of_tried": 1 / 5,
    "wrong": 2 / 5,
    "none": 2 / 5,
    "accuracy_of_verdicts": 1 / 3,
    "accepts_true": 1 / 3,
    "accepts_false": 1 / 2,
    "reward_verifier": -3 / 5,
    "reward_provers": 4 / 5,
    "rounds": 20 / 5,
    "honest_wins": 1 / 3,
    "dishonest_wins": 1 / 2,
    "words": 7,
    "log_score": (math.log2(0.9) + math.log2(0.4) + math.log2(0.01)) / 3,
    "brier": (0.01 + 0.36 + 1) / 3,
    "calls": 2 / 5,
    "tokens": 120 / 5,
    "money": 0.5 / 5,
}


@each("name", MEASURES)
def test_each_measure_by_hand(name):
    assert estimate(FIVE, MEASURES[name]).value == pytest.approx(BY_HAND[name])
    # Each has a definition, which says something.
    assert DEFINITIONS[name].says.endswith(".")


def test_a_mean_over_provers_is_never_called_soundness_error():
    rows = [
        row(verdict, y=y, problem=str(n), condition=name, provers=name)
        for name, wrong in (("mild", 1), ("fierce", 3))
        for n in range(4)
        for y, verdict in ((0, "wrong" if n < wrong else "right"), (1, "right"))
    ]
    (found,) = over_provers(rows)
    assert (found.soundness_error.value, found.worst) == (3 / 4, "fierce")
    assert found.completeness.value == 1
    # For one condition, the title says whose provers.
    assert all(
        "(these provers)" in m.definition.title for n, m in MEASURES.items() if "accepts" in n
    )
    # Both intervals hold together: each has the level 1 - 0.05 / 2.
    assert found.soundness_error.low == pytest.approx(wilson(3, 4, 0.975)[0])
    assert found.soundness_error.high == pytest.approx(wilson(3, 4, 0.975)[1])


def test_clustered_error_and_intervals_by_hand():
    # The mean is 1/2; the sums of deviations are 1 (three episodes at 1, one at 0) and -1: s =
    # sqrt(2 / 1 * 2) / 8.
    hits = [1, 1, 1, 0, 0, 0, 0, 1]
    groups = ["a"] * 4 + ["b"] * 4
    assert clustered_error(hits, groups) == pytest.approx(math.sqrt(2 * 2) / 8)
    found = of_mean(hits, groups)
    half = scipy.stats.t.ppf(0.975, 1) / 4
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))
    # Effective size: (1/4) / (1/16) = 4.
    z = scipy.stats.t.ppf(0.975, 1)
    middle, spread = 0.5, z * math.sqrt(0.25 / 4 + z * z / 64) / (1 + z * z / 4)
    found = of_rate(hits, groups)
    assert (found.low, found.high) == pytest.approx((middle - spread, middle + spread))
    # Each problem once: Wilson's interval, at both ends, too.
    for k in (0, 3, 10):
        alone = of_rate([1] * k + [0] * (10 - k), list("abcdefghij"))
        assert (alone.low, alone.high) == pytest.approx(wilson(k, 10))
    one = of_rate([1, 0], ["a", "a"])
    assert (one.value, one.low, one.high, one.error) == (0.5, 0, 1, None)
    assert of_mean([], []).value is None
    # All alike: as if each problem had been played once; a mean has no interval.
    same = of_rate([1] * 6, list("aabbcc"))
    assert (same.low, same.high) == pytest.approx(wilson(3, 3))
    assert (of_mean([2.0] * 6, list("aabbcc")).low, same.count) == (None, 6)
    assert bootstrap_interval([[0.5] * 6], list("aabbcc")) is None


VERDICTS = {"r": "right", "w": "wrong", "n": "none"}


def played(verdicts, condition, **more):
    """Return a row for each verdict, given by its letter; the problems are called a, b, ..."""
    return [
        row(VERDICTS[verdict], problem=problem, condition=condition, **more)
        for problem, verdict in zip("abcdefgh", verdicts, strict=False)
    ]


def test_pairs_by_hand():
    one, other = played("rrwwwwww", "a"), played("nrrrrrrr", "b")
    found = compare([*one, *other, row(problem="z", condition="b")], "a", "b")
    assert (found.first_only, found.second_only) == (1, 6)
    # 2 * (1 + 7) / 2 ** 7
    assert found.p == pytest.approx(0.125)
    assert found.p == pytest.approx(scipy.stats.binomtest(1, 7).pvalue)
    assert found.difference.value == pytest.approx(5 / 8)
    assert found.difference.count == 8
    assert 0 <= found.difference.low < 5 / 8 < found.difference.high <= 1
    with pytest.raises(StudyError, match="nothing to compare"):
        compare(one, "a", "b")
    # Where a condition counterbalances, a pair is the mean over its orders.
    ways = [
        row("right", problem="a", condition="b", arm="x"),
        row("wrong", problem="a", condition="b", arm="y"),
    ]
    assert compare([*one[:1], *ways], "a", "b").difference.value == -0.5


def test_the_bootstrap_resamples_problems():
    # Two problems with one number each: a resample has both, or one twice, with the chances of two
    # coins; so all quantiles are ends once the tails are beyond a quarter.
    assert bootstrap_interval([[0.0, 1.0]], ["a", "b"]) == (0.0, 1.0)
    assert bootstrap_interval([[0.0, 1.0]], ["a", "a"]) is None
    # There is none if few of the resamples have the number.
    few = np.where(np.arange(RESAMPLES) < RESAMPLES // 4, np.arange(RESAMPLES), np.nan)
    assert Redrawn(["a", "b"]).interval(few) is None
    # With many problems it is close to the normal approximation.
    values = np.random.default_rng(1).normal(size=400)
    low, high = bootstrap_interval([values], [str(n) for n in range(400)])
    error = values.std(ddof=1) / 20
    assert low == pytest.approx(values.mean() - 1.97 * error, abs=0.015)
    assert high == pytest.approx(values.mean() + 1.97 * error, abs=0.015)


def test_gaps_by_hand():
    alone = played("rwww", "alone", protocol="solo", provers="")
    proof = played("rrww", "proof", protocol="one")
    debate = played("rrrw", "debate", protocol="debate")
    strong = played("rrrw", "strong", protocol="solo", provers="", verifier="p")
    named = {"solo": "solo_verifier", "one": "adp", "debate": "debate"}
    found = {each.condition: each for each in gaps([*alone, *proof, *debate], named)}
    assert set(found) == {"proof", "debate"}
    assert found["debate"].alone.value == 1 / 2
    assert found["debate"].one_proof.value == 1 / 4
    assert found["debate"].recovered.value == pytest.approx((3 / 4 - 1 / 4) / (1 - 1 / 4))
    assert (found["debate"].alone_is, found["debate"].ceiling_is) == ("alone", "")
    assert found["proof"].one_proof is None
    found = {each.condition: each for each in gaps([*alone, *debate, *strong], named)}
    assert found["debate"].ceiling_is == "strong"
    assert found["debate"].recovered.value == pytest.approx(1)
    assert found["debate"].one_proof is None


def test_calibration_by_hand():
    rows = [
        row(confidence=c, y=y, problem=str(n))
        for n, (c, y) in enumerate([(95, 1), (100, 1), (90, 0), (5, 0)])
    ]
    low, high = calibration([*rows, row()])
    assert (low.low, low.high, low.noted, low.held.value) == (0, 10, 0.05, 0)
    assert (high.low, high.high, high.held.count) == (90, 100, 3)
    assert high.noted == pytest.approx(0.95)
    assert calibration_error([low, high]) == pytest.approx((0.05 + 3 * (0.95 - 2 / 3)) / 4)
    assert calibration_error([]) is None


def test_groups_and_frames():
    lines = summarize(FIVE, by=("y", "problem"), measures=("accuracy", "rounds"))
    assert [line.group for line in lines][::2] == [("1", "p"), ("1", "q"), ("0", "q")]
    table = frame(lines, ("y", "problem"))
    assert list(table.columns[:4]) == ["y", "problem", "measure", "value"]
    assert table.episodes.tolist() == [2, 2, 1, 1, 2, 2]
    # Unless it is chosen, a measure that is 0 everywhere is left out.
    assert "money" not in {line.measure for line in summarize(FIVE[:2])}
    with pytest.raises(StudyError, match="Did you mean 'problem'"):
        summarize(FIVE, by=("problm",))


def test_plans_by_hand():
    # z = 1.959964 and 0.841621; p from 0.5 to 0.7 unpaired: 93 each, as in the textbooks.
    assert plan(0.5, 0.7, unpaired=True).each == 93
    # Pairs of which a quarter differ: (1.959964 * 0.5 + 0.841621 * sqrt(0.21))^2 / 0.04 = 47.
    assert plan(0.5, 0.7, differing=0.25).each == 47
    assert plan(0.5, 0.7).differing == pytest.approx(0.5)
    assert plan(0.5, 0.7, differing=0.25, design_effect=2).each == 94
    for wrong in ({"power": 1.0}, {"differing": 0.1}, {"differing": 0.9}, {"design_effect": 0.5}):
        with pytest.raises(StudyError):
            plan(0.5, 0.7, **wrong)
    with pytest.raises(StudyError, match="the same"):
        plan(0.5, 0.5)
    one = [row("right" if n % 2 else "wrong", problem=str(n)) for n in range(8)]
    other = [row("right", problem=str(n), condition="b") for n in range(8)]
    found = pilot(one, other)
    assert (found.first, found.second, found.differing, found.pairs) == (0.5, 1, 0.5, 8)
    assert found.design_effect == 1
    with pytest.raises(StudyError, match="fewer than five"):
        pilot(one[:4], other)


# -- by simulation -----------------------------------------------------------------------------

SHAPES = [(30, 1), (30, 2), (30, 6), (100, 2)] if FULL else [(30, 2)]
RATES = (0.05, 0.3, 0.5, 0.8) if FULL else (0.3,)
TIMES = 1_000 if FULL else 300


def worlds(problems, size, rate, seed):
    """Return episodes of problems, some hard and some easy."""
    rng = np.random.default_rng(seed)
    own = rng.beta(4 * rate, 4 * (1 - rate), problems)
    return (rng.random((problems, size)) < own[:, None]).astype(float).ravel()


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("shape", SHAPES)
def test_intervals_hold_the_truth_as_often_as_they_say(shape, rate):
    problems, size = shape
    groups = np.repeat(np.arange(problems), size).astype(str)
    held, claimed = {"rate": 0, "mean": 0}, {"rate": 0, "mean": 0}
    for seed in range(TIMES):
        hits = worlds(problems, size, rate, seed)
        for name, of in (("rate", of_rate), ("mean", of_mean)):
            found = of(hits, groups)
            if found.low is not None:  # where all problems gave the same, a mean has no interval
                claimed[name] += 1
                held[name] += found.low <= rate <= found.high
    assert claimed["rate"] == TIMES
    # Within the precision of so many simulations, and the known error of such methods.
    slack = 0.015 + 3 * math.sqrt(0.05 * 0.95 / TIMES)
    assert held["rate"] / TIMES > 0.95 - slack
    assert held["rate"] / TIMES < 0.999
    if rate >= 0.3:  # a mean of few rare events has no good interval
        assert held["mean"] / claimed["mean"] > 0.95 - slack
        assert claimed["mean"] > 0.99 * TIMES


def test_the_test_of_pairs_treats_problems_as_the_sample():
    """Ten epochs of one problem say no more than one."""
    one = [row("wrong", condition="a", epoch=n) for n in range(10)]
    other = [row("right", condition="b", epoch=n) for n in range(10)]
    found = compare([*one, *other], "a", "b")
    assert (found.first_only, found.second_only, found.p) == (0, 10, 1.0)
    # By hand: of the sixteen signs of 2, 1, 1, -1 eight give 3 or more on either side.
    assert sign_flips([2, 1, 1, -1, 0]) == pytest.approx(8 / 16)
    # If every problem has one pair, it is McNemar's exact test.
    assert sign_flips([]) == 1
    for first, second in ((3, 3), (1, 6), (0, 9)):
        exact = scipy.stats.binomtest(first, first + second).pvalue
        assert sign_flips([-1] * first + [1] * second) == pytest.approx(exact)
