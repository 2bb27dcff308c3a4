"""Tests of mechanisms.py and frontier.py.

Commitments by linear programs, compared with trees, theorems, and in larger games.
"""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import ModelError, UnsupportedError
from nip_core.spec import PAYOFFS
from nip_core.values import (
    best_mechanism,
    exact_values,
    finite_game,
    frontier,
    simple_play,
    stackelberg,
)
from nip_core.values.game_tree import Chance, End
from tests.depth import cases, exhaustive
from tests.growth import seconds
from tests.values.test_games import handler_of

SIXTEENTHS = st.integers(0, 16).map(lambda n: Fraction(n, 16))


@st.composite
def settings_of_games(draw):
    name, rounds = draw(
        st.sampled_from([("adp", 2), ("nip", 3), ("nip", 4), ("nip", 5), ("solo_verifier", 1)])
    )
    common = {key: draw(st.integers(-4, 4)) / 4 for key in PAYOFFS}
    common["shared_reward"] = draw(st.sampled_from([False, False, True]))
    common["verifier_first"] = draw(st.booleans())
    common["force_guess"] = draw(st.sampled_from([None, None, None, "y", "one"]))
    chances = {
        "prior": draw(SIXTEENTHS),
        "prover_accuracy": draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3, 4)])),
        "verifier_accuracy": draw(st.sampled_from([Fraction(1, 2), Fraction(3, 5)])),
    }
    return handler_of(name, rounds, **common), chances


@settings(max_examples=cases(200), deadline=None)
@given(settings_of_games(), st.booleans())
def test_a_commitment_is_worth_what_it_is_in_the_tree(game, pessimistic):
    handler, chances = game
    found = best_mechanism(handler, pessimistic=pessimistic, **chances)
    in_tree = stackelberg(finite_game(handler, **chances), pessimistic=pessimistic)
    assert found.value == in_tree.exact
    assert found.attained == in_tree.attained


def endings_of(node, place=()):
    """Return the ends of a game, with the names of all earlier actions."""
    if isinstance(node, End):
        yield place, node
        return
    for name, *_, child in node.children:
        yield from endings_of(child, (*place, name))


def paid_by_acceptance(game, factor):
    """Return the game for a verifier paid for completeness and fined for accepting false claims."""
    shares = {y: sum(c for name, c, _ in game.root.children if name[:3] == y) for y in LABELS}

    def changed(node, place):
        if isinstance(node, End):
            y = place[0][:3]
            gain = (Fraction(1) if y == "y=1" else -factor) / shares[y]
            return End((gain if "accept" in place else Fraction(0), node.payoffs[1]))
        children = tuple(
            (name, *middle, changed(child, (*place, name)))
            for name, *middle, child in node.children
        )
        return (
            Chance(children)
            if isinstance(node, Chance)
            else dataclasses.replace(node, children=children)
        )

    return dataclasses.replace(game, root=changed(game.root, ()))


LABELS = ("y=0", "y=1")


@settings(max_examples=cases(60), deadline=None)
@given(settings_of_games(), st.booleans(), st.integers(1, 9))
def test_nothing_lies_beyond_the_frontier(game, pessimistic, slope):
    handler, chances = game
    if handler.payoff.force_guess or chances["prior"] in (0, 1):
        return
    factor = Fraction(slope, 3)
    curve = frontier(handler, pessimistic=pessimistic, **chances)
    tree = paid_by_acceptance(finite_game(handler, **chances), factor)
    best = stackelberg(tree, pessimistic=pessimistic).exact
    assert best == max(right - factor * wrong for wrong, right in curve.corners)


@settings(max_examples=cases(60), deadline=None)
@given(settings_of_games(), st.booleans())
def test_a_frontier_bends_downwards(game, pessimistic):
    handler, chances = game
    chances["prior"] = Fraction(1, 2)
    corners = frontier(handler, pessimistic=pessimistic, **chances).corners
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(corners)]
    assert all(run > 0 and rise > 0 for run, rise in steps)
    slopes = [rise / run for run, rise in steps]
    assert slopes == sorted(set(slopes), reverse=True)
    curve = frontier(handler, pessimistic=pessimistic, **chances)
    for error, most in corners:
        assert curve.completeness(error) == most


def test_between_corners_a_frontier_is_straight():
    curve = frontier(handler_of("nip", 3), pessimistic=True, verifier_accuracy=Fraction(7, 10))
    assert curve.corners == ((0, 0), (Fraction(3, 10), Fraction(7, 10)), (1, 1))
    assert curve.completeness(Fraction(15, 100)) == Fraction(35, 100)
    assert curve.completeness(1) == 1


def test_what_no_strategy_reaches_is_refused():
    forced = frontier(handler_of("adp", force_guess="one"), pessimistic=True)
    assert forced.corners == ((1, 1),)
    with pytest.raises(ModelError, match=r"below 1; 0\.5 was asked for"):
        forced.completeness(0.5)


def test_too_many_rounds_are_refused_with_the_remedy():
    with pytest.raises(UnsupportedError, match=r"1,001 rounds.*up to 1,000. Take fewer"):
        best_mechanism(handler_of("nip", 1001), pessimistic=False)


HARD = {"prior": Fraction(2, 5), "prover_accuracy": 0.8, "verifier_accuracy": 0.6}


@pytest.mark.parametrize("pessimistic", [False, True])
def test_where_waiting_is_free_more_rounds_are_worth_no_less(pessimistic):
    common = {"verifier_no_guess_reward": 0.0, "shared_reward": True}
    found = [
        best_mechanism(handler_of("nip", n, **common), pessimistic=pessimistic, **HARD).value
        for n in range(2, 13)
    ]
    assert found == sorted(found)
    assert found[0] < found[-1]


@pytest.mark.parametrize("pessimistic", [False, True])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_payoffs_changes_nothing(pessimistic, scale):
    amounts = dict(zip(PAYOFFS, (1.0, 1.0, -2.0, -1.0, -0.05), strict=True))

    def found(unit):
        paid = {key: amount * unit for key, amount in amounts.items()}
        return best_mechanism(handler_of("nip", 6, **paid), pessimistic=pessimistic, **HARD)

    plain, scaled = found(1.0), found(scale)
    assert scaled.value == plain.value * Fraction(scale).limit_denominator(10**6)
    assert (scaled.stops, scaled.attained) == (plain.stops, plain.attained)


def test_more_symbols_change_no_value():
    handler = handler_of("nip", 3, verifier_no_guess_reward=-0.05)
    found = best_mechanism(handler, pessimistic=True, **HARD)
    for symbols in (2, 3):
        tree = finite_game(handler, symbols=symbols, **HARD)
        assert stackelberg(tree, pessimistic=True).exact == found.value


@exhaustive
def test_a_thousand_rounds_take_time_in_proportion():
    def run(rounds):
        handler = handler_of("nip", rounds, shared_reward=True, verifier_no_guess_reward=-0.001)
        best_mechanism(handler, pessimistic=True, **HARD)

    # Four times the rounds; linear programming costs somewhat more than that.
    assert seconds(lambda: run(1000)) < 12 * seconds(lambda: run(250))


def test_a_strategy_says_what_happens_in_each_round_that_is_reached():
    handler = handler_of("nip", 4, shared_reward=True, verifier_no_guess_reward=0.0)
    found = best_mechanism(handler, pessimistic=True, prior=0.5, prover_accuracy=1)
    assert found.value == 1
    assert (found.completeness, found.soundness_error) == (1, 0)
    assert all(min(a, b) >= 0 and a + b <= 1 for a, b in found.stops.values())
    last = {report: stop for (_, report, r), stop in found.stops.items() if report is not None}
    assert last == {0: (1, 0), 1: (0, 1)}


def test_an_impossible_label_has_no_share():
    found = best_mechanism(handler_of("nip", 3), pessimistic=False, prior=1)
    assert (found.completeness, found.soundness_error) == (1, None)


def test_any_play_has_completeness_and_soundness_error():
    handler = handler_of("nip", 6)
    play = simple_play(handler.spec, decides=0.5, accepts_true=0.9, accepts_false=0.2, prior=0.3)
    values = exact_values(handler, play)
    turns = sum(handler.spec.may_decide(r) for r in range(6))
    decided = 1 - 0.5**turns
    assert values.completeness == pytest.approx(0.9 * decided)
    assert values.soundness_error == pytest.approx(0.2 * decided)
    sure = dataclasses.replace(play, prior=1.0)
    assert math.isnan(exact_values(handler, sure).soundness_error)
    assert np.isclose(exact_values(handler, sure).completeness, values.completeness)
