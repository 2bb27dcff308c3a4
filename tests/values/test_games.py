"""Tests of games.py, gambit.py and game_tree.py.

Finite games, compared with every pure plan, with Gambit, and with hand calculation.
"""

import dataclasses
import io
import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.errors import ModelError, UnsupportedError
from nip_core.spec import PAYOFFS
from nip_core.values import (
    FiniteGame,
    best_response,
    finite_game,
    stackelberg,
    to_efg,
    uniform_strategy,
    zero_sum_value,
)
from nip_core.values.game_tree import PROVER, VERIFIER, Chance, DecisionPoint, End
from tests.depth import cases
from tests.judges import judge


def handler_of(name, rounds=4, **common):
    chosen = HyperParameters(
        interaction_protocol=name,
        nip_protocol={"max_message_rounds": rounds},
        protocol_common=common,
    )
    return build_protocol_handler(chosen, ExperimentSettings())


# -- a slow, independent reference: the tree itself -----------------------------------------------


def sets_of(game, player):
    """Return the information sets of a player in the order of the tree, with their actions."""
    found = {}

    def walk(node):
        if isinstance(node, DecisionPoint) and node.where[0] == player:
            found.setdefault(node.where, [name for name, _ in node.children])
        for child in children(node):
            walk(child)

    walk(game.root)
    return found


def children(node):
    if isinstance(node, Chance):
        return [child for _, _, child in node.children]
    return [child for _, child in node.children] if isinstance(node, DecisionPoint) else []


def worth(node, strategies):
    """Return both players' values, with `strategies[player][set][action]` the chances."""
    if isinstance(node, End):
        return node.payoffs
    if isinstance(node, Chance):
        parts = [(chance, child) for _, chance, child in node.children]
    else:
        chances = strategies[node.where[0]][node.where]
        parts = [(chances.get(name, 0), child) for name, child in node.children]
    values = [(p, worth(child, strategies)) for p, child in parts if p]
    return tuple(sum((p * v[seat] for p, v in values), Fraction(0)) for seat in (0, 1))


def pure(sets):
    """Yield every pure strategy over some information sets."""
    for actions in itertools.product(*sets.values()):
        yield {where: {action: 1} for where, action in zip(sets, actions, strict=True)}


def some_strategy(rng, sets):
    strategy = {}
    for where, actions in sets.items():
        weights = [rng.choice([0, 1, 1, 2]) for _ in actions]
        weights[0] += not any(weights)
        strategy[where] = {
            a: Fraction(w, sum(weights)) for a, w in zip(actions, weights, strict=True)
        }
    return strategy


def replies(game, strategy):
    """Return the verifier's values if an indifferent prover replies kindly, and if hostilely."""
    results = [
        worth(game.root, {VERIFIER: strategy, PROVER: plan}) for plan in pure(sets_of(game, PROVER))
    ]
    most = max(result[PROVER] for result in results)
    good = [result[VERIFIER] for result in results if abs(result[PROVER] - most) < 1e-9]
    return most, max(good), min(good)


@st.composite
def games(draw):
    name, rounds = draw(st.sampled_from([("adp", 2), ("nip", 3), ("nip", 4), ("solo_verifier", 1)]))
    common = {key: draw(st.integers(-8, 8)) / 4 for key in PAYOFFS}
    common["shared_reward"] = draw(st.sampled_from([False, False, True]))
    common["force_guess"] = draw(st.sampled_from([None, None, None, "y", "one"]))
    sixteenths = st.integers(0, 16).map(lambda n: Fraction(n, 16))
    knows = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3, 4)]))
    return finite_game(
        handler_of(name, rounds, **common),
        prior=draw(sixteenths),
        prover_accuracy=knows,
        verifier_accuracy=draw(st.sampled_from([Fraction(1, 2), Fraction(3, 4)])),
    )


@settings(max_examples=cases(60), deadline=None)
@given(games(), st.integers(0, 10**6))
def test_best_responses_are_those_of_all_plans(game, seed):
    strategy = some_strategy(random.Random(seed), sets_of(game, VERIFIER))
    found = best_response(game, strategy)
    best, most, least = replies(game, strategy)
    assert found.value == pytest.approx(float(best), abs=1e-9)
    assert float(least) - 1e-9 <= found.verifier_value <= float(most) + 1e-9
    plan = {
        where: {found.plan.get(where, actions[0]): 1}
        for where, actions in sets_of(game, PROVER).items()
    }
    assert worth(game.root, {VERIFIER: strategy, PROVER: plan})[PROVER] == best


@settings(max_examples=cases(40), deadline=None)
@given(games(), st.integers(0, 10**6))
def test_no_commitment_is_better(game, seed):
    kind, hard = stackelberg(game, pessimistic=False), stackelberg(game, pessimistic=True)
    assert hard.value <= kind.value + 1e-7
    assert zero_sum_value(game).value <= hard.value + 1e-7
    # By the tree itself, the commitment has the stated value.
    _, most, _ = replies(game, kind.strategy)
    assert most == pytest.approx(kind.value, abs=1e-6)
    if hard.attained:
        assert replies(game, hard.strategy)[2] == pytest.approx(hard.value, abs=1e-5)
    # None of the tried strategies is better: random mixtures, and pure strategies.
    rng = random.Random(seed)
    sets = sets_of(game, VERIFIER)
    tried = [some_strategy(rng, sets) for _ in range(10)]
    tried += [rng.choice(list(pure(sets))) for _ in range(10)] if len(sets) < 7 else []
    for strategy in tried:
        _, most, least = replies(game, strategy)
        assert most <= kind.value + 1e-7
        assert least <= hard.value + 1e-7


@settings(max_examples=cases(60), deadline=None)
@given(games())
def test_values_called_exact_are_confirmed_twice(game):
    kind, hard, safe = (
        stackelberg(game, pessimistic=False),
        stackelberg(game, pessimistic=True),
        zero_sum_value(game),
    )
    for found in (kind, hard, safe):
        # Payoffs and chances of these games are simple, so all of them are found.
        assert isinstance(found.exact, Fraction)
        assert found.value == float(found.exact)
    # The commitments by the tree itself, in rational numbers.
    assert replies(game, kind.strategy)[1] == kind.exact
    if hard.attained:
        assert replies(game, hard.strategy)[2] == hard.exact
    plans = pure(sets_of(game, PROVER))
    worst = min(worth(game.root, {VERIFIER: safe.strategy, PROVER: plan})[0] for plan in plans)
    assert worst == safe.exact


@settings(max_examples=cases(30), deadline=None)
@given(games())
def test_the_search_ends_when_nothing_better_can_come(game):
    kind, hard = stackelberg(game, pessimistic=False), stackelberg(game, pessimistic=True)
    assert stackelberg(game, pessimistic=True, at_most=kind.value).exact == hard.exact


def test_the_pessimistic_value_is_approached():
    # adp; the prover knows y and is paid for "accept", the verifier's own signal is right with
    # chance 3/4. Near the commitment, some strategies are worth nearly the value.
    game = finite_game(handler_of("adp", 2), verifier_accuracy=Fraction(3, 4))
    hard = stackelberg(game, pessimistic=True)
    rng = random.Random(1)
    best = float("-inf")
    for _ in range(60):
        moved = {}
        for where, chances in hard.strategy.items():
            noise = {action: 0.01 * rng.random() for action in chances}
            total = 1 + sum(noise.values())
            moved[where] = {a: (p + noise[a]) / total for a, p in chances.items()}
        best = max(best, replies(game, moved)[2])
    assert best == pytest.approx(hard.value, abs=0.05)
    assert best <= hard.value + 1e-9


# -- by hand --------------------------------------------------------------------------------------


def test_a_message_from_a_prover_with_fixed_interests_says_nothing():
    # The prover of adp argues for "accept" whatever y is. It sends the message that makes
    # acceptance likelier in both cases; so the verifier's value is the one without a prover: with
    # an even prior and no signal, 0; with a signal of accuracy 3/4, 3/4 - 1/4 = 1/2.
    assert stackelberg(finite_game(handler_of("adp")), pessimistic=True).value == pytest.approx(0)
    game = finite_game(handler_of("adp"), verifier_accuracy=Fraction(3, 4))
    assert stackelberg(game, pessimistic=True).value == pytest.approx(0.5)
    assert zero_sum_value(game).value == pytest.approx(0.5)


def test_common_interests_and_one_bit_are_enough():
    # With a shared reward the prover who knows y reveals it: the verifier gets 1 for sure. Against
    # an opponent (zero sum) it gets nothing.
    game = finite_game(handler_of("adp", shared_reward=True))
    found = stackelberg(game, pessimistic=True)
    assert (found.value, found.prover_value) == pytest.approx((1, 1))
    assert zero_sum_value(game).value == pytest.approx(0)
    # One symbol carries no information.
    assert stackelberg(
        finite_game(handler_of("adp", shared_reward=True), symbols=1), pessimistic=False
    ).value == pytest.approx(0)


def test_ties_matter():
    # The prover is never paid, so it is always indifferent. A kind one reveals y: 1. A hostile one
    # makes the message worthless: 0.
    game = finite_game(handler_of("adp", prover_reward=0.0))
    assert stackelberg(game, pessimistic=False).value == pytest.approx(1)
    assert stackelberg(game, pessimistic=True).value == pytest.approx(0)


def test_a_verifier_who_must_not_decide():
    # The forced verdict is the truth: 1, whatever anybody does.
    game = finite_game(handler_of("nip", force_guess="y"))
    assert stackelberg(game, pessimistic=True).value == pytest.approx(1)


def test_the_game_says_who_knows_what():
    game = finite_game(handler_of("adp"), prover_accuracy=0.9, verifier_accuracy=Fraction(1, 2))
    assert game.knowledge == (
        "The prover has a signal of y that is right with chance 0.9; the verifier knows nothing "
        "of y."
    )


def matrix_game(signals, payoffs):
    """Return a game: the verifier picks L or R in secret, then the prover, with a signal, a plan.

    `payoffs[signal][plan]` holds what both get after L and after R, as ``(v, p)`` twice.
    """
    draws = []
    for signal, chance in enumerate(signals):
        sides = []
        for side, name in enumerate("LR"):
            plans = tuple(
                (str(number), End(tuple(map(Fraction, pays[side]))))
                for number, pays in enumerate(payoffs[signal])
            )
            sides.append((name, DecisionPoint((PROVER, signal, ()), plans)))
        draws.append((str(signal), chance, DecisionPoint((VERIFIER, None, ()), tuple(sides))))
    return FiniteGame("by hand", ("verifier", "prover"), Chance(tuple(draws)), "")


def test_a_reply_that_is_never_strictly_best_does_not_count():
    # Plan 2 equals the others where L and R are even, and is nowhere better; a kind prover takes it
    # there, which is worth 10. Everywhere else it takes 0 or 1, which are worth 1 at most, at the
    # ends. Nothing comes near 10.
    plans = [[(1, 2), (0, 0)], [(0, 0), (1, 2)], [(10, 1), (10, 1)]]
    game = matrix_game([Fraction(1)], [plans])
    kind, hard = stackelberg(game, pessimistic=False), stackelberg(game, pessimistic=True)
    assert kind.exact == 10
    assert (hard.exact, hard.attained) == (1, True)
    # With two signals, a commitment must work for both at once.
    twice = matrix_game([Fraction(1, 2)] * 2, [plans, plans])
    assert stackelberg(twice, pessimistic=True).exact == 1


# -- Gambit ---------------------------------------------------------------------------------------


def read(game):
    return judge("pygambit").read_efg(io.BytesIO(to_efg(game).encode()))


def opposed(game):
    """Return the game in which the prover gets what the verifier loses."""

    def turned(node):
        if isinstance(node, End):
            return End((node.payoffs[0], -node.payoffs[0]))
        if isinstance(node, Chance):
            return Chance(tuple((n, p, turned(child)) for n, p, child in node.children))
        return DecisionPoint(node.where, tuple((n, turned(child)) for n, child in node.children))

    return dataclasses.replace(game, root=turned(game.root))


@settings(max_examples=cases(25), deadline=None)
@given(games())
def test_gambit_finds_the_same_zero_sum_value(game):
    assume(sets_of(game, VERIFIER) and sets_of(game, PROVER))
    theirs = read(opposed(game))
    profile = judge("pygambit").nash.lp_solve(theirs, rational=True).equilibrium
    value = profile.payoffs[game.players[VERIFIER]]
    found = zero_sum_value(game)
    assert found.value == pytest.approx(float(value), abs=1e-7)
    assert found.exact == Fraction(int(value.numerator), int(value.denominator))


@settings(max_examples=cases(25), deadline=None)
@given(games(), st.integers(0, 10**6))
def test_gambit_finds_the_same_best_responses(game, seed):
    own, theirs = sets_of(game, VERIFIER), sets_of(game, PROVER)
    assume(own and theirs)
    strategy = some_strategy(random.Random(seed), own)
    found = best_response(game, strategy)
    gambit = read(game)
    verifier, prover = game.players
    profile = gambit.mixed_behavior_profile(rational=True)
    plan = {where: {found.plan.get(where, a[0]): 1} for where, a in theirs.items()}
    for player, sets, chances in ((verifier, own, strategy), (prover, theirs, plan)):
        # Both walk the tree in the same order, so the sets are in the same order.
        for infoset, (where, actions) in zip(
            gambit.get_infosets(player), sets.items(), strict=True
        ):
            weights = {action: Fraction(chances[where].get(action, 0)) for action in actions}
            profile.set_mixed_action(judge("pygambit").H.path(*infoset.actions), weights)
    assert float(profile.payoffs[prover]) == pytest.approx(found.value)
    assert float(profile.payoffs[verifier]) == pytest.approx(found.verifier_value)
    assert profile.as_strategy().player_regrets[prover] == 0


# -- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["debate", "mnip", "merlin_arthur"])
def test_other_protocols_are_refused_with_the_reason(name):
    with pytest.raises(
        UnsupportedError, match=r"at most one prover who reads .*(provers|schedule)"
    ):
        finite_game(handler_of(name))


def test_large_games_are_refused_with_their_size():
    with pytest.raises(UnsupportedError, match="A game of 1,000 turns is too long"):
        finite_game(handler_of("nip", 1000))
    with pytest.raises(UnsupportedError, match="20,000 ends"):
        finite_game(handler_of("nip", 20))
    with pytest.raises(UnsupportedError, match="up to 10"):
        stackelberg(finite_game(handler_of("nip", 4)), pessimistic=True, most_programs=10)
    with pytest.raises(UnsupportedError, match="plans"):
        stackelberg(finite_game(handler_of("nip", 8)), pessimistic=True)


def test_impossible_chances_are_refused():
    with pytest.raises(ModelError, match="prior"):
        finite_game(handler_of("adp"), prior=2)
    with pytest.raises(ModelError, match="symbol"):
        finite_game(handler_of("adp"), symbols=0)
    game = finite_game(handler_of("adp"))
    with pytest.raises(ModelError, match="add up to 1"):
        best_response(game, {where: {} for where in uniform_strategy(game)})


@settings(max_examples=cases(40), deadline=None, phases=[Phase.generate])
@given(games(), st.integers(0, 10**6))
def test_ties_of_the_prover_are_resolved_both_ways(game, seed):
    strategy = some_strategy(random.Random(seed), sets_of(game, VERIFIER))
    _, most, least = replies(game, strategy)
    kind, hostile = (best_response(game, strategy, pessimistic=each) for each in (False, True))
    assert kind.verifier_value == pytest.approx(float(most), abs=1e-12)
    assert hostile.verifier_value == pytest.approx(float(least), abs=1e-12)
    assert kind.value == hostile.value


@settings(max_examples=cases(40), deadline=None, phases=[Phase.generate])
@given(games())
def test_a_commitment_says_what_another_equally_good_reply_leaves(game):
    for found in (
        stackelberg(game, pessimistic=False),
        stackelberg(game, pessimistic=True),
        zero_sum_value(game),
    ):
        assert found.worst == replies(game, found.strategy)[2]
        assert found.worst <= found.exact
    safe = zero_sum_value(game)
    assert safe.worst >= safe.exact


@settings(max_examples=cases(40), deadline=None, phases=[Phase.generate])
@given(games())
def test_positions_that_are_never_reached_are_left_out_of_the_table(game):
    for found in (stackelberg(game, pessimistic=False), zero_sum_value(game)):
        came = set()

        def walk(node, found=found, came=came):
            if isinstance(node, DecisionPoint) and node.where[0] == VERIFIER:
                came.add(node.where)
                own = found.strategy[node.where]
                for name, child in node.children:
                    if own[name]:
                        walk(child)
            else:
                for child in children(node):
                    walk(child)

        walk(game.root)
        assert found.reached == came
        rows = found.table().rows
        assert len(rows) == sum(len(found.strategy[where]) for where in came)


def test_what_a_kind_prover_grants_may_be_lost_with_another_reply():
    handler = handler_of("nip", 4, verifier_incorrect_penalty=-2.0)
    game = finite_game(
        handler,
        prior=Fraction(3, 10),
        prover_accuracy=Fraction(9, 10),
        verifier_accuracy=Fraction(3, 4),
    )
    kind = stackelberg(game, pessimistic=False)
    assert kind.exact > 0.25 > 0 > kind.worst
