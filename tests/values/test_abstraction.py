"""Tests of abstraction.py and evidence.py: messages as choices to show evidence or to hold back."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import protocol_names, published_names, specification
from nip_core.errors import ModelError
from nip_core.language import GivenPlay, Habit, Specification, load_specification
from nip_core.values import Abstracted, Evidence, abstracted, play_values
from tests.depth import cases, each
from tests.language.strategies import accepted, documents, judged_documents

ALL = (*published_names(), *protocol_names())
MODELS = (
    Evidence(),
    Evidence(shows=1, fakes=1),
    Evidence(fresh="1/4", knows="2/3", repeat=True, prior="1/3"),
)
# The others take seconds each.
QUICK = (
    *("single_critique", "khan_debate", "open_debate", "jury", "trusted_monitor", "nip", "mnip"),
    *("legible_prover", "graph_nonisomorphism", "iterated_amplification"),
)


def check_abstracted(spec: Specification, evidence: Evidence) -> Abstracted:
    found = abstracted(spec, evidence)
    made = found.spec
    assert Specification.from_dict(made.to_dict()) == made
    assert {choice.name for choice in spec.choices} <= {*made.options}
    assert made.seat_names == spec.seat_names
    assert [s.name for s in made.stages] == [s.name for s in spec.stages]
    assert bool(found.reason) == (found.kind == "none") or found.spec == spec
    for trusting in (False, True):
        for mistakes in (0, "1/1000"):
            GivenPlay(made, found.honest(mistakes=mistakes, trusting=trusting))
    return found


@each("name", ALL)
def test_every_protocol_has_a_document_with_evidence(name):
    spec = specification(name)
    before = {(remark.code, remark.message) for remark in spec.lint() if remark.tone == "warning"}
    for evidence in MODELS:
        found = check_abstracted(spec, evidence)
        assert not found.reason or name in ("market_making", "refereed_delegation")
        if evidence == Evidence() and name != "merlin_arthur":
            after = [remark for remark in found.spec.lint() if remark.tone == "warning"]
            assert {(remark.code, remark.message) for remark in after} <= before


@each("name", QUICK)
def test_evidence_changes_nothing_in_random_play(name):
    spec = specification(name)
    before = play_values(spec)
    for evidence in MODELS[:2]:
        after = play_values(abstracted(spec, evidence).spec)
        assert (after.method, after.means) == ("fractions", before.means)
        assert after.verdicts == before.verdicts


@settings(max_examples=cases(200), deadline=None)
@given(st.one_of(documents(), judged_documents()), st.sampled_from(MODELS))
def test_evidence_changes_nothing_in_random_play_of_random_protocols(document, evidence):
    spec = accepted(document)
    found = check_abstracted(spec, evidence)
    before, after = play_values(spec), play_values(found.spec)
    if before.method == after.method == "fractions":
        assert (before.means, before.verdicts) == (after.means, after.verdicts)


# -- what the document says ------------------------------------------------------------------------


def test_a_message_of_somebody_with_a_side_shows_evidence_or_holds_back():
    found = abstracted(specification("khan_debate"))
    assert found.kind == "fact"
    assert (found.truth, found.answers) == ("truth", ("A", "B"))
    assert (found.experts, found.deciders) == (("alice", "bob"), ("judge",))
    spec = found.spec
    assert spec.choice("message_alice").options == ("holds", "shows")
    assert spec.choice("message_alice").seen == (("bob", "start"), ("judge", "start"))
    titles = dict(spec.titles)
    assert titles["evidence_alice_for_A"] == "evidence of debater A for A"
    assert (titles["shows"], titles["holds"]) == ("shows evidence", "holds back")
    # Only those who know see the truth, and only the speaker sees its evidence.
    assert dict(spec.choice("truth").seen) == {"alice": "start", "bob": "start", "judge": "end"}
    assert spec.choice("evidence_alice_for_A").seen == (("alice", "start"),)


def test_a_message_of_somebody_without_a_side_shows_evidence_for_any_answer():
    found = abstracted(specification("single_critique"))
    message = found.spec.choice("message_critic")
    assert message.options == ("for_reject", "for_accept", "nothing")
    (_, acts, _) = (turn.acts for turn in found.spec.stages[0].turns)
    assert [dict(act.choose)["message_critic"] for act in acts] == [
        ("for_reject", "for_accept", "nothing"),
        ("for_accept", "nothing"),
        ("for_reject", "nothing"),
        ("nothing",),
    ]
    assert found.claims == ("finding",)


def test_what_can_be_shown_is_what_was_drawn():
    spec = abstracted(specification("khan_debate")).spec
    for act in spec.stages[0].turns[0].acts:
        other = "evidence_alice_for_A" if act.seat == "alice" else "evidence_bob_for_B"
        options = dict(act.choose)[f"message_{act.seat}"]
        assert options == (("holds", "shows") if act.when != "true" else ("holds",))
        assert act.when in (f"({other} = yes)", "true")


def test_cheap_talk_needs_no_evidence():
    spec = abstracted(specification("nip"), Evidence(shows=1, fakes=1, own="1/2")).spec
    assert {*spec.options} - {*specification("nip").options} == {"message_prover"}
    # A prover that says what is true, and a verifier that believes it, are always right.
    honest = {"shows": "1 if truth = accept else 0", "holds": "1 if truth = reject else 0"}
    believing = {"accept": "1 if message_prover = shows else 0", "reject": "1"}
    believing["reject"] = "1 if message_prover = holds else 0"
    believing["wait"] = "1 if message_prover = none else 0"
    found = play_values(spec, [Habit("message_prover", honest), Habit("verdict", believing)])
    assert found.means["verifier"] == 1


def test_an_act_that_is_the_truth_looks_well_or_badly():
    found = abstracted(specification("trusted_monitor"))
    assert (found.kind, found.truths, found.experts) == ("act", ("intent",), ("auditor",))
    assert found.looks == (("intent", "looks_intent"),)
    assert not found.compared
    look = found.spec.choice("looks_intent")
    assert look.weights[0] == "(4 / 5 if intent = harmless else 2 / 5)"
    assert dict(look.seen) == {"monitor": "start", "auditor": "start"}
    # Of three drafts, each looks as it is.
    several = abstracted(specification("defer_to_resample"))
    assert [act for act, _ in several.looks] == ["intent_1", "intent_2", "intent_3"]
    # What the score estimates is the good answer, although it stands second.
    kept = abstracted(specification("decoupled_prover")).spec.choice("looks_answer")
    assert kept.weights[0] == "(4 / 5 if answer = kept else 2 / 5)"


def test_where_a_judges_word_is_the_truth_the_truth_comes_first():
    found = abstracted(specification("prover_estimator"))
    assert (found.kind, found.truth, found.compared) == ("word", "truth", False)
    assert found.spec.choice("truth").by == "chance"
    word = next(habit for habit in found.honest() if habit.choice == "leaf")
    assert word.weights == {
        "fails": "1 if truth = fails else 0",
        "holds": "1 if truth = holds else 0",
    }


def test_judges_have_an_impression_of_their_own():
    spec = abstracted(specification("jury"), Evidence(own="0.7")).spec
    assert spec.choice("signal_juror2").seen == (("juror2", "start"),)
    assert spec.choice("signal_juror2").weights[0] == "7 / 10 if truth = A else 3 / 10"
    nothing = abstracted(specification("jury"), Evidence(own="1/2")).spec
    assert "signal_juror2" not in nothing.options


def test_experts_may_be_wrong():
    found = abstracted(specification("single_critique"), Evidence(knows="3/4"))
    assert found.beliefs == {"proposer": "signal_proposer", "critic": "signal_critic"}
    finding = next(h for h in found.honest(trusting=True) if h.choice == "finding")
    assert finding.weights["flawed"] == "1 if signal_critic = reject else 0"
    assert abstracted(specification("single_critique"), Evidence(knows="1/2")).beliefs == {}


def test_fresh_evidence_is_drawn_before_each_message():
    spec = abstracted(specification("khan_debate"), Evidence(fresh="1/4")).spec
    first, second = spec.stages[0].turns
    assert [act.seat for act in first.acts] == ["chance"]
    assert {act.seat for act in second.acts} == {"alice", "bob"}


def test_heard_evidence_can_be_repeated():
    found = abstracted(specification("mnip"), Evidence(repeat=True))
    assert not found.spec.values, "the provers do not read each other"
    spec = abstracted(specification("mnip_together"), Evidence(repeat=True)).spec
    whens = {act.when for _, _, act in spec.acts() if act.seat == "prover0"}
    assert "(evidence_prover0_for_accept = yes or heard_message_prover1_accept = 1)" in whens


def test_a_prior_is_a_habit_of_the_task():
    found = abstracted(specification("nip"), Evidence(prior="0.2"))
    (prior,) = (habit for habit in found.honest() if habit.choice == "truth")
    assert prior.weights == {"reject": "4 / 5", "accept": "1 / 5"}


def test_no_claim_is_taken_from_what_is_compared_with_something_else():
    assert abstracted(specification("graph_nonisomorphism")).claims == ()
    assert abstracted(specification("prover_estimator_recursive")).claims == ()


@each(("name", "reason"), [("market_making", "nothing says what is true")])
def test_a_reason_is_given_where_nothing_can_be_said(name, reason):
    found = abstracted(specification(name))
    assert (found.reason, found.spec) == (reason, specification(name))
    assert (found.experts, found.honest()) == ((), ())


@each("value", [-1, 2, "x", True, None, float("nan")])
def test_wrong_chances_are_refused(value):
    with pytest.raises(ModelError, match=r"'shows' is .*; it must be a number from 0 to 1"):
        Evidence(shows=value)


def test_decimals_are_what_they_look_like():
    assert Evidence(shows=0.8).shows == Fraction(4, 5)


FIVE = """
name = "five"
verdict = "ruling"

[seats.expert]
[seats.judge]

[parts.question]
seen = "start"

[channels.main]
seen = "start"

[choices.answer]
by = "task"
options = ["a1", "a2", "a3", "a4", "a5"]
seen = "end"

[choices.ruling]
by = "judge"
options = ["a1", "a2", "a3", "a4", "a5"]
seen = "start"

[[stages]]
name = "main_part"
[[stages.turns]]
expert = { say = "main" }
[[stages.turns]]
judge = { choose = "ruling" }

[[pay]]
to = { judge = 1 }
amount = "1 if ruling = answer else 0"
"""


def test_evidence_for_many_answers_is_refused_with_a_reason():
    found = abstracted(load_specification(FIVE))
    assert "evidence for 5 answers cannot be told apart" in found.reason
