"""Players that need nothing: legal, deterministic, and honest about what they do not know."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter

import pytest

from explorer.players import (
    RandomPlayer,
    ReplayPlayer,
    ScriptedExpert,
    ScriptedVerifier,
    play_out,
    script_for,
    step,
)
from explorer.players.scripted import NO_ANSWER
from nip_core import HyperParameters
from nip_core.errors import PlayError
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks, graph_task
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, protocols


def seated(episode, kinds):
    """Players for all seats."""
    made = {}
    for agent, kind in zip(episode.spec.agent_names, kinds, strict=True):
        if kind == "random":
            made[agent] = RandomPlayer(episode.setup.seed)
        elif agent in episode.spec.verifiers:
            made[agent] = ScriptedVerifier(seed=episode.setup.seed)
        else:
            made[agent] = ScriptedExpert(script_for(episode.task, episode.setup.stance(agent)))
    return made


@pytest.mark.parametrize("name", protocols())
@pytest.mark.parametrize("task", [ONE_TASK, GRAPHS, FOREIGN], ids=["code", "graphs", "foreign"])
def test_every_mixture_plays_whole_games(name, task):
    size = len(Episode(protocols()[name], task).spec.agents)
    for kinds in itertools.product(["random", "scripted"], repeat=size):
        episode = Episode(protocols()[name], task, 5)
        play_out(episode, seated(episode, kinds))
        assert episode.over
        again = Episode(protocols()[name], task, 5)
        play_out(again, seated(again, kinds))
        assert again.nodes == episode.nodes


def test_a_random_verifier_decides_uniformly_among_what_is_legal():
    view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
    found = Counter(RandomPlayer(seed).act(view).decision for seed in range(3000))
    assert set(found) == {0, 1, 2}
    # Six standard deviations.
    assert all(abs(n - 1000) < 6 * (3000 * 2 / 9) ** 0.5 for n in found.values())


def test_players_act_asynchronously_too():
    view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
    assert asyncio.run(RandomPlayer(1).aact(view)) == RandomPlayer(1).act(view)


def asked(expert, *questions, protocol="nip", agent="prover", channel="main"):
    """What an expert says to questions, one after the other."""
    parameters = HyperParameters(
        interaction_protocol=protocol, nip_protocol={"max_message_rounds": 40}
    )
    episode = Episode(parameters, ONE_TASK)
    said = []
    for question in questions:
        episode.play(Move("verifier", {channel: question}))
        step(episode, {agent: expert})
        said.append(episode.node.moves[agent].messages[channel])
    return said


@pytest.mark.parametrize("stance", [0, 1])
def test_an_expert_opens_answers_and_does_not_repeat_itself(stance):
    expert = ScriptedExpert(script_for(ONE_TASK, stance))
    chips = [chip.ask for chip in ONE_TASK.questions]
    answers = [" ".join(chip.answers[stance].split()) for chip in ONE_TASK.questions]
    opening = " ".join(ONE_TASK.opening(stance).split())
    said = asked(
        expert,
        "Hello?",
        f"Question for Expert_1: {chips[0].upper()}!!",
        f"{chips[2]}\n{chips[1]}",
        chips[0],
        "What is the meaning of life?",
    )
    assert said[0] == opening
    assert said[1] == answers[0]
    assert said[2] == f"{answers[2]} {answers[1]}"
    assert said[3].startswith("As I said: ")
    assert said[3].removeprefix("As I said: ") in answers[0]
    assert said[4] == NO_ANSWER


def test_a_question_in_the_first_round_is_answered_after_the_opening():
    chip = ONE_TASK.questions[0]
    (said,) = asked(ScriptedExpert(script_for(ONE_TASK, 1)), chip.ask)
    assert said == " ".join(f"{ONE_TASK.opening(1)} {chip.answers[1]}".split())


def test_an_expert_without_a_script_says_so():
    for stance in (0, 1, None):
        said = asked(ScriptedExpert(script_for(FOREIGN, stance)), "Why?", "Why?")
        assert "othing was prepared" in said[0]
        assert said[1] == NO_ANSWER


def test_a_script_holds_one_side_only_and_no_label():
    for task in (*bundled_tasks("easy")[:6], graph_task(2)):
        for stance in (0, 1):
            script = script_for(task, stance)
            assert script.opening == task.opening(stance)
            assert set(script.answers.values()) == {c.answers[stance] for c in task.questions}
            assert not hasattr(script, "y")


def test_experts_keep_the_limit():
    episode = Episode(HyperParameters(), ONE_TASK, max_response_words=5)
    episode.play(Move("verifier", {"main": "Why?"}))
    step(episode, {"prover": ScriptedExpert(script_for(ONE_TASK, 1))})
    assert len(episode.node.moves["prover"].messages["main"].split()) == 5


def test_a_scripted_verifier_asks_all_experts_the_same_and_then_decides():
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK)
    players = seated(episode, ["scripted"] * 3)
    play_out(episode, players)
    asked_first = episode.path()[1].moves["verifier"].messages
    assert len(set(asked_first.values())) == 1
    assert asked_first["prover0_channel"] in ONE_TASK.statement.asks
    questions = [n.moves["verifier"].messages for n in episode.path() if "verifier" in n.moves]
    assert len([q for q in questions if q]) == 3
    assert episode.result().decision in (0, 1)


def test_the_scripted_verifier_does_not_know_the_truth():
    """Its verdict over the versions of a problem is not better than the experts' words make it."""
    episode = Episode(HyperParameters(interaction_protocol="solo_verifier"), ONE_TASK)
    play_out(episode, {"verifier": ScriptedVerifier()})
    assert episode.result().decision == 0  # nothing heard: a tie goes to reject


def test_a_recorded_line_is_played_again():
    rng = random.Random(1)
    episode = Episode(HyperParameters(interaction_protocol="debate"), ONE_TASK, rng.randrange(9))
    play_out(episode, seated(episode, ["scripted"] * 3))
    players = {
        agent: ReplayPlayer(
            (node.round - 1, node.moves[agent]) for node in episode.path() if agent in node.moves
        )
        for agent in episode.spec.agent_names
    }
    again = Episode.from_setup(episode.setup)
    play_out(again, players)
    assert again.nodes == episode.nodes
    with pytest.raises(PlayError, match="no move of 'verifier'"):
        ReplayPlayer([]).turn(Episode(HyperParameters(), ONE_TASK).view_for("verifier"))
