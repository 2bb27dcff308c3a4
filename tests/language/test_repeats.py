"""Repetitions that are worked out together have the same results as one by one."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from nip_core.errors import SpecError, UnsupportedError
from nip_core.language import Specification, forward
from nip_core.language.possible import Possible
from nip_core.values import play_values
from tests.depth import cases, each
from tests.language.strategies import documents
from tests.language.zoo import published

# As many as no stage has.
NEVER = 1 << 60


def both(spec, make, monkeypatch):
    """Return a result with all repetitions that can be together, and with none."""
    found = []
    for fewest in (1, NEVER):
        monkeypatch.setattr(forward, "FEWEST", fewest)
        found.append(make(spec))
    return found


def same(one, two):
    assert one.verdicts == two.verdicts
    assert one.by_truth == two.by_truth
    for seat, mean in two.means.items():
        if isinstance(mean, Fraction):
            assert one.means[seat] == mean
            assert one.variances[seat] == two.variances[seat]
        else:
            assert one.means[seat] == pytest.approx(mean)
    assert (one.turns, one.turns_variance) == (two.turns, two.turns_variance)
    assert one.lengths.probabilities.tolist() == two.lengths.probabilities.tolist()


REPEATING = ("nip", "michael_consultancy", "trusted_editing", "budget", "graph_nonisomorphism")


@each("name", REPEATING)
def test_protocols_have_the_same_values(name, monkeypatch):
    same(*both(published(name), play_values, monkeypatch))


@settings(max_examples=cases(30), deadline=None)
@given(documents())
def test_random_protocols_have_the_same_values(document):
    try:
        spec = Specification.from_dict(document)
        with pytest.MonkeyPatch.context() as patch:
            found = both(spec, lambda spec: play_values(spec, most=5_000, plays=0), patch)
            ways = both(spec, lambda spec: vars(Possible(spec)), patch)
    except (SpecError, UnsupportedError):
        assume(False)
    same(*found)
    assert ways[0] == ways[1]


def test_a_thousand_rounds_take_no_longer_than_a_few():
    few, many = (published("nip", questions=rounds) for rounds in (10, 1_000))
    short, long = play_values(few), play_values(many)
    # The verifier decides in each round with two chances of three.
    assert long.turns < short.turns + Fraction(1, 1_000)
    assert sum(long.pay["verifier"].probabilities) == 1
    assert long.pay["verifier"].mean == long.means["verifier"]
