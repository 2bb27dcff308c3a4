"""Who sits where: a person, or one of the players, by what the transcript says of the seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from explorer.players import (
    Player,
    RandomPlayer,
    ScriptedExpert,
    ScriptedVerifier,
    script_for,
)
from nip_core.play import Episode

__all__ = [
    "HUMAN",
    "KINDS",
    "ModelMaker",
    "humans",
    "model_seats",
    "models_to_move",
    "players_of",
]

HUMAN = "human"
# What can be chosen for a seat, and what it is called.
KINDS = {
    "me": "Me",
    "friend": "A friend at this screen",
    "scripted": "Scripted expert",
    "random": "Random",
    "llm": "Language model",
}

# Makes the player of a model's seat, from the agent and what the transcript says of the seat.
ModelMaker = Callable[[str, Mapping[str, Any]], Player]


def humans(episode: Episode) -> list[str]:
    """The seats of people, in the agents' order."""
    players = episode.players
    return [a for a in episode.spec.agent_names if _kind(players.get(a)) == HUMAN]


def model_seats(episode: Episode) -> dict[str, Mapping[str, Any]]:
    """The seats of language models, and what the transcript says of each."""
    players = episode.players
    return {a: players[a] for a in episode.spec.agent_names if _kind(players.get(a)) == "llm"}


def models_to_move(episode: Episode) -> list[str]:
    """The seats of language models that are to move. Not for a seat: it may tell who has moved."""
    return [agent for agent in model_seats(episode) if agent in episode.to_move]


def players_of(episode: Episode, models: ModelMaker | None = None) -> dict[str, Player]:
    """The players of all other seats; of models' only if somebody can make them."""
    made: dict[str, Player] = {}
    for agent in episode.spec.agent_names:
        kind = _kind(episode.players.get(agent))
        if kind == "random":
            made[agent] = RandomPlayer(episode.setup.seed)
        elif kind == "scripted" and agent in episode.spec.verifiers:
            made[agent] = ScriptedVerifier(seed=episode.setup.seed)
        elif kind == "scripted":
            script = script_for(episode.task, episode.setup.stance(agent))
            made[agent] = ScriptedExpert(script)
        elif kind == "llm" and models is not None and agent in episode.to_move:
            made[agent] = models(agent, episode.players[agent])
    return made


def _kind(player: Mapping[str, Any] | None) -> str:
    return HUMAN if player is None else str(player.get("kind", HUMAN))
