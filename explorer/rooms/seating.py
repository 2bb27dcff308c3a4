"""Who sits where, what is played at which table: drawn from a seed, and evenly. Pure arithmetic."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nip_core.documents import stable_hash

__all__ = ["Draw", "Places", "draw_conditions", "draw_seats", "free_place"]

T = TypeVar("T")

# By table: the agents that people play there, the one that is filled first at the front.
Places = Mapping[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Draw:
    """What is drawn for a table.

    Parameters
    ----------
    condition : str
    shift : int
        Where in the room's list of tasks the table begins.
    """

    condition: str
    shift: int


def draw_conditions(
    tables: Sequence[int], conditions: Sequence[str], tasks: int, seed: int
) -> dict[int, Draw]:
    """Draw a condition and a first task for each table.

    Numbers of tables differ by at most one between conditions and, within a condition, between
    first tasks. The first tables keep what they were drawn when more are added at the end.

    Parameters
    ----------
    tables : sequence of int
        From 1 on, without a gap.
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
    """Draw a seat for each person: tables are filled one after the other.

    Returns
    -------
    dict of int to (int, str)
        By person, the table and the agent; whoever finds no seat is not there.
    """
    order = _shuffled(people, "people", seed)
    free = [(table, agent) for table, agents in places.items() for agent in agents]
    return dict(zip(order, free, strict=False))


def free_place(
    places: Places, taken: Mapping[tuple[int, str], int | None]
) -> tuple[int, str] | None:
    """The seat for somebody who comes late: at the table where the fewest are missing."""
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
