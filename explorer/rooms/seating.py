"""Seats: people and bots assigned evenly, by a seeded draw."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from explorer.play import HUMAN, now, stand_in
from explorer.rooms.plan import RoomCondition, RoomPlan
from explorer.rooms.room import Room, RoomTable
from nip_core.documents import stable_hash
from nip_core.play import INSTEAD_OF, Episode, Seated, Setup
from nip_core.tasks import Task

__all__ = [
    "Draw",
    "Places",
    "bot_record",
    "bots_are_told",
    "deal",
    "draw_conditions",
    "draw_seats",
    "free_place",
    "is_counted",
    "model_record",
    "person_record",
    "player_record",
    "seated",
    "seats_of_bots",
    "with_bots",
]


def person_record(number: int) -> dict[str, Any]:
    """Return the record of a person: a number, never a name."""
    return {"kind": HUMAN, "who": f"person {number}"}


def player_record(episode: Episode, agent: str, kind: str) -> dict[str, Any]:
    """Return the record of a scripted player, or of one that moves at random."""
    return {"kind": "random"} if kind == "random" else stand_in(episode, agent, "scripted")


def bot_record(
    episode: Episode, agent: str, kind: str, person: int | None = None
) -> dict[str, Any]:
    """Return the record of a bot in a seat meant for a person, if there was one."""
    whose = "nobody" if person is None else f"person {person}"
    return {**player_record(episode, agent, kind), INSTEAD_OF: whose}


def model_record(plan: RoomPlan, agent: str) -> dict[str, Any]:
    """Return the record of the language model for which a seat was meant."""
    return {"kind": "llm", **plan.models[agent]}


def deal(plan: RoomPlan, condition: RoomCondition, turn: int, table: int, task: Task) -> Episode:
    """Return a new episode for a table, without players."""
    drawn = stable_hash("nip-room-table/1", plan.seed, turn, table)
    provers = condition.spec.provers
    setup = Setup.of(
        condition.parameters,
        task,
        int.from_bytes(drawn[:4], "big") % 2**31,
        # A debater has to know which side to defend.
        informed_provers=any(plan.seat_kind(agent) == "person" for agent in provers),
    )
    return Episode.from_setup(setup)


def seated(episode: Episode, agent: str, player: Mapping[str, Any]) -> None:
    """Seat a player."""
    episode.apply(Seated(agent=agent, player=dict(player), at=now()))


T = TypeVar("T")

# By table: the agents that people play there, the one that is filled first in front.
Places = Mapping[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Draw:
    """The result of the draw for a table.

    Parameters
    ----------
    condition : str
    shift : int
        The table's offset in the room's list of tasks.
    """

    condition: str
    shift: int


def draw_conditions(
    tables: Sequence[int], conditions: Sequence[str], tasks: int, seed: int
) -> dict[int, Draw]:
    """Draw a condition and a first task for each table.

    The numbers of tables differ by at most one between conditions and, within a condition, between
    first tasks. Adding tables at the end does not change earlier draws.

    Parameters
    ----------
    tables : sequence of int
        From 1, without a gap.
    conditions : sequence of str
    tasks : int
    seed : int
    """
    drawn: dict[int, Draw] = {}
    for place, table in enumerate(tables):
        block, within = divmod(place, len(conditions))
        # In each block of as many tables as there are conditions, each condition comes once.
        order = _shuffled(conditions, "conditions", seed, block)
        cycle, nth = divmod(block, tasks)
        shifts = _shuffled(range(tasks), f"tasks {order[within]}", seed, cycle)
        drawn[table] = Draw(order[within], shifts[nth])
    return drawn


def draw_seats(people: Sequence[int], places: Places, seed: int) -> dict[int, tuple[int, str]]:
    """Draw a seat for each person; tables are filled one after the other.

    Returns
    -------
    dict of int to (int, str)
        The table and agent by person; people without a seat are left out.
    """
    order = _shuffled(people, "people", seed)
    free = [(table, agent) for table, agents in places.items() for agent in agents]
    return dict(zip(order, free, strict=False))


def free_place(
    places: Places, taken: Mapping[tuple[int, str], int | None]
) -> tuple[int, str] | None:
    """Return the seat for a latecomer: at the table with the fewest empty seats."""
    free = {
        table: [agent for agent in agents if taken.get((table, agent)) is None]
        for table, agents in places.items()
    }
    open_tables = [table for table, agents in free.items() if agents]
    if not open_tables:
        return None
    best = min(open_tables, key=lambda table: (len(free[table]), table))
    return best, free[best][0]


def _shuffled(items: Sequence[T], what: str, *parts: int) -> list[T]:
    drawn = stable_hash(f"nip-room {what}/1", *parts)
    mixed = list(items)
    random.Random(drawn).shuffle(mixed)
    return mixed


def seats_of_bots(room: Room, table: RoomTable, episode: Episode) -> tuple[str, ...]:
    """Return the agents for whom a bot has played, though the seat was meant for somebody else.

    A bot that sits where nobody else does is among them before it has moved. A seat that
    the facilitator gave to a scripted player or to a model is none of them: that is what the table
    was to be like. But it is if a scripted player took over for the model.
    """
    played = {agent for _, agent in episode.stood_in()}
    played |= {
        agent
        for agent, seat in table.seats.items()
        if seat.bot is not None and seat.person is None and room.plan.seat_kind(agent) == "person"
    }
    return tuple(agent for agent in episode.spec.agent_names if agent in played)


def is_counted(room: Room, bots: tuple[str, ...]) -> bool:
    """Return whether a table counts in the room's result, by its :func:`seats_of_bots`.

    Tables at which a bot has played for somebody do not, but in a rehearsal: there all do, since
    nothing is measured, and every window says that bots play.
    """
    return room.plan.rehearsal or not bots


def bots_are_told(room: Room, table: RoomTable) -> bool:
    """Return whether everybody may know by now where bots have moved at a table."""
    return table.phase == "over" or room.plan.bots_told == "once"


def with_bots(number: int, *, counted: bool = False) -> str:
    """Return how tables with bots are named everywhere: "2 tables with bots, not counted"."""
    tables = "1 table" if number == 1 else f"{number} tables"
    return f"{tables} with bots" if counted else f"{tables} with bots, not counted"
