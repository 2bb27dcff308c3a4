"""The last sentence of a game is true, whichever way the game ended."""

import itertools
from fractions import Fraction
from random import Random

from explorer.lessons.games import three_colouring, two_rooms
from explorer.lessons.games.hint import BOXES, MARKS, NOTHING
from explorer.lessons.library import game
from tests.depth import each

COIN = (0, 1)


def end(name, state):
    """Return the last words of a game, after checking that they name its outcome and no other."""
    played = game(name)
    scene = played.scene(state)
    assert scene.outcome is not None
    assert scene.choices == ()
    cases = played.cases({})
    assert scene.outcome in cases[scene.case].chances
    return scene.prompt, scene.outcome


def names_no_other(name, text, outcome):
    others = {said for key, said in game(name).outcomes.items() if key != outcome}
    assert game(name).outcomes[outcome] in text
    assert not any(said in text for said in others)


# -- a stranger ----------------------------------------------------------------------------------


@each("tests", range(6))
@each("believed", [True, False])
def test_the_stranger(tests, believed):
    every = list(itertools.product(itertools.product(COIN, repeat=2), repeat=tests))
    lucky = 0
    for rounds in every:
        wrong = sum(cup != guess for cup, guess in rounds)
        for honest in (True, False) if not wrong else (False,):
            state = {"honest": honest, "rounds": list(map(list, rounds)), "believed": believed}
            text, outcome = end("stranger", state)
            whom = "a taster" if honest else "a liar"
            assert outcome == f"{'believed' if believed else 'sent away'} {whom}"
            assert ("can taste it." in text) == honest
            assert ("was guessing." in text) == (not honest)
            # The chance to get through is stated only to people who did, and only after a test.
            assert ("with chance" in text) == (wrong == 0 and tests > 0)
            assert ("You did not test it" in text) == (tests == 0)
            assert (f"wrong in {wrong} of {tests} test" in text) == (wrong > 0)
        lucky += wrong == 0
    if tests:
        chance = Fraction(lucky, len(every))
        state = {"honest": False, "rounds": [[0, 0]] * tests, "believed": believed}
        assert f"with chance {chance}." in end("stranger", state)[0]


# -- two graphs ----------------------------------------------------------------------------------


@each("role", ["verifier", "prover"])
def test_the_two_graphs(role):
    most = 4
    for tossed in itertools.product(COIN, repeat=most):
        for guesses in itertools.product(COIN, repeat=most):
            rounds = list(map(list, zip(tossed, guesses, strict=True)))
            wrong = next((n for n, (a, b) in enumerate(rounds, start=1) if a != b), None)
            same = role == "prover" or wrong is not None  # an honest prover is never wrong
            for is_same in {same, True}:
                state = {"role": role, "same": is_same, "coin": None, "copy": None}
                text, outcome = end("isomorphism", state | {"rounds": rounds[:wrong]})
                assert outcome == ("convinced" if wrong is None else "caught")
                names_no_other("isomorphism", text, outcome)
                assert ("drawn twice" in text) == is_same
                # After being caught, no text states how many get through so many rounds.
                lucky = is_same and wrong is None
                assert (f"as lucky in 4 rounds with chance {Fraction(1, 2**most)}." in text) == (
                    lucky
                )
                assert ("wrong in each round with chance 1/2" in text) == (wrong is not None)


# -- two rooms -----------------------------------------------------------------------------------


@each("role", ["verifier", "prover"])
@each("together", [True, False])
@each("by_chance", [True, False])
def test_the_two_rooms(role, together, by_chance):
    fits, fails = [[0, 1], [0, 1]], [[2, 3], [2, 2]]
    for passed in range(two_rooms.ROUNDS + 1):
        survived = passed == two_rooms.ROUNDS
        rounds = [fits] * passed + ([] if survived else [fails])
        state = {"role": role, "together": together, "by_chance": by_chance, "rounds": rounds}
        text, outcome = end("two_rooms", state | {"question": [0, 1]})
        assert outcome == ("survived" if survived else "caught")
        names_no_other("two_rooms", text, outcome)
        # The stated chances are those of random questions, and the sentence says so.
        assert (
            f"If chance asks, the best liars survive a round with chance {two_rooms.APART}" in text
        )


# -- three colours -------------------------------------------------------------------------------


@each("role", ["verifier", "cheat"])
def test_the_three_colours(role):
    fits, fails = [0, 1, 0, 1], [0, 1, 2, 2]
    for passed, cheats in itertools.product(range(three_colouring.ROUNDS + 1), (True, False)):
        survived = passed == three_colouring.ROUNDS
        if not cheats and (role == "cheat" or not survived):
            continue  # a prover with a colouring is never caught
        opened = [fits] * passed + ([] if survived else [fails])
        state = {"role": role, "cheats": cheats, "opened": opened, "by_chance": passed % 2 == 0}
        text, outcome = end("three_colouring", state | {"boxes": [["", "0", ""]] * 6})
        assert outcome == ("survived" if survived else "caught")
        names_no_other("three_colouring", text, outcome)
        assert ("had a true colouring" in text) == (not cheats)
        assert ("had no colouring" in text) == cheats
        assert ("with chance 1/9" in text) == cheats


def test_a_cheat_is_shown_its_wrong_edge():
    played = game("three_colouring")
    seen = set()
    for seed in range(100):
        state = played.start("cheat", {}, Random(seed))
        values = [box[1] for box in state["boxes"]]
        (edge,) = [(a, b) for a, b in three_colouring.EDGES if values[a] == values[b]]
        assert f"Edge {edge[0]}-{edge[1]} has equal ends" in played.scene(state).prompt
        seen.add(edge)
    assert seen == set(three_colouring.EDGES)


# -- the others ----------------------------------------------------------------------------------


@each("real", COIN)
@each("said", COIN)
@each("shuffles", [True, False])
def test_real_or_simulated(real, said, shuffles):
    state = game("real_or_simulated").start("guesser", {"shuffles": shuffles}, Random(1))
    played = game("real_or_simulated")
    scene = played.scene(state | {"real": real, "said": said})
    assert scene.outcome == ("right" if real == said else "wrong")
    assert scene.prompt.startswith(("One is real.", "Two is real.")[real])
    names_no_other("real_or_simulated", scene.prompt, scene.outcome)


def test_friend_or_foe():
    pictures = [
        [*marks, "grass", *[NOTHING] * (BOXES - 1 - len(marks))]
        for count in range(3)
        for marks in itertools.combinations(MARKS.values(), count)
    ]
    for boxes, animal, friend, shown, answer in itertools.product(
        pictures, MARKS, (True, False), range(BOXES), ("cat", "dog", "unsure")
    ):
        for role in ("arthur", "foe"):
            if boxes[shown] == NOTHING or (friend and role == "foe"):
                continue
            meant = {mark: kind for kind, mark in MARKS.items()}.get(boxes[shown], "unsure")
            if role == "foe" and answer != meant:
                continue  # the computer's Arthur goes by marks
            state = {"role": role, "animal": animal, "friend": friend, "boxes": boxes}
            text, outcome = end("hint", state | {"shown": shown, "answer": answer})
            says = "unsure" if answer == "unsure" else "right" if answer == animal else "fooled"
            assert outcome == says
            assert text.startswith(f"It is a {animal}, and a {'friend' if friend else 'foe'} ")
            names_no_other("hint", text, outcome)


@each("name", ["halving", "sumcheck"])
def test_every_line_of_an_argument_ends_as_it_says(name):
    """For many drawn bills and sums, all choices from the start to the end."""
    played, small = game(name), {"halving": {"lines": 4}, "sumcheck": {"prime": 5}}[name]
    seen = set()
    ways = itertools.product(played.roles, (True, False), (True, False))
    for role, flag, lie in ways:
        settings = small | {"lie": lie, {"halving": "blind", "sumcheck": "known"}[name]: flag}
        for seed in range(2):
            stack = [played.start(role.name, settings, Random(seed))]
            while stack:
                state = stack.pop()
                scene = played.scene(state)
                if scene.outcome is None:
                    stack += [played.act(state, c.name, Random(seed)) for c in scene.choices]
                    continue
                text, outcome = scene.prompt, scene.outcome
                names_no_other(name, text, outcome)
                # A liar is caught or not; an honest prover is upheld.
                lied = lie or role.name == "liar"
                assert (outcome in ("upheld", "honest")) == (not lied)
                last = [line.text for line in scene.said if line.who == "Judge"]
                if name == "halving" and last:
                    claim, true = [int(n) for n in _numbers(last[0])[-2:]]
                    assert (claim != true) == (outcome == "caught")
                    # The judge addresses nobody in particular: the author may be the computer.
                    assert "You" not in last[0]
                seen.add((role.name, outcome))
    expected = {
        "halving": {("opponent", o) for o in ("caught", "escaped", "upheld")}
        | {("liar", "caught"), ("liar", "escaped")},
        "sumcheck": {("verifier", o) for o in ("caught", "fooled", "honest")}
        | {("liar", "caught"), ("liar", "fooled")},
    }
    assert seen == expected[name]


def _numbers(text):
    return [word for word in text.replace(".", " ").replace(";", " ").split() if word.isdigit()]


@each(
    ("bot", "wall", "words"),
    [
        (True, True, ["Phone 2: keeps to the plan", "Then a wall goes up"]),
        (False, False, ["You and Phone 2: agree on a plan now", "There is no wall"]),
    ],
)
def test_two_liars_hear_whether_they_agree_on_a_plan_and_whether_a_wall_goes_up(bot, wall, words):
    scene = two_rooms.TwoLiars().huddle("Phone 2", bot=bot, wall=wall)
    claim, plan = (f"{line.who}: {line.text}" for line in scene.said)
    assert claim.startswith("You two: claim that three colours are enough")
    assert plan.startswith(words[0])
    assert scene.prompt.startswith(words[1])
