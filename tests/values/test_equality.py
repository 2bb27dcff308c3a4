"""Equality: rewards with the same exact sum are equal, and rounding errors count as zero."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.values import exact_values, random_play
from tests.depth import cases

NAMES = (
    "verifier_reward",
    "verifier_incorrect_penalty",
    "verifier_no_guess_reward",
    "verifier_terminated_penalty",
)
wide = st.sampled_from([0.0, 0.01, -0.01, 0.1, 0.3, -0.7, 1.0, 1e12, -1e12, 1e-9, 1e30, -1e30])


def handler_of(rounds, **common):
    chosen = HyperParameters(
        nip_protocol={"max_message_rounds": rounds}, protocol_common={**common}
    )
    return build_protocol_handler(chosen, ExperimentSettings())


def read(number: float) -> Fraction:
    return Fraction(repr(number))


@settings(max_examples=cases(120), deadline=None)
@given(st.tuples(wide, wide, wide, wide), st.integers(1, 12))
def test_single_values_are_the_exact_sums(pays, rounds):
    handler = handler_of(rounds, **dict(zip(NAMES, pays, strict=True)))
    right, wrong, asks, out = map(read, pays)
    turns = range(-(-rounds // 2))  # of the verifier, who opens
    sums = {turn * asks + verdict for turn in turns for verdict in (right, wrong)}
    # In the last round it is the verifier's turn, or not; in both cases asking on ends it.
    last = len(turns) - 1 if rounds % 2 else len(turns)
    sums.add(last * asks + out)
    found = exact_values(handler, random_play(handler.spec)).distribution("verifier")
    assert found.values.tolist() == sorted({float(each) for each in sums})
    assert found.probabilities.sum() == pytest.approx(1)


def test_payoffs_that_differ_by_little_beside_the_largest_are_distinguished():
    handler = handler_of(6, verifier_reward=1e12, verifier_no_guess_reward=0.01)
    law = exact_values(handler, random_play(handler.spec)).distribution("verifier")
    assert law.values.tolist() == [*(-1.0, -0.99, -0.98, -0.97), *(1e12, 1e12 + 0.01, 1e12 + 0.02)]


def test_sums_that_differ_by_rounding_only_are_one_value():
    # 0.1 + 0.2 and 0.3: paid for asking on once and then being right, or for being right at once.
    handler = handler_of(3, verifier_reward=0.3, verifier_no_guess_reward=0.1)
    other = handler_of(
        3, verifier_reward=0.2, verifier_incorrect_penalty=0.3, verifier_no_guess_reward=0.1
    )
    for each, wanted in ((handler, [-1.0, -0.9, 0.3, 0.4]), (other, [-0.9, 0.2, 0.3, 0.4])):
        law = exact_values(each, random_play(each.spec)).distribution("verifier")
        assert law.values.tolist() == wanted
