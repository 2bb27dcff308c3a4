"""The facilitator's board: where every table stands, and who is waited for."""

from __future__ import annotations

from typing import Any

from explorer.rooms.room import Room, RoomTable, room_of
from explorer.rooms.tables import episode_at
from explorer.rooms.watching import versions
from explorer.storage import Storage
from nip_core.play import Episode

__all__ = ["board"]


def board(storage: Storage, code: str) -> list[dict[str, Any]]:
    """Where each table of the present turn stands. For those who lead: it tells who has moved.

    Nothing in it says what was said, what is true, or which verdict was given.
    """
    room = room_of(storage, code)
    known = versions(storage, room)
    return [_row(storage, room, table, known) for table in room.tables]


def _row(storage: Storage, room: Room, table: RoomTable, known: dict[str, int]) -> dict[str, Any]:
    episode = None
    if table.episode_id is not None:
        version = known.get(table.episode_id)
        episode = episode_at(storage, room, table.episode_id, version)
    spec = room.plan.condition(table.condition).spec
    return {
        "number": table.number,
        "condition": table.condition,
        "turn": table.turn,
        "phase": table.phase,
        "round": 0 if episode is None else episode.node.round,
        "rounds": spec.max_message_rounds,
        "deadline": table.deadline,
        "left": table.left,
        "seats": [_seat(room, table, agent, episode) for agent in spec.agent_names],
        "lit": [] if episode is None else _lit(episode),
    }


def _seat(room: Room, table: RoomTable, agent: str, episode: Episode | None) -> dict[str, Any]:
    spec = room.plan.condition(table.condition).spec
    seat = table.seats.get(agent)
    person = None if seat is None or seat.person is None else room.person(seat.person)
    bot = None if seat is None or seat.bot is None else str(seat.bot["kind"])
    if person is None and bot is None:
        state = "empty"
    elif bot is not None:
        state = "bot"
    elif episode is None or table.phase == "over":
        state = "waits"
    elif agent in episode.to_move:
        state = "asked"
    else:
        state = "moved" if agent in episode.held else "waits"
    return {
        "agent": agent,
        "name": spec.seat_name(agent),
        "person": None if person is None else person.number,
        "who": "" if person is None else person.shown,
        "bot": bot,
        "state": state,
        "told": "" if seat is None else seat.told,
    }


def _lit(episode: Episode) -> list[list[Any]]:
    """The cells of the grid that have been played: a round and an agent each."""
    path = episode.path()[1:]
    played = [[node.round - 1, agent] for node in path for agent in node.moves]
    return played + [[episode.node.round, agent] for agent in episode.held]
