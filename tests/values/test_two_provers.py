"""Tests of contests.py, mechanisms.py, programs.py, rationals.py and reports.py.

Commitments against two provers, and what they share with those against one: brute-force trees,
theorems, and refusals. `test_opposed.py` compares those against one prover with documents.
"""

import dataclasses
import io
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.errors import ModelError, UnsupportedError
from nip_core.spec import PAYOFFS
from nip_core.values import best_mechanism, exact_values, simple_play
from nip_core.values.contests import strictly
from nip_core.values.judged import judged
from nip_core.values.linear import value_at
from nip_core.values.programs import LinearProgram
from nip_core.values.reports import own_opposition, settings_of
from tests.depth import cases, each, exhaustive, first
from tests.growth import seconds
from tests.judges import judge
from tests.values.two_prover_trees import Rules, Solved, played

GROUPS = {
    "debate": "debate_protocol",
    "mnip": "mnip_protocol",
    "mnip_together": "mnip_protocol",
    "nip": "nip_protocol",
}
TWO = ("mnip", "mnip_together", "debate", "merlin_arthur")


def handler_of(name, rounds=4, least=1, sequential=False, prover0_first=True, **common):
    own = {"max_message_rounds": rounds, "min_message_rounds": least}
    if name != "nip":
        own |= {"sequential": sequential, "prover0_first": prover0_first}
    chosen = HyperParameters(
        interaction_protocol=name,
        **({GROUPS[name]: own} if name in GROUPS else {}),
        protocol_common=common,
    )
    return build_protocol_handler(chosen, ExperimentSettings())


SHARES = st.integers(0, 8).map(lambda n: Fraction(n, 8))
ACCURACIES = st.sampled_from([Fraction(1), Fraction(4, 5), Fraction(3, 5), Fraction(1, 2)])


@st.composite
def chances(draw):
    return {
        "prior": draw(SHARES),
        "prover_accuracy": (draw(ACCURACIES), draw(ACCURACIES)),
        "verifier_accuracy": draw(st.sampled_from([Fraction(1, 2), Fraction(3, 5)])),
    }


def heard_by(name, known):
    """Return chances with as many accuracies as the protocol has provers."""
    return known | {"prover_accuracy": known["prover_accuracy"][0]} if name == "nip" else known


payoffs = st.fixed_dictionaries({key: st.integers(-4, 4).map(lambda n: n / 4) for key in PAYOFFS})


# -- against the whole tree ------------------------------------------------------------------------


@st.composite
def small_games(draw, names=TWO, in_turn=False, longest=4):
    """Draw a protocol, and the same rules for the reference."""
    name = draw(st.sampled_from(names))
    is_first = draw(st.booleans())
    paid, known = draw(payoffs), draw(chances())
    shared = draw(st.sampled_from([False, False, False, True]))
    # Provers that speak twice have thousands of plans.
    usual = list(range(2, longest + is_first))
    most = [2] if name == "merlin_arthur" else [4] if in_turn else usual
    rounds, least = draw(st.sampled_from(most)), draw(st.integers(1, 2))
    order = {"sequential": in_turn, "prover0_first": draw(st.booleans())}
    common = {**paid, "shared_reward": shared, "verifier_first": is_first}
    if name == "merlin_arthur":
        order, least = {}, 1
    handler = handler_of(name, rounds, least, **order, **common)
    prover, right, wrong, terminated, go_on = (paid[key] for key in PAYOFFS)
    rules = Rules(
        name=name,
        rounds=rounds,
        first_counting=least - 1,
        verifier_first=is_first,
        right=right,
        wrong=wrong,
        terminated=terminated,
        go_on=go_on,
        prover=prover,
        shared=shared,
        prior=known["prior"],
        accuracies=known["prover_accuracy"],
        verifier_accuracy=known["verifier_accuracy"],
        **order,
    )
    return handler, known, rules


def near(value):
    return pytest.approx(value, abs=1e-6)


def words_enough(rules):
    """In Merlin-Arthur, one message says who speaks and what it knows."""
    signals = [1 if accuracy == Fraction(1, 2) else 2 for accuracy in rules.accuracies]
    one_channel = math.prod(signals) if rules.sharing else sum(signals)
    return max(2, one_channel) if rules.name == "merlin_arthur" else 2


@settings(max_examples=cases(160), deadline=None)
@given(small_games(names=TWO[:3]))
def test_values_are_those_of_the_tree(game):
    compare_with_the_tree(*game)


@settings(max_examples=cases(16), deadline=None)
@given(small_games(names=("merlin_arthur",)))
def test_values_of_one_unnamed_speaker_are_those_of_the_tree(game):
    compare_with_the_tree(*game)


def compare_with_the_tree(handler, known, rules):
    tree = Solved(dataclasses.replace(rules, words=words_enough(rules)))
    alone = best_mechanism(handler, pessimistic=False, **known)
    assert alone.is_exact
    assert float(alone.value) == near(tree.equilibrium())
    assert float(alone.safe_value) == near(tree.safe())
    for pessimistic in (False, True):
        found = best_mechanism(handler, pessimistic=pessimistic, opposition="team", **known)
        assert found.is_exact
        assert float(found.value) == near(tree.team(pessimistic=pessimistic))


@settings(max_examples=cases(8), deadline=None)
@given(small_games(names=("mnip", "debate")), st.booleans())
def test_values_against_a_team_that_shares_its_signals_are_those_of_the_tree(game, pessimistic):
    handler, known, rules = game
    found = best_mechanism(handler, pessimistic=pessimistic, opposition="sharing", **known)
    tree = Solved(dataclasses.replace(rules, sharing=True))
    assert found.is_exact
    assert float(found.value) == near(tree.team(pessimistic=pessimistic))


@settings(max_examples=cases(24), deadline=None)
@given(small_games(names=TWO[:3], in_turn=True))
def test_where_one_prover_hears_the_other_the_tree_lies_between_the_bounds(game):
    handler, known, rules = game
    tree = Solved(rules)

    def lies_between(value, **more):
        found = best_mechanism(handler, **more, **known)
        assert float(found.value) - 1e-6 <= value <= float(found.at_most) + 1e-6
        assert found.is_exact or rules.name != "mnip"

    lies_between(tree.equilibrium(), pessimistic=False)
    for pessimistic in (False, True):
        value = tree.team(pessimistic=pessimistic)
        lies_between(value, pessimistic=pessimistic, opposition="team")


# -- strategies ------------------------------------------------------------------------------------


def reports_of(rules, opposition):
    """Return what the provers can report: possible reports first, each by variant and signals."""
    # An impossible report is treated as a possible one.
    worlds = [(variant, signals) for _, variant, signals, _, _ in rules.worlds()]
    if opposition == "sharing":
        maps = maps_of({signals for _, signals in worlds})
        return [lambda _, signals, m=m: m[signals] for m in maps]
    if rules.name == "merlin_arthur":
        maps = maps_of({(f"prover{who}", signals[who]) for who, signals in worlds})
        return [lambda who, signals, m=m: m[f"prover{who}", signals[who]] for m in maps]
    pairs = itertools.product(*(maps_of({s[who] for _, s in worlds}) for who in (0, 1)))
    return [lambda _, s, f=f, g=g: (f[s[0]], g[s[1]]) for f, g in pairs]


def maps_of(types):
    """Return all ways to report one thing for another; the first is the truth."""
    types = sorted(types, key=repr)
    everything = itertools.product(types, repeat=len(types))
    maps = [dict(zip(types, said, strict=True)) for said in everything]
    return sorted(maps, key=lambda m: [m[t] != t for t in types] != [False] * len(types))


@settings(max_examples=cases(100), deadline=None)
@given(
    small_games() | small_games(names=TWO[:3], in_turn=True),
    st.sampled_from([None, "team", "sharing"]),
    st.booleans(),
)
def test_a_strategy_has_its_stated_value(game, opposition, pessimistic):
    handler, known, rules = game
    found = best_mechanism(handler, pessimistic=pessimistic, opposition=opposition, **known)
    (verifier, *provers), accepted = played(rules, found.stops, reports_of(rules, opposition)[0])
    # A pessimistic value is the worst over replies that pay the provers the same.
    assert float(found.value) <= verifier + 1e-9
    assert pessimistic or float(found.value) == near(verifier)
    assert [float(each) for each in found.prover_values] == near(provers)
    shares = {1: rules.prior, 0: 1 - rules.prior}
    for label, said in ((1, found.completeness), (0, found.soundness_error)):
        assert (said is None) == (shares[label] == 0)
        assert said is None or float(said * shares[label]) == near(accepted[label])
    assert found.worst_value <= found.value <= found.at_most


@settings(max_examples=cases(24), deadline=None)
@given(small_games(), st.sampled_from([None, "team", "sharing"]), st.booleans())
def test_no_report_is_worse_than_stated(game, opposition, pessimistic):
    handler, known, rules = game
    found = best_mechanism(handler, pessimistic=pessimistic, opposition=opposition, **known)
    every = [played(rules, found.stops, report)[0] for report in reports_of(rules, opposition)]
    assert float(found.worst_value) == near(min(verifier for verifier, *_ in every))
    if pessimistic and found.attained and opposition is not None:
        most = max(first + second for _, first, second in every)
        best = [verifier for verifier, *pays in every if sum(pays) >= most - 1e-9]
        assert min(best) == near(float(found.value))


def equilibria_of(rules, stops):
    """Yield the pure equilibria of two provers against a strategy, as what each pays all three."""
    known = [{signals[who] for _, _, signals, _, _ in rules.worlds()} for who in (0, 1)]
    counts = [len(maps_of(types)) for types in known]
    pays = [played(rules, stops, report)[0] for report in reports_of(rules, None)]
    table = np.array(pays).reshape(*counts, 3)
    for i, j in np.ndindex(*counts):
        if (
            table[i, j, 1] >= table[:, j, 1].max() - 1e-9
            and table[i, j, 2] >= table[i, :, 2].max() - 1e-9
        ):
            yield table[i, j]


@settings(max_examples=cases(30), deadline=None)
@given(small_games(names=("mnip", "debate")))
def test_the_best_equilibrium_is_one_and_every_one_is_worth_the_lower_bound(game):
    handler, known, rules = game
    best = best_mechanism(handler, pessimistic=False, **known)
    values = [pays[0] for pays in equilibria_of(rules, best.stops)]
    assert min(abs(value - float(best.value)) for value in values) < 1e-6
    low = best_mechanism(handler, pessimistic=True, **known)
    assert low.safe_value <= low.value <= low.at_most == best.value
    if low.attained:
        values = [pays[0] for pays in equilibria_of(rules, low.stops)]
        assert min(values) >= float(low.value) - 1e-6


@each("accuracy", [Fraction(4, 5), Fraction(3, 5)])
@each("name", ["mnip", "debate"])
def test_gambit_finds_no_equilibrium_beside_the_forced_one(name, accuracy):
    common = dict(zip(PAYOFFS, (1.0, 1.0, -2.0, -1.0, -0.05), strict=True))
    handler = handler_of(name, **common)
    known = Fraction(2, 5), (accuracy, Fraction(4, 5)), Fraction(3, 5)
    setting, _ = settings_of(judged(handler), own_opposition(judged(handler)), *known)
    program = LinearProgram(setting)
    # True reports are strictly better for one prover, and then for the other one.
    gains = [*program.gains(0, dominant=True), *program.gains(1)]
    at = strictly(gains, program.floors, program.size).at
    plans = list(program.joint_plans())
    assert len(plans) == 16
    # Gambit numbers the strategies of the first player first.
    pays = [
        value_at(program.worth((seat,), plans[4 * i + j]), at)
        for j, i, seat in itertools.product(range(4), range(4), (1, 2))
    ]
    text = f'NFG 1 R "forced" {{ "0" "1" }} {{ 4 4 }}\n\n{" ".join(map(str, pays))}'
    theirs = judge("pygambit").read_nfg(io.BytesIO(text.encode()))
    found = judge("pygambit").nash.enummixed_solve(theirs, rational=True).equilibria
    assert len(found) == 1
    paid = [Fraction(int(v.numerator), int(v.denominator)) for _, v in found[0].payoffs]
    assert paid == [value_at(program.worth((seat,)), at) for seat in (1, 2)]


# -- theorems --------------------------------------------------------------------------------------


@settings(max_examples=cases(30), deadline=None)
@given(payoffs, chances(), st.booleans())
def test_a_second_prover_never_lowers_the_value_of_a_verifier_who_commits(paid, known, pessimistic):
    first, _ = known["prover_accuracy"]
    both = best_mechanism(handler_of("mnip", **paid), pessimistic=pessimistic, **known)
    alone = heard_by("nip", known)
    one = best_mechanism(handler_of("nip", **paid), pessimistic=pessimistic, **alone)
    assert both.value >= one.value >= one.safe_value == both.safe_value
    uninformed = {**known, "prover_accuracy": (first, Fraction(1, 2))}
    beside = best_mechanism(handler_of("mnip", **paid), pessimistic=pessimistic, **uninformed)
    assert beside.value == one.value


# -- what is refused -------------------------------------------------------------------------------


def test_an_opposition_that_contradicts_the_protocol_is_refused():
    with pytest.raises(ModelError, match="'opposed'; for 'mnip' it must be one of 'independent'"):
        best_mechanism(handler_of("mnip"), pessimistic=True, opposition="opposed")
    with pytest.raises(ModelError, match=r"two provers; 'nip' has 1 prover\. It must be None"):
        best_mechanism(handler_of("nip"), pessimistic=True, opposition="team")
    with pytest.raises(ModelError, match=r"'teem'.*Did you mean 'team'"):
        best_mechanism(handler_of("mnip"), pessimistic=True, opposition="teem")


def test_accuracies_must_be_as_many_as_provers():
    with pytest.raises(ModelError, match="a pair; 'nip' has 1 provers"):
        best_mechanism(handler_of("nip"), pessimistic=True, prover_accuracy=(1, 1))
    for wrong in ((1,), (1, 1, 1), (1, 2), (1, None)):
        message = "prover_accuracy" if len(wrong) == 2 else "or a pair of them for two provers"
        with pytest.raises(ModelError, match=message):
            best_mechanism(handler_of("mnip"), pessimistic=True, prover_accuracy=wrong)


def test_more_provers_are_refused_with_the_reason():
    with pytest.raises(UnsupportedError, match="there are 3 provers"):
        best_mechanism("multi_channel_test", pessimistic=True)


@settings(max_examples=cases(40), deadline=None)
@given(
    payoffs,
    chances(),
    st.sampled_from(
        [("nip", None), ("mnip", None), ("mnip", "team"), ("debate", None), ("mnip", "sharing")]
    ),
    st.booleans(),
)
def test_where_waiting_is_free_more_rounds_are_worth_no_less(paid, known, faced, pessimistic):
    name, opposition = faced
    known = heard_by(name, known)
    free = {**paid, "verifier_no_guess_reward": 0.0}
    found = [
        best_mechanism(
            handler_of(name, n, **free), pessimistic=pessimistic, opposition=opposition, **known
        ).value
        for n in (1, 3, 4, 6, 7)
    ]
    assert found == sorted(found)


@settings(max_examples=cases(20), deadline=None)
@given(
    payoffs,
    chances(),
    st.sampled_from([("nip", None), *itertools.product(TWO, (None, "team", "sharing"))]),
    st.booleans(),
    st.integers(-12, 12),
)
def test_the_unit_of_payoffs_changes_nothing(paid, known, faced, pessimistic, power):
    name, opposition = faced
    known = heard_by(name, known)

    def found(unit):
        scaled = {key: float(Fraction(amount) * unit) for key, amount in paid.items()}
        return best_mechanism(
            handler_of(name, **scaled), pessimistic=pessimistic, opposition=opposition, **known
        )

    unit = Fraction(10) ** power
    plain, scaled = found(Fraction(1)), found(unit)
    assert (scaled.stops, scaled.attained) == (plain.stops, plain.attained)
    for field in ("value", "at_most", "safe_value", "worst_value"):
        assert getattr(scaled, field) == unit * getattr(plain, field)


def test_the_unit_of_one_provers_payoffs_changes_nothing():
    common = {"verifier_incorrect_penalty": -2.0, "verifier_no_guess_reward": -0.05}
    known = {"prior": Fraction(2, 5), "prover_accuracy": (0.8, 0.7), "verifier_accuracy": 0.6}
    found = {
        best_mechanism(
            handler_of("mnip", prover_reward=unit, **common), pessimistic=False, **known
        ).value
        for unit in (1e-12, 1e-6, 1.0, 1e6, 1e12)
    }
    assert len(found) == 1


@pytest.mark.parametrize("name", first(1, TWO[:3]))
def test_a_thousand_rounds_are_a_program_of_the_same_size(name):
    known = {"prior": Fraction(2, 5), "prover_accuracy": 0.8, "verifier_accuracy": 0.6}
    common = {"verifier_incorrect_penalty": -2.0, "verifier_no_guess_reward": -0.001}

    def program(rounds):
        handler = handler_of(name, rounds, **common)
        chances = Fraction(2, 5), (Fraction(4, 5),) * 2, Fraction(3, 5)
        return LinearProgram(
            settings_of(judged(handler), own_opposition(judged(handler)), *chances)[0]
        )

    assert program(1000).size == program(12).size
    for opposition in (None, "team", "sharing"):
        handler = handler_of(name, 1000, **common)
        found = best_mechanism(handler, pessimistic=False, opposition=opposition, **known)
        assert found.safe_value < found.value <= 1


def test_provers_whose_side_is_drawn_are_refused_with_the_remedy():
    drawn = HyperParameters(
        "code_validation",
        interaction_protocol="mnip",
        protocol_common={"randomize_prover_stance": True},
    )
    with pytest.raises(UnsupportedError, match="Set randomize_prover_stance to False"):
        best_mechanism(drawn, pessimistic=False)


def test_programs_that_are_too_large_are_refused_with_their_size(monkeypatch):
    monkeypatch.setattr("nip_core.values.programs.MOST_ENTRIES", 10)
    for pessimistic, opposition in itertools.product((False, True), (None, "team", "sharing")):
        with pytest.raises(
            UnsupportedError, match=r"\d+ chances and \d+ rows.*up to 10\. Take fewer rounds, or"
        ):
            best_mechanism(handler_of("mnip"), pessimistic=pessimistic, opposition=opposition)


# -- one prover -----------------------------------------------------------------------------------


def test_too_many_rounds_are_refused_with_the_remedy():
    with pytest.raises(UnsupportedError, match=r"1,001 rounds.*up to 1,000. Take fewer"):
        best_mechanism(handler_of("nip", 1001), pessimistic=False)


HARD = {"prior": Fraction(2, 5), "prover_accuracy": 0.8, "verifier_accuracy": 0.6}


@exhaustive
def test_a_thousand_rounds_take_time_in_proportion():
    def run(rounds):
        handler = handler_of("nip", rounds, shared_reward=True, verifier_no_guess_reward=-0.001)
        best_mechanism(handler, pessimistic=True, **HARD)

    # Four times the rounds; linear programming costs somewhat more than that.
    assert seconds(lambda: run(1000)) < 12 * seconds(lambda: run(250))


def test_a_strategy_says_what_happens_in_each_round_that_is_reached():
    handler = handler_of("nip", 4, shared_reward=True, verifier_no_guess_reward=0.0)
    found = best_mechanism(handler, pessimistic=True, prior=0.5, prover_accuracy=1)
    assert found.value == 1
    assert (found.completeness, found.soundness_error) == (1, 0)
    assert all(min(a, b) >= 0 and a + b <= 1 for a, b in found.stops.values())
    last = {report: stop for (_, report, r), stop in found.stops.items() if report is not None}
    assert last == {0: (1, 0), 1: (0, 1)}


def test_an_impossible_label_has_no_share():
    found = best_mechanism(handler_of("nip", 3), pessimistic=False, prior=1)
    assert (found.completeness, found.soundness_error) == (1, None)


def test_any_play_has_completeness_and_soundness_error():
    handler = handler_of("nip", 6)
    play = simple_play(handler.spec, decides=0.5, accepts_true=0.9, accepts_false=0.2, prior=0.3)
    values = exact_values(handler, play)
    turns = sum(handler.spec.may_decide(r) for r in range(6))
    decided = 1 - 0.5**turns
    assert values.completeness == pytest.approx(0.9 * decided)
    assert values.soundness_error == pytest.approx(0.2 * decided)
    sure = dataclasses.replace(play, prior=1.0)
    assert math.isnan(exact_values(handler, sure).soundness_error)
    assert np.isclose(exact_values(handler, sure).completeness, values.completeness)
