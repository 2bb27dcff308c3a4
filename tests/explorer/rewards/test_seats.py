"""The sentences in the table of seats are true, for all parameters."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.choice import ProtocolChoice
from explorer.rewards.answers import seats
from explorer.rewards.valuation import Valuation
from nip_core import HyperParameters
from nip_core.values import exact_values, simple_play
from tests.depth import cases
from tests.strategies import handlers
from tests.values.test_sampling import some_model

SAID = re.compile(r"([^;:]+): ([+-]\d[\d.]*(?:e[+-]\d+)?)")


def chance(values, where):
    return values.endings.probability[where].sum()


def check_sentences(handler, values):
    """Check that every sentence about a seat is true of how episodes end, and that they add up."""
    ends, spec = values.endings, handler.spec
    decided, right = ends.verdict != 2, ends.verdict == ends.label
    for row in seats(handler, values):
        said = {
            what.strip(" .").lower(): float(n.rstrip("."))
            for what, n in SAID.findall(row["why"].replace("−", "-"))
        }
        if row["why"].startswith("Equal"):
            said = {what.removeprefix("equal by accident: "): n for what, n in said.items()}
        assert sum(said.values()) == pytest.approx(row["difference"], abs=0.01 + 0.01 * len(said))
        side = ends.stance if handler.draws_prover_stance else spec.agent(row["seat"]).stance
        for what in said:
            if what == "verdicts are right more often than wrong":
                assert chance(values, right) > chance(values, decided & ~right)
            elif what == "verdicts are wrong more often than right":
                assert chance(values, right) < chance(values, decided & ~right)
            elif what == "verdicts are for its side more often than against it":
                assert chance(values, ends.verdict == side) > chance(
                    values, decided & (ends.verdict != side)
                )
            elif what == "verdicts are against its side more often than for it":
                assert chance(values, ends.verdict == side) < chance(
                    values, decided & (ends.verdict != side)
                )
            elif what == "episodes without a verdict":
                assert chance(values, ~decided) > 0
            elif what == "what is paid for asking on":
                assert handler.payoff.verifier_no_guess_reward
            elif what.startswith("the shared reward"):
                assert handler.payoff.shared_reward
            elif what.startswith("having no side"):
                assert spec.agent(row["seat"]).stance is None
            else:
                assert what == "not deciding although the verifier did"
                assert spec.agent(row["seat"]).role == "adversarial_verifier"


@settings(max_examples=cases(120), deadline=None)
@given(handlers(), st.integers(0, 10**6))
def test_the_sentences_about_seats_are_true(handler, seed):
    check_sentences(
        handler, exact_values(handler, some_model(np.random.default_rng(seed), handler))
    )


def test_verdicts_that_lean_to_neither_side_are_not_said_to():
    """A good verifier accepts as often as it rejects; it leans to the truth."""
    valuation = Valuation(ProtocolChoice.of(HyperParameters()))
    handler = valuation.protocol()
    model = simple_play(handler.spec, decides=0.5, accepts_true=0.7, accepts_false=0.3)
    values = exact_values(handler, model)
    assert values.verdicts["accept"] == pytest.approx(values.verdicts["reject"])
    prover, verifier = seats(handler, values)
    assert verifier["why"].startswith("Verdicts are right more often than wrong: +0.3")
    assert "side" not in verifier["why"] + prover["why"]


def test_at_large_rewards_rounding_is_not_explained():
    common = {"verifier_reward": 1e9, "verifier_incorrect_penalty": -1e9, "prover_reward": 1e9}
    valuation = Valuation(ProtocolChoice.of(HyperParameters(protocol_common=common)))
    handler = valuation.protocol()
    for row in seats(handler, exact_values(handler, valuation.model(handler))):
        assert "rules of its own" not in row["why"]
