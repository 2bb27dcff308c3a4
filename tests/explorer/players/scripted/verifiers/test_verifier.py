"""Tests of verifier.py, evidence.py, graphs.py, programs.py and subject.py.

The verifier of old records: what it asks, and how it decides.
"""

import dataclasses

import pytest

from explorer.players import ScriptedExpert, play_out, step
from explorer.players.scripted import Script
from explorer.players.scripted.provers.voices import voices
from explorer.players.scripted.verifiers.verifier import GENERAL, CountingVerifier
from nip_core import HyperParameters, protocol_spec
from nip_core.play import Episode, Move
from nip_core.spec import Channel
from nip_core.tasks import Task
from tests.explorer.players.scripted.asking import LONG
from tests.explorer.players.test_base import seated
from tests.play_worlds import FOREIGN, ONE_TASK, protocols

EVASION = voices()[1].evasions[0]
CHIPS = [chip.ask for chip in ONE_TASK.questions]


def test_it_asks_all_experts_the_same_and_then_decides():
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK)
    play_out(episode, {**seated(episode, ["scripted"] * 3), "verifier": CountingVerifier()})
    written = [n.moves["verifier"].messages for n in episode.path() if "verifier" in n.moves]
    questions = [set(messages.values()) for messages in written if messages]
    assert all(len(question) == 1 for question in questions)
    assert len(set[str]().union(*questions)) == 3
    assert set[str]().union(*questions) <= set(CHIPS)
    assert episode.result().decision in (0, 1)


def test_the_seed_draws_the_order_of_the_questions():
    view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
    first = {CountingVerifier(seed=seed).act(view).messages["main"] for seed in range(60)}
    assert first == set(CHIPS)


def test_questions_that_were_not_prepared_are_not_repeated_either():
    episode = Episode(HyperParameters(nip_protocol=LONG), FOREIGN)
    verifier = CountingVerifier(questions=len(GENERAL))
    play_out(episode, {"verifier": verifier, "prover": ScriptedExpert(Script(1))})
    written = [n.moves["verifier"].messages.get("main") for n in episode.path() if n.round % 2]
    assert written == [*GENERAL, None]


@pytest.mark.parametrize("name", protocols())
def test_it_does_not_know_the_truth(name):
    def moves(y):
        task = dataclasses.replace(ONE_TASK, y=y, exposing=None, explanation=None)
        episode = Episode(protocols()[name], task, 1)
        everybody = seated(episode, ["scripted"] * len(episode.rules.seats))
        play_out(
            episode, everybody | dict.fromkeys(episode.rules.roles.deciders, CountingVerifier())
        )
        return [node.moves for node in episode.path()]

    assert moves(0) == moves(1)


def verdict(protocol, said, task=FOREIGN, stances=None):
    """Return the verdict of a scripted verifier after one question and these answers."""
    episode = Episode(protocol, task, 0, stances)
    verifier = CountingVerifier(questions=1)
    step(episode, {"verifier": verifier})
    while "verifier" not in episode.to_move:
        (agent, *_) = episode.to_move
        (channel,) = episode.legal(agent).channels
        episode.play(Move(agent, {channel: said[agent]}))
    step(episode, {"verifier": verifier})
    return episode.result().decision


def protocol(name, **common):
    return HyperParameters(interaction_protocol=name, protocol_common=common)


@pytest.mark.parametrize(
    ("name", "first", "second", "decision"),
    [
        # In a debate, the more concrete of two sides wins.
        ("debate", "It returns 3 for 4.", "It returns `x`.", 0),
        ("debate", "It is wrong, believe me.", "f(2) gives 4, and f(3) gives 9.", 1),
        ("debate", "It returns 3.", "It returns 4.", 0),
        ("debate", "No.", "Yes.", 0),
        # One side alone wins unless it has no answer or contradicts itself.
        ("mnip", "It is 3.", "It is 3, not 4.", 1),
        ("mnip", "It is 3.", "It is 4.", 0),
        ("mnip", "It is 3.", "It is right.", 1),
        ("mnip", "It is 3.", EVASION, 0),
    ],
)
def test_which_side_wins(name, first, second, decision):
    assert verdict(protocol(name), {"prover0": first, "prover1": second}) == decision


def test_experts_who_read_each_other_are_not_compared():
    spec = protocol_spec(protocol("mnip"))
    together = tuple(Channel(channel.name, spec.agent_names) for channel in spec.channels)
    said = {"prover0": "It is 3.", "prover1": "It is 4."}
    assert verdict(spec.replace(channels=together), said) == 1
    assert verdict(spec, said) == 0


def test_what_was_said_before_the_first_question_is_not_compared():
    """Two experts may begin with different arguments."""
    episode = Episode(protocol("mnip", verifier_first=False), FOREIGN)
    verifier = CountingVerifier(questions=1)
    for words in ({"prover0": "It is 3.", "prover1": "It is 4."}, {"prover0": "5", "prover1": "5"}):
        for agent, text in words.items():
            episode.play(Move(agent, {f"{agent}_channel": text}))
        step(episode, {"verifier": verifier})
    assert episode.result().decision == 1


@pytest.mark.parametrize("stance", [0, 1])
def test_a_randomly_assigned_side_convinces_nobody(stance):
    drawn = protocol("nip", randomize_prover_stance=True)
    assert verdict(drawn, {"prover": "It is 3."}, stances={"prover": stance}) == 0


def test_a_verifier_that_gets_no_answer_rejects():
    episode = Episode(protocol("solo_verifier"), ONE_TASK)
    play_out(episode, {"verifier": CountingVerifier()})
    assert episode.result().decision == 0


def test_known_stances():
    two = Episode(protocol("mnip", randomize_prover_stance=True), ONE_TASK, 0, {"prover0": 0})
    assert [two.view_for("prover0").known_stance(a) for a in two.rules.seat_names] == [0, 0, None]
    assert [two.view_for("verifier").known_stance(a) for a in two.rules.seat_names] == [None] * 3
    debate = Episode(protocol("debate"), Task(question="q", solution="s", y=1))
    for agent in debate.rules.seat_names:
        known = [debate.view_for(agent).known_stance(a) for a in debate.rules.seat_names]
        assert known == [0, 1, None]
