"""Who sits where: a person, or one of the players, by what the transcript says of the seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from explorer.players import Player, RandomPlayer, scripted_player, scripted_record
from explorer.players.scripted import DEFAULT_STRATEGY
from nip_core.play import Episode, Seated

__all__ = [
    "HUMAN",
    "KINDS",
    "PERSON",
    "SCRIPTED",
    "ModelMaker",
    "humans",
    "kind_title",
    "model_seats",
    "models_to_move",
    "once_models",
    "players_of",
    "plays_for_nobody_known",
    "stand_in",
]

HUMAN = "human"
# What the record says of a seat that the person at the screen takes over.
PERSON: Mapping[str, Any] = {"kind": HUMAN, "who": "me"}
# What can be chosen for a seat, and what it is called.
KINDS = {
    "me": "Me",
    "friend": "A friend at this screen",
    "scripted": "Scripted player",
    "random": "Random",
    "llm": "Language model",
}

# What records and tags call a scripted player, by its role.
SCRIPTED = {"prover": "scripted prover", "verifier": "scripted verifier"}

# What a record may say that is played without a person.
PLAYED_HERE = ("scripted", "random", "llm")

# Makes the player of a model's seat, from the agent and what the transcript says of the seat.
ModelMaker = Callable[[str, Mapping[str, Any]], Player]


def kind_title(kind: str, role: str) -> str:
    """What a choice is called for a seat of a role."""
    return SCRIPTED.get(role, KINDS[kind]).capitalize() if kind == "scripted" else KINDS[kind]


def humans(episode: Episode) -> list[str]:
    """The seats of people, in the agents' order."""
    players = episode.players
    return [a for a in episode.spec.agent_names if _kind(players.get(a)) == HUMAN]


def model_seats(episode: Episode) -> dict[str, Mapping[str, Any]]:
    """The seats of language models, and what the transcript says of each."""
    players = episode.players
    return {a: players[a] for a in episode.spec.agent_names if _kind(players.get(a)) == "llm"}


def once_models(episode: Episode) -> dict[str, Mapping[str, Any]]:
    """The seats in which language models have sat, and what was last said of each."""
    said = {
        event.agent: event.player
        for event in episode.events
        if isinstance(event, Seated) and _kind(event.player) == "llm"
    }
    return {agent: said[agent] for agent in episode.spec.agent_names if agent in said}


def models_to_move(episode: Episode) -> list[str]:
    """The seats of language models that are to move. Not for a seat: it may tell who has moved."""
    return [agent for agent in model_seats(episode) if agent in episode.to_move]


def plays_for_nobody_known(episode: Episode, agent: str) -> bool:
    """Does the record name something for a seat that cannot play here, so that a person does?"""
    player = episode.players.get(agent)
    return player is not None and player.get("kind") != HUMAN and agent in humans(episode)


def stand_in(episode: Episode, agent: str, kind: str) -> dict[str, Any]:
    """What the record says of whoever takes a model's seat: chance, where nothing is scripted."""
    if kind == HUMAN:
        return dict(PERSON)
    stance = episode.setup.stance(agent)
    verifies = agent in episode.spec.verifiers
    if not verifies and (stance is None or episode.task.opening(stance) is None):
        return {"kind": "random"}
    usual = DEFAULT_STRATEGY if verifies else None
    return scripted_record(episode.setup.seed, agent, strategy=usual)


def players_of(episode: Episode, models: ModelMaker | None = None) -> dict[str, Player]:
    """The players of all other seats; of models' only if somebody can make them."""
    made: dict[str, Player] = {}
    for agent in episode.spec.agent_names:
        kind = _kind(episode.players.get(agent))
        if kind == "random":
            made[agent] = RandomPlayer(episode.setup.seed)
        elif kind == "scripted":
            made[agent] = scripted_player(episode.setup, agent, episode.players[agent])
        elif kind == "llm" and models is not None and agent in episode.to_move:
            made[agent] = models(agent, episode.players[agent])
    return made


def _kind(player: Mapping[str, Any] | None) -> str:
    """What plays a seat; a person where the record says nothing that is known here.

    It may come from a newer program, or from anybody: somebody has to be able to go on.
    """
    kind = HUMAN if player is None else player.get("kind")
    return kind if kind in PLAYED_HERE else HUMAN
