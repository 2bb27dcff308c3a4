"""Tests of agreement.py, gaps.py and measures.py.

Judges' probabilities and agreement, compared with published examples and slow arithmetic.
"""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.studies import ResultRow, StudyError
from explorer.studies.statistics import (
    MEASURES,
    Unit,
    agreement,
    agreements,
    calibration,
    estimate,
    honest_advantage,
    over_provers,
)
from explorer.studies.statistics.estimates import _draws
from tests.depth import FULL, each
from tests.explorer.studies.rows import row

SCALES = "nominal", "ordinal", "interval"


def units(*judges: str) -> list[Unit]:
    """Return units from each judge's ratings, in order; a dot stands for a missing one."""
    said = [judge.split() for judge in judges]
    return [
        Unit(
            {
                f"judge {number}": int(word) if word.isdigit() else word
                for number, word in enumerate(words)
                if word != "."
            },
            f"unit {place}",
        )
        for place, words in enumerate(zip(*said, strict=True))
    ]


# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), A, B and C; the last is the
# example of Wikipedia's article.
MEG_AND_OWEN = units("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
BEN_AND_GERRY = units("a a b b d c c c e d d a", "b a b b b c c c e d d d")
FOUR = units(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
THREE = units(
    ". . . . . 3 4 1 2 1 1 3 3 . 3",
    "1 . 2 1 3 3 4 3 . . . . . . .",
    ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
)
PUBLISHED = [
    (MEG_AND_OWEN, "nominal", 0.095),
    (BEN_AND_GERRY, "nominal", 0.692),
    (FOUR, "nominal", 0.743),
    (FOUR, "ordinal", 0.815),
    (FOUR, "interval", 0.849),
    (THREE, "nominal", 0.691),
    (THREE, "interval", 0.811),
]


@each(("examples", "scale", "published"), PUBLISHED)
def test_alpha_of_published_examples(examples, scale, published):
    assert agreement(examples, scale).alpha.value == pytest.approx(published, abs=0.0005)


def slow_alpha(examples: list[Unit], scale: str) -> float | None:
    """The definition, pair by pair: the disagreement within units, and over everything."""
    judged = [list(unit.said.values()) for unit in examples if len(unit.said) > 1]
    everything = [said for unit in judged for said in unit]
    counts = Counter(everything)
    if len(counts) < 2:
        return None

    def apart(one, other):
        if scale == "nominal":
            return float(one != other)
        if scale == "interval":
            return float((one - other) ** 2)
        low, high = sorted((one, other))
        between = sum(count for said, count in counts.items() if low <= said <= high)
        return (between - (counts[low] + counts[high]) / 2) ** 2 if low != high else 0.0

    observed = sum(
        apart(one, other) / (len(unit) - 1)
        for unit in judged
        for one, other in itertools.permutations(unit, 2)
    ) / len(everything)
    expected = sum(apart(a, b) for a, b in itertools.permutations(everything, 2)) / (
        len(everything) * (len(everything) - 1)
    )
    return 1 - observed / expected


judgements = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 4), max_size=4), min_size=1, max_size=8
)


@pytest.mark.parametrize("scale", SCALES)
@given(judgements)
def test_alpha_is_its_definition(scale, said):
    examples = [Unit(each, str(place)) for place, each in enumerate(said)]
    slow, found = slow_alpha(examples, scale), agreement(examples, scale)
    assert (slow is None) == (found.alpha.value is None) == bool(found.why)
    if slow is not None:
        assert found.alpha.value == pytest.approx(slow, abs=1e-9)


@given(judgements, st.randoms(use_true_random=False))
def test_alpha_does_not_depend_on_order_or_names(said, rng: random.Random):
    examples = [Unit(each, str(place)) for place, each in enumerate(said)]
    mixed = [
        Unit({f"x{judge}": each.said[judge] for judge in sorted(each.said, reverse=True)})
        for each in rng.sample(examples, len(examples))
    ]
    for scale in SCALES:
        one, other = agreement(examples, scale), agreement(mixed, scale)
        assert (one.alpha.value, one.same) == pytest.approx((other.alpha.value, other.same))
    # Nominal: names mean nothing. Ordinal: only the order matters. Interval: only ratios of
    # distances.
    for scale, moved in (
        ("nominal", lambda x: "cabed"[x]),
        ("ordinal", lambda x: x**3 - 7),
        ("interval", lambda x: 5 - 3 * x),
    ):
        renamed = [Unit({j: moved(x) for j, x in each.said.items()}) for each in examples]
        one, other = agreement(examples, scale), agreement(renamed, scale)
        assert one.alpha.value == pytest.approx(other.alpha.value)


def test_intervals_of_alpha_are_those_of_drawing_problems():
    """Each resample by hand, unit by unit."""
    examples = [Unit(each.said, f"problem {n // 3}") for n, each in enumerate(FOUR)]
    problems = sorted({each.problem for each in examples if len(each.said) > 1})
    for scale in SCALES:
        found = []
        for times in _draws(len(problems))[:40]:
            drawn = [
                each
                for problem, count in zip(problems, times, strict=True)
                for _ in range(int(count))
                for each in examples
                if each.problem == problem
            ]
            found.append(slow_alpha(drawn, scale))
        whole = agreement(examples, scale).alpha
        assert whole.clusters == len(problems) == 4
        assert sum(not whole.low <= a <= whole.high for a in found) <= 4
        assert whole.high <= 1
    alone = agreement([Unit(each.said, "one") for each in FOUR]).alpha
    assert (alone.low, alone.high) == (None, None)


def test_intervals_of_alpha_hold_the_truth():
    times, held = (400 if FULL else 60), 0
    # Three judges who each report a fair coin correctly with 0.8, else toss one: alpha is 0.64.
    for seed in range(times):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, 60)
        said = np.where(rng.random((60, 3)) < 0.8, truth[:, None], rng.integers(0, 2, (60, 3)))
        found = agreement(Unit(dict(zip("abc", each.tolist(), strict=True)), str(n))
                          for n, each in enumerate(said)).alpha  # fmt: skip
        held += found.low <= 0.64 <= found.high
    assert held / times > 0.95 - 0.02 - 3 * math.sqrt(0.05 * 0.95 / times)


def test_data_without_agreement_is_refused_with_a_sentence():
    nothing = agreement([Unit({"a": 1}, "p"), Unit({"b": 1}, "q"), Unit({}, "q")])
    assert nothing.why == "No two judges judged the same thing."
    assert (nothing.alpha.value, nothing.same) == (None, None)
    same = agreement(units("1 1 1", "1 1 1"))
    assert "All judgements are the same" in same.why
    assert same.alpha.value is None
    with pytest.raises(StudyError, match=r"'yes', which is not a number.*use 'nominal'"):
        agreement([Unit({"a": "yes", "b": "no"})], "interval")
    for bad in (math.nan, math.inf, True):
        with pytest.raises(StudyError, match="not a number"):
            agreement([Unit({"a": bad, "b": 2})], "ordinal")
    with pytest.raises(StudyError, match="Did you mean 'interval'"):
        agreement(FOUR, "intervall")


def test_a_study_says_how_far_its_judges_agree():
    panel = [
        row(
            problem=str(n),
            condition="panel",
            judgements={f"juror{k}": vote for k, vote in enumerate(votes)},
        )
        for n, votes in enumerate(["AAB", "BBB", "AAA", "ABB"])
    ]
    (votes,) = agreements(panel)
    assert (votes.who, votes.scale, votes.judges) == ("panel", "nominal", tuple(
        f"juror{k}" for k in range(3)))  # fmt: skip
    assert votes.alpha.value == pytest.approx(
        slow_alpha([Unit(dict(enumerate(v))) for v in ["AAB", "BBB", "AAA", "ABB"]], "nominal")
    )
    estimates = [
        row(problem=str(n), judgements={"x": x, "y": y})
        for n, (x, y) in enumerate([(10, 20), (80, 90), (50, 50)])
    ]
    (found,) = agreements(estimates)
    assert found.scale == "interval"
    # Verifiers of the same protocol who judged the same tasks are judges of the same thing.
    verified = [
        row(verdict, problem=str(n), verifier=name, condition=f"nip, {name}")
        for name, verdicts in (("v", ["right", "wrong", "none"]), ("w", ["right", "right", "none"]))
        for n, verdict in enumerate(verdicts)
    ]
    (both,) = agreements(verified)
    assert (both.who, both.judges) == ("nip, p", ("v", "w"))
    assert both.alpha.value == pytest.approx(
        slow_alpha([Unit({0: 1, 1: 1}), Unit({0: 0, 1: 1}), Unit({0: 2, 1: 2})], "nominal")
    )
    assert agreements([row()]) == []


# -- probabilities ---------------------------------------------------------------------------------


def test_proper_scores_by_hand():
    one = [row(estimates={"judge": (90, 1)})]
    assert estimate(one, MEASURES["brier"]).value == pytest.approx(0.01)
    # Michael et al. 2023: log2 of the probability of the truth, before the cost of turns.
    for percent, turns, published in ((90, 1, -0.202003), (80, 3, -0.471928), (1, 2, -6.743856)):
        rows = [row(estimates={"judge": (percent, 1)})]
        found = estimate(rows, MEASURES["log_score"]).value
        assert found - 0.05 * turns == pytest.approx(published, abs=1e-6)
    # A certain mistake costs as much as 1 %; of several judges the mean counts.
    certain = row(estimates={"a": (100, 0), "b": (50, 0)})
    assert MEASURES["log_score"].of(row(confidence=100)) == pytest.approx(math.log2(0.99))
    assert MEASURES["log_score"].of(certain) == pytest.approx((math.log2(0.01) - 1) / 2)
    assert MEASURES["brier"].of(certain) == pytest.approx((1 + 0.25) / 2)
    # An option is no probability, but a verifier's stated confidence is one.
    assert MEASURES["brier"].of(row(judgements={"judge": "A"})) is None
    assert MEASURES["log_score"].of(row(confidence=25, y=0)) == pytest.approx(math.log2(0.75))


@each("name", ["brier", "log_score"])
def test_scores_are_proper(name):
    """On average, nobody scores better than by stating their own belief."""
    measure = MEASURES[name]

    def expected(said: int, chance: float) -> float:
        scores = [measure.of(row(estimates={"j": (said, held)})) for held in (1, 0)]
        return measure.better * (chance * scores[0] + (1 - chance) * scores[1])

    for percent in (0, 1, 2, 20, 50, 83, 98, 99, 100):
        honest = expected(percent, percent / 100)
        # From one percent on, nothing else is as good; below it, anything that counts as one
        # percent is.
        others = [expected(said, percent / 100) for said in range(1, 100) if said != percent]
        assert max(others) < honest or (name == "log_score" and percent in (0, 100))
        assert max(expected(said, percent / 100) for said in range(101)) <= honest + 1e-12


def test_calibration_takes_every_judge():
    rows = [
        row(problem=str(n), estimates={"a": (95, int(held)), "b": (30, int(not held))})
        for n, held in enumerate([True, True, False])
    ]
    low, high = calibration(rows)
    assert (low.noted, low.held.value, low.held.count) == (
        pytest.approx(0.3),
        pytest.approx(1 / 3),
        3,
    )
    assert (high.noted, high.held.value) == (pytest.approx(0.95), pytest.approx(2 / 3))
    assert high.held.low < 2 / 3 < high.held.high


# -- honesty and its cost --------------------------------------------------------------------------


def test_the_honest_advantage_by_hand():
    # Two provers against each other: the honest one won 3 of 5, the other 1, and once neither did.
    both = {"one": 1, "other": 0}
    verdicts = ["right"] * 3 + ["wrong", "none"]
    rows = [row(v, y=n % 2, problem=str(n), stances=both) for n, v in enumerate(verdicts)]
    assert honest_advantage(rows).value == pytest.approx(3 / 5 - 1 / 5)
    assert estimate(rows, MEASURES["honest_wins"]).value == pytest.approx(3 / 5)
    assert estimate(rows, MEASURES["dishonest_wins"]).value == pytest.approx(1 / 5)
    # One prover who always argues to accept: the result is completeness minus soundness error.
    nip = [
        row(verdict, y=y, problem=f"{y}{n}", stances={"prover": 1})
        for y, hits in ((1, 3), (0, 1))
        for n in range(4)
        for verdict in [("right" if y == (n < hits) else "wrong")]
    ]
    (over,) = over_provers(nip)
    assert over.honest_advantage.value == pytest.approx(3 / 4 - 1 / 4)
    assert over.honest_advantage.value == over.completeness.value - over.soundness_error.value
    assert honest_advantage([row(stances={})]) is None
    assert honest_advantage([row(y=1, stances={"prover": 1})]) is None


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["right", "wrong", "none"]))))
def test_the_honest_advantage_does_not_know_which_answer_is_which(found):
    rows = [row(v, y=int(y), problem=str(n), stances={"p": 1}) for n, (y, v) in enumerate(found)]
    turned = [
        row(v, y=1 - int(y), problem=str(n), stances={"p": 0}) for n, (y, v) in enumerate(found)
    ]
    one, other = honest_advantage(rows), honest_advantage(turned)
    assert (one and one.value) == (other and other.value)
    if one is not None:
        assert -1 <= one.value <= 1


def test_rows_keep_judgements_and_words():
    one = row(judgements={"a": "A", "b": 40}, words=3)
    assert ResultRow.from_dict(one.to_dict()) == one
    old = one.to_dict()
    del old["judgements"], old["words"]
    assert (ResultRow.from_dict(old).judgements, ResultRow.from_dict(old).words) == ({}, None)
    for name, wrong in (
        ("words", -1),
        ("words", True),
        ("words", {}),
        ("judgements", {"a": 0.5}),
        ("judgements", {"a": None}),
        ("judgements", "A"),
    ):
        with pytest.raises(StudyError):
            ResultRow.from_dict(one.to_dict() | {name: wrong})


def test_without_a_truth_nothing_is_right_or_wrong():
    one = row("none", y=-1, answer="one", stances={"alice": 1})
    for name in ("accuracy", "wrong", "accepts_true", "accepts_false", "honest_wins"):
        assert MEASURES[name].of(one) is None
    assert MEASURES["none"].of(one) == 0
    assert honest_advantage([one]) is None


def test_where_one_of_several_answers_is_right_each_that_was_argued_for_is_a_statement():
    """Two consultants argued for B and convinced, one rightly and one wrongly."""
    honest = row("right", y=0, truth="B", answer="B", stances={"consultant": 0})
    liar = row("wrong", y=1, truth="A", answer="B", stances={"consultant": 0}, problem="q")
    (over,) = over_provers([honest, liar])
    assert (over.completeness.value, over.soundness_error.value) == (1, 1)
    assert over.honest_advantage.value == 0
    both = {"alice": 1, "bob": 0}
    debates = [row(v, y=1, truth="A", stances=both, problem=v) for v in ("right", "right", "wrong")]
    (over,) = over_provers(debates)
    assert over.completeness.value == pytest.approx(2 / 3)
    assert over.soundness_error.value == pytest.approx(1 / 3)


def test_the_interval_over_all_provers_holds_for_each_of_them_together():
    rows = [
        row("wrong" if number % every == 0 else "right", y=0, problem=f"p{number}", condition=name)
        for name, every in (("a", 3), ("b", 5))
        for number in range(40)
    ]
    (found,) = over_provers(rows, 0.9)
    apart = [
        estimate([each for each in rows if each.condition == name], MEASURES["accepts_false"], 0.95)
        for name in "ab"
    ]
    assert found.soundness_error.high == max(each.high for each in apart)
    assert found.soundness_error.low == max(each.low for each in apart)
