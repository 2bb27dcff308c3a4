"""The parts of the error of a mid-point estimate add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.values import exact_values, mid_point, random_play, simple_play
from tests.depth import cases
from tests.strategies import handlers
from tests.values.test_sampling import some_model


def handler_of(name="nip", **common):
    chosen = HyperParameters(interaction_protocol=name, protocol_common=common)
    return build_protocol_handler(chosen, ExperimentSettings())


@settings(max_examples=cases(150), deadline=None)
@given(handlers(), st.integers(0, 10**6))
def test_the_parts_add_up_and_no_rule_is_left_out(handler, seed):
    model = some_model(np.random.default_rng(seed), handler)
    values = exact_values(handler, model)
    for agent in handler.spec.agent_names:
        found = mid_point(handler, values, agent)
        assert found.estimate + sum(found.parts.values()) == pytest.approx(found.mean, abs=1e-9)
        assert "rules" not in found.parts
        assert not found.is_sure or found.is_equal


def test_where_it_is_sure():
    # The verifier decides at its first turn, right half of the time; so the mid-point is the mean
    # for both.
    handler = handler_of(verifier_reward=2.0, verifier_incorrect_penalty=-0.5)
    model = simple_play(handler.spec, decides=1, accepts_true=0.5, accepts_false=0.5)
    values = exact_values(handler, model)
    for agent, mean in (("verifier", 0.75), ("prover", 0.5)):
        found = mid_point(handler, values, agent)
        assert (found.mean, found.is_sure) == (pytest.approx(mean), True)


def test_where_it_is_right_by_accident():
    # Random play of nip never decides in 1/81 of the episodes. If running out pays the mid-point,
    # 0, there is no error; if it pays -1 and each of the turns that go on pays g, with G = g (1/3 +
    # 1/9 + 1/27 + 1/81) = 40 g / 81, then g = 1/40 compensates exactly.
    handler = handler_of(verifier_no_guess_reward=1 / 40)
    found = mid_point(handler, exact_values(handler, random_play(handler.spec)), "verifier")
    assert found.is_equal
    assert not found.is_sure
    assert found.parts["no verdict"] == pytest.approx(-1 / 81)
    assert found.parts["going on"] == pytest.approx(1 / 81)


def test_where_it_is_far_off():
    # Shared reward: the prover's mid-point is 1/2, and it gets the verifier's -1/81.
    handler = handler_of(shared_reward=True)
    found = mid_point(handler, exact_values(handler, random_play(handler.spec)), "prover")
    assert (found.estimate, found.mean) == (0.5, pytest.approx(-1 / 81))
    assert not found.is_equal
