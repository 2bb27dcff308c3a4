"""Tests of games/halving.py, games/hint.py and games/sumcheck.py.

The games of sums, hints and halves: fair, exact, and with nothing shown that is hidden.
"""

import json
from collections import Counter
from itertools import permutations
from random import Random

import pytest

from explorer.lessons.games.halving import GAME as HALVING
from explorer.lessons.games.hint import GAME as HINT
from explorer.lessons.games.sumcheck import GAME as SUMCHECK
from tests.depth import each

GAMES = {"halving": HALVING, "hint": HINT, "sumcheck": SUMCHECK}
CASES = [
    (name, role.name, known)
    for name, game in GAMES.items()
    for role in game.roles
    for known in (False, True)
]


def play(game, role, settings, random, choose):
    state = game.start(role, settings, random)
    while choices := game.scene(state).choices:
        state = json.loads(json.dumps(state))
        state = game.act(state, choose(state, [choice.name for choice in choices]), random)
    return state


@each(("name", "role", "known"), CASES)
def test_a_move_leaves_the_old_state_as_it_was(name, role, known):
    game, random = GAMES[name], Random(3)
    state = game.start(role, {"known": known}, random)
    before = json.dumps(state)
    game.act(state, game.scene(state).choices[0].name, random)
    assert json.dumps(state) == before


@each(("game", "settings"), [(SUMCHECK, {"prime": 12}), (HALVING, {"lines": 7})])
def test_settings_that_make_no_game_are_refused(game, settings):
    with pytest.raises(ValueError, match="it is one of"):
        game.start(game.roles[0].name, settings, Random(0))


# -- sum-check -----------------------------------------------------------------------------------


def rate(role, settings, choose, outcome, plays=300):
    ends = Counter(
        play(SUMCHECK, role, settings, Random(seed), choose)["outcome"] for seed in range(plays)
    )
    return ends[outcome] / plays


def test_a_point_that_is_announced_catches_no_liar():
    assert rate("verifier", {"lie": True, "known": True}, lambda _, names: "die", "fooled") == 1
    knows = rate("liar", {"known": True}, bet_on_the_announced, "fooled")
    assert knows == 1


def bet_on_the_announced(state, names):
    announced = str(state["announced"])
    return announced if announced in names else names[0]


def test_honest_provers_are_always_believed():
    for known in (False, True):
        settings = {"lie": False, "known": known}
        assert rate("verifier", settings, lambda _, names: names[-1], "honest", 50) == 1


def test_the_verifier_is_shown_nothing_but_what_was_said():
    state = SUMCHECK.start("verifier", {"lie": True}, Random(1))
    hidden = {"grid": [[0] * 3] * 3, "lied": not state["lied"], "bet": [1, 2]}
    assert SUMCHECK.scene(state | hidden) == SUMCHECK.scene(state)


# -- hints ---------------------------------------------------------------------------------------


def test_arthur_sees_one_box_and_not_who_opened_it():
    for seed in range(20):
        state = HINT.start("arthur", {}, Random(seed))
        shown = state["shown"]
        seen = HINT.scene(state)
        for friend, animal in ((True, "cat"), (False, "dog")):
            others = [box for place, box in enumerate(state["boxes"]) if place != shown]
            for order in permutations(others):
                boxes = list(order)
                boxes.insert(shown, state["boxes"][shown])
                changed = state | {"friend": friend, "animal": animal, "boxes": boxes}
                assert HINT.scene(changed) == seen
        assert sum(content is not None for content in seen.drawings[0].contents) == 1


def test_the_foe_can_fool_arthur_only_with_a_false_mark():
    for seed in range(60):
        state = HINT.start("foe", {"unsound": 0.5}, Random(seed))
        ends = {
            HINT.scene(HINT.act(state, choice.name, Random(0))).outcome
            for choice in HINT.scene(state).choices
        }
        false_mark = {"cat": "a bone", "dog": "long whiskers"}[state["animal"]]
        assert ("fooled" in ends) == (false_mark in state["boxes"])


# -- halves --------------------------------------------------------------------------------------


def ends_of(role, settings, choose, plays=300):
    ends = Counter(
        play(HALVING, role, settings, Random(seed), choose)["outcome"] for seed in range(plays)
    )
    return {outcome: count / plays for outcome, count in ends.items()}


def point_at_the_false_half(state, names):
    return state["false"]


def test_an_opponent_who_sees_the_error_always_wins_and_a_true_bill_never_loses():
    assert ends_of("opponent", {"lie": True}, point_at_the_false_half, 50) == {"caught": 1}
    assert ends_of("opponent", {"lie": False}, lambda _, names: names[0], 50) == {"upheld": 1}


def test_a_guessing_opponent_finds_the_wrong_line_once_in_eight_games():
    blind = ends_of("opponent", {"lie": True, "blind": True}, lambda _, names: names[0])
    assert abs(blind["caught"] - 1 / 8) < 0.05
    hidden = ends_of("liar", {"skill": 0.8}, lambda _, names: names[1])
    assert abs(hidden["caught"] - 0.8**3) < 0.07


def larger(state, names):
    return max(names, key=lambda side: claim_of(state, side))


def smaller(state, names):
    return min(names, key=lambda side: claim_of(state, side))


def claim_of(state, side):
    labels = {choice.name: choice.label for choice in HALVING.scene(state).choices}
    return int(labels[side].rsplit(": ")[1])


@each("rule", [larger, smaller])
def test_the_claims_do_not_reveal_the_error(rule):
    """Pointing at random is right half of the time, also when weighted by the claimed amounts."""
    caught = ends_of("opponent", {"lie": True, "blind": True}, rule, 600)["caught"]
    # Hoeffding: off by more than 0.08 with a chance below 2 exp(-7).
    assert abs(caught - 1 / 8) < 0.08


def test_what_is_claimed_is_drawn_alike_wherever_the_error_is():
    """Each place and each claimed amount of a bill of two lines occur equally often."""
    found = Counter()
    for seed in range(3240):
        state = HALVING.start("opponent", {"lie": True, "blind": True, "lines": 2}, Random(seed))
        found[state["place"], claim_of(state, "left"), claim_of(state, "right")] += 1
        assert all(1 <= amount <= 9 for amount in state["amounts"])
    # 162 cells of 20 on average, with a standard deviation of about 4.5.
    assert len(found) == 162
    assert max(abs(count - 20) for count in found.values()) < 18


@each("seed", range(10))
def test_what_is_claimed_always_adds_up(seed):
    state = HALVING.start("opponent", {"lie": True}, Random(seed))
    claims = [int(choice.label.rsplit(": ")[1]) for choice in HALVING.scene(state).choices]
    assert f"The total is {sum(claims)}." in state["said"][0]
    assert sum(claims) == sum(state["amounts"]) + state["error"]


def test_a_blind_opponent_sees_claims_and_no_amounts():
    state = HALVING.start("opponent", {"lie": True, "blind": True}, Random(5))
    seen = HALVING.scene(state)
    assert set(seen.drawings[0].contents) == {None}
    # A true bill with the same claims looks the same.
    amounts = list(state["amounts"])
    amounts[0 if state["false"] == "left" else -1] += state["error"]
    assert HALVING.scene(state | {"amounts": amounts, "error": 0, "false": "right"}) == seen
