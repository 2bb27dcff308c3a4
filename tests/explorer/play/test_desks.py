"""What a table shows a prover of what it knows, and nobody else."""

import asyncio
import json
import sys
from concurrent.futures import Future

import pytest

from explorer.play import Table, desks, known_verifier
from explorer.play.desks import COMING, desk_comes, desk_shown
from explorer.players import scripted_record
from explorer.players.scripted import code as programs_of_players
from explorer.programs import InPlace
from nip_core import HyperParameters
from nip_core.play import Episode, Move, Seated, Setup
from nip_core.registry import specification
from nip_core.tasks import graph_task, passages, problems
from tests.depth import each

# The function of this name hides the module.
runners = sys.modules["explorer.programs.runner"]
RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up")
QUESTION = "What does it return for [1, 2, 3, 4]?"


def game(task=RUNNER_UP.wrong, *, verifier=None, protocol="nip", question=QUESTION):
    parameters = HyperParameters(interaction_protocol=protocol)
    episode = Episode(parameters, task, 0, informed_provers=True)
    if verifier is not None:
        episode.apply(Seated(agent="verifier", player=verifier))
    episode.play(Move("verifier", dict.fromkeys(episode.legal("verifier").channels, question)))
    return Table(episode)


def test_a_prover_sees_the_facts_and_its_ways_with_their_risk():
    table = game(verifier=scripted_record(0, "verifier", None, "tester"))
    desk = table.seen_by("prover").desk()
    assert [(each["title"], each["text"], each["right"]) for each in desk["facts"]] == [
        ("It returns", "-1", False),
        ("Right would be", "3", True),
    ]
    says = {each["kind"]: each for each in desk["says"]}
    assert [*says] == ["story", "concede", "slip", "aside"]
    assert says["slip"]["risk"] == "nearly lost"
    assert says["slip"]["bars"] == 3
    assert desk["belief"]["who"] == "Tester"
    assert json.loads(json.dumps(desk)) == desk


@each(
    "record", [{"kind": "human"}, {"kind": "llm"}, {"kind": "scripted", "strategy": "nobody"}, None]
)
def test_no_percentage_and_no_risk_where_a_script_does_not_judge(record):
    table = game(verifier=record)
    assert known_verifier(table.episode) is None
    desk = table.seen_by("prover").desk()
    assert desk["belief"] is None
    assert {each["risk"] for each in desk["says"]} == {""}
    assert "%" not in json.dumps(desk)


def test_only_the_prover_whose_turn_it_is_has_a_desk():
    table = game(protocol="mnip")
    seats = table.spec.seat_names
    assert [table.seen_by(seat).desk() is None for seat in seats] == [False, False, True]
    table.play(Move("prover0", {"prover0_channel": "It returns `3`."}))
    assert [table.seen_by(seat).desk() is None for seat in seats] == [True, False, True]
    # What one prover said is in no other's desk.
    assert "It returns `3`." not in json.dumps(table.seen_by("prover1").desk())


def test_no_desk_after_the_end():
    table = game()
    table.play(Move("prover", {"main": "It returns `3`."}))
    table.play(Move("verifier", decision=1))
    assert table.over
    assert table.seen_by("prover").desk() is None


def test_sentences_of_a_text_can_be_quoted_as_people_type_quotes():
    passage = passages()[0]
    table = Table(Episode.from_setup(Setup.of(specification("khan_debate"), passage, 1)))
    desk = table.seen_by("alice").desk()
    titles = {each["title"]: each for each in desk["facts"]}
    assert titles["Sentences for your answer"]["kind"] == "quotes"
    assert "“Old Benes saw him last night" in desk["says"][0]["text"]
    assert not any("<quote>" in each["text"] for each in desk["says"])


def test_graphs_have_their_renaming():
    desk = game(graph_task(2), question="Which node is a mapped to?").seen_by("prover").desk()
    (renaming,) = (each for each in desk["facts"] if each["kind"] == "pairs")
    assert "a → 6" in renaming["lines"]


@pytest.fixture
def works(monkeypatch):
    """The desks that are being made, of which none is known yet."""
    works = desks._works()
    monkeypatch.setattr(works, "_known", type(works._known)())
    return works


def test_a_desk_that_takes_long_comes_later(works, monkeypatch):
    slow, told = Future(), []
    monkeypatch.setattr(works, "_begun", lambda make: slow)
    monkeypatch.setattr(desks, "PATIENCE", 0)
    view = game().seen_by("prover").view
    assert desk_shown(view, later=lambda: told.append("there")) == COMING
    assert desk_comes({"desk": COMING})
    assert not told
    slow.set_result(desks.made(view, None))
    assert told == ["there"]
    assert desk_shown(view)["call"] == "runner_up([1, 2, 3, 4])"


def test_a_desk_that_fails_does_not_stop_the_table(works, monkeypatch, caplog):
    failed = Future()
    failed.set_exception(ValueError("secret"))
    monkeypatch.setattr(works, "_begun", lambda make: failed)
    assert game().seen_by("prover").desk() is None
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


def test_in_a_browser_a_long_program_runs_in_another_worker(works, monkeypatch):
    """There are no threads; the table is shown meanwhile, and the desk comes later."""
    programs, told = InPlace(), []
    monkeypatch.setattr(programs_of_players, "runner", lambda: programs)
    monkeypatch.setattr(desks, "runner", lambda: programs)
    monkeypatch.setattr(runners, "runner", lambda: programs)
    view = game().seen_by("prover").view
    asked = []

    async def elsewhere(request):
        asked.append(request)
        return json.dumps(["returned", "3", []])

    async def shown():
        assert desk_shown(view, later=lambda: told.append("there")) == COMING
        while not told:
            await asyncio.sleep(0)
        return desk_shown(view)

    monkeypatch.setattr(programs, "elsewhere", elsewhere)
    monkeypatch.setattr(runners, "FEW_STEPS", 1)
    assert asyncio.run(shown())["facts"][0]["text"] == "3"
    assert asked


def test_in_a_browser_a_short_program_runs_at_once(works, monkeypatch):
    monkeypatch.setattr(desks, "runner", InPlace)
    assert game().seen_by("prover").desk()["facts"][0]["text"] == "-1"
