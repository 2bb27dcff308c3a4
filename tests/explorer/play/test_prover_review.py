"""Tests of prover_review.py and claims.py: what a prover learns after a game."""

import pytest

from explorer.play import Table
from explorer.play.claims import checked_claims
from explorer.play.prover_review import belief_falls, told_claims
from explorer.play.review import reviewed
from explorer.players import scripted_record
from nip_core import HyperParameters
from nip_core.errors import PlayError
from nip_core.play import Episode, Move, Seated
from nip_core.tasks import problems

RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up")


def begun(task=RUNNER_UP.wrong, strategy=None):
    episode = Episode(HyperParameters(), task, 3, informed_provers=True)
    if strategy is not None:
        record = scripted_record(3, "verifier", None, strategy)
        episode.apply(Seated(agent="verifier", player=record))
    return Table(episode)


def ended(said, *, verdict=1, task=RUNNER_UP.wrong):
    table = begun(task)
    for question, answer in said.items():
        table.play(Move("verifier", {"main": question}))
        table.play(Move("prover", {"main": answer}))
    table.play(Move("verifier", decision=verdict))
    return table.episode


def test_here_you_said_four_and_it_returns_five():
    said = {
        "What does it return for [1, 2, 3, 4]?": "It returns 3.",
        "And for [9, 7, 4]?": "`runner_up([9, 7, 4])` returns `7`, as it should.",
    }
    wrong, right = told_claims(ended(said))
    assert (wrong["round"], wrong["agent"], wrong["holds"]) == (1, "prover", False)
    assert (wrong["claimed"], wrong["actual"], wrong["expected"]) == ("3", "-1", "3")
    assert (right["round"], right["claimed"], right["holds"]) == (3, "7", True)


def test_the_errors_of_an_honest_prover_are_marked_too():
    said = {"What does it return for [9, 7, 4]?": "It returns 4."}
    episode = ended(said, task=RUNNER_UP.correct)
    (claim,) = reviewed(episode)["claims"]
    assert (claim["claimed"], claim["actual"], claim["holds"]) == ("4", "7", False)


def test_nothing_is_said_of_claims_before_the_end():
    table = begun()
    with pytest.raises(PlayError):
        told_claims(table.episode)
    with pytest.raises(PlayError):
        belief_falls(table.episode)


def test_a_script_says_from_which_message_on_it_believed_less_and_why():
    table = begun(strategy="examiner")
    table.play_until_a_person()
    while not table.over:
        call = table.seen_by("prover").desk()["call"]
        table.play(Move("prover", {"main": f"`{call}` returns `99`, as it should."}))
        table.play_until_a_person()
    (fall,) = reviewed(table.episode)["falls"]
    notes = dict(table.episode.result().confidence["verifier"])
    assert (fall["agent"], fall["said"], fall["by"]) == ("verifier", 1, ["prover"])
    assert (fall["before"], fall["after"]) == (notes[0], notes[2])
    assert fall["after"] < fall["before"]
    assert "It is not so" in fall["why"][0]
    assert not any("with a chance of" in line for line in fall["why"])


def test_no_reasons_of_people():
    table = begun()
    for sure, text in ((60, "a?"), (10, "b?")):
        table.play(Move("verifier", {"main": text}, confidence=sure))
        table.play(Move("prover", {"main": "Yes."}))
    table.play(Move("verifier", decision=0))
    assert belief_falls(table.episode) == []


def test_a_claim_is_checked_once_and_only_where_it_names_its_input():
    episode = ended({"Why?": "For [9, 7, 4] it returns 7. For [9, 7, 4] it returns 7."}).finished()
    text = episode.path()[2].moves["prover"].messages["main"]
    assert len([*checked_claims(episode, "prover", text, "")]) == 1
    assert not [*checked_claims(episode, "prover", "It returns 7.", "")]
