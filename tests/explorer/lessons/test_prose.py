"""The numbers in the prose of lessons are those that the engine computes."""

import math
import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

import explorer.lessons
from explorer.lessons.experiments.arguments import World, caught
from explorer.lessons.games import three_colouring, two_rooms
from explorer.lessons.games.sumcheck import difference, evaluate, success
from explorer.lessons.games.two_rooms import APART
from explorer.lessons.library import experiment, game, lessons
from explorer.lessons.playables.redo import rejects
from nip_core import HyperParameters
from tests.depth import each

CONTENT = Path(explorer.lessons.__file__).parent / "content"
OURS = lessons()[0]
LESSONS = {lesson.slug: lesson for lesson in OURS}


def prose(name: str) -> str:
    return (CONTENT / name).read_text("utf-8")


def part(fraction: Fraction) -> str:
    return f"{float(fraction):.0%}"


def least(power: Fraction, below: Fraction) -> int:
    """Return the smallest exponent for which a power is below a bound."""
    return next(k for k in range(1, 1000) if power**k < below)


def expected(name: str, **settings: bool | int | float | str) -> Mapping[str, float]:
    """Return the numbers of an experiment."""
    tried = experiment(name)
    return tried.run({knob.name: knob.default for knob in tried.knobs} | settings).numbers


HALF, WORDS = Fraction(1, 2), {6: "Six", 10: "Ten", 18: "Eighteen", 20: "Twenty"}
MIXED = World(Fraction(9, 10), Fraction(1, 10), 10)
MANY = World(Fraction(9, 10), Fraction(1, 10), 20)
PAINTED = World(Fraction(9, 10), Fraction(1), 1)
ARTHUR = game("hint").cases({})["arthur"].chances
EDGES = len(three_colouring.EDGES)
KEPT = Fraction(EDGES - 1, EDGES)
NONE = Fraction(1, 3) ** 4
CHECKS = Fraction(1, 5)  # a liar then earns (1 - p) - 4 p = 0


def computed() -> list[tuple[str, str]]:
    """Return sentences made from computed numbers; each must be in its file literally."""
    adp = Fraction(expected("mid_points", protocol="adp")["verifier, exact value"])
    return [
        ("01_stranger", f"{WORDS[least(HALF, Fraction(1, 10**6))]}: $(1/2)^{{20}} = {HALF**20}$"),
        ("01_stranger", f'text = "{Fraction(1, 4) ** 5}", right = true'),
        ("01_stranger", f"0.9 to the power of 20 is about {0.9**20:.2f}"),
        ("01_stranger", f"1. {HALF**3}, {HALF**6}, about one in a million"),
        (
            "01_stranger",
            f"2. {WORDS[least(Fraction(2, 3), Fraction(1, 10))]}: (2/3) to the power of 6",
        ),
        ("01_stranger", f"the power of 6 is {(2 / 3) ** 6:.3f}"),
        ("01_stranger", f"3. 0.95 to the power of 14, about {0.95**14:.0%}"),
        ("02_colour_blind", f"and $1000 / {2**10}$ is a little below 1"),
        ("02_colour_blind", f"1. {HALF**5}."),
        ("02_colour_blind", f"4. {WORDS[least(HALF, Fraction(1, 10**6))]}: 2 to the power of 20"),
        ("03_questions", f"about {part(success(11, 2, 2))}. A liar can reach"),
        ("03_questions", f"with chance at most ${success(11, 2, 1)}$"),
        ("03_questions", f'text = "{success(101, 3, 1).numerator} in 101", right = true'),
        ("03_questions", f"4. {success(11, 2, 1)}."),
        ("04_two_rooms", f"Exactly $7/8$, or {float(APART):.1%}"),
        ("04_two_rooms", f'text = "About {part(APART**10)}", right = true'),
        ("04_two_rooms", f"to the power of 10 is {float(APART**10):.3f}"),
        ("04_two_rooms", f"4. {WORDS[least(APART, Fraction(1, 10))]}: (7/8) to the power of 18"),
        ("04_two_rooms", f"the power of 18 is {float(APART**18):.3f}"),
        ("05_debate", f"1 in {int(1 / caught(10, HALF)):,}."),
        ("05_debate", f'text = "About {part(caught(10, Fraction(9, 10)))}", right = true'),
        ("05_debate", f"10 is {float(caught(10, Fraction(9, 10))):.3f}."),
        ("05_debate", f'text = "About {float(caught(10, HALF)):.1%}", why = "That would be'),
        ("05_debate", f"6, about {part(caught(6, Fraction(19, 20)))}."),
        ("05_debate", f"1. {WORDS[(64).bit_length() - 1]}."),
        ("15_weak_judge", f"{float(expected('last_word')['at once']):.0%}. The liar picks"),
        ("14_too_large", f"truth = {float(100 * rejects(10, 15, 20)):.7f}"),
        ("06_merlin_arthur", f"truth = {float(100 * MANY.precision()):.7f}"),
        ("06_merlin_arthur", f"{part(MANY.precision())}: most animals with the mark are dogs"),
        ("06_merlin_arthur", f"among cats ({float(MANY.complete / MANY.marks):.1%} of them)"),
        ("06_merlin_arthur", f"c/(c + s) is {part(MIXED.precision())}, as much"),
        ("06_merlin_arthur", f"9 / 1.9, about {part(PAINTED.precision())}"),
        ("06_merlin_arthur", f"about {part(ARTHUR['right'])}, {part(ARTHUR['fooled'])} and "),
        ("06_merlin_arthur", f"{part(ARTHUR['fooled'])} and {part(ARTHUR['unsure'])}."),
        ("06_merlin_arthur", f"which is {part(Fraction(60, 80))}"),
        ("06_merlin_arthur", f'text = "{part(Fraction(8, 8 + 2))}", right = true'),
        ("07_zero_knowledge", f'text = "About {part(KEPT**9)}", right = true'),
        ("07_zero_knowledge", f"to the power of 9 is {float(KEPT**9):.3f}, a little below 1/e"),
        ("07_zero_knowledge", f"3 is {math.exp(-3):.4f}"),
        ("07_zero_knowledge", f"(exactly: {least(Fraction(19, 20), Fraction(1, 20))})"),
        ("08_rewards", f"With chance {NONE} it goes on at all four turns"),
        ("08_rewards", f"1. {0.4 - 0.05:.2f}. 2. Lying gives 0.6 - 0.4 = {0.6 - 0.4:.1f}"),
        ("08_rewards", f"0.95 - 0.05 = {0.95 - 0.05:.1f}: it loses {0.9 - 0.2:.1f}"),
        ("08_rewards", f"3. {adp.limit_denominator(9)}."),
        ("08_rewards", f"which is 0 at p = {CHECKS}. 5. {float(CHECKS) * 0.2:.2f}, instead of 0.2"),
        ("guide", f"7/8 to the power of {two_rooms.ROUNDS}"),
    ]


def test_the_numbers_of_the_prose():
    missing = [(n, text) for n, text in computed() if text not in prose(f"{n}.toml")]
    assert missing == []


@each("lesson", OURS, ids=lambda lesson: lesson.slug)
def test_every_question_of_a_handout_has_its_answer(lesson):
    asked = re.findall(r"^(\d+)\. ", lesson.facilitator.handout, re.MULTILINE)
    answered = re.findall(r"(?:^|(?<=[.?!] ))(\d+)\. (?=\S)", lesson.facilitator.answers.strip())
    assert asked == [str(number) for number in range(1, len(asked) + 1)]
    assert answered == asked


@each(("prize", "meaning"), [(-2.0, "pays."), (0.0, "no prize"), (5.0, "wins")])
def test_what_opposed_rewards_mean_at_the_ends_of_the_prize(prize, meaning):
    tried = experiment("opposed_rewards")
    assert meaning in tried.run({"prize": prize, "shared": False}).sentence
    assert "win and lose together" in tried.run({"prize": prize, "shared": True}).sentence


def test_the_table_of_the_default_payoff_is_the_default_payoff():
    (table,) = (b for b in LESSONS["rewards"].blocks if b.kind == "table")
    pay = HyperParameters().protocol_common
    wins = f"{pay.prover_reward:g} if the verdict is its side, else 0"
    rows = {
        "A right verdict": (pay.verifier_reward, wins),
        "A wrong verdict": (pay.verifier_incorrect_penalty, wins),
        "The rounds run out": (pay.verifier_terminated_penalty, "0"),
        "The verifier goes on": (pay.verifier_no_guess_reward, "0"),
    }
    # With shared rewards, a prover gets what the verifier gets.
    assert table.rows == tuple(
        (what, f"{own:g}", prover, f"{own:g}") for what, (own, prover) in rows.items()
    )


def test_a_thousand_entries_are_ten_steps():
    assert caught(10, Fraction(99, 100)) > Fraction(9, 10) > caught(10, Fraction(98, 100))
    assert 2**9 < 1000 <= 2**10
    assert "an argument with a thousand entries, ten steps of halving" in prose(
        "10_language_models.toml"
    )


def test_equal_protocols_are_not_called_better():
    tried = experiment("how_many_episodes")
    found = tried.run({"one": 0.8, "other": 0.8, "episodes": 10})
    assert "neither protocol is better" in found.sentence
    assert "the better protocol" not in found.sentence


@each(
    ("settings", "said"),
    [
        ({"protocol": "solo_verifier", "out_of_time": 0.0}, "is right for every seat"),
        ({"protocol": "nip", "rounds": 40}, "off by less than 0.001"),
        ({"protocol": "nip", "rounds": 8}, "off by 0.012"),
    ],
)
def test_how_far_off_the_estimate_is_at_the_ends(settings, said):
    tried = experiment("mid_points")
    found = tried.run({knob.name: knob.default for knob in tried.knobs} | settings)
    assert said in found.sentence


def test_a_guesser_who_knows_the_colours_has_chances_of_its_own():
    one, two = (expected("knowledge_gained", rounds=rounds) for rounds in (1, 2))
    assert (one["shuffled"], one["unknown"]) == (0.5, 0.5)
    assert one["known"] == two["unknown"] == pytest.approx(11 / 12)
    assert two["known"] == pytest.approx(71 / 72)
    sentence = experiment("knowledge_gained").run({"rounds": 1}).sentence
    assert "has yet to find them out is right in 50.0%" in sentence
    assert "one who knew them beforehand in 91.7%" in sentence


def test_what_stays_the_same_when_a_prover_forgets_to_shuffle():
    letters = ["ABC"[colour] for colour in three_colouring.COLOURING]
    assert (letters[0], letters[3], letters[1], letters[4]) == ("A", "A", "B", "B")
    assert "vertices 0 and 3 are always A, 1 and 4 always B" in prose("07_zero_knowledge.toml")


def test_a_blind_opponent_wins_one_game_in_eight():
    assert caught(3, Fraction(1, 2)) == Fraction(1, 8)
    assert "one game in eight" in prose("05_debate.toml")


def test_the_handout_of_the_sum_check_is_right():
    claimed, true, prime = [1, 1, 3], [1, 2, 1], 11
    assert (evaluate(claimed, 0, prime) + evaluate(claimed, 1, prime)) % prime == 6
    assert evaluate(claimed, 4, prime) == 9
    off = [(a - b) % prime for a, b in zip(claimed, true, strict=True)]
    assert [x for x in range(prime) if evaluate(off, x, prime) == 0] == [0, 6]
    assert difference(1, [0, 6], prime) == off


def test_glossary_entries_are_found_once_and_lead_somewhere():
    entries = tomllib.loads(prose("glossary.toml"))["entry"]
    terms = [entry["term"] for entry in entries]
    assert len(set(terms)) == len(terms)
    assert terms == sorted(terms, key=str.lower)
    assert {other for entry in entries for other in entry["see"]} <= set(terms)
