"""The best strategy does not depend on a payoff's unit or on its zero."""

import dataclasses
import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import lil_array

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.values import (
    best_response,
    finite_game,
    stackelberg,
    uniform_strategy,
    zero_sum_value,
)
from nip_core.values.game_tree import PROVER, VERIFIER, Chance, DecisionPoint, End
from tests.depth import cases, first
from tests.values.test_games import (
    games,
    matrix_game,
    replies,
    sets_of,
    some_strategy,
    worth,
)

UNITS = [Fraction(10) ** power for power in (-12, -9, -6, -3, 3, 6, 9, 12)]
units = st.sampled_from(UNITS) | st.fractions(min_value=Fraction(1, 10**12), max_value=10**12)
positive = units.filter(lambda unit: unit > 0)


def small_game(name="adp", rounds=4, prior=Fraction(2, 5), knows=(1, Fraction(1, 2)), **common):
    chosen = HyperParameters(
        interaction_protocol=name,
        nip_protocol={"max_message_rounds": rounds},
        protocol_common=common,
    )
    handler = build_protocol_handler(chosen, ExperimentSettings())
    return finite_game(handler, prior=prior, prover_accuracy=knows[0], verifier_accuracy=knows[1])


def paid_otherwise(game, change):
    """Return the game with other payoffs."""

    def turned(node):
        if isinstance(node, End):
            return End(change(*node.payoffs))
        if isinstance(node, Chance):
            return Chance(tuple((n, p, turned(child)) for n, p, child in node.children))
        return DecisionPoint(node.where, tuple((n, turned(child)) for n, child in node.children))

    return dataclasses.replace(game, root=turned(game.root))


def all_values(game):
    return {
        "kind": stackelberg(game, pessimistic=False),
        "hostile": stackelberg(game, pessimistic=True),
        "safe": zero_sum_value(game),
    }


def assert_only_rescaled(before, after, unit, shift=Fraction(0)):
    for name, old in before.items():
        new = after[name]
        assert new.exact == unit * old.exact + shift, name
        assert new.value == pytest.approx(float(unit * old.exact + shift), rel=1e-15)
        assert (new.strategy, new.attained) == (old.strategy, old.attained), name


@settings(max_examples=cases(40), deadline=None)
@given(games(), positive, positive, st.fractions(-(10**12), 10**12), st.fractions(-9, 9))
def test_units_and_origins_change_no_strategy(game, own, other, shift, origin):
    after = paid_otherwise(game, lambda v, p: (own * v + shift, other * p + origin))
    assert_only_rescaled(all_values(game), all_values(after), own, shift)


@settings(max_examples=cases(40), deadline=None)
@given(games(), positive, positive, st.integers(0, 10**6))
def test_units_change_no_best_response(game, own, other, seed):
    strategy = some_strategy(random.Random(seed), sets_of(game, VERIFIER))
    even = uniform_strategy(game)
    after = paid_otherwise(game, lambda v, p: (own * v, other * p))
    for chances in (strategy, even):
        old, new = best_response(game, chances), best_response(after, chances)
        assert new.plan == old.plan
        assert new.verifier_value == pytest.approx(float(own) * old.verifier_value, rel=1e-12)
        assert new.value == pytest.approx(float(other) * old.value, rel=1e-12)


PAYOFFS = {
    "prover_reward": 1.0,
    "verifier_reward": 2.0,
    "verifier_incorrect_penalty": -1.5,
    "verifier_terminated_penalty": -0.75,
    "verifier_no_guess_reward": -0.25,
}
SMALL = [("adp", 2), ("nip", 3), ("nip", 4), ("solo_verifier", 1)]


@pytest.mark.parametrize("power", first(3, [-12, 3, 12, -9, -6, -3, 0, 6, 9]))
@pytest.mark.parametrize(("name", "rounds"), SMALL)
@pytest.mark.parametrize("shared", [False, True])
def test_parameters_of_any_size_give_the_same_commitments(name, rounds, shared, power):
    def game(own, other):
        # In decimals, as a person writes it: 2e-9.
        scaled = {
            key: float(f"{value}e{other if key == 'prover_reward' else own}")
            for key, value in PAYOFFS.items()
        }
        knows = (Fraction(4, 5), Fraction(3, 5))
        return small_game(name, rounds, knows=knows, shared_reward=shared, **scaled)

    plain, unit = all_values(game(0, 0)), Fraction(10) ** power
    assert_only_rescaled(plain, all_values(game(power, 0)), unit)
    assert_only_rescaled(plain, all_values(game(0, power)), Fraction(1))
    assert_only_rescaled(plain, all_values(game(power, -power)), unit)


@pytest.mark.parametrize("shift", [1e-9, 1.0, 1e6, 1e12])
def test_a_constant_on_all_endings_is_only_added(shift):
    endings = ("verifier_reward", "verifier_incorrect_penalty", "verifier_terminated_penalty")

    def game(more):
        return small_game("adp", **{key: float(PAYOFFS[key] + more) for key in endings})

    assert_only_rescaled(
        all_values(game(0)), all_values(game(Fraction(shift))), Fraction(1), Fraction(repr(shift))
    )


# -- cases that floating point gets wrong ----------------------------------------------------------


@pytest.mark.parametrize("reward", [1.0, 1e-4, 1e-8, 1e-9, 1e-12, 1e-300, 1e9, 1e15, 1e30])
def test_any_reward_above_zero_is_an_interest(reward):
    # The prover of adp knows y and wants "accept", however little it is paid for it: it says
    # whatever is accepted more often. So the verifier, who knows nothing, is worth 3/5 - 2/5.
    game = small_game(prover_reward=reward)
    assert {found.exact for found in all_values(game).values()} == {Fraction(1, 5)}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (1.0, -1.0),
        (1e-9, 0.0),
        (5e-10, 0.0),
        (1e-10, 0.0),
        (1e-300, 0.0),
        (1 + 5e-10, 1.0),
        (1e12, 0.0),
    ],
)
def test_an_indifferent_prover_may_tell(right, wrong):
    # It is never paid and knows y. If it is kind, the verifier is always right.
    game = small_game(
        prover_reward=0.0,
        verifier_reward=right,
        verifier_incorrect_penalty=wrong,
        verifier_terminated_penalty=-2.0,
    )
    assert stackelberg(game, pessimistic=False).exact == Fraction(repr(right))


@settings(max_examples=cases(30), deadline=None)
@given(games(), st.integers(10, 60))
def test_payoffs_that_differ_by_next_to_nothing_are_distinguished(game, digits):
    """All the verifier's payoffs are nearly equal; the value scales with their differences."""
    close = Fraction(1, 10**digits)
    after = paid_otherwise(game, lambda v, p: (1 + close * v, p))
    assert_only_rescaled(all_values(game), all_values(after), close, Fraction(1))


@pytest.mark.parametrize("size", [1e6, 1e8, 1e10, 1e12])
def test_large_payoffs_are_solved(size):
    game = small_game(
        "nip",
        prior=Fraction(3, 10),
        knows=(Fraction(4, 5), Fraction(2, 3)),
        prover_reward=0.0,
        verifier_first=False,
        verifier_reward=size / 100,
        verifier_incorrect_penalty=size,
        verifier_terminated_penalty=-size,
        verifier_no_guess_reward=-size / 8,
    )
    found = all_values(game)
    assert found["safe"].exact <= found["hostile"].exact <= found["kind"].exact
    assert replies(game, found["hostile"].strategy)[2] == found["hostile"].exact


# -- when a value is attained ----------------------------------------------------------------------


def test_silence_attains_what_it_is_worth():
    # A wrong verdict costs 9 and silence 1; so the verifier says nothing, and gets -1 for sure.
    game = small_game(verifier_incorrect_penalty=-9.0)
    found = stackelberg(game, pessimistic=True)
    assert (found.exact, found.attained) == (-1, True)
    assert replies(game, found.strategy)[2] == -1


@settings(max_examples=cases(60), deadline=None)
@given(games())
def test_attained_values_are_exact_and_safe_ones_are_attained(game):
    hard, safe = stackelberg(game, pessimistic=True), zero_sum_value(game)
    assert safe.exact <= hard.exact
    assert hard.attained or hard.exact > safe.exact
    if hard.attained:
        assert replies(game, hard.strategy)[2] == hard.exact


def hostile_by_hand(game):
    """Return the pessimistic value and whether it is attained, for two actions of the verifier.

    The chance of L is a number from 0 to 1. Between two chances at which the prover changes its
    reply, the reply is constant, and a hostile prover leaves the minimum of linear functions; so
    the value is approached within such an interval or at one of its ends.
    """

    def outcome(chance, among=None):
        """Return what is left at a chance of L, and the best replies for each signal."""
        strategy = {VERIFIER: {(VERIFIER, None, ()): {"L": chance, "R": 1 - chance}}}
        left, best = Fraction(0), []
        sets = sets_of(game, PROVER)
        for name, weight, child in game.root.children:
            where = (PROVER, int(name), ())
            results = {
                plan: worth(child, {**strategy, PROVER: {where: {plan: 1}}}) for plan in sets[where]
            }
            most = max(paid for _, paid in results.values())
            kept = among[int(name)] if among else {p for p, r in results.items() if r[1] == most}
            best.append(kept)
            left += weight * min(results[plan][0] for plan in kept)
        return left, best

    turns = {Fraction(0), Fraction(1)}
    for name, _, child in game.root.children:
        for a, b in itertools.combinations(sets_of(game, PROVER)[PROVER, int(name), ()], 2):
            lines = []
            for chance in (Fraction(0), Fraction(1)):
                strategy = {VERIFIER: {(VERIFIER, None, ()): {"L": chance, "R": 1 - chance}}}
                paid = [
                    worth(child, {**strategy, PROVER: {(PROVER, int(name), ()): {plan: 1}}})
                    for plan in (a, b)
                ]
                lines.append((paid[0][1] - paid[1][1], paid[0][0] - paid[1][0]))
            # The chances at which the prover changes its reply, or the worst reply changes.
            for at_0, at_1 in zip(*lines, strict=True):
                if at_0 != at_1 and 0 < at_0 / (at_0 - at_1) < 1:
                    turns.add(at_0 / (at_0 - at_1))
    exact = max(outcome(chance)[0] for chance in turns)
    near = exact
    for low, high in itertools.pairwise(sorted(turns)):
        inside, best = outcome((low + high) / 2)
        exact = max(exact, inside)
        near = max(near, inside, *(outcome(end, best)[0] for end in (low, high)))
    return near, exact == near


plan_payoffs = st.tuples(*[st.tuples(st.integers(-2, 2), st.integers(-1, 1))] * 2)


@settings(max_examples=cases(300), deadline=None)
@given(
    st.sampled_from([[Fraction(1)], [Fraction(1, 3), Fraction(2, 3)]]),
    st.lists(st.lists(plan_payoffs, min_size=2, max_size=4), min_size=2, max_size=2),
)
def test_hostile_provers_by_hand(signals, payoffs):
    game = matrix_game(signals, payoffs)
    found = stackelberg(game, pessimistic=True)
    assert (found.exact, found.attained) == hostile_by_hand(game)
    assert found.exact <= stackelberg(game, pessimistic=False).exact


# -- kind provers, computed another way ------------------------------------------------------------


def truthful_value(spec, prior, knows):
    """Return the optimistic value as one program, by the revelation principle.

    A prover that is kind when indifferent may as well be asked for its signal, if it never gains by
    a lie. So a commitment gives, for each signal of the verifier and each that the prover may
    report, the chance of each ending; before the first answer those chances cannot depend on the
    report.
    """
    pay, most = spec.payoff, spec.max_message_rounds
    turns = [r for r in range(most) if spec.may_decide(r)]
    answers = [r for r in range(most) if any(a in spec.provers for a, _ in spec.turn(r).speakers)]
    first = min(answers, default=most)
    endings, asked = [], 0  # (round, verdict, turns that went on)
    for round_id in range(most):
        if round_id in turns and round_id >= spec.min_message_rounds - 1:
            forced = {"zero": [0], "one": [1], "y": ["y"]}
            endings += [(round_id, d, asked) for d in forced.get(pay.force_guess, [0, 1])]
            if pay.force_guess:
                break
        if round_id == most - 1:
            endings.append((round_id, None, asked))
        asked += round_id in turns

    def paid(ending, y):
        _, verdict, went_on = ending
        right = verdict in (y, "y")
        final = pay.verifier_reward if right else pay.verifier_incorrect_penalty
        own = went_on * pay.verifier_no_guess_reward
        own += pay.verifier_terminated_penalty if verdict is None else final
        if pay.shared_reward or not spec.provers:
            return own, own
        wins = verdict == 1 or (verdict == "y" and y == 1)
        return own, pay.prover_reward if wins else 0.0

    def signals(accuracy):
        return [None] if accuracy == Fraction(1, 2) else [0, 1]

    theirs, own = signals(knows[0]) if spec.provers else [None], signals(knows[1])
    place = {
        key: number
        for number, key in enumerate(itertools.product(own, theirs, range(len(endings))))
    }
    goal, lies = np.zeros(len(place)), np.zeros((len(theirs), len(theirs), len(place)))
    for y, mine, other in itertools.product((0, 1), own, theirs):
        chance = prior if y else 1 - prior
        for accuracy, signal in ((knows[0], other), (knows[1], mine)):
            chance *= 1 if signal is None else accuracy if signal == y else 1 - accuracy
        for number, ending in enumerate(endings):
            verifier, prover = paid(ending, y)
            goal[place[mine, other, number]] += float(chance) * verifier
            for said in range(len(theirs)):
                column = place[mine, theirs[said], number]
                lies[theirs.index(other), said, column] += float(chance) * prover
    rows, right = [], []
    for mine, other in itertools.product(own, theirs):
        rows.append({place[mine, other, n]: 1.0 for n in range(len(endings))})
        right.append(1.0)
    for mine, (number, ending) in itertools.product(own, enumerate(endings)):
        if len(theirs) == 2 and ending[0] <= first and ending[1] is not None:
            rows.append({place[mine, 0, number]: 1.0, place[mine, 1, number]: -1.0})
            right.append(0.0)
    equal = lil_array((len(rows), len(place)))
    for number, row in enumerate(rows):
        for column, factor in row.items():
            equal[number, column] = factor
    worse = [lies[a, b] - lies[a, a] for a in range(len(theirs)) for b in range(len(theirs))]
    found = linprog(-goal, np.array(worse), np.zeros(len(worse)), equal.tocsr(), right)
    assert found.success
    return -found.fun


@settings(max_examples=cases(80), deadline=None)
@given(st.data())
def test_asking_for_the_signal_is_worth_as_much(data):
    name, rounds = data.draw(st.sampled_from([*SMALL, ("nip", 5)]))
    common = {key: data.draw(st.integers(-8, 8)) / 4 for key in PAYOFFS}
    common["shared_reward"] = data.draw(st.sampled_from([False, False, True]))
    common["force_guess"] = data.draw(st.sampled_from([None, None, None, "y", "one", "zero"]))
    common["verifier_first"] = data.draw(st.booleans())
    least = data.draw(st.integers(0, rounds))
    chosen = HyperParameters(
        interaction_protocol=name,
        nip_protocol={"max_message_rounds": rounds, "min_message_rounds": least},
        protocol_common=common,
    )
    handler = build_protocol_handler(chosen, ExperimentSettings())
    prior = Fraction(data.draw(st.integers(0, 16)), 16)
    accuracies = st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(1)])
    theirs = data.draw(st.just(Fraction(1, 2)) if rounds == 5 else accuracies)
    knows = (theirs, data.draw(accuracies))
    game = finite_game(handler, prior=prior, prover_accuracy=knows[0], verifier_accuracy=knows[1])
    found = stackelberg(game, pessimistic=False)
    assert found.value == pytest.approx(truthful_value(handler.spec, prior, knows), abs=1e-8)
