"""Tests of given_play.py, nip_core/language/forward.py and nip_core/language/given.py.

Values under given play: the whole tree, version 1, sampling and hand calculation agree.
"""

import math
import threading
import time
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nip_core import ExperimentSettings, HyperParameters, SpecProtocol, protocol
from nip_core import values as version_1
from nip_core.budget import MOST_STEPS, Budget
from nip_core.errors import ModelError, SpecError, StoppedError, TooLargeError, UnsupportedError
from nip_core.language import GivenPlay, Habit, Specification, from_version_1, load_specification
from nip_core.language.forward import Forward, Limit, Result
from nip_core.values import play_values
from tests.depth import cases, each, exhaustive
from tests.language import reference
from tests.language.hostile import SEATS, document, turns
from tests.language.strategies import Writer, documents
from tests.language.zoo import PUBLISHED, VERSION_1, converted, in_full, published
from tests.strategies import specs


@st.composite
def habits(draw, document):
    """Draw how some choices are made, depending on others that are known."""
    choices = document["choices"]
    # The first draw depends on nothing.
    names = [name for name, choice in choices.items() if choice["by"] != "chance"]
    found = []
    for name in names:
        if draw(st.booleans()):
            writer = Writer(draw, choices)
            options = reference.options_of(document, name)
            habit = {
                "choice": name,
                "weights": {o: writer.number(1) for o in options if draw(st.integers(0, 4))},
                "when": writer.truth(1) if draw(st.booleans()) else "true",
            }
            if choices[name]["by"] != "task" and draw(st.booleans()):
                habit["stage"] = draw(st.sampled_from([s["name"] for s in document["stages"]]))
            found.append(habit)
    return found


def slow_chances(document, given_habits):
    """Return the same habits for the reference, without those for a single stage."""

    def chances(name, options, registers, repeat):
        for habit in given_habits:
            if habit["choice"] == name and reference.value(
                document, habit["when"], registers, repeat=repeat
            ):
                weights = {
                    o: reference.value(
                        document, habit["weights"].get(o, "0"), registers, False, repeat
                    )
                    for o in options
                }
                weights = {o: max(0, w or 0) for o, w in weights.items()}
                whole = sum(weights.values())
                if not whole:
                    return dict.fromkeys(options, Fraction(1, len(options)))
                return {o: Fraction(w) / whole for o, w in weights.items()}
        return reference.weighted(document, name, options, registers, repeat)

    return chances


def slow_values(document, chances=None, most=1_000):
    """Return distributions of pay and turns, means, variances, and verdicts, from all plays."""
    seats = [*document["seats"], "turns"]
    laws, verdicts = {seat: {} for seat in seats}, {}
    for chance, releases, totals, verdict in reference.plays(document, chances, most):
        for seat, law in laws.items():
            amount = len(releases) if seat == "turns" else totals.get(seat, 0)
            law[amount] = law.get(amount, 0) + chance
        verdicts[verdict] = verdicts.get(verdict, 0) + chance
    means = {s: sum(chance * amount for amount, chance in law.items()) for s, law in laws.items()}
    variances = {
        s: sum(chance * amount * amount for amount, chance in law.items()) - means[s] ** 2
        for s, law in laws.items()
    }
    return laws, means, variances, verdicts


def agree(found, slow, close=1e-9):
    laws, means, variances, verdicts = slow
    if found.method == "fractions":
        drawn = {**found.pay, "turns": found.lengths}
        for seat, law in drawn.items():
            if law.values.dtype == object and seat not in found.from_plays:
                assert dict(zip(law.values, law.probabilities, strict=True)) == laws[seat]
    for seat, mean in found.means.items():
        if isinstance(mean, Fraction):
            assert mean == means[seat]
            assert found.variances[seat] == variances[seat]
        else:
            assert mean == pytest.approx(means[seat], abs=close)
            assert found.variances[seat] == pytest.approx(variances[seat], abs=close)
    assert found.turns == pytest.approx(means["turns"])
    assert found.turns_variance == pytest.approx(variances["turns"], abs=close)
    assert found.verdicts.keys() == verdicts.keys()
    for verdict, chance in found.verdicts.items():
        assert chance == pytest.approx(verdicts[verdict], abs=close)


@settings(max_examples=cases(300), deadline=None)
@given(st.data())
def test_random_protocols_agree_with_all_their_plays(data):
    document = data.draw(documents())
    given_habits = data.draw(habits(document))
    for habit in given_habits:
        habit.pop("stage", None)
    try:
        spec = Specification.from_dict(document)
        found = play_values(spec, [Habit(**habit) for habit in given_habits], plays=0)
        slow = slow_values(in_full(spec), slow_chances(in_full(spec), given_habits))
    except (SpecError, UnsupportedError, reference.TooManyPlaysError):
        assume(False)
    assert found.method == "fractions"
    agree(found, slow)
    rounded = play_values(spec, [Habit(**h) for h in given_habits], exact=False, plays=0)
    assert rounded.method == "floats"
    scale = 1 + max(
        map(abs, [*map(float, found.means.values()), *map(float, found.variances.values())])
    )
    agree(rounded, slow, close=1e-6 * scale)


def test_values_by_hand():
    jury = play_values(published("jury"))
    # Of 27 triples of votes, 7 have a majority for the truth.
    assert jury.means["juror1"] == Fraction(7, 27)
    assert jury.verdicts["A"] == Fraction(7, 27)
    scored = play_values(published("michael_debate"))
    guess = sum(math.log2(percent / 100) for percent in range(1, 100)) / 99
    assert scored.means["judge"] == pytest.approx(guess - 0.05 * (1 - 2**-7))
    assert scored.rounded == {"alice", "bob", "judge"}
    assert scored.method == "fractions"
    legible = play_values(published("legible_prover"))
    assert legible.means["verifier"] == Fraction(133, 200)
    assert legible.on_the_word_of == {"whether the solution is right": "prover"}


def test_habits_go_by_signals_and_by_what_was_seen():
    spec = published("khan_debate")
    listens = Habit("verdict", {"A": "8 if truth = A else 2", "B": "8 if truth = B else 2"})
    found = play_values(spec, [Habit("truth", {"A": 3, "B": 1}), listens])
    assert found.means == {
        "alice": Fraction(3, 10),
        "bob": Fraction(-3, 10),
        "judge": Fraction(4, 5),
    }
    assert found.right == Fraction(4, 5)
    assert found.by_truth == {
        "A": {"A": Fraction(4, 5), "B": Fraction(1, 5)},
        "B": {"A": Fraction(1, 5), "B": Fraction(4, 5)},
    }
    nothing = play_values(published("audit_by_maximum"), plays=5, most=0)
    assert (nothing.right, nothing.by_truth) == (None, {})
    spec = published("open_debate")
    found = play_values(
        spec, [Habit("verdict", {"A": 1}, when="side = A"), Habit("verdict", {"B": 1})]
    )
    assert found.means["protagonist"] == 1
    only_there = Habit("going", {"stop": 1}, stage="exchange")
    found = play_values(
        published("michael_debate"), [Habit("going", {"go_on": 1}, stage="opening"), only_there]
    )
    assert found.turns == 3


@each(
    ("habit", "message"),
    [
        (Habit("verdikt", {}), "there is no such choice; there are truth, side"),
        (Habit("side", {"A": 1}), "what chance does is said by the protocol"),
        (Habit("going", {"stop": 1}, stage="later"), "there is no stage 'later'"),
        (Habit("going", {"halt": 1}), "it has no option 'halt'"),
        (Habit("going", {"stop": "side"}), "must be a rational number"),
        (Habit("going", {"stop": "log(estimate, true)"}), "must be a rational number"),
        (Habit("going", {"stop": 1}, when="over"), "known before the turn"),
        (Habit("going", {"stop": 1}, when="1"), "is a condition"),
        (Habit("going", {"stop": "1 +"}), "a value is needed"),
    ],
)
def test_habits_that_do_not_fit_are_refused(habit, message):
    with pytest.raises(ModelError) as caught:
        GivenPlay(published("michael_consultancy"), [habit])
    assert message in str(caught.value)


def judged(right, wait):
    """Return a verifier's habits: it waits with one chance, and else is right with another."""
    wrong = 1 - right
    return {
        "reject": f"{1 - wait} * ({right} if truth = reject else {wrong})",
        "accept": f"{1 - wait} * ({right} if truth = accept else {wrong})",
        "wait": f"{wait}",
    }


def check_version_1(handler, spec, wait=0.375, right=0.75, prior=0.625):
    model = version_1.simple_play(
        handler, decides=1 - wait, accepts_true=right, accepts_false=1 - right, prior=prior
    )
    old = version_1.exact_values(handler, model)
    play = [
        Habit("truth", {"reject": 1 - prior, "accept": prior}),
        Habit("verdict", judged(right, wait)),
    ]
    new = play_values(spec, play)
    for seat in spec.seat_names:
        assert float(new.means[seat]) == pytest.approx(old.mean(seat), abs=1e-9)
        assert float(new.variances[seat]) == pytest.approx(old.variance(seat), abs=1e-7)
    for verdict, chance in old.verdicts.items():
        assert float(new.verdicts.get(None if verdict == "none" else verdict, 0)) == pytest.approx(
            chance, abs=1e-9
        )
    turns = sum((r + 1) * p for r, p in enumerate(old.rounds))
    assert float(new.turns) == pytest.approx(turns)


@each("name", VERSION_1)
def test_the_eight_protocols_of_version_1_have_their_values(name):
    check_version_1(protocol(name), converted(name))


@settings(max_examples=cases(300), deadline=None)
@given(specs(), st.booleans())
def test_random_protocols_of_version_1_have_their_values(drawn, draws):
    chosen = HyperParameters("code_validation", protocol_common={"randomize_prover_stance": draws})
    handler = SpecProtocol(chosen, ExperimentSettings(), drawn)
    spec = from_version_1(drawn, draws_stance=handler.draws_prover_stance)
    check_version_1(handler, spec)


@exhaustive
@each("name", [name for name in PUBLISHED if name != "prover_estimator"])
def test_sampled_play_agrees(name):
    spec = published(name)
    exact, sampled = play_values(spec), play_values(spec, plays=cases(1_200), most=0)
    assert (sampled.method, sampled.plays) == ("sampled", cases(1_200))
    for seat, mean in exact.means.items():
        assert abs(float(mean) - sampled.means[seat]) <= 5 * sampled.errors[seat] + 1e-9


def test_what_is_too_large_is_sampled_or_refused_and_says_so():
    spec = published("prover_estimator", step=1)
    found = play_values(spec, plays=50, most=20_000)
    assert found.method == "sampled"
    assert found.rounded == {*spec.seat_names}
    with pytest.raises(UnsupportedError, match="more than 20,000 steps"):
        play_values(spec, plays=0, most=20_000)
    with pytest.raises(ModelError, match="argument 'plays'"):
        play_values(spec, plays=-1)


def test_choices_that_nothing_reads_are_dropped():
    def steps(name, **changes):
        spec = published(name, **changes)
        limit, rules = Limit(spec.name, 10**6), dict.fromkeys(range(len(spec.pay)), 1)
        Forward(spec, GivenPlay(spec), Result(rules), limit, exact=False, whole=False)
        return limit.steps

    # Two scores of 101 options are not multiplied; estimates do not add up round by round.
    assert steps("legible_prover") < 1_000
    assert steps("michael_debate", rounds=12) < 2 * steps("michael_debate", rounds=6)
    assert steps("nip", questions=400) < 2.1 * steps("nip", questions=200)


def test_values_have_a_budget():
    """10,000 plays of 10,000 turns with pay to all seats took hours; now it is one pass."""
    pay = [{"to": dict.fromkeys(SEATS, 1), "amount": "1", "at": "a"} for _ in range(50)]
    spec = load_specification(document([turns({"a": "c"}, times=10_000)], seats=SEATS, pay=pay))
    assert play_values(spec).means["s0"] == 50 * 10_000
    # A coin in each turn, and a state for each way in which they fell so far.
    coins = {f"x{i}": {"by": "a", "options": [0, 1]} for i in range(40)}
    turns_of_coins = [{"name": "w", "turns": [{"a": {"choose": [name]}} for name in coins]}]
    amount = " + ".join(f"{2**i} * x{i}" for i in range(40))
    paid = [{"to": "a", "amount": amount}]
    spec = load_specification(document(turns_of_coins, coins, pay=paid))
    steps, seconds = 500_000, time.process_time()
    with Budget(steps) as budget, pytest.raises(TooLargeError, match="Use fewer repetitions"):
        play_values(spec, most=10**9, plays=0)
    assert budget.spent < 1.5 * steps
    # A step is about a microsecond.
    assert time.process_time() - seconds < 5 + 5 * steps / MOST_STEPS
    assert play_values(published("jury"), plays=20, most=0).method == "sampled"


# -- distributions, truths, and time ---------------------------------------------------------------


def test_means_stay_exact_where_the_distribution_is_sampled():
    coins = {f"x{i}": {"by": "a", "options": [0, 1]} for i in range(20)}
    turns_of_coins = [{"name": "w", "turns": [{"a": {"choose": [name]}} for name in coins]}]
    # In all 2**20 amounts, of which each turn adds its own.
    pay = [{"to": "a", "amount": f"{2**i} * x{i}", "at": f"x{i}"} for i in range(20)]
    spec = load_specification(document(turns_of_coins, coins, pay=pay))
    for exact, method in ((True, "fractions"), (False, "floats")):
        found = play_values(spec, exact=exact, plays=20, most=5_000)
        assert (found.method, found.from_plays) == (method, {"a"})
        assert found.means["a"] == Fraction(2**20 - 1, 2)
        assert found.rounded.isdisjoint({"a"}) == exact


def test_something_is_known_at_once():
    spec = published("prover_estimator", step=1)
    begun = time.monotonic()
    found = play_values(spec, seconds=0.1)
    assert time.monotonic() - begun < 1
    assert found.method in ("sampled", "bounds")
    for seat in spec.seat_names:
        low, high = found.interval(seat)
        least, most = found.bounds[seat]
        assert least <= low <= high <= most
    low, high = play_values(published("jury")).interval("juror1")
    assert low == high == Fraction(7, 27)


def test_another_thread_ends_the_work():
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(StoppedError, match="cancelled"):
        play_values(published("prover_estimator", step=1), cancelled=cancelled)


def means_alone(spec, seat, **more):
    """Return the mean and the variance of a seat's pay from a pass without distributions."""
    factors = {
        number: factor
        for number, rule in enumerate(spec.pay)
        for to, factor in rule.to
        if to == seat
    }
    limit = Limit(spec.name, None)
    found = Forward(spec, GivenPlay(spec), Result(factors), limit, whole=False, **more)
    return found.mean, found.square - found.mean**2


@each("name", [name for name in PUBLISHED if name not in ("market_making", "trusted_monitor")])
def test_means_are_the_same_without_distributions(name):
    settings = {"step": 50, "depth": 2} if name.startswith("prover_estimator") else {}
    spec = published(name, **settings)
    found = play_values(spec)
    for seat, mean in found.means.items():
        is_exact = isinstance(mean, Fraction)
        alone = means_alone(spec, seat, exact=is_exact)
        if is_exact:
            assert alone == (mean, found.variances[seat])
        else:
            assert alone == pytest.approx((mean, found.variances[seat]))
