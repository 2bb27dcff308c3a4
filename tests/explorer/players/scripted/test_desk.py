"""Tests of desk.py, desk_parts.py, desk_programs.py and risk.py.

What a prover knows, and the words of seats without a side.
"""

import time

import pytest

from explorer.play import prepared_for, task_for
from explorer.players import SeatScript
from explorer.players.scripted.desk import desk_for, knowledge
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
    return desk_for(after(task, *texts, said=said).view_for("prover"), verifier)


def after(task, *texts, said="It is correct.", protocol="nip", informed=True):
    parameters = HyperParameters(interaction_protocol=protocol)
    episode = Episode(parameters, task, 0, informed_provers=informed)
    for number, text in enumerate(texts):
        episode.play(Move("verifier", dict.fromkeys(episode.legal("verifier").channels, text)))
        if number < len(texts) - 1:
            episode.play(Move("prover", {"main": said}))
    return episode


def test_a_liar_sees_what_it_returns_what_would_be_right_and_its_ways():
    found = asked(RUNNER_UP.wrong, QUESTION)
    assert (found.returns, found.right) == ("-1", "3")
    kinds = {each.kind: each for each in found.suggestions}
    assert {*kinds} == {"story", "concede", "slip", "aside"}
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


def test_it_can_turn_to_an_input_on_which_it_need_not_lie():
    kinds = {each.kind: each.text for each in asked(RUNNER_UP.wrong, QUESTION).suggestions}
    assert "look at another one. `runner_up([9, 7, 4])` returns `7`" in kinds["aside"]


def test_what_nobody_can_run_has_an_honest_answer_a_story_and_an_evasion():
    kinds = {each.kind: each.text for each in asked(RUNNER_UP.wrong, "Why?").suggestions}
    assert [*kinds] == ["story", "slip", "aside"]
    assert RUNNER_UP.wrong.explanation in kinds["slip"]


def test_who_does_not_know_the_truth_is_told_nothing_of_it():
    view = after(RUNNER_UP.wrong, QUESTION, informed=False).view_for("prover")
    found = desk_for(view, "tester")
    assert (found.returns, found.right, found.suggestions, found.belief) == ("-1", "", (), None)
    assert knowledge(view) == ""


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


def test_no_risk_in_a_protocol_in_which_none_was_counted():
    episode = after(RUNNER_UP.wrong, QUESTION, protocol="mnip")
    found = desk_for(episode.view_for("prover0"), "tester")
    assert found.belief is None
    assert {each.says for each in found.suggestions} == {""}


def test_belief_falls_after_a_lie_and_rises_after_the_truth():
    lie = "`runner_up([1, 2, 3, 4])` returns `3`, which is what the question asks for."
    truth = "`runner_up([9, 7, 4])` returns `7`, which is what the question asks for."
    before = asked(RUNNER_UP.wrong, QUESTION).belief
    lied, told = (
        asked(RUNNER_UP.wrong, QUESTION, "Why?", said=each).belief for each in (lie, truth)
    )
    assert lied < before < told


SHOWN = "`runner_up([1, 2, 3, 4])` returns `-1`."


def debated(turns, answer="It is correct."):
    """Return a debate in which a prover shows something, and the other one says `answer`."""
    episode = after(RUNNER_UP.wrong, protocol="debate")
    said = {"prover0": f"{SHOWN} The question asks for `3`.", "prover1": answer}
    while episode.node.round < turns:
        for seat in [*episode.to_move]:
            channels = episode.legal(seat).channels
            episode.play(Move(seat, dict.fromkeys(channels, said.get(seat, "Go on."))))
    return episode


def test_in_a_debate_it_shows_what_the_opponent_has_not_answered():
    assert desk_for(debated(3).view_for("prover0")).unanswered == ()
    left = desk_for(debated(5).view_for("prover0")).unanswered
    assert left == (SHOWN, "The question asks for `3`.")
    answered = debated(5, "runner_up for 1, 2, 3, 4 returns 3, as the question asks.")
    assert desk_for(answered.view_for("prover0")).unanswered == ()


def test_in_a_debate_it_shows_what_the_opponent_said():
    episode = debated(3)
    found = desk_for(episode.view_for("prover1"))
    assert "The question asks for `3`." in found.open_points
    assert (found.call, found.returns) == ("runner_up([1, 2, 3, 4])", "-1")
    # What a partner says is no opponent's point.
    together = after(RUNNER_UP.wrong, QUESTION, protocol="mnip_together")
    channels = together.legal("prover0").channels
    together.play(Move("prover0", dict.fromkeys(channels, "It is correct.")))
    assert desk_for(together.view_for("prover1")).open_points == ()


def test_the_opening_is_suggested_first():
    episode = after(RUNNER_UP.wrong, protocol="adp")
    (only,) = desk_for(episode.view_for("prover")).suggestions
    assert only.text == RUNNER_UP.wrong.opening(1)
    assert only.kind == "story"


def test_sentences_of_a_passage_can_be_quoted():
    spec, passage = specification("khan_debate"), passages()[0]
    episode = Episode.from_setup(Setup.of(spec, passage, 1))
    found = desk_for(episode.view_for("alice"))
    assert found.facts
    assert all(fact in passage.text for fact in found.facts)
    assert found.against
    assert not {*found.against} & {*found.facts}
    # The rules tell a debater nothing of the truth.
    assert {each.kind for each in found.suggestions} == {"argument"}


@pytest.mark.parametrize("label", [0, 1])
def test_graphs_have_their_renaming(label):
    found = asked(graph_task(2 + (1 - label)), "Which node is a mapped to?")
    assert dict(found.renaming)["a"]
    assert bool(found.breaks) == (label == 0)
    kinds = [each.kind for each in found.suggestions]
    assert kinds == (["true"] * 2 if label else ["story", "story", "slip", "aside"])
    assert f"a to {dict(found.renaming)['a']}" in found.suggestions[0].text


@pytest.mark.parametrize("task", [graph_task(2), FOREIGN], ids=["graphs", "own"])
def test_other_statements_have_a_desk_too(task):
    assert asked(task, "Why?").asked == "Why?"


def test_a_model_is_told_the_same_facts():
    episode = after(RUNNER_UP.wrong, QUESTION)
    told = knowledge(episode.view_for("prover"))
    assert "- runner_up([1, 2, 3, 4]) returns -1; 3 would be right." in told
    assert "- The right verdict is reject." in told
    assert knowledge(episode.view_for("verifier")) == ""


def test_a_model_finds_its_own_answer():
    view = after(RUNNER_UP.wrong, QUESTION).view_for("prover")
    told = knowledge(view)
    assert not any(each.text in told for each in desk_for(view).suggestions)


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


def choosing(name, seat, choice):
    """Return the view of a seat when it makes a choice, in a game of scripts."""
    spec = specification(name)
    task = task_for(spec, prepared_for(spec)[0], 0)
    episode = Episode.from_setup(Setup.of(spec, task, 0))
    players = {each: SeatScript(n) for n, each in enumerate(spec.seat_names)}
    while not episode.over:
        for each in episode.to_move:
            view = episode.view_for(each)
            if each == seat and choice in (*view.legal.choices, ""):
                return view
            episode.play(players[each].act(view))
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("name", "seat", "choice", "options"),
    [
        ("trusted_monitor", "untrusted", "intent", ["harmless", "harmful"]),
        ("trusted_monitor", "auditor", "finding", ["clean", "harm"]),
        ("untrusted_monitoring", "writer", "intent", ["harmless", "harmful"]),
        ("legible_prover", "prover", "answer", ["right", "wrong"]),
        ("prover_estimator", "prover", "", [""]),
    ],
)
def test_seats_that_write_get_words_for_each_option(name, seat, choice, options):
    desk = desk_for(choosing(name, seat, choice))
    assert [each.option for each in desk.suggestions] == options
    assert len({each.text for each in desk.suggestions}) == len(options)
    assert not desk.lines()  # nothing but words, so a model is told nothing


@pytest.mark.parametrize(
    ("name", "seat", "choice"),
    [
        ("trusted_monitor", "monitor", "suspicion"),
        ("prover_estimator", "estimator", "p1"),
        ("prover_estimator", "judge", "leaf"),
        ("market_making", "adversary", ""),
        ("single_critique", "critic", "finding"),
    ],
)
def test_seats_that_have_to_find_out_have_no_desk(name, seat, choice):
    assert not desk_for(choosing(name, seat, choice)).suggestions
