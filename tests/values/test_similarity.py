"""Similarity rewards, compared with integrals and with sums of uniform numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy

from nip_core import ExperimentSettings, HyperParameters, SpecProtocol, ZeroKnowledgeProtocol
from nip_core.registry import build_protocol_handler
from nip_core.values import exact_values, random_play, simple_play
from nip_core.values.similarity import cosine_characteristic
from tests.depth import each
from tests.growth import seconds


def zero_knowledge(name, **groups):
    common = {"zero_knowledge": True, **groups.pop("protocol_common", {})}
    chosen = HyperParameters(interaction_protocol=name, protocol_common=common, **groups)
    return build_protocol_handler(chosen, ExperimentSettings())


@each("n", [2, 4, 5, 8, 32])
@each("t", [0.0, 0.3, 2.0, 11.0])
def test_characteristic_functions_are_those_of_the_density(n, t):
    # With cos a = x the density (1 - x^2)^((n-3)/2) becomes sin(a)^(n-2), which is bounded.
    quad = scipy.integrate.quad
    norm, _ = quad(lambda a: math.sin(a) ** (n - 2), 0, math.pi)
    value, _ = quad(lambda a: math.cos(t * math.cos(a)) * math.sin(a) ** (n - 2), 0, math.pi)
    assert cosine_characteristic(n, np.array([t]))[0] == pytest.approx(value / norm, abs=1e-10)


@each(("n", "bound"), [(1, 1.0), (3, 1 / 3), (2, 1 / 2), (7, 1 / 7)])
def test_variances_of_cosines(n, bound):
    # phi(t) = 1 - t^2 var / 2 + O(t^4)
    t = 1e-3
    assert (1 - cosine_characteristic(n, np.array([t]))[0]) * 2 / t**2 == pytest.approx(bound, 1e-4)


def irwin_hall(k: int, x: float) -> float:
    """Return P(U_1 + ... + U_k <= x) for uniform numbers on [0, 1]."""
    x = min(max(x, 0.0), float(k))
    at = Fraction(x)
    total = sum((-1) ** j * math.comb(k, j) * (at - j) ** k for j in range(math.floor(x) + 1))
    return float(total / math.factorial(k))


@each("turns", [1, 2, 4])
def test_sums_of_uniform_cosines_are_irwin_hall(turns):
    # With three logits a message, every cosine is uniform on [-1, 1]; nobody decides, so the
    # simulator's total is the sum of 2 * turns of them.
    handler = zero_knowledge("nip", nip_protocol={"max_message_rounds": 2 * turns})
    never = simple_play(handler.spec, decides=0, accepts_true=0, accepts_false=0, logits=3)
    found = exact_values(handler, never).distribution("simulator")
    law = [irwin_hall(2 * turns, (x + 2 * turns) / 2) for x in found.edges]
    assert found.masses == pytest.approx(np.diff(law), abs=found.error)
    assert found.masses == pytest.approx(np.diff(law), abs=1e-4)
    assert found.error < 1e-3


def test_a_sign_and_a_uniform_number_make_a_uniform_number():
    # With one logit a message, its cosine is a fair sign, and a sign plus a uniform number of [-1,
    # 1] is uniform on [-2, 2].
    handler = zero_knowledge("solo_verifier")
    found = exact_values(handler, random_play(handler.spec, logits=1)).distribution("simulator")
    assert found.edges[[0, -1]] == pytest.approx([-2, 2])
    assert found.masses == pytest.approx(1 / len(found.masses), abs=found.error)


def test_a_prover_gets_its_reward_and_a_share():
    # One turn, always accepted: reward 1, plus 1/8 of (1/2 x sum), which is uniform as above.
    handler = zero_knowledge(
        "adp",
        zk_protocol={"simulator_reward_coefficient": 0.5, "aux_prover_reward_coefficient": 0.125},
    )
    model = simple_play(handler.spec, decides=1, accepts_true=1, accepts_false=1)
    found = exact_values(handler, model).distribution("prover")
    assert found.edges[[0, -1]] == pytest.approx([1 - 1 / 8, 1 + 1 / 8])
    assert found.masses == pytest.approx(1 / len(found.masses), abs=found.error)


def test_both_verifiers_must_stop():
    # Two turns (rounds 0, 2). The verifier decides at once; the adversarial one, at random, is
    # done in round 0 with 2/3, in round 2 with 2/9, and never with 1/9 (last round: 3), when it
    # is fined 1.
    handler = zero_knowledge("nip", nip_protocol={"max_message_rounds": 4})
    model = random_play(handler.spec)
    sure = simple_play(handler.spec, decides=1, accepts_true=1, accepts_false=0)
    model = type(model)(sure.decide, adversary=model.adversary)
    values = exact_values(handler, model)
    assert values.rounds == pytest.approx([2 / 3, 0, 2 / 9, 1 / 9])
    assert values.mean("verifier") == pytest.approx(1)
    assert values.mean("adversarial_verifier") == pytest.approx(-1 / 9)
    # Cosines: 2 in the first round, 4 from the second turn on, with variances 1 + 1/3 a turn.
    assert values.variance("simulator") == pytest.approx((2 / 3) * 4 / 3 + (1 / 3) * 8 / 3)


def test_means_and_variances_are_those_of_the_distribution():
    handler = zero_knowledge(
        "mnip",
        protocol_common={"shared_reward": True, "verifier_no_guess_reward": 0.3},
        zk_protocol={"aux_prover_reward_coefficient": 0.4},
    )
    model = random_play(handler.spec, prior=0.7, logits=4)
    values = exact_values(handler, model)
    for agent in handler.spec.agent_names:
        found = values.distribution(agent)
        middles = np.append((found.edges[1:] + found.edges[:-1]) / 2, found.values)
        weights = np.append(found.masses, found.probabilities)
        assert weights.sum() == pytest.approx(1, abs=1e-9)
        mean = weights @ middles
        assert mean == pytest.approx(values.mean(agent), abs=2e-3)
        assert weights @ (middles - mean) ** 2 == pytest.approx(values.variance(agent), rel=5e-3)


def test_many_base_rewards_share_a_series_and_agree_with_a_few():
    # 40 turns, each paid differently, against the same with all turns unpaid, shifted.
    spec = zero_knowledge("nip").base_protocol.spec.replace(max_message_rounds=80)

    def handler(bonus):
        paying = spec.replace(
            payoff=type(spec.payoff)(shared_reward=True, verifier_no_guess_reward=bonus)
        )
        return ZeroKnowledgeProtocol(
            HyperParameters(),
            ExperimentSettings(),
            lambda given, where, *, verifier_name: SpecProtocol(given, where, paying),
        )

    def law(bonus):
        made = handler(bonus)
        model = simple_play(made.spec, decides=0.05, accepts_true=1, accepts_false=0, logits=3)
        values = exact_values(made, model)
        return values, values.distribution("prover")

    tiny, few = law(1e-9), law(0.0)
    assert (
        len(np.unique(tiny[0].endings.totals[:, 0]))
        > 32
        > len(np.unique(few[0].endings.totals[:, 0]))
    )
    assert tiny[1].masses == pytest.approx(few[1].masses, abs=tiny[1].error + few[1].error)
    assert tiny[1].masses == pytest.approx(few[1].masses, abs=2e-3)


def test_ten_thousand_rounds_take_little_time():
    spec = zero_knowledge("nip").base_protocol.spec.replace(max_message_rounds=10_000)
    handler = ZeroKnowledgeProtocol(
        HyperParameters(),
        ExperimentSettings(),
        lambda given, where, *, verifier_name: SpecProtocol(given, where, spec),
    )
    model = simple_play(handler.spec, decides=0.001, accepts_true=0.9, accepts_false=0.2)
    found = exact_values(handler, model).distribution("prover")
    # Even a second would be too much.
    assert seconds(lambda: exact_values(handler, model).distribution("prover")) < 5
    assert found.masses.sum() == pytest.approx(1, abs=1e-6)
