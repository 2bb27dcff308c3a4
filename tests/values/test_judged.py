"""Tests of judged.py: values of protocols in stages, against all plays and the same in rounds."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nip_core import protocol, specification
from nip_core.errors import ModelError, UnsupportedError
from nip_core.language import Specification, from_version_1
from nip_core.values import (
    best_mechanism,
    exact_values,
    exploitability,
    finite_game,
    frontier,
    mid_point,
    optimal_stopping,
    outcomes,
    random_play,
    reward_bounds,
    sample,
    simple_play,
    sweep,
    value_table,
)
from tests.depth import cases, each
from tests.language.one_verdict import PUBLISHED_ONES, plays_of, with_one_verdict
from tests.language.strategies import judged_documents
from tests.language.zoo import published
from tests.strategies import specs

SLOW = list(HealthCheck)
NAMES = ("prior", "decides", "accepts_true", "accepts_false")
chances = st.fixed_dictionaries(dict.fromkeys(NAMES, st.fractions(0, 1, max_denominator=5)))
inner = st.fixed_dictionaries(
    dict.fromkeys(NAMES, st.fractions(Fraction(1, 5), Fraction(4, 5), max_denominator=5))
)


def law_of(plays, seat):
    """Return the distribution of a seat's total over plays."""
    found = defaultdict(Fraction)
    for chance, _, paid, _ in plays:
        found[round(float(paid[seat]), 6)] += chance
    return {total: float(chance) for total, chance in found.items() if chance}


def exact_law(values, seat):
    law, found = values.distribution(seat), defaultdict(float)
    for total, chance in zip(law.values.tolist(), law.probabilities.tolist(), strict=True):
        found[round(total, 6) + 0.0] += chance
    return {total: chance for total, chance in found.items() if chance > 1e-12}


@settings(max_examples=cases(100), deadline=None, suppress_health_check=SLOW)
@given(judged_documents(), chances)
def test_distributions_are_those_of_all_plays(document, numbers):
    spec = with_one_verdict(document)
    plays = list(plays_of(document, **numbers))
    try:
        values = exact_values(spec, simple_play(spec, **numbers))
    except UnsupportedError as error:
        assert "ways of going on are paid differently" in str(error)  # noqa: PT017
        return
    for seat in spec.seat_names:
        assert exact_law(values, seat) == pytest.approx(law_of(plays, seat), abs=1e-9)
    said = [float(sum(c for c, _, _, verdict in plays if verdict == n)) for n in range(3)]
    assert [*values.verdicts.values()] == pytest.approx(said, abs=1e-9)
    right = float(sum(chance for chance, label, _, verdict in plays if label == verdict))
    assert values.right == pytest.approx(right, abs=1e-9)
    swept = sweep(spec, **{name: float(number) for name, number in numbers.items()})
    assert swept.means[:, 0] == pytest.approx([values.mean(s) for s in spec.seat_names], abs=1e-9)
    assert swept.right[0] == pytest.approx(right, abs=1e-9)


EPISODES = 4_000
# How far a rate may be off; a true one is farther off in one of 10^12 cases (Hoeffding).
NEAR = math.sqrt(math.log(2e12) / (2 * EPISODES))


@settings(max_examples=cases(60), deadline=None, suppress_health_check=SLOW)
@given(judged_documents(), chances, st.integers(0, 2**31 - 1))
def test_samples_are_of_all_plays(document, numbers, seed):
    spec = with_one_verdict(document)
    plays = list(plays_of(document, **numbers))
    found = sample(spec, simple_play(spec, **numbers), EPISODES, seed=seed)
    for seat in spec.seat_names:
        law, seen = law_of(plays, seat), found.histogram(seat)
        hits = dict(zip(seen.values.round(6).tolist(), seen.counts.tolist(), strict=True))
        assert {total for total, count in hits.items() if count} <= {*law}
        for total, chance in law.items():
            assert abs(hits.get(total, 0) / EPISODES - chance) < NEAR
    for number in range(3):
        chance = float(sum(share for share, _, _, verdict in plays if verdict == number))
        assert abs(found.verdicts[number] / EPISODES - chance) < NEAR
    right = float(sum(share for share, label, _, verdict in plays if label == verdict))
    assert abs(found.right / EPISODES - right) < NEAR


@settings(max_examples=cases(60), deadline=None, suppress_health_check=SLOW)
@given(judged_documents(), inner)
def test_bounds_are_reached_by_some_play(document, numbers):
    spec = with_one_verdict(document)
    totals = [paid for _, _, paid, _ in plays_of(document, **numbers)]
    for seat, bounds in zip(spec.seat_names, reward_bounds(spec).tolist(), strict=True):
        paid = [float(each[seat]) for each in totals]
        assert bounds == pytest.approx([min(paid), max(paid)], abs=1e-9)


def same(one, other):
    """Compare what two computations return, unless the first one is refused."""
    try:
        wanted = one()
    except UnsupportedError:
        return
    assert other() == wanted


@settings(max_examples=cases(60), deadline=None, suppress_health_check=SLOW)
@given(specs(), chances)
def test_a_protocol_in_rounds_has_the_same_values_in_stages(spec, numbers):
    staged = from_version_1(spec)
    first, second = (exact_values(s, simple_play(s, **numbers)) for s in (spec, staged))
    for seat in spec.agent_names:
        assert second.mean(seat) == pytest.approx(first.mean(seat), abs=1e-9)
        assert second.variance(seat) == pytest.approx(first.variance(seat), abs=1e-9)
    assert second.rounds == pytest.approx(first.rounds)
    assert np.array_equal(reward_bounds(spec), reward_bounds(staged))
    same(*(lambda s=s: optimal_stopping(s, accuracy=Fraction(3, 4)).exact for s in (spec, staged)))


@settings(max_examples=cases(8), deadline=None, suppress_health_check=SLOW)
@given(specs(), st.booleans())
def test_a_protocol_in_rounds_has_the_same_commitments_in_stages(spec, pessimistic):
    signals = {"prover_accuracy": Fraction(4, 5), "verifier_accuracy": Fraction(3, 5)}

    def best(given):
        found = best_mechanism(given, pessimistic=pessimistic, **signals)
        return found.value, found.at_most, found.safe_value

    def corners(given):
        return frontier(given, pessimistic=pessimistic, **signals).corners

    staged = from_version_1(spec)
    same(lambda: best(spec), lambda: best(staged))
    same(lambda: corners(spec), lambda: corners(staged))
    if spec.max_message_rounds < 3:
        same(*(lambda s=s: finite_game(s, **signals).root for s in (spec, staged)))


MUST = """
name = "must"
verdict = "verdict"
[seats]
ann = { argues = "A" }
judge = "Judge"
[channels]
floor = "everyone"
[choices]
truth = { by = "task", options = ["A", "B"] }
verdict = { by = "judge", options = ["A", "B"] }
[[stages]]
name = "talk"
turns = [{ ann = "floor" }, { judge = { choose = "verdict" } }]
[[pay]]
to = { judge = 3, ann = 1 }
amount = 1
when = "verdict = truth"
[[pay]]
to = { ann = 2 }
amount = 1
when = "verdict = A"
"""


def test_where_it_must_decide_it_does():
    spec = Specification.from_toml(MUST)
    values = exact_values(spec, simple_play(spec, decides=0, accepts_true=0.8, accepts_false=0.4))
    assert values.verdicts == pytest.approx({"B": 0.4, "A": 0.6, "none": 0})
    assert values.mean("judge") == pytest.approx(3 * 0.7)
    # Of a model that never decides, nothing is known: both answers are equally likely.
    silent = random_play(spec).decide * 0 + [0, 0, 1]
    model = type(random_play(spec))(silent)
    assert exact_values(spec, model).verdicts == pytest.approx({"B": 0.5, "A": 0.5, "none": 0})
    assert optimal_stopping(spec, accuracy=0.75).value == pytest.approx(3 * 0.75)
    strategy = {(None, 0, 1): (1, 0), (None, 1, 1): (0, 1)}
    assert exploitability(spec, strategy).replied == Fraction(3, 2)
    with pytest.raises(ModelError, match="may go on in round 1, where the verifier cannot"):
        exploitability(spec, {(None, 0, 1): (Fraction(1, 2), 0)})


def test_mid_points_of_seats_with_and_without_a_side():
    spec = Specification.from_toml(MUST)
    values = exact_values(spec, simple_play(spec, decides=1, accepts_true=0.8, accepts_false=0.4))
    assert mid_point(spec, values, "judge").estimate == 1.5
    with pytest.raises(UnsupportedError, match="more than whether the verdict is what it wants"):
        mid_point(spec, values, "ann")
    for spec in map(published, sorted(PUBLISHED_ONES)):
        play = simple_play(spec, decides=0.5, accepts_true=0.8, accepts_false=0.4, prior=0.3)
        values = exact_values(spec, play)
        for seat in spec.seat_names:
            found = mid_point(spec, values, seat)
            assert found.estimate + found.difference == pytest.approx(values.mean(seat))
            assert "rules" not in found.parts


def test_what_needs_payoffs_says_what_to_use_instead():
    spec = Specification.from_toml(MUST)
    with pytest.raises(UnsupportedError, match="its payoffs cannot be given to protocols"):
        value_table(spec, pessimistic=False)
    with pytest.raises(UnsupportedError, match="in stages, which has no 'verifier_reward'"):
        sweep(spec, verifier_reward=[1.0, 2.0])


def test_a_rule_of_stopping_needs_no_side():
    verdict = 'verdict = { by = "judge", options = ["A", "B"] }'
    drawn = MUST.replace(verdict, verdict + '\nside = { by = "chance", options = ["A", "B"] }')
    spec = Specification.from_toml(drawn.replace("verdict = truth", "verdict = side"))
    with pytest.raises(UnsupportedError, match="depend on the side that is drawn"):
        optimal_stopping(spec, accuracy=0.75)
    with pytest.raises(UnsupportedError, match="commitments are computed for fixed sides"):
        best_mechanism(spec, pessimistic=False)
    with pytest.raises(UnsupportedError, match="the side of the prover is drawn"):
        finite_game(spec)


@each("name", ["jury", "michael_debate", "open_debate"])
def test_others_are_refused_with_what_to_use_instead(name):
    for function in (outcomes, random_play, reward_bounds):
        with pytest.raises(UnsupportedError, match=r"no protocol with one verdict: .*play_values"):
            function(name)


def test_a_plain_protocol_has_the_values_of_its_handler():
    spec = specification("nip")
    by_stages = exact_values(spec, random_play(spec))
    by_rounds = exact_values(protocol(spec), random_play(protocol(spec)))
    for seat in spec.seat_names:
        assert by_stages.mean(seat) == pytest.approx(by_rounds.mean(seat))


def test_numbers_with_a_total_are_not_sampled():
    shares = 's1 = { by = "ann", options = [0, 1] }\ns2 = { by = "ann", options = [0, 1] }\n'
    said = 'ann = { say = "floor", choose = ["s1", "s2"], total = 1 }'
    document = MUST.replace('verdict = { by = "judge"', shares + 'verdict = { by = "judge"')
    spec = Specification.from_toml(
        'roles = { verdict = "verdict", truth = "truth" }\n'
        + document.replace('ann = "floor"', said, 1)
    )
    with pytest.raises(UnsupportedError, match="seats choose numbers with a total"):
        sample(spec, random_play(spec), 10)
