"""Sweeps: possible bands, ranges that follow the payoffs, and a first one that is informative."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from explorer.choice import ProtocolChoice
from explorer.rewards.sweep import current_value, is_flat, sweepable, swept_values, telling
from explorer.rewards.valuation import PLAYS, Valuation
from nip_core import HyperParameters, protocol_names
from nip_core.spec import PAYOFFS
from nip_core.values import exact_values, random_play, reward_bounds
from tests.depth import cases, first
from tests.strategies import handlers


@settings(max_examples=cases(24), deadline=None, phases=[Phase.generate])
@given(handlers(), st.floats(0.01, 0.99))
def test_quantiles_are_rewards_that_can_be(handler, share):
    values = exact_values(handler, random_play(handler.spec))
    for agent, (least, most) in zip(handler.spec.agent_names, reward_bounds(handler), strict=True):
        law = values.distribution(agent)
        found = law.quantile(share)
        slack = 1e-9 * max(abs(least), abs(most), 1)
        assert least - slack <= found <= most + slack
        below = law.probabilities[law.values <= found].sum()
        above = law.probabilities[law.values >= found].sum()
        if len(law.masses):
            below += np.interp(found, law.edges, np.append(0, np.cumsum(law.masses)))
            above += np.interp(-found, -law.edges[::-1], np.append(0, np.cumsum(law.masses[::-1])))
        assert below >= share - 1e-6
        assert above >= 1 - share - 1e-6


def test_a_band_stays_within_what_can_be():
    # A rare, large penalty: the mean plus one standard deviation is 10.7, but the maximum is 1.
    parameters = HyperParameters(protocol_common={"verifier_incorrect_penalty": -1000.0})
    valuation = Valuation(
        ProtocolChoice.of(parameters), "simple", decides=0.9, accepts_true=0.999, accepts_false=0.01
    )
    points = swept_values(valuation, "prover_reward")
    mine = points[points["seat"] == "verifier"]
    assert mine["high"].max() <= 1
    assert mine["low"].min() >= -1000


@pytest.mark.parametrize("size", [1e-4, 0.01, 1.0, 1e6])
def test_the_range_follows_the_payoffs(size):
    common = {"verifier_reward": size, "verifier_incorrect_penalty": -size, "prover_reward": size}
    valuation = Valuation(ProtocolChoice.of(HyperParameters(protocol_common=common)))
    for name in ("verifier_reward", "verifier_incorrect_penalty", "verifier_no_guess_reward"):
        swept = sorted(set(swept_values(valuation, name)["value"]))
        assert swept[-1] - swept[0] == pytest.approx(4 * size)
        assert current_value(valuation, name) in swept
        assert min(map(abs, swept)) <= 1e-12 * size


def test_a_sweep_of_rounds_holds_those_that_there_are():
    parameters = HyperParameters(nip_protocol={"max_message_rounds": 1000})
    swept = set(
        swept_values(Valuation(ProtocolChoice.of(parameters)), "max_message_rounds")["value"]
    )
    assert 1000 in swept
    assert len(swept) <= 41
    assert max(swept) > 1000


@pytest.mark.parametrize("name", first(3, protocol_names()))
@pytest.mark.parametrize("play", [play for play in PLAYS if play not in ("table", "recorded")])
def test_the_first_one_shown_says_something(name, play):
    valuation = Valuation(ProtocolChoice.of(HyperParameters(interaction_protocol=name)), play)
    chosen = telling(valuation, sweepable(valuation, valuation.protocol()))
    assert not is_flat(swept_values(valuation, chosen).groupby("seat")["mean"].agg(list))


def test_every_payoff_can_be_swept():
    valuation = Valuation(ProtocolChoice.of(HyperParameters()))
    assert set(PAYOFFS) <= set(sweepable(valuation, valuation.protocol()))
