"""The screen shows what the view holds, in the words that its seat needs."""

from __future__ import annotations

import json
import random

import pytest

from explorer.game_table.rewards import why_paid
from explorer.game_table.screen import screen
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from tests.noninterference import build, some_world
from tests.play_worlds import GRAPHS, ONE_TASK, Setup, protocols


def mnip(**options):
    return Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, **options)


@pytest.mark.parametrize("name", protocols())
def test_every_view_has_a_screen(name):
    rng = random.Random(name)
    for task in (ONE_TASK, GRAPHS):
        setup = Setup.of(protocols()[name], task, 3, informed_provers=True)
        for _ in range(8):
            world = some_world(rng, setup, rng.randint(0, setup.spec.max_message_rounds))
            episode = build(world)
            for agent in setup.spec.agent_names:
                view = episode.view_for(agent)
                shown = screen(view)
                json.dumps(shown, allow_nan=False)
                assert shown["headline"]
                assert (shown["ending"] is None) == (not episode.over)
                assert len(shown["schedule"]) == setup.spec.max_message_rounds
                seen = [m for c in shown["channels"] for m in c["messages"]]
                assert len(seen) == sum(len(r.messages) for r in view.rounds)
                for channel in shown["channels"]:
                    closed = not setup.spec.can_see(agent, channel["name"])
                    assert channel["closed"] == closed
                    # Of a closed channel only that it is there, and who reads it.
                    if closed:
                        assert channel.keys() == {"name", "readers", "closed", "messages"}
                        assert channel["messages"] == []
                assert (shown["composer"]["channels"] == []) == (not view.legal.channels)


def test_headlines():
    episode = mnip()
    told = lambda agent: screen(episode.view_for(agent))["headline"]  # noqa: E731
    assert told("verifier") == "Your move: ask a question, or decide."
    assert told("prover0") == "Not your turn: the others are to move."
    episode.play(Move("verifier", {"prover0_channel": "a", "prover1_channel": "b"}))
    assert told("prover0") == "Your move: answer."
    episode.play(Move("prover0", {"prover0_channel": "c"}))
    assert told("prover0").startswith("Your move is made")
    episode.play(Move("prover1", {"prover1_channel": "d"}))
    assert told("verifier") == "Your move: ask on, or decide."
    episode.play(Move("verifier", decision=1))
    assert told("verifier") == "The episode is over."


def test_a_held_move_is_shown_to_its_own_seat():
    episode = mnip()
    episode.play(Move("verifier", {"prover0_channel": "a", "prover1_channel": "b"}))
    episode.play(Move("prover0", {"prover0_channel": "c"}))
    assert screen(episode.view_for("prover0"))["composer"]["held"]["messages"] == {
        "prover0_channel": "c"
    }
    assert screen(episode.view_for("prover1"))["composer"]["held"] is None


def ended(decision, protocol="nip", **common):
    parameters = HyperParameters(interaction_protocol=protocol, protocol_common=common)
    episode = Episode(parameters, ONE_TASK)
    episode.play(Move("verifier", {"main": "a"}))
    episode.play(Move("prover", {"main": "b"}))
    if decision is None:
        while not episode.over:
            episode.play(Move(episode.to_move[0], {"main": "c"}))
    else:
        episode.play(Move("verifier", decision=decision))
    return episode


@pytest.mark.parametrize(
    ("decision", "common", "verifier", "prover"),
    [
        (0, {}, "The verdict is right: +1.", "It argued for accept, and the verdict is reject."),
        (1, {}, "The verdict is wrong: -1.", "The verdict is its side, accept: +1."),
        (None, {}, "The rounds ran out: -1.", "It argued for accept, and there was no verdict."),
        (0, {"shared_reward": True}, "The verdict is right: +1.", "Provers share"),
        (
            0,
            {"verifier_no_guess_reward": 0.5},
            "The verdict is right: +1. Going on before that: +0.5 in all.",
            "It argued",
        ),
        (1, {"force_guess": "y"}, "The verdict is right: +1. The verdict was forced.", "It argued"),
    ],
)
def test_rewards_are_explained(decision, common, verifier, prover):
    assert ONE_TASK.y == 0
    if "force_guess" in common:
        episode = Episode(HyperParameters(protocol_common=common), ONE_TASK)
        episode.play(Move("verifier", {"main": "a"}))
    else:
        episode = ended(decision, **common)
    ending = episode.view_for("verifier").ending
    assert why_paid(episode.spec, ending, "verifier") == verifier
    assert why_paid(episode.spec, ending, "prover").startswith(prover)


def test_beside_a_reward_stands_what_random_play_is_worth():
    # Eight rounds with four turns: a third goes on each time, 1/81 never decides. Right and wrong
    # cancel, and never deciding costs 1: -1/81. The prover gets 1 for 40/81 of the verdicts.
    paid = screen(ended(0).view_for("verifier"))["ending"]["rewards"]
    assert {row["seat"]: row["random"] for row in paid} == {
        "verifier": pytest.approx(-1 / 81),
        "prover": pytest.approx(40 / 81),
    }


def test_graphs_are_drawn_from_their_names():
    shown = screen(Episode(HyperParameters(), GRAPHS).view_for("verifier"))["statement"]
    for drawn, graph in zip(
        shown["graphs"], (GRAPHS.payload.first, GRAPHS.payload.second), strict=True
    ):
        assert drawn["nodes"] == list(graph.names)
        assert {tuple(e) for e in drawn["edges"]} == set(graph.edges)
        assert all(len(places) == len(graph.names) for places in drawn["layouts"].values())
    over = Episode(HyperParameters(), GRAPHS)
    over.play(Move("verifier", decision=1))
    renaming = screen(over.view_for("verifier"))["ending"]["renaming"]
    assert [a for a, _ in renaming] == list(GRAPHS.payload.first.names)
