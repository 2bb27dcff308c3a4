"""The episode that is played at a table, and what its record says of the seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.game_table.seats import HUMAN, stand_in
from explorer.game_table.table import now
from explorer.rooms.plan import Condition, Plan
from nip_core.documents import stable_hash
from nip_core.play import INSTEAD_OF, Episode, Seated, Setup
from nip_core.tasks import Task

__all__ = ["bot_record", "deal", "model_record", "person_record", "player_record", "seated"]


def person_record(number: int) -> dict[str, Any]:
    """What the record says of a person: a number, and never a name."""
    return {"kind": HUMAN, "who": f"person {number}"}


def player_record(episode: Episode, agent: str, kind: str) -> dict[str, Any]:
    """What the record says of a scripted player, or of one that moves at random."""
    return {"kind": "random"} if kind == "random" else stand_in(episode, agent, "scripted")


def bot_record(
    episode: Episode, agent: str, kind: str, person: int | None = None
) -> dict[str, Any]:
    """What the record says of a bot in a seat that was meant for a person, who may be missing."""
    whose = "nobody" if person is None else f"person {person}"
    return {**player_record(episode, agent, kind), INSTEAD_OF: whose}


def model_record(plan: Plan, agent: str) -> dict[str, Any]:
    """What the record says of the language model that a seat was meant for."""
    return {"kind": "llm", **plan.models[agent]}


def deal(plan: Plan, condition: Condition, turn: int, table: int, task: Task) -> Episode:
    """A new episode for a table, at which nobody sits yet."""
    drawn = stable_hash("nip-room-table/1", plan.seed, turn, table)
    provers = condition.spec.provers
    setup = Setup.of(
        condition.parameters,
        task,
        int.from_bytes(drawn[:4], "big") % 2**31,
        # Whoever must argue a side has to know what they defend.
        informed_provers=any(plan.seat_kind(agent) == "person" for agent in provers),
    )
    return Episode.from_setup(setup)


def seated(episode: Episode, agent: str, player: Mapping[str, Any]) -> None:
    """Let somebody take a seat."""
    episode.apply(Seated(agent=agent, player=dict(player), at=now()))
