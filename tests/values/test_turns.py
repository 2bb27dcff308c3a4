"""Tests of turns.py, needed.py, features.py, relevance.py and sight.py.

With any side free to choose, chance choices give the given play.
"""

from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import SpecError
from nip_core.language import load_specification
from nip_core.values import play_values
from nip_core.values.features import Verdict
from nip_core.values.turns import Turns
from tests.depth import cases
from tests.language.strategies import documents


def at_random(spec, sides):
    """Return the features if solved sides choose at random, each of their options alike."""
    turns, total = Turns(spec, sides), {}
    layer = {}

    def go(step, share):
        for feature, amount in step.features.items():
            total[feature] = total.get(feature, 0) + amount * share
        for outcome in step.outcomes:
            chance = share * Fraction(outcome.weight, step.whole)
            layer[outcome.onward] = layer.get(outcome.onward, 0) + chance

    go(turns.start, Fraction(1))
    while layer:
        state = min(layer, key=lambda known: (known.place, known.number))
        share = layer.pop(state)
        ways = [*product(*(offer.options for offer in turns.offers(state)))]
        for choices in ways:
            go(turns.step(state, choices), share / len(ways))
    return total


@settings(max_examples=cases(60), deadline=None)
@given(documents(), st.data())
def test_sides_that_choose_at_random_are_paid_as_by_given_play(document, data):
    try:
        spec = load_specification(document)
    except SpecError:
        return
    if any(act.total is not None for _, _, act in spec.acts()):
        return  # of numbers with a total, given play chooses one after the other
    known = play_values(spec, [])
    seats = spec.seat_names
    number = data.draw(st.lists(st.integers(0, 2), min_size=len(seats), max_size=len(seats)))
    sides = [{s for s, n in zip(seats, number, strict=True) if n == side} for side in (1, 2)]
    total = at_random(spec, sides)
    assert {seat: total.get(seat, 0) for seat in seats} == dict(known.means)
    verdicts = {}
    for feature, chance in total.items():
        if isinstance(feature, Verdict):
            verdicts[feature.verdict] = verdicts.get(feature.verdict, 0) + chance
    assert verdicts == dict(known.verdicts)
