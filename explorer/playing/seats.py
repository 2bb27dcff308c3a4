"""Who sits where: a person, or one of the players, by what the transcript says of the seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.players import (
    Player,
    RandomPlayer,
    ScriptedExpert,
    ScriptedVerifier,
    script_for,
)
from nip_core.play import Episode

__all__ = ["HUMAN", "KINDS", "humans", "players_of"]

HUMAN = "human"
# What can be chosen for a seat, and what it is called.
KINDS = {
    "me": "Me",
    "friend": "A friend at this screen",
    "scripted": "Scripted expert",
    "random": "Random",
}


def humans(episode: Episode) -> list[str]:
    """The seats of people, in the agents' order."""
    players = episode.players
    return [a for a in episode.spec.agent_names if _kind(players.get(a)) == HUMAN]


def players_of(episode: Episode) -> dict[str, Player]:
    """The players of all other seats."""
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
    return made


def _kind(player: Mapping[str, Any] | None) -> str:
    return HUMAN if player is None else str(player.get("kind", HUMAN))
