"""Seats: people and bots assigned evenly, by a seeded draw."""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from explorer.languages import trn
from explorer.play import now, setup_of, stand_in
from explorer.rooms.changes import in_seconds, leading
from explorer.rooms.errors import NotNowError
from explorer.rooms.events import TableDealt, TableLaid, TaskStarted
from explorer.rooms.plan import MOST_TABLES, RoomCondition, RoomPlan
from explorer.rooms.room import Access, Room, RoomTable
from explorer.rooms.tables import carry_on
from explorer.storage import RoomChange
from nip_core.documents import stable_hash
from nip_core.play import INSTEAD_OF, Episode, Seated


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


def deal(plan: RoomPlan, condition: RoomCondition, turn: int, block: int, task: Any) -> Episode:
    """Return a new episode for a table, without players.

    The tables of a block have the same seed, so that what chance draws, such as which side the
    provers argue for, is no difference between conditions.
    """
    # Blocks count from 1 here: a room with one condition keeps the draws of earlier versions.
    drawn = stable_hash("nip-room-table/1", plan.seed, turn, block + 1)
    seed = int.from_bytes(drawn[:4], "big") % 2**31
    return Episode.from_setup(setup_of(condition.choice, task, seed, plan.people_seats(condition)))


T = TypeVar("T")

# By table: the agents that people play there, the one that is filled first in front.
Places = Mapping[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Draw:
    """The result of the draw for a table."""

    condition: str
    block: int  # from 0; a block has one table of each condition, and they play the same tasks
    shift: int  # the table's offset in the room's list of tasks


def draw_conditions(
    tables: Sequence[int], conditions: Sequence[str], tasks: int, seed: int
) -> dict[int, Draw]:
    """Draw a condition and a first task for each table; tables count from 1, without a gap.

    As many tables as there are conditions are a block: each condition once, in a drawn order, and
    all with the same tasks. Only the last block may lack tables. The numbers of blocks differ by at
    most one between first tasks. Adding tables at the end does not change earlier draws.
    """
    drawn: dict[int, Draw] = {}
    for place, table in enumerate(tables):
        block, within = divmod(place, len(conditions))
        order = _shuffled(conditions, "conditions", seed, block)
        cycle, nth = divmod(block, tasks)
        shifts = _shuffled(range(tasks), "tasks", seed, cycle)
        drawn[table] = Draw(order[within], block, shifts[nth])
    return drawn


def draw_seats(people: Sequence[int], places: Places, seed: int) -> dict[int, tuple[int, str]]:
    """Draw a table and an agent for each person, one table after the other, while seats last."""
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

    A bot alone in a seat counts even before it has moved. A seat that the facilitator assigned to
    a scripted player or to a model does not count, since the table was planned that way, unless a
    scripted player took over for the model.
    """
    played = {agent for _, agent in episode.stood_in()}
    played |= {
        agent
        for agent, seat in table.seats.items()
        if seat.bot is not None and seat.person is None and room.plan.seat_kind(agent) == "person"
    }
    return tuple(agent for agent in episode.rules.seat_names if agent in played)


def is_counted(room: Room, bots: tuple[str, ...]) -> bool:
    """Return whether a table counts in the room's result, by its :func:`seats_of_bots`.

    Tables at which a bot has played for a person do not count. In a rehearsal all tables count,
    since nothing is measured and every window says that bots play.
    """
    return room.plan.rehearsal or not bots


def with_bots(number: int, *, counted: bool = False) -> str:
    """Return how tables with bots are named everywhere: "2 tables with bots, not counted"."""
    if counted:
        return trn("{n} table with bots", "{n} tables with bots", number)
    return trn("{n} table with bots, not counted", "{n} tables with bots, not counted", number)


Occupants = Mapping[tuple[int, str], int | None]


def start(access: Access) -> None:
    """Seat everybody and start all tables."""
    with leading(access) as (change, room):
        if room.phase != "gathering":
            raise NotNowError("The room has started already.")
        occupants = _first_seats(room) if room.plan.kind == "tables" else None
        change.append(TaskStarted(turn=1))
        if occupants is not None:
            _deal_turn(change, room, 1, occupants)
    carry_on(room)


def next_task(access: Access) -> None:
    """Start another task at all tables; groups stay together."""
    with leading(access) as (change, room):
        if room.plan.kind != "tables" or room.phase == "gathering":
            raise NotNowError("Start the room first.")
        if any(table.phase != "over" for table in room.tables):
            raise NotNowError("Not all tables are over. Wait for them, or end the task first.")
        turn = room.turn + 1
        change.append(TaskStarted(turn=turn))
        gone = {person.number for person in room.people if person.left}
        kept: dict[tuple[int, str], int | None] = {
            (table.number, agent): None if seat.person in gone else seat.person
            for table in room.tables
            for agent, seat in table.seats.items()
        }
        occupants = _with_late_ones(room, kept)
        vanished = frozenset(
            seat.person
            for table in room.tables
            for seat in table.seats.values()
            if seat.person is not None and seat.bot is not None
        )
        _deal_turn(change, room, turn, occupants, vanished)
    carry_on(room)


def laid_tables(plan: RoomPlan) -> list[TableLaid]:
    """Return the empty tables at which people choose their seats before the start."""
    if plan.kind != "tables" or plan.seating != "choice":
        return []
    return [
        TableLaid(
            turn=1,
            table=table,
            condition=name,
            agents=plan.people_seats(plan.condition(name)),
        )
        for table, name in _conditions(plan, plan.tables or 1).items()
    ]


def _conditions(plan: RoomPlan, tables: int) -> dict[int, str]:
    names = [condition.name for condition in plan.conditions]
    drawn = draw_conditions(range(1, tables + 1), names, len(plan.tasks), plan.seed)
    return {table: condition.condition for table, condition in drawn.items()}


def _first_seats(room: Room) -> dict[tuple[int, str], int | None]:
    """Return who sits where in the first turn."""
    plan = room.plan
    everybody = [person.number for person in room.here]
    if not everybody:
        raise NotNowError("Nobody has joined yet. Wait for the first, or rehearse with bots.")
    if plan.seating == "choice":
        taken: dict[tuple[int, str], int | None] = {
            (table.number, agent): seat.person
            for table in room.tables
            for agent, seat in table.seats.items()
        }
        return _with_late_ones(room, taken)
    places: dict[int, tuple[str, ...]] = {}
    names = _conditions(plan, plan.tables or MOST_TABLES)
    for table, name in names.items():
        if sum(map(len, places.values())) >= len(everybody):
            break
        places[table] = plan.people_seats(plan.condition(name))
    drawn = draw_seats(everybody, places, plan.seed)
    sitting = {seat: person for person, seat in drawn.items()}
    return {
        (table, agent): sitting.get((table, agent))
        for table, agents in places.items()
        for agent in agents
    }


def _with_late_ones(
    room: Room, seats: dict[tuple[int, str], int | None]
) -> dict[tuple[int, str], int | None]:
    """Add everybody who has no seat yet: beside others first, then at free tables."""
    plan = room.plan
    occupants = dict(seats)
    waiting = [p.number for p in room.here if p.number not in set(occupants.values())]
    used = _tables_with_people(occupants)
    free = [seat for seat, person in occupants.items() if person is None]
    free.sort(key=lambda seat: seat[0] not in used)
    laid = {table for table, _ in occupants}
    for table, name in _conditions(plan, plan.tables or MOST_TABLES).items():
        if len(free) >= len(waiting):
            break
        if table not in laid:
            free += [(table, agent) for agent in plan.people_seats(plan.condition(name))]
    for seat in free:
        occupants.setdefault(seat, None)
    occupants |= dict(zip(free, waiting, strict=False))
    return occupants


def _tables_with_people(occupants: Occupants, away: frozenset[int] = frozenset()) -> set[int]:
    """Return the tables with at least one present person."""
    return {
        table
        for (table, _), person in occupants.items()
        if person is not None and person not in away
    }


def _deal_turn(
    change: RoomChange,
    room: Room,
    turn: int,
    occupants: Occupants,
    vanished: frozenset[int] = frozenset(),
) -> None:
    """Create the tables of a turn, with their seats and episodes.

    A bot plays for absent people until they are back. A table whose people are all absent is not
    started: bots alone would play it to the end at once.
    """
    plan = room.plan
    tables = sorted(_tables_with_people(occupants, vanished))
    if not tables:
        raise NotNowError("Nobody is left at any table. Wait until somebody joins or comes back.")
    names = [condition.name for condition in plan.conditions]
    drawn = draw_conditions(range(1, tables[-1] + 1), names, len(plan.tasks), plan.seed)
    for table in tables:
        draw = drawn[table]
        condition = plan.condition(draw.condition)
        choice, task = plan.task(draw.shift + turn - 1)
        episode = deal(plan, condition, turn, draw.block, task)
        episode_id = secrets.token_hex(16)
        seats: dict[str, dict[str, Any]] = {}
        for agent in condition.rules.seat_names:
            kind = plan.seat_kind(agent)
            person = occupants.get((table, agent)) if kind == "person" else None
            bot = None
            if person is not None:
                if room.person(person).bot or person in vanished:
                    # A rehearsal's bots play even if the plan allows no bots.
                    bot = bot_record(episode, agent, plan.bots or "scripted", person)
            elif kind == "llm":
                bot = model_record(plan, agent)
            elif kind != "person" or plan.bots:
                make = bot_record if kind == "person" else player_record
                bot = make(episode, agent, plan.bots if kind == "person" else kind)
            seats[agent] = {"person": person, "bot": bot}
        dealt = TableDealt(
            turn=turn,
            table=table,
            episode=episode_id,
            condition=condition.name,
            task=choice,
            deadline=in_seconds(plan.round_seconds) if plan.round_seconds else None,
            seats=seats,
        )
        change.append(dealt)
        for agent, player in dealt.first_players():
            episode.apply(Seated(agent=agent, player=dict(player), at=now()))
        change.add_episode(episode_id, episode, ("room", f"room {room.code}", condition.name[:50]))
