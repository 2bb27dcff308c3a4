"""The numbers in the prose of lessons are those that the engine computes."""

import math
import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
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


def test_two_rings_of_five_share_no_neighbours_and_doubling_takes_one_to_the_other():
    asked = prose("02_colour_blind.toml")
    rings = [[int(n) for n in ring.split("-")] for ring in ("0-1-2-3-4-0", "0-2-4-1-3-0")]
    assert "One ring goes 0-1-2-3-4-0, another 0-2-4-1-3-0." in asked
    first, second = ({frozenset(pair) for pair in pairwise(ring)} for ring in rings)
    assert not first & second
    renamed = [2 * n % 5 for n in range(5)]
    assert {frozenset(renamed[n] for n in edge) for edge in first} == second
    assert f"0, 1, 2, 3, 4 become {', '.join(map(str, renamed))}." in asked


def test_why_two_of_sixteen_pairs_catch_any_plan():
    """The three cases of the lesson's argument, each checked by trying all plans."""
    pairs = list(product(range(4), repeat=2))
    for one, other in product(product(range(3), repeat=4), repeat=2):
        catching = {q for q in pairs if not two_rooms.passes(q, (one[q[0]], other[q[1]]))}
        apart = [n for n in range(4) if one[n] != other[n]]
        if not apart:
            assert any({(a, b), (b, a)} <= catching for a, b in combinations(range(4), 2))
        elif len(apart) > 1:
            assert {(n, n) for n in apart} <= catching
        else:
            (odd,) = apart
            rest = [n for n in range(4) if n != odd]
            alike = {(a, b) for a, b in permutations(rest, 2) if one[a] == one[b]}
            clash = {(odd, n) for n in rest if one[odd] == other[n]}
            assert {(odd, odd), *alike, *clash} <= catching
            assert alike or clash
        assert len(catching) >= 2
    example = (0, 1, 2, 2)
    catching = {q for q in pairs if not two_rooms.passes(q, (example[q[0]], example[q[1]]))}
    assert catching == {(2, 3), (3, 2)}
    assert "1. For example 0 A, 1 B, 2 C, 3 C." in prose("04_two_rooms.toml")


def test_what_is_only_believed_is_not_said_to_be_known():
    """No proof separates NP, PSPACE and NEXP, except NP from NEXP."""
    assert "That NEXP is larger is believed, and not proven." in prose("04_two_rooms.toml")
    assert "PSPACE contains NP, and is believed to be far larger." in prose("03_questions.toml")


def test_shared_rewards_pay_both_provers_for_a_right_verdict():
    tried = experiment("opposed_rewards")
    data = tried.run({"prize": 1.0, "shared": True}).data.set_index(["verdict, truth", "prover"])
    for verdict, truth in product(("reject", "accept"), ("false", "true")):
        right = (verdict == "accept") == (truth == "true")
        for prover in ("prover0", "prover1"):
            assert data.loc[(f"{verdict}, {truth}", prover), "reward"] == (1 if right else -1)
    text = prose("05_debate.toml")
    assert "a right verdict pays both" in text
    assert "1 for a right verdict, -1 for a wrong one" in text


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


def test_when_lying_pays_over_the_whole_range_of_the_prize():
    prizes = [n / 2 for n in range(-4, 11)]
    for prize in prizes:
        gain = expected("lying_pays", prize=prize)["gain"]
        assert (gain > 1e-9) == (prize > 0)
        assert (gain < -1e-9) == (prize < 0)
    # The other condition: if giving in is accepted more often, the sign changes.
    assert expected("lying_pays", prize=1.0, lied=0.1, told=0.3)["gain"] < 0
    assert expected("lying_pays", shared=True, penalty=-1.0, lied=0.1, told=0.3)["gain"] > 0
    text = prose("08_rewards.toml")
    assert "As long as the prize is above 0, and liars are believed more often" in text


def test_the_steady_states_with_a_fine_and_without():
    """With a fine there is one steady state, a mixed one. Without, the verifier always checks."""
    steps = [Fraction(n, 12) for n in range(13)]
    for cost in (Fraction(1, 10), Fraction(1, 2), Fraction(19, 10)):
        for fine in (Fraction(0), Fraction(1), Fraction(5)):
            checks, lies = {*steps, 1 / (1 + fine)}, {*steps, cost / 2}
            steady = [
                (check, lie)
                for check, lie in product(checks, lies)
                if _is_best(2 * lie - cost, check) and _is_best(1 - check * (1 + fine), lie)
            ]
            if fine:
                assert steady == [(1 / (1 + fine), cost / 2)]
            else:
                assert {check for check, _ in steady} == {1}
                assert (Fraction(1), Fraction(1)) in steady
    text = prose("08_rewards.toml")
    assert "If both choose in secret and there is a fine, the only steady state" in text


def _is_best(gain: Fraction, chance: Fraction) -> bool:
    """Return whether this is the best chance of an action with this gain over the alternative."""
    return gain == 0 or chance == (1 if gain > 0 else 0)


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


def test_nine_eighteen_and_twenty_seven_rounds_lie_a_little_below_the_powers_of_e():
    for k in (1, 2, 3):
        left = float(KEPT) ** (9 * k)
        assert 0.8 * math.exp(-k) < left < math.exp(-k)
    assert "a little below $e^{-1}$, $e^{-2}$, $e^{-3}$" in prose("07_zero_knowledge.toml")


def test_what_stays_the_same_when_a_prover_forgets_to_shuffle():
    letters = ["ABC"[colour] for colour in three_colouring.COLOURING]
    assert (letters[0], letters[3], letters[1], letters[4]) == ("A", "A", "B", "B")
    assert "vertices 0 and 3 are always A, 1 and 4 always B" in prose("07_zero_knowledge.toml")


def test_the_least_prime_that_is_large_enough():
    def is_prime(n: int) -> bool:
        return all(n % d for d in range(2, math.isqrt(n) + 1))

    enough = next(p for p in range(3, 5000) if is_prime(p) and success(p, 2, 1) <= Fraction(1, 500))
    assert f"1000 or more; the points are counted modulo a prime, so {enough}." in prose(
        "03_questions.toml"
    )


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
