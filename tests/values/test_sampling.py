"""Tests of sampling.py, bounds.py, chunks.py, histograms.py, intervals.py, samples.py and steps.py.

Sampled play agrees with the exact values, within bounds that chance hardly ever exceeds.
"""

import dataclasses
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    ProtocolHandler,
    SpecProtocol,
    build_protocol_handler,
    protocol_names,
)
from nip_core.errors import ModelError, UnsupportedError
from nip_core.spec import PAYOFFS
from nip_core.values import (
    PlayModel,
    betting_mean,
    bootstrap_ends,
    exact_values,
    random_play,
    reward_bounds,
    rollouts,
    sample,
    simple_play,
    student_quantile,
    wilson,
)
from tests.depth import FULL, cases

EPISODES = 4_000
SETS = 8 if FULL else 3  # of parameters, for each protocol, with and without zero knowledge
# The chance that one comparison of a true law fails. Fewer than 10^5 are made, even in full, so
# that all of them hold with a chance above 1 - 10^-7. (Seeds are fixed: it is a statement about
# the choice of seeds, not about a run.)
ALARM = 1e-12


def rate_bound(count: int) -> float:
    """Return how far a rate of `count` independent trials may be off (Hoeffding)."""
    return math.sqrt(math.log(2 / ALARM) / (2 * count))


def some_parameters(rng: random.Random, name: str, zero_knowledge: bool) -> HyperParameters:
    rounds = {"max_message_rounds": rng.randint(1, 9), "min_message_rounds": rng.randint(0, 5)}
    two = {**rounds, "sequential": rng.random() < 0.5, "prover0_first": rng.random() < 0.5}
    eighths = [rng.randint(-16, 16) / 8 for _ in range(7)]
    return HyperParameters(
        interaction_protocol=name,
        protocol_common={
            "zero_knowledge": zero_knowledge,
            "verifier_first": rng.random() < 0.5,
            "prover_reward": eighths[0],
            "verifier_reward": eighths[1],
            "verifier_incorrect_penalty": eighths[2],
            "verifier_terminated_penalty": eighths[3],
            "verifier_no_guess_reward": eighths[4],
            "shared_reward": rng.random() < 0.3,
            "force_guess": rng.choice([None, None, None, "zero", "one", "y"]),
        },
        nip_protocol=rounds,
        debate_protocol=two,
        mnip_protocol=two,
        zk_protocol={
            "simulator_reward_coefficient": eighths[5],
            "aux_prover_reward_coefficient": eighths[6],
        },
    )


def some_model(rng: np.random.Generator, handler: ProtocolHandler) -> PlayModel:
    spec = handler.spec
    states = 1 if spec.is_zero_knowledge else int(rng.integers(1, 4))
    shape = (spec.num_variants, spec.max_message_rounds, 2)
    return PlayModel(
        rng.dirichlet(np.full(3, 0.7), (*shape, states)),
        float(rng.random()),
        float(rng.random()),
        rng.dirichlet(np.ones(states), 2),
        rng.dirichlet(np.ones(states), (2, states)),
        rng.dirichlet(np.full(3, 0.7), shape),
        logits=int(rng.integers(1, 4)),
    )


def disagreements(handler: ProtocolHandler, model: PlayModel, exact, found) -> list[str]:
    """Return the parts of a sample that are farther from a law than chance allows."""
    bad: list[str] = []
    near = rate_bound(found.episodes)

    def compare(what, hits, chance, slack=0.0):
        if abs(hits / found.episodes - chance) > near + slack:
            bad.append(f"{what}: {hits / found.episodes:.4f} and {chance:.4f}")

    for number, (verdict, chance) in enumerate(exact.verdicts.items()):
        compare(verdict, found.verdicts[number], chance)
    compare("right", found.right, exact.right)
    for round_id, chance in enumerate(exact.rounds):
        compare(f"round {round_id}", found.rounds[round_id], chance)
    for agent in handler.spec.agent_names:
        law, seen = exact.distribution(agent), found.histogram(agent)
        if not law.masses.size and not seen.edges.size:
            for value, chance in zip(law.values, law.probabilities, strict=True):
                hits = seen.counts[np.isclose(seen.values, value, atol=1e-4)].sum()
                compare(f"{agent} gets {value:g}", int(hits), float(chance))
            if not set(np.round(seen.values, 3)) <= set(np.round(law.values, 3)):
                bad.append(f"{agent} gets what it cannot get")
        low, high = support(law)
        # A mean of numbers between two bounds (Hoeffding).
        if abs(found.mean(agent) - exact.mean(agent)) > (high - low) * near + 1e-5:
            bad.append(f"{agent}: {found.mean(agent):.4f} and {exact.mean(agent):.4f}")
    return bad


def support(law) -> tuple[float, float]:
    ends = [*law.values, *law.edges]
    return min(ends), max(ends)


@pytest.mark.parametrize("zero_knowledge", [False, True])
@pytest.mark.parametrize("name", protocol_names())
def test_samples_agree_with_exact_values(name, zero_knowledge):
    rng = random.Random(f"{name}/{zero_knowledge}")
    for _ in range(SETS):
        handler = build_protocol_handler(
            some_parameters(rng, name, zero_knowledge), ExperimentSettings()
        )
        model = some_model(np.random.default_rng(rng.getrandbits(32)), handler)
        found = sample(handler, model, EPISODES, seed=rng.getrandbits(31))
        assert disagreements(handler, model, exact_values(handler, model), found) == []


def test_drawn_stances_and_variants_agree():
    rng = random.Random(5)
    drawn = HyperParameters("code_validation", protocol_common={"randomize_prover_stance": True})
    for _ in range(SETS):
        base = build_protocol_handler(some_parameters(rng, "mnip", False), ExperimentSettings())
        spec = base.spec.replace(
            schedules=(base.spec.schedules[0], *chosen_schedules(rng)),
            prover_stance_can_be_randomized=True,
        )
        handler = SpecProtocol(drawn, ExperimentSettings(), spec)
        assert handler.draws_prover_stance
        model = some_model(np.random.default_rng(rng.getrandbits(32)), handler)
        found = sample(handler, model, EPISODES, seed=rng.getrandbits(31))
        assert disagreements(handler, model, exact_values(handler, model), found) == []


def chosen_schedules(rng: random.Random):
    others = [
        build_protocol_handler(
            HyperParameters(
                interaction_protocol="mnip",
                protocol_common={"verifier_first": first},
                mnip_protocol={"sequential": sequential},
            ),
            ExperimentSettings(),
        ).spec.schedules[0]
        for first in (True, False)
        for sequential in (True, False)
    ]
    return rng.sample(others, rng.randint(1, 3))


def planted() -> dict[str, tuple[dict, dict]]:
    """Return pairs of settings that an error in the rules would treat alike."""
    return {
        "least rounds forgotten": (
            {"nip_protocol": {"min_message_rounds": 4}},
            {"nip_protocol": {}},
        ),
        "fine left out": (
            {"protocol_common": {"verifier_terminated_penalty": -8.0}},
            {"protocol_common": {"verifier_terminated_penalty": 0.0}},
        ),
        "reward for going on left out": (
            {"protocol_common": {"verifier_no_guess_reward": 0.5}},
            {"protocol_common": {}},
        ),
        "shared reward forgotten": (
            {"protocol_common": {"shared_reward": True}},
            {"protocol_common": {}},
        ),
        "forced guess forgotten": ({"protocol_common": {"force_guess": "y"}}, {}),
    }


@pytest.mark.parametrize("name", planted())
def test_wrong_values_are_caught(name):
    true, wrong = (
        build_protocol_handler(HyperParameters(**groups), ExperimentSettings())
        for groups in planted()[name]
    )
    model = random_play(true.spec)
    found = sample(true, model, EPISODES)
    assert disagreements(true, model, exact_values(true, model), found) == []
    assert disagreements(true, model, exact_values(wrong, model), found)


def test_a_wrong_prior_is_caught():
    handler = build_protocol_handler(HyperParameters(), ExperimentSettings())
    model = some_model(np.random.default_rng(3), handler)
    other = dataclasses.replace(model, prior=1 - model.prior)
    found = sample(handler, model, EPISODES)
    assert disagreements(handler, model, exact_values(handler, other), found)


# -- the sample itself ----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_sample_and_chunks_add_up():
    handler = build_protocol_handler(HyperParameters(), ExperimentSettings())
    model = random_play(handler.spec)
    runs = [sample(handler, model, 2_500, seed=3, chunk=1_000) for _ in range(2)]
    assert runs[0].episodes == 2_500
    assert np.array_equal(runs[0].sums, runs[1].sums)
    assert not np.array_equal(runs[0].sums, sample(handler, model, 2_500, seed=4).sums)
    for agent in handler.spec.agent_names:
        found = runs[0].histogram(agent)
        assert found.counts.sum() == 2_500
        assert found.values @ found.counts / 2_500 == pytest.approx(runs[0].mean(agent))


def test_a_caller_stops_when_it_likes():
    handler = build_protocol_handler(HyperParameters(), ExperimentSettings())
    seen = []
    for found in rollouts(handler, random_play(handler.spec), chunk=100):
        seen.append(found.episodes)
        if len(seen) == 3:
            break
    assert seen == [100, 200, 300]


def test_similarities_are_counted_in_bins():
    handler = build_protocol_handler(
        HyperParameters(protocol_common={"zero_knowledge": True}), ExperimentSettings()
    )
    model = random_play(handler.spec, logits=3)
    found = sample(handler, model, 20_000, seed=1)
    seen, law = found.histogram("simulator"), exact_values(handler, model).distribution("simulator")
    assert len(seen.counts) == len(seen.edges) - 1
    # The sample's distribution function, compared with the law's, at the law's own points.
    below = np.cumsum(law.masses)
    for edge, chance in zip(law.edges[10::10], below[9::10], strict=False):
        share = np.interp(edge, seen.edges[1:], np.cumsum(seen.counts)) / 20_000
        assert abs(share - chance) < rate_bound(20_000) + seen.counts.max() / 20_000


def test_impossible_arguments_are_refused():
    handler = build_protocol_handler(HyperParameters(), ExperimentSettings())
    with pytest.raises(ModelError):
        sample(handler, random_play(handler.spec), 0)
    with pytest.raises(ModelError):
        next(rollouts(handler, random_play(handler.spec), chunk=-1))


# -- intervals ------------------------------------------------------------------------------------


@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_wilson_solves_its_equation(hits, count, level):
    hits = min(hits, count)
    low, high = wilson(hits, count, level)
    assert 0 <= low <= hits / count <= high <= 1
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1 + level) / 2)
    for end in {low, high} - {0.0, 1.0}:
        # At its ends, the found rate is z standard errors away.
        assert abs(hits / count - end) == pytest.approx(z * math.sqrt(end * (1 - end) / count))


def test_wilson_covers_as_often_as_it_says():
    # The exact coverage, by the binomial distribution: near 95 % on average over rates.
    count, rates = 40, np.linspace(0.05, 0.95, 37)
    intervals = [wilson(hits, count) for hits in range(count + 1)]
    covered = []
    for rate in rates:
        law = [math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(count + 1)]
        covered.append(sum(p for p, (a, b) in zip(law, intervals, strict=True) if a <= rate <= b))
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    assert min(covered) > 0.9


def test_the_ends_of_a_bootstrap_lie_as_far_out_as_the_quantile_says():
    drawn = np.random.default_rng(0).normal(3, 2, 100_000)
    # A t table's values for 95%, with many and with three degrees of freedom.
    for freedom, z in ((1e9, 1.960), (3, 3.182)):
        assert student_quantile(0.95, freedom) == pytest.approx(z, abs=1e-3)
        ends = bootstrap_ends(drawn, student_quantile(0.95, freedom))
        assert ends == pytest.approx((3 - 2 * z, 3 + 2 * z), abs=0.15)


# Distributions between bounds: the values, their chances, and the bounds.
LAWS = {
    "a rare large loss": ([-50.0, 1.0], [0.03, 0.97], -50.0, 1.0),
    "a very rare one": ([-1000.0, 1.0], [0.001, 0.999], -1000.0, 1.0),
    "a fair coin": ([-1.0, 1.0], [0.5, 0.5], -1.0, 1.0),
    "a rate of a third": ([0.0, 1.0], [2 / 3, 1 / 3], 0.0, 1.0),
    "a rare gain": ([0.0, 1.0], [0.98, 0.02], 0.0, 1.0),
    "nine values": (np.linspace(-1, 1, 9).tolist(), [1 / 9] * 9, -1.0, 1.0),
    "far from its bounds": ([0.4, 0.5, 0.6], [0.25, 0.5, 0.25], -4.0, 1.0),
    "a constant": ([0.25], [1.0], 0.0, 1.0),
}


@pytest.mark.parametrize("count", [1, 10, 30, 100])
@pytest.mark.parametrize("law", LAWS)
def test_betting_holds_the_mean_as_often_as_it_says(law, count):
    values, chances, low, high = LAWS[law]
    mean = float(np.dot(values, chances))
    runs, level = (400 if FULL else 60), 0.95
    drawn = np.random.default_rng(count).multinomial(count, chances, size=runs)
    found = [betting_mean(np.array(values), counts, low, high, level) for counts in drawn]
    held = sum(a <= mean <= b for a, b in found)
    # The count may deviate by five standard deviations.
    assert held >= runs * level - 5 * math.sqrt(runs * level * (1 - level))
    assert all(low <= a <= b <= high for a, b in found)
    # No interval is a single point while another mean is possible.
    assert all(b - a > 1e-4 for a, b in found)


def test_ordinary_intervals_are_not_much_wider_than_normal_ones():
    for law in ("a fair coin", "a rate of a third", "nine values"):
        values, chances, low, high = LAWS[law]
        mean = np.dot(values, chances)
        spread = math.sqrt(np.dot((np.array(values) - mean) ** 2, chances))
        for count in (100, 10_000, 1_000_000):
            counts = np.round(np.array(chances) * count)
            a, b = betting_mean(np.array(values), counts, low, high)
            assert 1 < (b - a) / (2 * 1.96 * spread / math.sqrt(count)) < 1.7
            assert a < mean < b


@settings(max_examples=cases(60), deadline=None)
@given(
    st.lists(st.integers(0, 8), min_size=2, max_size=5, unique=True),
    st.data(),
    st.sampled_from([1e-12, 1e-6, 3.0, 1e12]),
    st.sampled_from([0.0, -5.0, 7.0]),
)
def test_intervals_move_with_their_unit_and_turn_with_their_sign(places, data, unit, shift):
    values = np.array(places) / 8
    counts = np.array([data.draw(st.integers(0, 40)) for _ in places])
    counts[0] += 1
    a, b = betting_mean(values, counts, 0.0, 1.0)
    c, d = betting_mean(unit * (values + shift), counts, unit * shift, unit * (1 + shift))
    assert (c / unit - shift, d / unit - shift) == pytest.approx((a, b), abs=1e-9)
    c, d = betting_mean(1 - values, counts, 0.0, 1.0)
    assert (1 - d, 1 - c) == pytest.approx((a, b), abs=1e-9)
    # A higher level gives a wider interval, more draws a narrower one.
    c, d = betting_mean(values, counts, 0.0, 1.0, 0.99)
    assert c <= a + 1e-9
    assert b - 1e-9 <= d
    c, d = betting_mean(values, 9 * counts, 0.0, 1.0)
    assert d - c <= b - a + 1e-9


def test_without_draws_the_interval_is_all_between_the_bounds():
    assert betting_mean(np.array([1.0]), np.array([0]), -3.0, 2.0) == (-3.0, 2.0)
    assert betting_mean(np.array([2.0]), np.array([5]), 2.0, 2.0) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("values", "counts", "low", "high", "level", "said"),
    [
        ([2.0], [1], 0.0, 1.0, 0.95, "must be between"),
        ([0.5], [1], 1.0, 0.0, 0.95, "must be at most"),
        ([0.5], [-1], 0.0, 1.0, 0.95, "below 0"),
        ([0.5], [1, 2], 0.0, 1.0, 0.95, "as many counts"),
        ([0.5], [1], 0.0, 1.0, 1.0, "level"),
        ([0.5], [1], 0.0, 1.0, float("nan"), "level"),
        ([float("nan")], [1], 0.0, 1.0, 0.95, "finite numbers"),
    ],
)
def test_invalid_samples_are_refused(values, counts, low, high, level, said):
    with pytest.raises(ModelError, match=said):
        betting_mean(np.array(values), np.array(counts), low, high, level)


def test_a_sample_knows_what_a_rare_loss_costs():
    # Ten episodes, all of them right; a wrong verdict, which occurs in 3 of 100, would cost 50.
    handler = build_protocol_handler(
        HyperParameters(protocol_common={"verifier_incorrect_penalty": -50.0}), ExperimentSettings()
    )
    model = simple_play(handler.spec, decides=1, accepts_true=0.97, accepts_false=0.03)
    mean = exact_values(handler, model).mean("verifier")
    for seed in range(20):
        low, high = sample(handler, model, 10, seed=seed).mean_interval("verifier")
        assert low < mean < high


def test_bounds_are_the_ends_of_all_that_can_be():
    rng = random.Random(4)
    for name in protocol_names():
        for zero_knowledge in (False, True):
            handler = build_protocol_handler(
                some_parameters(rng, name, zero_knowledge), ExperimentSettings()
            )
            bounds, model = reward_bounds(handler), random_play(handler.spec)
            # Play in which everything can happen pays the least and the most, and nothing beyond.
            values, found = exact_values(handler, model), sample(handler, model, 50)
            for index, agent in enumerate(handler.spec.agent_names):
                low, high = bounds[index].tolist()
                if not zero_knowledge:
                    ends = values.distribution(agent).values
                    assert (ends.min(), ends.max()) == pytest.approx((low, high))
                seen = found.histograms[index].values[found.histograms[index].counts > 0]
                assert low - 1e-5 <= seen.min() <= seen.max() <= high + 1e-5


@settings(max_examples=cases(25), deadline=None)
@given(st.sampled_from(["nip", "adp", "debate", "merlin_arthur"]), st.data())
def test_sampled_values_are_those_of_the_exact_distribution(name, data):
    amounts = st.sampled_from([0.1, 0.7, 1 / 3, 1e6, -0.3, 1e-9, 2.5e-10, -0.2])
    common = {key: data.draw(amounts) for key in PAYOFFS}
    handler = build_protocol_handler(
        HyperParameters(interaction_protocol=name, protocol_common=common), ExperimentSettings()
    )
    model = random_play(handler.spec)
    law, parts = exact_values(handler, model), []
    for seed, size in enumerate((3, 64, 500)):
        parts.append(sample(handler, model, size, seed=seed))
    whole = parts[0].merged(parts[1]).merged(parts[2])
    for agent in handler.spec.agent_names:
        found = whole.histogram(agent)
        assert set(found.values) <= set(law.distribution(agent).values)
        assert found.counts.sum() == 567
        assert found.values @ found.counts / 567 == pytest.approx(whole.mean(agent), rel=1e-12)


def test_samples_of_one_model_are_counted_in_the_same_bins():
    handler = build_protocol_handler(
        HyperParameters(protocol_common={"zero_knowledge": True}), ExperimentSettings()
    )
    model = random_play(handler.spec, logits=3)
    few, many = sample(handler, model, 10), sample(handler, model, 3_000, seed=1)
    whole = few.merged(many)
    for agent in handler.spec.agent_names:
        assert np.array_equal(few.histogram(agent).edges, many.histogram(agent).edges)
        found = whole.histogram(agent)
        assert found.counts.sum() == 3_010
        assert found.values @ found.counts / 3_010 == pytest.approx(whole.mean(agent))
        low, high = whole.mean_interval(agent)
        assert low < exact_values(handler, model).mean(agent) < high


def test_bad_rates_are_refused():
    with pytest.raises(ModelError):
        wilson(3, 2)
    with pytest.raises(ModelError):
        wilson(1, 2, 1.0)
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("name", protocol_names())
def test_endings_that_are_drawn_at_once_agree_with_the_exact_values(name):
    rng = random.Random(name)
    for _ in range(SETS):
        handler = build_protocol_handler(some_parameters(rng, name, False), ExperimentSettings())
        model = some_model(np.random.default_rng(rng.randrange(10**6)), handler)
        exact = exact_values(handler, model)
        assert (
            disagreements(handler, model, exact, exact.sample(10**6, seed=rng.randrange(99))) == []
        )


def test_samples_of_one_law_can_be_merged_however_they_were_drawn():
    handler = build_protocol_handler(HyperParameters(), ExperimentSettings())
    model = random_play(handler.spec)
    exact = exact_values(handler, model)
    drawn, played = exact.sample(10**7), sample(handler, model, 500)
    both = drawn.merged(played)
    assert both.episodes == 10**7 + 500 == both.histogram("prover").counts.sum()
    many = exact.sample(10**15)
    assert many.verdicts.sum() == 10**15
    with pytest.raises(ModelError, match=r"from 1 to 10{15}"):
        exact.sample(10**15 + 1)
    assert exact.sample(1000, seed=3).verdicts.tolist() == exact.sample(1000, 3).verdicts.tolist()
    assert exact.sample(1000, seed=3).verdicts.tolist() != exact.sample(1000, 4).verdicts.tolist()


def test_endings_say_nothing_of_what_is_paid_for_similarity():
    parameters = HyperParameters(protocol_common={"zero_knowledge": True})
    handler = build_protocol_handler(parameters, ExperimentSettings())
    with pytest.raises(UnsupportedError, match=r"use nip_core\.values\.sample"):
        exact_values(handler, random_play(handler.spec)).sample(10)


@pytest.mark.parametrize("name", ["nip", "debate", "merlin_arthur"])
def test_drawn_endings_are_as_far_from_their_chances_as_chance_is(name):
    """Over many seeds, Pearson's statistic of the totals has the expected distribution."""
    from scipy.stats import chi2, kstest

    # Where going on is paid, an episode's total also shows in which round it ended.
    paid = HyperParameters(
        interaction_protocol=name, protocol_common={"verifier_no_guess_reward": -0.125}
    )
    handler = build_protocol_handler(paid, ExperimentSettings())
    exact = exact_values(handler, random_play(handler.spec))
    law, episodes = exact.distribution("verifier"), 20_000
    assert (law.probabilities * episodes).min() > 5
    shares = []
    for seed in range(cases(400)):
        seen = exact.sample(episodes, seed=seed).histogram("verifier")
        counts = dict(zip(seen.values.tolist(), seen.counts.tolist(), strict=True))
        found = np.array([counts.get(value, 0) for value in law.values.tolist()])
        wanted = law.probabilities * episodes
        distance = ((found - wanted) ** 2 / wanted).sum()
        shares.append(chi2.sf(distance, len(wanted) - 1))
    # Both a wrong sampler and one that is too regular would be noticed.
    assert kstest(shares, "uniform").pvalue > 1e-4
