"""Tests of experiment.py and experiments/.

The experiments about questions, debate, hints and rewards, compared with theory.
"""

import functools
import json
import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from explorer.lessons.experiment import ExperimentResult
from explorer.lessons.experiments.arguments import World, caught
from explorer.lessons.experiments.rewards import equilibria
from explorer.lessons.games.sumcheck import difference, evaluate, is_possible, success
from explorer.lessons.library import experiment as load
from explorer.lessons.library import lessons
from explorer.pictures.drawing import Text
from nip_core import HyperParameters, protocol
from nip_core.values import exact_values, random_play
from nip_core.values.judged import judged
from nip_core.values.outcomes import outcomes_of
from tests.depth import each, first

NAMES = (
    "hints",
    "how_many_episodes",
    "knowledge_gained",
    "last_word",
    "lying_pays",
    "mid_points",
    "opposed_rewards",
    "point_at_the_error",
    "repetition",
    "sumcheck",
    "survival",
    "who_leads",
)


def found(name: str, **settings: bool | int | float | str) -> ExperimentResult:
    experiment = load(name)
    return experiment.run({knob.name: knob.default for knob in experiment.knobs} | settings)


@pytest.mark.parametrize("name", first(4, NAMES))
def test_every_knob_can_be_turned_to_its_ends_and_every_finding_drawn(name):
    experiment = load(name)
    for knob in experiment.knobs:
        if isinstance(knob.default, bool):
            ends = [False, True]
        else:
            ends = knob.choices or [knob.low, knob.high]
        for end in ends:
            finding = found(name, **{knob.name: end})
            assert all(math.isfinite(number) for number in finding.numbers.values())
            assert len(finding.data) > 0
            drawn = finding.chart(experiment.title).to_plain()
            words = json.dumps(drawn["drawing"], allow_nan=False)
            names = {finding.x, finding.y, *map(str, finding.data[finding.by])}
            assert [name for name in names if json.dumps(name)[1:-1] not in words] == []


# -- the sum-check protocol ----------------------------------------------------------------------


def best_liar(prime: int, degree: int, rounds: int, *, known: bool) -> Fraction:
    """Return the best chance over all false curves of a degree, found by trying each of them."""
    curves = list(product(range(prime), repeat=degree + 1))

    def value(error: int, left: int) -> Fraction:
        if error == 0 or left == 0:
            return Fraction(error == 0)
        by_error = {e: value(e, left - 1) for e in range(prime)}
        false = [
            c for c in curves if (evaluate(c, 0, prime) + evaluate(c, 1, prime)) % prime == error
        ]
        table = [[by_error[evaluate(c, r, prime)] for r in range(prime)] for c in false]
        if known:
            return sum((max(column) for column in zip(*table, strict=True)), Fraction()) / prime
        return max(sum(row, Fraction()) for row in table) / prime

    return value(1, rounds)


@each(("prime", "degree", "rounds"), [(3, 1, 2), (5, 1, 2), (5, 2, 2), (3, 3, 1)])
def test_no_liar_does_better_than_the_roots_of_its_curve(prime, degree, rounds):
    exact = best_liar(prime, degree, rounds, known=False)
    assert exact == success(prime, degree, rounds)
    assert exact <= Fraction(rounds * degree, prime)


@each("prime", [3, 5])
def test_a_liar_that_knows_the_point_is_always_believed(prime):
    assert best_liar(prime, 2, 1, known=True) == 1
    assert found("sumcheck", known=True, prime="5").numbers["measured"] == 1


@given(
    st.sampled_from([5, 11, 101]),
    st.integers(1, 4),
    st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True),
)
def test_a_false_curve_carries_the_error_and_meets_the_true_one_where_it_should(
    prime, error, roots
):
    if is_possible(roots, prime):
        curve = difference(error, roots, prime)
        values = [evaluate(curve, x, prime) for x in range(prime)]
        assert (values[0] + values[1]) % prime == error
        assert [x for x, value in enumerate(values) if value == 0] == sorted(roots)


# -- debate --------------------------------------------------------------------------------------


@functools.cache
def caught_with(errors: tuple[int, ...], skill: Fraction) -> Fraction:
    """Return the chance to catch a liar with these errors in the entries, at a false total."""
    if len(errors) == 1:
        return Fraction(1)
    half = len(errors) // 2
    false = [part for part in (errors[:half], errors[half:]) if sum(part)]
    if len(false) == 1:
        return skill * caught_with(false[0], skill)
    # Both halves are false, so pointing at either is right; the opponent points at the better one.
    return max(caught_with(part, skill) for part in false)


@each("steps", [1, 2, 3])
@each("skill", [Fraction(1, 2), Fraction(3, 4), Fraction(1)])
def test_the_best_lie_is_one_wrong_entry(steps, skill):
    lies = [e for e in product((-1, 0, 1), repeat=2**steps) if sum(e)]
    assert min(caught_with(lie, skill) for lie in lies) == caught(steps, skill) == skill**steps


def test_a_guessing_opponent_is_worth_as_much_as_none():
    numbers = found("point_at_the_error", steps=10, skill=0.5).numbers
    assert numbers["caught"] == numbers["alone"] == 1 / numbers["entries"] == 2**-10
    assert found("point_at_the_error", steps=10, skill=1.0).numbers["caught"] == 1


@each("lies", [1, 2, 5, 8])
@each("answers", [1, 3, 8])
def test_the_last_word_decides(lies, answers):
    numbers = found("last_word", lies=lies, answers=answers).numbers
    assert numbers["last"] == 1
    assert numbers["first"] == (answers >= lies)
    assert numbers["at once"] == pytest.approx(min(1, answers / lies))


@each("prize", [-1.0, 0.0, 1.0, 2.5])
def test_rewards_are_opposed_unless_they_are_shared(prize):
    own = found("opposed_rewards", prize=prize).numbers
    for verdict, total in own.items():
        assert total == (0 if verdict.startswith("none") else prize)
    shared = found("opposed_rewards", prize=prize, shared=True)
    rewards = shared.data.groupby("verdict, truth")["reward"]
    assert (rewards.nunique() == 1).all()
    assert shared.numbers["accept, true"] == 2
    assert shared.numbers["accept, false"] == -2


@each("prize", [-2.0, 0.5])
@each("shared", [False, True])
def test_what_provers_are_paid_is_what_the_steps_of_values_pay(prize, shared):
    result = found("opposed_rewards", prize=prize, shared=shared)
    common = {"prover_reward": prize, "shared_reward": shared}
    handler = protocol(HyperParameters(interaction_protocol="debate", protocol_common=common))
    table = outcomes_of(judged(handler))
    places = [handler.spec.agent_index(prover) for prover in handler.spec.provers]
    pays = table.pays[table.phases[0, 0]][:, :, 0, places]  # [decision, label, prover]
    assert [row["reward"] for row in result.rows] == pays.flatten().tolist()


@each("lies", range(1, 6))
@each("answers", [1, 2, 4])
def test_speaking_at_once_is_worth_what_a_linear_program_finds(lies, answers):
    sets = list(combinations(range(lies), min(answers, lies)))
    # The variables: the chance of each row, and the value, which no column exceeds.
    below = [[*(-float(lie in answered) for answered in sets), 1.0] for lie in range(lies)]
    solved = scipy.optimize.linprog(
        [*([0.0] * len(sets)), -1.0],
        A_ub=below,
        b_ub=[0.0] * lies,
        A_eq=[[*([1.0] * len(sets)), 0.0]],
        b_eq=[1.0],
    )
    at_once = found("last_word", lies=lies, answers=answers).numbers["at once"]
    assert at_once == pytest.approx(-solved.fun)


# -- hints ---------------------------------------------------------------------------------------

tenths = st.integers(1, 10).map(lambda n: Fraction(n, 10))


@given(tenths, tenths, st.integers(1, 20))
def test_precision_is_what_completeness_and_soundness_leave(complete, unsound, marks):
    world = World(complete, unsound, marks)
    assert sum(chance for _, _, chance in world.items()) == 1
    assert world.share("cat") == complete
    assert world.share("dog") == unsound
    assert world.precision() == complete / (complete + marks * unsound)


def test_a_coin_halves_both():
    data = found("hints").data.set_index(["who shows the hint", "Arthur"])["chance"]
    assert data["a coin chooses", "right"] == pytest.approx(0.45)
    assert data["a coin chooses", "fooled"] == pytest.approx(0.05)
    assert data.groupby("who shows the hint").sum().to_list() == pytest.approx([1, 1, 1])


# -- rewards -------------------------------------------------------------------------------------


def decided(rounds: int = 4, decides: float = 0.5) -> float:
    """Return the chance that a verifier with so many turns decides."""
    return 1 - (1 - decides) ** rounds


@each(("prize", "penalty"), [(-1.0, 1.0), (0.0, 2.0), (2.0, -1.0)])
def test_lying_pays_as_the_payoff_says(prize, penalty):
    own = found("lying_pays", prize=prize, penalty=penalty).numbers
    assert own["gain"] == pytest.approx(prize * decided() * (0.4 - 0.05))
    shared = found("lying_pays", prize=prize, penalty=penalty, shared=True).numbers
    assert shared["gain"] == pytest.approx((penalty - 1) * decided() * (0.4 - 0.05))


KNOBS = {
    "protocol": st.sampled_from(["nip", "adp", "debate", "mnip", "merlin_arthur", "solo_verifier"]),
    "rounds": st.integers(1, 40),
    "shared": st.booleans(),
    "going_on": st.integers(-10, 10).map(lambda n: n / 10),
    "out_of_time": st.integers(-10, 4).map(lambda n: n / 2),
}


@given(st.fixed_dictionaries(KNOBS))
def test_the_mid_points_are_those_of_the_values(settings):
    result = found("mid_points", **settings)
    name = settings["protocol"]
    common = {
        "shared_reward": settings["shared"],
        "verifier_no_guess_reward": settings["going_on"],
        "verifier_terminated_penalty": settings["out_of_time"],
    }
    parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
    if name in ("nip", "debate", "mnip"):
        rounds = {"max_message_rounds": settings["rounds"]}
        parameters = parameters.replace(**{f"{name}_protocol": rounds})
    handler = protocol(parameters)
    exact = exact_values(handler, random_play(handler.spec))
    for agent in handler.spec.agent_names:
        mean = result.numbers[f"{agent}, exact value"]
        assert mean == pytest.approx(exact.mean(agent), abs=1e-12)
        halfway = handler.reward_mid_point_estimate(agent)
        assert result.numbers[f"{agent}, mid-point estimate"] == pytest.approx(halfway)
    right = all(
        handler.reward_mid_point_estimate(agent) == pytest.approx(exact.mean(agent), abs=1e-12)
        for agent in handler.spec.agent_names
    )
    assert ("is right for every seat" in result.sentence) == right
    assert result.numbers["no verdict"] == pytest.approx(exact.verdicts["none"], abs=1e-12)


STEPS = [Fraction(n, 60) for n in range(61)]


@each("cost", [Fraction(1, 10), Fraction(1, 2), Fraction(3, 2)], ids=str)
@each("fine", [Fraction(0), Fraction(1), Fraction(4)], ids=str)
def test_who_leads_by_trying_all_plans(cost, fine):
    def verifier(check, lie):
        return check * (1 - cost) + (1 - check) * (1 - 2 * lie)

    def prover(check, lie):
        return lie * (1 - check - check * fine)

    def lead(own, other, plans):
        """Return the most that a leader gets if the follower breaks ties in the leader's favour."""
        most = []
        for plan in plans:
            best = max(other(plan, reply) for reply in (0, 1))
            most += [own(plan, reply) for reply in (0, 1) if other(plan, reply) == best]
        return max(most)

    found = equilibria(cost, fine)
    checks, lies = {*STEPS, 1 / (1 + fine)}, {*STEPS, cost / 2}
    assert found["the verifier leads"][0] == lead(verifier, prover, checks)
    assert found["the prover leads"][1] == lead(
        lambda lie, check: prover(check, lie), lambda lie, check: verifier(check, lie), lies
    )
    assert found["neither leads"] == (1 - cost, 0)
    assert found["the verifier leads"][0] - found["neither leads"][0] == cost * fine / (1 + fine)
    # In the middle, neither gains by another plan.
    check, lie = 1 / (1 + fine), cost / 2
    assert all(verifier(other, lie) <= verifier(check, lie) for other in STEPS)
    assert all(prover(check, other) <= prover(check, lie) for other in STEPS)


@each("episodes", [1, 2, 6])
def test_the_order_of_two_protocols_by_counting_all_outcomes(episodes):
    better, worse = Fraction(4, 5), Fraction(3, 5)

    def chance(hits: int, rate: Fraction) -> Fraction:
        ways = math.comb(episodes, hits)
        return ways * rate**hits * (1 - rate) ** (episodes - hits)

    pairs = combinations(range(episodes + 1), 2)
    right = wrong = Fraction()
    for low, high in pairs:
        right += chance(high, better) * chance(low, worse)
        wrong += chance(low, better) * chance(high, worse)
    numbers = found("how_many_episodes", one=0.6, other=0.8, episodes=episodes).numbers
    assert numbers["right order"] == pytest.approx(float(right))
    assert numbers["wrong order"] == pytest.approx(float(wrong))


PHONE = 320  # pixels of a chart on a phone


@each(
    "block",
    [block for lesson in lessons()[0] for block in lesson.blocks if block.kind == "experiment"],
    ids=lambda block: block.name,
)
def test_words_of_a_chart_do_not_overlap_on_a_phone(block):
    made = found(block.name, **(block.settings or {})).chart("A chart").drawing
    lines: dict[float, list[tuple[float, float]]] = {}
    for text in (shape for shape in made.shapes if isinstance(shape, Text)):
        if text.anchor == "middle" and text.column is not None:
            middle = made.left + text.column / 100 * (PHONE - made.left)
            half = len(text.text) * text.size * 0.21  # a letter is about 0.42 of its height wide
            lines.setdefault(text.y, []).append((middle - half, middle + half))
    for ends in lines.values():
        in_order = sorted(ends)
        assert all(left[1] <= right[0] for left, right in pairwise(in_order))
