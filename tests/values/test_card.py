"""Tests of protocol_card.py, card_lines.py, readings.py and honesty.py: eight lines for each."""

import dataclasses
import json
import threading
from fractions import Fraction
from functools import partial
from unittest.mock import Mock

import pytest

from nip_core import Episode, protocol_names, published_names, specification
from nip_core.language import Habit, from_version_1
from nip_core.language.data import Turn
from nip_core.registry import protocol_spec
from nip_core.transcript import dumps
from nip_core.values import Evidence, Reading, abstracted, best_pay, card, card_lines, cards
from nip_core.values.commitment import commitments
from nip_core.values.features import amount_of
from nip_core.values.honesty import Honesty, NotComputedError, chance_of
from nip_core.values.replies import best_reply
from tests.depth import each

KEYS = (
    *("random", "honest", "errors", "advantage", "one", "together", "equilibrium", "guaranteed"),
)
SCEPTICAL, TRUSTING, EITHER = "sceptical judge", "trusting judge", "either judge"
# What the design measured: how often the judge is right, own 1/2 and 3/5; then what the expert with
# the best other plan gains, and how often the judge is right then, own 1/2.
RIGHT = {
    "khan_consultancy": (0.7, 0.7, 0, 0.7),
    "khan_debate": (0.7, 0.744, 0, 0.7),
    "khan_debate_interactive": (0.7, 0.744, 0, 0.7),
    "khan_debate_sequential": (0.7, 0.744, 0, 0.7),
    "debate": (0.7, 0.744, 0, 0.7),
    "open_consultancy": (0.7, 0.7, 0.28, 0.48),
    "open_debate": (0.7, 0.744, 0.632, 0.652),
    "single_critique": (0.732, 0.748, 0.256, 0.86),
    "critique_rebuttal": (0.732, 0.748, 0.256, 0.86),
    "nip": (0.7, 0.7, 0, 0.7),
    "adp": (0.7, 0.7, 0, 0.7),
    "merlin_arthur": (0.7, 0.7, 0, 0.7),
    "mnip": (0.74, 0.74, 0, 0.74),
    "mnip_together": (0.74, 0.74, 0, 0.74),
    "jury": (0.7, 0.765, 0, 0.7),
    "solo_verifier": (0.5, 0.6, 0, 0.5),
}
# The others take seconds.
SLOW = (
    *("doubly_efficient_debate", "jury_mean", "market_making", "michael_consultancy"),
    *("michael_debate", "multi_channel_test", "peer_prediction", "prover_estimator"),
    *("prover_estimator_recursive", "wagered_debate", "audit_by_maximum", "legible_prover"),
    *("defer_to_resample", "refereed_delegation", "untrusted_monitoring", "decoupled_prover"),
)
ALL = (*published_names(), *protocol_names())


def play_of(name, *, trusting=False, **evidence):
    return Honesty(abstracted(specification(name), Evidence(**evidence)), trusting=trusting)


def right(play):
    return amount_of(play.bad, play.verdicts)


# -- the numbers -----------------------------------------------------------------------------------


@each(("name", "row"), RIGHT.items())
def test_what_the_design_measured_comes_out(name, row):
    nothing, something, most, then = row
    play = play_of(name, own="1/2")
    assert float(right(play)) == pytest.approx(nothing, abs=1e-9)
    assert float(right(play_of(name))) == pytest.approx(something, abs=2e-4)
    if play.game.knowing:
        seat = max(play.game.knowing, key=play.gain)
        assert float(play.gain(seat)) == pytest.approx(most, abs=1e-9)
        worst = amount_of(play.bad, play.reply(seat).features)
        assert float(worst) == pytest.approx(then, abs=1e-9)


@each("name", ["open_consultancy", "open_debate"])
def test_a_trusting_judge_believes_a_choice_of_sides_and_is_lied_to_for_nothing(name):
    play = play_of(name, trusting=True, own="1/2")
    assert right(play) == 1
    seat = play.game.knowing[0]
    assert (play.gain(seat), amount_of(play.bad, play.reply(seat).features)) == (0, 0)
    assert play.gaining == ()


def test_an_expert_that_does_not_care_costs_the_judge_no_more_than_it_can():
    play = play_of("trusted_monitor", own="1/2")
    assert not play.game.compared
    honest = amount_of(play.bad, play.measured(*play.bad))
    for seat in play.game.knowing:
        assert 0 < amount_of(play.bad, play.reply(seat).features) <= honest


def test_a_trusting_judge_believes_what_a_critic_finds():
    """That is a claim: sound or flawed is accept or reject. So the critic's evidence adds nothing.

    A judge that believes only what the critic shows is right with chance 0.96 at most.
    """
    assert right(play_of("single_critique", trusting=True, own="1/2")) == 1


@each("name", ["khan_debate", "debate", "jury", "open_debate", "solo_verifier", "mnip"])
def test_no_truth_is_favoured_where_judges_do_not_care(name):
    play = play_of(name, own="1/2")
    assert right(play) == amount_of(play.bad, play.measured(*play.bad))
    first = play.game.first_answer
    rates = [chance_of(play.verdicts, first, play.game, is_first=is_first) for is_first in (1, 0)]
    if name != "mnip":  # Only this one has provers of one side.
        assert sum(rates) == 1
    assert rates[0] > rates[1] or name == "solo_verifier"


def one_after_the_other(spec):
    """Return a protocol in which provers that speak in one turn do so in two."""
    stages = []
    for stage in spec.stages:
        turns = []
        for turn in stage.turns:
            acts = turn.acts
            apart = len(acts) == 2 and all(act.seat.startswith("prover") for act in acts)
            turns += [Turn(acts[:1]), Turn(acts[1:], turn.then)] if apart else [turn]
        stages.append(dataclasses.replace(stage, turns=tuple(turns)))
    return spec.replace(stages=tuple(stages))


@each(
    ("name", "repeat", "value"),
    [("mnip", True, 0.74), ("mnip_together", False, 0.74), ("mnip_together", True, 0.7)],
)
def test_isolation_is_worth_a_prover_if_what_was_heard_can_be_repeated(name, repeat, value):
    spec = one_after_the_other(specification(name))
    play = Honesty(abstracted(spec, Evidence(repeat=repeat)), trusting=False)
    assert float(right(play)) == pytest.approx(value, abs=1e-9)


def test_fresh_evidence_makes_debate_better_than_consultancy():
    names = ("khan_debate", "khan_consultancy")
    values = [float(right(play_of(name, own="1/2", fresh=1))) for name in names]
    assert values == pytest.approx([0.84, 0.77], abs=0.01)


@each(("rounds", "value"), [(3, Fraction(5, 12)), (5, Fraction(11, 24))])
def test_cheap_talk_is_the_model_of_version_1(rounds, value):
    """Its best reply to a verifier that does everything equally often, asking in two ways."""
    spec = from_version_1(protocol_spec("nip").replace(max_message_rounds=rounds))
    game = abstracted(spec, Evidence(shows=1, fakes=1, knows="2/3", own="3/4"))
    once = {"reject": 1, "accept": 1, "wait": 1}
    habits = [Habit("verdict", once, stage="part_2"), Habit("verdict", once | {"wait": 2})]
    assert best_reply(game.spec, "prover", habits=habits).value == value


# -- lines -----------------------------------------------------------------------------------------


def check_card(name, seconds=20):
    found = card(specification(name), seconds=seconds)
    assert tuple(one.key for one in found.lines) == KEYS
    for one in found.lines:
        assert one.sentence.endswith(".")
        assert one.readings, one.key
        for reading in one.readings:
            assert reading.said
            assert "Traceback" not in reading.said
            if reading.how == "interval":
                assert reading.low <= reading.high
    data = json.loads(json.dumps(found.to_dict()))
    assert [one["key"] for one in data["lines"]] == [*KEYS]
    return found


@each("name", [name for name in ALL if name not in SLOW])
def test_every_protocol_has_eight_lines(name, monkeypatch):
    # What can be guaranteed takes as much time as it may.
    too_long = NotComputedError("more than 0 moves")
    monkeypatch.setattr(card_lines._Lines, "guaranteed", Mock(side_effect=too_long))
    found = check_card(name)
    assert not any(
        reading.how == "not computed" for one in found.lines[:-1] for reading in one.readings
    )


@each(
    ("name", "safe", "against", "helping"),
    [
        ("adp", "0.200", "0.400", "0.400"),
        ("single_critique", "0.600", "1.000", "1.000"),
        # Debaters who share what they are paid do not care at all.
        ("khan_debate", "0.600", "0.600", "0.952"),
        ("checkable_answers", "0.600", "0.700", "0.700"),
    ],
)
def test_a_card_says_what_the_judge_can_guarantee(name, safe, against, helping):
    found = card(specification(name))["guaranteed"]
    assert [(reading.what, reading.said) for reading in found.readings] == [
        ("safe value", safe),
        ("best commitment, ties against the judge", against),
        ("best commitment, ties for the judge", helping),
    ]


def test_lines_come_one_by_one():
    found = [*cards(specification("adp"), keys=("errors", "random"))]
    assert [[one.key for one in each.lines] for each in found] == [["random"], ["random", "errors"]]
    assert found[-1] == card(specification("adp"), keys=("random", "errors"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SLOW)
def test_every_large_protocol_has_eight_lines(name):
    # What takes longer is an interval, or says that it was not computed.
    check_card(name, seconds=4)


@each(
    ("name", "key", "said"),
    [
        ("market_making", "honest", "nothing says what is true"),
        ("sum_check", "one", "has no rule that says how the truth follows from other facts"),
        ("graph_nonisomorphism", "errors", "has no rule that says when the prover can find out"),
        ("prover_estimator", "honest", "a judge's word is taken for the truth"),
        ("trusted_monitor", "honest", "has no verdict"),
        ("solo_verifier", "one", "has no seat that knows what is true"),
        ("nip", "together", "has no more than one seat that knows what is true"),
        ("single_critique", "equilibrium", "no: the critic would gain"),
        ("khan_debate", "equilibrium", "yes"),
    ],
)
def test_a_line_says_why_it_has_no_number(name, key, said):
    found = card(specification(name), seconds=30, most=100_000)[key]
    assert found.readings[0].said.startswith(said)


def test_a_card_that_may_take_no_steps_says_so():
    found = card(specification("single_critique"), most=10, keys=("one",))
    assert found["one"].readings[0].said == "not computed: more than 10 steps"


def test_a_cancelled_card_ends_at_once():
    cancelled = threading.Event()
    cancelled.set()
    found = card(specification("multi_channel_test"), cancelled=cancelled, keys=("honest",))
    assert found["honest"].readings[0].said == "not computed: the work was cancelled"


def test_a_card_has_the_digest_of_its_document():
    spec = specification("khan_debate", rounds=1)
    task = {"question": "Who?", "answers": "A: he, B: she", "passage": "He went.", "truth": "A"}
    transcript = json.loads(dumps(Episode(spec, task)))
    assert card(spec, seconds=0.1).digest == transcript["digests"]["protocol"]


def test_readings_are_said_in_words():
    half = Fraction(1, 2)
    assert Reading("x", value=-half).said == "−0.500"
    assert Reading("x", low=0, high=half, how="interval").said == "0.000 to 0.500"
    assert Reading("x", low=0, high=half, how="interval", level=0.95).said.endswith("(95 %)")
    assert Reading("x", how="none", reason="no verdict").said == "has no verdict"
    assert Reading("x", value=half).to_dict() == {
        "what": "x", "how": "exact", "value": 0.5, "exact": "1/2"
    }  # fmt: skip


@each(("name", "judges"), [("khan_debate", {EITHER}), ("open_debate", {SCEPTICAL, TRUSTING})])
def test_both_judges_are_one_where_experts_only_show(name, judges):
    found = card(specification(name), seconds=3)["honest"]
    assert {reading.judge for reading in found.readings} == judges


@each("name", ["single_critique", "open_consultancy", "checkable_answers", "khan_debate", "nip"])
def test_bounds_without_programs_contain_what_programs_find(name, monkeypatch):
    """Where a program is too large, plans that judges have learned bound what it would find."""
    exact = card(specification(name), seconds=20, keys=("guaranteed",))["guaranteed"].readings
    with monkeypatch.context() as patched:
        patched.setattr(card_lines, "commitments", partial(commitments, most=0))
        patched.setattr(card_lines, "opposed", lambda *_, **__: Mock(low=None, high=None))
        rough = card(specification(name), seconds=20, keys=("guaranteed",))["guaranteed"].readings
    for one, other in zip(exact, rough, strict=True):
        assert other.has_value
        low, high = (other.low, other.high) if other.value is None else (other.value, other.value)
        least, most = (one.low, one.high) if one.value is None else (one.value, one.value)
        assert low <= most
        assert least <= high
        if one.value is not None:
            assert low <= one.value <= high


def test_the_best_pay_of_a_judge_is_that_of_its_honest_play():
    """An honest judge plays its best reply; an expert gains what its card says."""
    spec = specification("single_critique")
    found, told = best_pay(spec), card(spec, keys=("honest", "one"))
    honest = told.reading("honest", "pay of the judge", "sceptical judge")
    assert float(found["judge"]) == pytest.approx(float(honest.value), abs=0.002)
    assert {*found} == {"judge", "proposer", "critic"}
    gain = told.reading("one", "gain of the critic", "sceptical judge")
    assert found["critic"] > gain.value


def test_no_best_pay_without_a_rule_for_the_truth():
    assert best_pay(specification("set_size")) == {}
