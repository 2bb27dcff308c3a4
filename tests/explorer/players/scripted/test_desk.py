"""Tests of desk.py and risk.py: what a prover knows about what it was just asked."""

import time

import pytest

from explorer.players.scripted.desk import desk_for
from explorer.players.scripted.risk import Risk, calibration, features, risks, word
from nip_core import HyperParameters
from nip_core.play import Episode, Move, Setup
from nip_core.registry import specification
from nip_core.tasks import graph_task, passages, problems
from tests.depth import FULL
from tests.play_worlds import FOREIGN

RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up")
QUESTION = "What does it return for [1, 2, 3, 4]?"


def asked(task, *texts, verifier="tester", said="It is correct."):
    episode = Episode(HyperParameters(), task, 0)
    for number, text in enumerate(texts):
        episode.play(Move("verifier", {"main": text}))
        if number < len(texts) - 1:
            episode.play(Move("prover", {"main": said}))
    return desk_for(episode.view_for("prover"), verifier)


def test_a_liar_sees_what_it_returns_what_would_be_right_and_its_ways():
    found = asked(RUNNER_UP.wrong, QUESTION)
    assert (found.returns, found.right) == ("-1", "3")
    kinds = {each.kind: each for each in found.suggestions}
    assert {*kinds} == {"story", "concede", "slip"}
    assert "returns `3`" in kinds["story"].text
    assert "returns `-1`" in kinds["concede"].text
    assert all(0 <= each.risk <= 1 for each in found.suggestions)
    assert {each.says for each in found.suggestions} <= {
        "safe",
        "some risk",
        "risky",
        "nearly lost",
    }
    assert kinds["slip"].risk > max(kinds["story"].risk, kinds["concede"].risk)


def test_later_it_can_turn_to_an_input_on_which_it_need_not_lie():
    found = asked(RUNNER_UP.wrong, "Hello.", QUESTION)
    assert {each.kind for each in found.suggestions} == {"story", "concede", "slip", "aside"}


def test_an_honest_prover_gets_the_truth():
    found = asked(RUNNER_UP.correct, QUESTION)
    (only,) = found.suggestions
    assert (found.returns, found.right, only.kind) == ("3", "3", "true")
    assert "returns `3`" in only.text


def test_earlier_claims_are_listed():
    said = "The solution is correct. `runner_up([1, 2, 3, 4])` returns `3`, as it should."
    assert asked(RUNNER_UP.wrong, "Hello.", QUESTION, said=said).fits == (said.split(". ")[1],)


def test_no_risk_where_a_person_judges():
    found = asked(RUNNER_UP.wrong, QUESTION, verifier=None)
    assert found.belief is None
    assert all(each.risk is None for each in found.suggestions)


def test_the_opening_is_suggested_first():
    episode = Episode(HyperParameters(interaction_protocol="adp"), RUNNER_UP.wrong, 0)
    (only,) = desk_for(episode.view_for("prover")).suggestions
    assert only.text == RUNNER_UP.wrong.opening(1)
    assert only.kind == "story"


def test_sentences_of_a_passage_can_be_quoted():
    spec, passage = specification("khan_debate"), passages()[0]
    episode = Episode.from_setup(Setup.of(spec, passage, 1))
    found = desk_for(episode.view_for("alice"))
    assert found.facts
    assert all(fact in passage.text for fact in found.facts)
    assert found.suggestions


@pytest.mark.parametrize("task", [graph_task(2), FOREIGN], ids=["graphs", "own"])
def test_other_statements_have_a_desk_too(task):
    episode = Episode(HyperParameters(), task, 0)
    episode.play(Move("verifier", {"main": "Why?"}))
    assert desk_for(episode.view_for("prover")).asked == "Why?"


def test_a_model_is_told_the_same_in_sentences():
    lines = asked(RUNNER_UP.wrong, QUESTION).lines()
    assert "There the program returns -1; 3 would be right." in lines
    assert sum(line.startswith("You could say (") for line in lines) == 3


def test_a_desk_takes_less_than_a_tenth_of_a_second():
    took = []
    for problem in problems()[:: 1 if FULL else 6]:
        for case in problem.cases:
            text = f"What does {problem.function}{tuple(case.values()[0])!r} return?"
            start = time.process_time()
            asked(problem.wrong, text)
            took.append(time.process_time() - start)
    assert sorted(took)[int(0.95 * len(took))] < 0.1


def test_risks_are_known_for_every_verifier_that_listens():
    assert {*risks()} == {"comparer", "tester", "careful", "examiner"}
    for risk in risks().values():
        assert risk(features("slip", True, 0, 0, 2)) > risk(features("true", False, 0, 0, 2))


def test_a_risk_is_that_of_the_games_it_was_counted_in():
    at = features("story", True, 0, 0, 2)
    seen = [(at, True)] * 60 + [(at, False)] * 140
    risk = Risk.of(seen)
    assert 0.29 < risk(at) < 0.35
    found = calibration(risk, seen)
    assert found.answers == 200
    assert found.error < 0.05
    assert found.brier == pytest.approx(found.of_base, abs=0.01)
    assert [word(chance) for chance in (0.1, 0.4, 0.7, 0.9)] == [
        *("safe", "some risk", "risky", "nearly lost")
    ]
