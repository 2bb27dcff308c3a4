"""Each point of a sweep has the value that it has alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    SpecProtocol,
    build_protocol_handler,
    protocol_names,
)
from nip_core.errors import ModelError, UnsupportedError
from nip_core.spec import PAYOFFS
from nip_core.values import exact_values, listening_play, random_play, simple_play, sweep
from tests.depth import cases
from tests.values.test_games import handler_of

CHANCE = st.integers(0, 8).map(lambda n: n / 8)
KEYS = ("decides", "accepts_true", "accepts_false", "prior", "stance")


def assert_same(found, place, values):
    """Assert that a point of a sweep has the values that were computed for it alone."""
    for agent in values.spec.agent_names:
        assert found.mean(agent)[place] == pytest.approx(values.mean(agent), abs=1e-12)
    assert found.right[place] == pytest.approx(values.right, abs=1e-12)
    for name in ("completeness", "soundness_error"):
        alone = getattr(values, name)
        assert np.isnan(alone) or getattr(found, name)[place] == pytest.approx(alone, abs=1e-12)


@settings(max_examples=cases(60), deadline=None)
@given(
    st.sampled_from(protocol_names()),
    st.lists(st.tuples(*[CHANCE] * 5), min_size=1, max_size=4),
    st.lists(st.integers(-8, 8).map(lambda n: n / 4), min_size=5, max_size=5),
    st.sampled_from([None, None, "y", "zero"]),
    st.booleans(),
)
def test_each_point_is_worth_what_it_is_alone(name, rows, amounts, forced, shared):
    common = {"force_guess": forced, "shared_reward": shared}
    payoffs = dict(zip(PAYOFFS, amounts, strict=True))
    handler = handler_of(name, 5, **common)
    columns = {key: np.array(each) for key, each in zip(KEYS, zip(*rows, strict=True), strict=True)}
    found = sweep(handler, **columns, **payoffs)
    paid = handler_of(name, 5, **common, **payoffs)
    for place in range(len(rows)):
        chances = {key: float(each[place]) for key, each in columns.items()}
        assert_same(found, place, exact_values(paid, simple_play(paid.spec, **chances)))


def test_payoffs_change_from_point_to_point():
    amounts = np.linspace(-3, 3, 7)
    found = sweep("nip", verifier_reward=amounts, verifier_no_guess_reward=-amounts)
    for place, amount in enumerate(amounts):
        handler = handler_of("nip", 8, verifier_reward=amount, verifier_no_guess_reward=-amount)
        assert_same(found, place, exact_values(handler, random_play(handler.spec)))


@pytest.mark.parametrize("name", ["nip", "mnip", "merlin_arthur"])
def test_accuracy_is_that_of_a_verifier_who_listens(name):
    handler = handler_of(name, 8)
    accuracy = np.linspace(0, 1, 9)
    found = sweep(handler, decides=0.3, accuracy=accuracy, prior=0.2)
    for place, chance in enumerate(accuracy.tolist()):
        play = listening_play(handler.spec, decides=0.3, accuracy=chance, prior=0.2)
        assert_same(found, place, exact_values(handler, play))


def test_sides_that_are_drawn_are_weighted():
    drawn = HyperParameters("code_validation", protocol_common={"randomize_prover_stance": True})
    spec = handler_of("nip", 6).spec.replace(prover_stance_can_be_randomized=True)
    handler = SpecProtocol(drawn, ExperimentSettings(), spec)
    assert handler.draws_prover_stance
    stances = np.array([0.0, 0.3, 1.0])
    found = sweep(handler, decides=0.5, accepts_true=0.9, accepts_false=0.4, stance=stances)
    for place, stance in enumerate(stances.tolist()):
        play = simple_play(spec, decides=0.5, accepts_true=0.9, accepts_false=0.4, stance=stance)
        assert_same(found, place, exact_values(handler, play))


def test_points_are_computed_in_chunks(monkeypatch):
    priors = np.linspace(0, 1, 50)
    whole = sweep("nip", prior=priors)
    monkeypatch.setattr("nip_core.values.sweeps.CHUNK", 200)
    assert (sweep("nip", prior=priors).means == whole.means).all()


def test_contradictory_sweeps_are_refused():
    with pytest.raises(ModelError, match=r"'accuracy' is 0\.5 beside .*must be left out"):
        sweep("nip", accuracy=0.5, accepts_true=0.5)
    with pytest.raises(ModelError, match=r"'decides' \[2\], 'prior' \[3\].*same length"):
        sweep("nip", prior=np.zeros(3), decides=np.zeros(2))
    with pytest.raises(ModelError, match=r"'prior' is 1\.5; it must be a number from 0 to 1"):
        sweep("nip", prior=[0.5, 1.5])
    with pytest.raises(ModelError, match="array of at least one"):
        sweep("nip", prior=[])
    with pytest.raises(UnsupportedError, match=r"50,000,000 points takes too long; .*20,833,333"):
        sweep("nip", prior=np.full(50_000_000, 0.5))
    zero_knowledge = HyperParameters(protocol_common={"zero_knowledge": True})
    with pytest.raises(UnsupportedError, match="use exact_values at each point"):
        sweep(build_protocol_handler(zero_knowledge, ExperimentSettings()))


def test_rewards_of_own_rules_need_not_be_linear():
    class Squared(type(handler_of("nip"))):
        def _include_prover_rewards(self, made, decision, reward, env):
            super()._include_prover_rewards(made, decision, reward, env)

    handler = Squared(HyperParameters(), ExperimentSettings())
    assert handler.overrides_rules
    assert sweep(handler, prior=0.3).means.shape == (2, 1)
    with pytest.raises(UnsupportedError, match="rules of its own"):
        sweep(handler, prover_reward=2.0)


def test_a_sweep_is_a_table_of_its_points():
    found = sweep("nip", prior=np.array([0.25, 0.75]), decides=0.5)
    table = found.table()
    assert table.head[:3] == ("prior", *found.spec.agent_names)
    assert [row[0] for row in table.rows] == [0.25, 0.75]
    assert "2 points" in repr(found)
