"""Every kind of player in every seat, together at one table."""

import pytest

from explorer.players import (
    HumanPlayer,
    RandomPlayer,
    ReplayPlayer,
    ScriptedExpert,
    ScriptedVerifier,
    play_out,
    script_for,
)
from explorer.players.models import Client, LLMPlayer, LLMSettings
from nip_core.play import Episode
from tests.depth import FULL
from tests.explorer.players.model_server import OWN, ModelServer
from tests.play_worlds import GRAPHS, ONE_TASK, protocols

KINDS = ("random", "scripted", "llm", "replay", "human")


@pytest.fixture(scope="module")
def model():
    with ModelServer() as server:
        yield LLMPlayer(Client(LLMSettings("test", server.url), None, OWN))


def scripted(episode, agent):
    if agent in episode.rules.roles.deciders:
        return ScriptedVerifier("examiner")
    return ScriptedExpert(script_for(episode.task, episode.setup.stance(agent)))


def player(kind, recorded, agent, model):
    return {
        "random": RandomPlayer(1),
        "scripted": scripted(recorded, agent),
        "llm": model,
        "replay": ReplayPlayer.of(recorded, agent),
        "human": HumanPlayer(),
    }[kind]


GAMES = [(name, shift) for name in protocols() for shift in range(len(KINDS))]


@pytest.mark.parametrize("part", range(3))
def test_every_kind_plays_every_seat_beside_the_others(part, model):
    """In the quick run, one of five games of each protocol."""
    for name, shift in (GAMES if FULL else GAMES[:: len(KINDS) + 1])[part::3]:
        episode = Episode(protocols()[name], (ONE_TASK, GRAPHS)[shift % 2], shift)
        agents = episode.rules.seat_names
        recorded = Episode.from_setup(episode.setup)
        play_out(recorded, {agent: scripted(recorded, agent) for agent in agents})
        kinds = {agent: KINDS[(shift + n) % len(KINDS)] for n, agent in enumerate(agents)}
        players = {a: player(kind, recorded, a, model) for a, kind in kinds.items()}
        play_out(episode, players)
        while not episode.over:
            (person,) = episode.to_move
            assert kinds[person] == "human"
            episode.play(RandomPlayer(2).act(episode.view_for(person)))
            play_out(episode, players)
        for event in episode.events:
            assert ("tokens_in" in event.origin) == (kinds[event.move.agent] == "llm")
