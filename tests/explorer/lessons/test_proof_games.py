"""Tests of game.py and games/.

Games, gadgets and numbers of lessons 1, 2, 4 and 7, checked by counting.
"""

import itertools
import json
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from explorer.lessons.experiments.proofs import SURVIVES, at_least, survives
from explorer.lessons.game import (
    HideAndName,
    PairPosition,
    commit,
    opens,
    shuffled,
    vertex_question,
)
from explorer.lessons.games import isomorphism, three_colouring, two_rooms
from explorer.lessons.games.real_or_simulated import advantage, real_law, simulated_law
from explorer.lessons.library import all_games, experiment, game, pair_game
from tests.depth import each


def choices_of(scene):
    drawn = [c for d in scene.drawings for c in getattr(d, "choices", {}).values()]
    return [choice.name for choice in scene.choices] + drawn


@each("name", sorted(all_games()))
def test_every_game_ends_and_survives_a_reload(name):
    played = game(name)
    for role, seed in itertools.product(played.roles, range(30)):
        random = Random(seed)
        state = played.start(role.name, {}, random)
        for _ in range(60):
            state = json.loads(json.dumps(state))
            scene = played.scene(state)
            if scene.outcome is not None:
                break
            state = played.act(state, random.choice(choices_of(scene)), random)
        else:
            assert name == "stranger"  # a verifier may test for ever
            continue
        assert scene.outcome in played.outcomes
        assert choices_of(scene) == []
        with pytest.raises(ValueError, match="choice"):
            played.act(state, "nonsense", random)


# -- what a seat may not see changes nothing that it sees -----------------------------------------


def test_a_prover_does_not_see_the_coin():
    for seed in range(20):
        state = game("isomorphism").start("prover", {}, Random(seed))
        assert game("isomorphism").scene(state) == game("isomorphism").scene(
            {**state, "coin": 1 - state["coin"]}
        )


def test_graphs_are_called_by_the_same_numbers_in_pictures_and_words():
    rounds = {"rounds": [[0, 0], [1, 0]], "copy": None}
    for role, guesses in (
        ("verifier", ["You shuffled graph 1.", "You shuffled graph 1."]),
        ("prover", ["Graph 1.", "Graph 1."]),
    ):
        state = {**game("isomorphism").start(role, {}, Random(1)), **rounds}
        scene = game("isomorphism").scene(state)
        said = [line.text for line in scene.said]
        assert said[1::2] == guesses
        assert said[2::2] == ["That is right.", "That is wrong: it was graph 2."]
        assert [drawing.title for drawing in scene.drawings] == ["Graph 1", "Graph 2"]


def test_a_liar_does_not_hear_the_other_room():
    state = game("two_rooms").start("prover", {}, Random(1))
    for other in range(two_rooms.NODES):
        changed = {**state, "question": [state["question"][0], other]}
        assert game("two_rooms").scene(changed) == game("two_rooms").scene(state)


def test_sealed_colours_stay_sealed():
    played = game("three_colouring")
    state = played.start("verifier", {"cheat": False}, Random(2))
    other = played.start("verifier", {"cheat": True}, Random(3))
    assert played.scene(state) == played.scene(other)
    values = {box[1] for box in state["boxes"]} | {box[2] for box in state["boxes"]}
    assert not any(value in str(played.scene(state)) for value in values if len(value) > 1)


def test_the_truth_about_provers_is_shown_at_the_end_only():
    state = game("real_or_simulated").start("guesser", {}, Random(1))
    flipped = {**state, "real": 1 - state["real"]}
    assert game("real_or_simulated").scene(state) == game("real_or_simulated").scene(flipped)
    stranger = {"honest": True, "rounds": [[0, 0]], "believed": None}
    assert game("stranger").scene(stranger) == game("stranger").scene({**stranger, "honest": False})


# -- gadgets --------------------------------------------------------------------------------------


def test_a_shuffled_copy_is_the_same_graph_under_other_names():
    random = Random(3)
    for _ in range(50):
        copy, names = shuffled(isomorphism.RING, 6, random)
        assert sorted(names) == list(range(6))
        renamed = {tuple(sorted((names[a], names[b]))) for a, b in isomorphism.RING}
        assert set(copy) == renamed


def test_seals_open_to_what_was_sealed_only():
    seal, salt = commit("2", Random(1))
    assert opens(seal, "2", salt)
    assert not opens(seal, "1", salt)
    assert not opens(seal, "2", salt[:-1])
    assert seal != commit("2", Random(2))[0]


def test_questions_are_all_pairs_with_the_same_chance():
    random = Random(4)
    found = Counter(vertex_question(4, random) for _ in range(16_000))
    assert len(found) == 16
    # The count of 16,000 draws with chance 1/16 has a standard deviation of 31.
    assert max(abs(count - 1000) for count in found.values()) < 200


# -- numbers --------------------------------------------------------------------------------------


def copies(edges):
    """Return how many renamings of a graph lead to each copy."""
    found = Counter()
    for names in itertools.permutations(range(6)):
        found[frozenset(frozenset((names[a], names[b])) for a, b in edges)] += 1
    return found


def test_the_same_graph_twice_leaves_every_prover_one_half():
    first, second = (copies(edges) for edges in isomorphism.SAME)
    # Both graphs give every copy with the same chance, so the copy reveals nothing of the coin.
    assert first == second
    different = [copies(edges) for edges in isomorphism.DIFFERENT]
    # If the graphs differ, no copy comes from both.
    assert not different[0].keys() & different[1].keys()


def test_two_liars_apart_survive_seven_eighths_with_their_plan_and_no_more_with_any():
    questions = [*itertools.product(range(4), repeat=2)]

    def held(one, other):
        return sum(two_rooms.passes((a, b), (one[a], other[b])) for a, b in questions)

    pairs = itertools.product(itertools.product(range(3), repeat=4), repeat=2)
    assert held(two_rooms.PLAN, two_rooms.PLAN) == max(held(*pair) for pair in pairs) == 14
    assert SURVIVES["two rooms"] == Fraction(7, 8)


def test_two_liars_together_are_never_caught():
    played = game("two_rooms")
    for seed in range(40):
        random = Random(seed)
        state = played.start("verifier", {"together": True}, random)
        while played.scene(state).outcome is None:
            state = played.act(state, "draw", random)
        assert played.scene(state).outcome == "survived"


def wrong_edges(colours):
    return [e for e in three_colouring.EDGES if colours[e[0]] == colours[e[1]]]


def test_the_map_is_coloured_and_the_cheat_has_one_wrong_edge():
    edges = three_colouring.EDGES
    assert wrong_edges(three_colouring.COLOURING) == []
    # Any edge may be the wrong one, so a cheat can draw it at random.
    assert set(three_colouring.CHEATS) == set(edges)
    for edge, colours in three_colouring.CHEATS.items():
        assert wrong_edges(colours) == [edge]
    assert SURVIVES["one wrong edge"] == 1 - Fraction(1, len(edges)) == Fraction(8, 9)
    for case in ("cheat by chance", "cheat by choice"):
        chances = game("three_colouring").cases({})[case].chances
        assert chances["survived"] == Fraction(8, 9) ** three_colouring.ROUNDS


def test_the_wrong_edge_is_drawn_anew_in_every_round():
    """Whichever edge is opened, and whatever was seen before, it is wrong one time in nine."""
    played, found = game("three_colouring"), Counter()
    for seed in range(900):
        random = Random(seed)
        state = played.start("verifier", {"cheat": True}, random)
        rounds = []
        for _ in range(2):
            rounds.append(wrong_edges([box[1] for box in state["boxes"]])[0])
            state = played._seal(state, random)
        found[tuple(rounds)] += 1
    # 81 pairs of edges, each about 11 times in 900; the chance that any is missing is below 0.2%.
    assert len(found) == 81
    first = Counter(rounds[0] for rounds in found.elements())
    assert max(abs(count - 100) for count in first.values()) < 50


def test_a_colour_map_that_anybody_can_work_out():
    """The lesson says so about its map; what is proven there is that somebody knows how."""
    proper = [c for c in itertools.product(range(3), repeat=6) if not wrong_edges(c)]
    # One colouring, up to the names of the colours: after one look at each colour it is known.
    assert len(proper) == 6
    assert three_colouring.COLOURING in proper
    assert all(not wrong_edges([order[c] for c in proper[0]]) for order in orders())


def orders():
    return itertools.permutations(range(3))


@each("rounds", [1, 2])
def test_the_simulator_is_perfect_if_the_prover_shuffles(rounds):
    assert real_law(rounds, shuffles=True) == simulated_law(rounds)
    assert advantage(rounds, shuffles=True) == 0
    # Without shuffling, all probability is on 9^k of the 54^k conversations.
    assert advantage(rounds, shuffles=False) == (1 - Fraction(1, 6**rounds)) / 2
    # A simulator that does not know the colours learns them from the first round, and no more.
    unknown = advantage(rounds, shuffles=False, known=False)
    assert unknown == (1 - Fraction(1, 6 ** (rounds - 1))) / 2


@each("name", SURVIVES)
def test_drawn_rounds_have_the_stated_chance(name):
    random = Random(6)
    hits = sum(survives(name, random) for _ in range(20_000))
    # Hoeffding: off by more than 0.03 with a chance below 2 exp(-36).
    assert abs(hits / 20_000 - float(SURVIVES[name])) < 0.03


def test_repetition_by_hand():
    assert at_least(10, 10, Fraction(1, 2)) == Fraction(1, 1024)
    assert at_least(20, 20, Fraction(9, 10)) == Fraction(9, 10) ** 20
    # Two of three: 3 p^2 (1 - p) + p^3.
    p = Fraction(1, 3)
    assert at_least(2, 3, p) == 3 * p**2 * (1 - p) + p**3
    found = experiment("repetition").run({"tests": 20, "complete": 0.9, "sound": 0.5, "share": 0.7})
    assert found.numbers["complete"] > 0.98
    assert found.numbers["sound"] < 0.06


HIDING = [pair for name in all_games() if isinstance(pair := pair_game(name), HideAndName)]


@each("pair", HIDING)
@each("wall", [False, True])
def test_who_names_a_hidden_thing_sees_no_trace_of_it(pair, wall):
    """Neither scene depends on what the other has; a random choice is binding for its player."""
    count = len(pair.things)

    def scene(asked, other):
        return pair.scene(
            PairPosition("Ada", False, wall, (), asked, None if wall else other, None, ())
        )

    for mine in range(count):
        for seat in (0, 1):
            scenes = [scene(mine + count * seat, each + count * (1 - seat)) for each in (0, 1)]
            assert scenes[0] == scenes[1]
            bound = wall and seat == pair.drawn
            assert len(scenes[0].choices) == (1 if bound else count)
            assert f"says: {pair.things[mine]}" in scenes[0].prompt or not bound
    questions = [pair.question(Random(seed)) for seed in range(400)]
    held = sum(pair.holds(each, (each[0], pair.bot(1, each, wall=wall))) for each in questions)
    # Six standard deviations at most.
    assert abs(held - 400 / count) < 60
    assert pair.circumstances(wall=True).chances["held"] == Fraction(1, count)
