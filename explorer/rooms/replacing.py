"""Replacing a person by a bot, and giving the seat back."""

from __future__ import annotations

import json

from explorer.rooms.changes import changing, leading
from explorer.rooms.errors import NotLeaderError, NotNowError
from explorer.rooms.room import Room, RoomTable
from explorer.rooms.seating import bot_record, model_record, person_record
from explorer.rooms.tables import carry_table_on, episode_at
from explorer.storage import RoomChange, Storage

__all__ = ["hand_back", "put_bot", "replace_by_bot"]


def put_bot(
    storage: Storage,
    change: RoomChange,
    room: Room,
    table: RoomTable,
    agent: str,
    *,
    keeps_person: bool,
) -> None:
    """Let a bot play a seat, which is either kept for its person or free for others."""
    assert table.episode_id is not None
    episode = episode_at(storage, room, table.episode_id)
    person = table.seats[agent].person
    # A model's substitute is a scripted player, whichever bots the plan allows.
    record = bot_record(episode, agent, room.plan.bots or "scripted", person)
    change.set_seat(
        table.turn,
        table.number,
        agent,
        person=person if keeps_person else None,
        bot=json.dumps(record),
        told="",
    )
    change.seat(table.episode_id, agent, record)


def replace_by_bot(storage: Storage, code: str, table: int, agent: str, *, by: str) -> None:
    """Let a bot play for an absent person until the seat is given back.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    with leading(storage, code, by) as (change, room):
        facts = _played(room, table, agent)
        bot = facts.seats[agent].bot
        if bot is not None and bot["kind"] != "llm":
            return
        if not room.plan.bots and room.plan.seat_kind(agent) == "person":
            raise NotNowError("This room lets no bot play in anybody's place.")
        put_bot(storage, change, room, facts, agent, keeps_person=True)
    carry_table_on(storage, code, table)


def hand_back(storage: Storage, code: str, table: int, agent: str, *, by: str) -> None:
    """Give a seat back to its person, by a leader or the person; or to its model.

    Raises
    ------
    NotLeaderError, NotNowError
    """
    with changing(storage, code) as (change, room):
        facts = _played(room, table, agent)
        seat = facts.seats[agent]
        if seat.person is None and room.plan.seat_kind(agent) != "llm":
            raise NotNowError("Nobody has this seat. It goes to the next who joins.")
        own = None if seat.person is None else room.person(seat.person).visitor
        if not room.leads(by) and (own is None or own != by):
            raise NotLeaderError
        assert facts.episode_id is not None
        if seat.person is None:
            model = model_record(room.plan, agent)
            if seat.bot != model:
                change.set_seat(facts.turn, table, agent, bot=json.dumps(model), told="")
                change.seat(facts.episode_id, agent, model)
        elif seat.bot is not None:
            change.set_seat(facts.turn, table, agent, bot=None, told="")
            change.seat(facts.episode_id, agent, person_record(seat.person))


def _played(room: Room, number: int, agent: str) -> RoomTable:
    table = room.table(number)
    if table is None or table.episode_id is None or agent not in table.seats:
        raise NotNowError("There is no such seat at a table that is played at.")
    if table.phase == "over":
        raise NotNowError("This table is over.")
    return table
