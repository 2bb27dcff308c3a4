"""A class compares its counts with theory, which is right for the intended way of playing."""

import math
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from explorer.lessons.games.hint import MARKS
from explorer.lessons.games.real_or_simulated import SHOWN, advantage
from explorer.lessons.games.three_colouring import COLOURING, EDGES
from explorer.lessons.games.two_rooms import PLAN, TwoRooms, passes
from explorer.lessons.library import game, lessons
from tests.depth import FULL

# Each game of a lesson with its settings there, on each of its sides.
PLAYED = {
    (block.name, role.name, tuple(sorted((block.settings or {}).items())))
    for lesson in lessons()[0]
    for block in lesson.blocks
    if block.kind == "game"
    for role in game(block.name).roles
}
GAMES = 750 if FULL else 200
# For Hoeffding's bound: the chance that one comparison fails although the theory is right.
FAILS = 1e-9


def best_choice(name, role, state, choices, random):
    """Return the intended choice for the case, or a random one where it makes no difference."""
    wanted = {
        "three_colouring": lambda: "chance",
        "two_rooms": lambda: "draw" if role == "verifier" else colour(state),
        "real_or_simulated": lambda: guess(state),
        "hint": lambda: trust(state) if role == "arthur" else mislead(state),
        "halving": lambda: state["false"] if role == "opponent" and not state["blind"] else None,
        "sumcheck": lambda: "die" if role == "verifier" else str(state["announced"]),
    }.get(name, lambda: None)()
    return wanted if wanted in choices else random.choice(choices)


def colour(state):
    mine, other = state["question"]
    if not state["together"] or mine == other:
        return str(PLAN[mine])
    return str((PLAN[other] + 1) % 3)


def guess(state):
    """Return the invented conversation that fits the colouring which the prover did not shuffle."""
    fits = [
        all((x, y) == tuple(COLOURING[node] for node in EDGES[edge]) for edge, x, y in log)
        for log in state["logs"]
    ]
    return str(fits.index(True)) if any(fits) else "0"


def trust(state):
    meant = {mark: kind for kind, mark in MARKS.items()}
    return meant.get(state["boxes"][state["shown"]], "unsure")


def mislead(state):
    false = MARKS["dog" if state["animal"] == "cat" else "cat"]
    nothing_said = [
        n for n, b in enumerate(state["boxes"]) if b not in (*MARKS.values(), "nothing")
    ]
    return str(state["boxes"].index(false) if false in state["boxes"] else nothing_said[0])


@pytest.mark.parametrize(("name", "role", "settings"), sorted(PLAYED, key=repr))
def test_counts_agree_with_theory(name, role, settings):
    played, given = game(name), dict(settings)
    cases = played.cases(given)
    found = Counter()
    for seed in range(GAMES):
        random = Random(f"{name} {role} {seed}")
        state = played.start(role, given, random)
        scene = played.scene(state)
        while scene.outcome is None:
            choices = [choice.name for choice in scene.choices]
            state = played.act(state, best_choice(name, role, state, choices, random), random)
            scene = played.scene(state)
        assert scene.outcome in cases[scene.case].chances
        found[scene.case, scene.outcome] += 1
    for case in {case for case, _ in found}:
        chances = cases[case].chances
        assert chances.keys() <= played.outcomes.keys()
        if None in chances.values():
            assert set(chances.values()) == {None}
            continue
        assert sum(chances.values()) == 1
        count = sum(found[case, outcome] for outcome in chances)
        off = math.sqrt(math.log(2 / FAILS) / (2 * count))
        for outcome, chance in chances.items():
            rate = found[case, outcome] / count
            # Certain outcomes are certain, not just likely.
            assert abs(rate - chance) <= (0 if chance in (0, 1) else off)


def test_every_case_can_come():
    for name in sorted({name for name, _, _ in PLAYED}):
        played = game(name)
        seen = set()
        for role in played.roles:
            for seed in range(60):
                random = Random(seed)
                state = played.start(role.name, {}, random)
                scene = played.scene(state)
                while scene.outcome is None:
                    drawn = [c for d in scene.drawings for c in getattr(d, "choices", {}).values()]
                    choices = [choice.name for choice in scene.choices] + drawn * (seed % 2)
                    state = played.act(state, random.choice(choices), random)
                    scene = played.scene(state)
                seen.add(scene.case)
        # Questions drawn at random occur when nobody chooses any.
        assert set(played.cases({})) - {"chance"} <= seen


def test_only_questions_by_chance_count_as_such():
    played, random = TwoRooms(), Random(1)
    for choices, case in ((["draw"] * 4, "chance"), (["draw", "same", "same", "same"], "choice")):
        scene = None
        while scene is None or scene.outcome != "survived":
            state = played.start("verifier", {}, random)
            for choice in choices:
                scene = played.scene(state)
                if scene.outcome is None:
                    state = played.act(state, choice, random)
            scene = played.scene(state)
        assert all(passes(tuple(q), tuple(a)) for q, a in state["rounds"])
        assert scene.case == case


def test_the_best_guesser_sees_all_but_what_fits_by_accident():
    wrong = game("real_or_simulated").cases({"shuffles": False})["seen"].chances["wrong"]
    # Of the invented conversations, 6^-k fit by accident, as enumerated for one and two rounds.
    for rounds in (1, 2):
        assert advantage(rounds, shuffles=False) == Fraction(1, 2) - Fraction(1, 2 * 6**rounds)
    assert wrong == Fraction(1, 2 * 6**SHOWN)
