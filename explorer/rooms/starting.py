"""Starting a room: tables, seats, and further tasks."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping

from explorer.rooms.changes import in_seconds, leading
from explorer.rooms.errors import NotNowError
from explorer.rooms.plan import MOST_TABLES
from explorer.rooms.room import Room
from explorer.rooms.seating import (
    bot_record,
    deal,
    draw_conditions,
    draw_seats,
    model_record,
    person_record,
    player_record,
    seated,
)
from explorer.rooms.tables import carry_on
from explorer.storage import RoomChange, Storage

__all__ = ["lay_tables", "next_task", "start"]

Sitting = Mapping[tuple[int, str], int | None]


def start(storage: Storage, code: str, by: str) -> None:
    """Seat everybody and start all tables.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    with leading(storage, code, by) as (change, room):
        if room.phase != "gathering":
            raise NotNowError("The room has started already.")
        if room.plan.kind == "tables":
            _deal_turn(change, room, 1, _first_seats(change, room))
        change.set_room(phase="running")
    _carry_all_on(storage, code)


def next_task(storage: Storage, code: str, by: str) -> None:
    """Start another task at all tables; groups stay together.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    with leading(storage, code, by) as (change, room):
        if room.plan.kind != "tables" or room.phase == "gathering":
            raise NotNowError("Start the room first.")
        if any(table.phase != "over" for table in room.tables):
            raise NotNowError("Not all tables are over. Wait for them, or end the task first.")
        turn = room.turn + 1
        change.set_room(turn=turn, phase="running")
        gone = {person.number for person in room.people if person.left}
        kept: dict[tuple[int, str], int | None] = {
            (table.number, agent): None if seat.person in gone else seat.person
            for table in room.tables
            for agent, seat in table.seats.items()
        }
        sitting = _with_late_ones(room, kept)
        vanished = frozenset(
            seat.person
            for table in room.tables
            for seat in table.seats.values()
            if seat.person is not None and seat.bot is not None
        )
        _deal_turn(change, room, turn, sitting, vanished)
    _carry_all_on(storage, code)


def lay_tables(change: RoomChange, room: Room, number: int) -> None:
    """Set up empty tables, at which people choose their seats before the start."""
    for table, sits in _conditions(room, number).items():
        change.add_table(1, table, condition=sits, task="", phase="waiting", round=0)
        for agent in room.plan.people_seats(room.plan.condition(sits)):
            change.add_seat(1, table, agent)


def _conditions(room: Room, tables: int) -> dict[int, str]:
    plan = room.plan
    names = [each.name for each in plan.conditions]
    drawn = draw_conditions(range(1, tables + 1), names, len(plan.tasks), plan.seed)
    return {table: each.condition for table, each in drawn.items()}


def _first_seats(change: RoomChange, room: Room) -> dict[tuple[int, str], int | None]:
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
        change.remove_tables(1)
        return _with_late_ones(room, taken)
    places: dict[int, tuple[str, ...]] = {}
    names = _conditions(room, plan.tables or MOST_TABLES)
    for table, name in names.items():
        if sum(map(len, places.values())) >= len(everybody):
            break
        places[table] = plan.people_seats(plan.condition(name))
    drawn = draw_seats(everybody, places, plan.seed)
    found = {seat: person for person, seat in drawn.items()}
    return {
        (table, agent): found.get((table, agent))
        for table, agents in places.items()
        for agent in agents
    }


def _with_late_ones(
    room: Room, seats: dict[tuple[int, str], int | None]
) -> dict[tuple[int, str], int | None]:
    """Add everybody who has no seat yet: beside others first, then at free tables."""
    plan = room.plan
    sitting = dict(seats)
    waiting = [p.number for p in room.here if p.number not in set(sitting.values())]
    used = _tables_with_people(sitting)
    free = [seat for seat, person in sitting.items() if person is None]
    free.sort(key=lambda seat: seat[0] not in used)
    laid = {table for table, _ in sitting}
    for table, name in _conditions(room, plan.tables or MOST_TABLES).items():
        if len(free) >= len(waiting):
            break
        if table not in laid:
            free += [(table, agent) for agent in plan.people_seats(plan.condition(name))]
    for seat in free:
        sitting.setdefault(seat, None)
    sitting |= dict(zip(free, waiting, strict=False))
    return sitting


def _tables_with_people(sitting: Sitting, away: frozenset[int] = frozenset()) -> set[int]:
    """Return the tables with at least one present person."""
    return {
        table for (table, _), person in sitting.items() if person is not None and person not in away
    }


def _deal_turn(
    change: RoomChange,
    room: Room,
    turn: int,
    sitting: Sitting,
    vanished: frozenset[int] = frozenset(),
) -> None:
    """Create the tables of a turn, with their seats and episodes.

    A bot plays for absent people until they are back. A table whose people are all absent is not
    started: bots alone would play it to the end at once.
    """
    plan = room.plan
    tables = sorted(_tables_with_people(sitting, vanished))
    if not tables:
        raise NotNowError("Nobody is left at any table. Wait until somebody joins or comes back.")
    names = [each.name for each in plan.conditions]
    drawn = draw_conditions(range(1, tables[-1] + 1), names, len(plan.tasks), plan.seed)
    for table in tables:
        condition = plan.condition(drawn[table].condition)
        choice, task = plan.task(drawn[table].shift + turn - 1)
        episode = deal(plan, condition, turn, table, task)
        episode_id = secrets.token_hex(16)
        spec = condition.spec
        change.add_table(
            turn,
            table,
            episode=episode_id,
            condition=condition.name,
            task=choice,
            phase="running",
            round=0,
            deadline=in_seconds(plan.round_seconds) if plan.round_seconds else None,
        )
        for agent in spec.agent_names:
            kind = plan.seat_kind(agent)
            person = sitting.get((table, agent)) if kind == "person" else None
            bot = None
            if person is not None:
                seated(episode, agent, person_record(person))
                if room.person(person).bot or person in vanished:
                    # A rehearsal's bots play even if the plan allows no bots.
                    bot = bot_record(episode, agent, plan.bots or "scripted", person)
            elif kind == "llm":
                bot = model_record(plan, agent)
            elif kind != "person" or plan.bots:
                make = bot_record if kind == "person" else player_record
                bot = make(episode, agent, plan.bots if kind == "person" else kind)
            if bot is not None:
                seated(episode, agent, bot)
            change.add_seat(
                turn, table, agent, person=person, bot=None if bot is None else json.dumps(bot)
            )
        change.add_episode(episode_id, episode, ("room", f"room {room.code}", condition.name[:50]))


def _carry_all_on(storage: Storage, code: str) -> None:
    carry_on(storage, code)
