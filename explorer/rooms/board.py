"""The facilitator's board, and the projector's: where every table stands."""

from __future__ import annotations

from typing import Any

from explorer.rooms.bots import bots_are_told, is_counted, seats_of_bots
from explorer.rooms.room import Room, RoomTable, room_of
from explorer.rooms.tables import episode_at
from explorer.rooms.watching import versions
from explorer.storage import Storage
from nip_core.play import Episode, Moved

__all__ = ["asked_since", "board", "public_board"]


def board(storage: Storage, code: str) -> list[dict[str, Any]]:
    """Where each table of the present task stands. For those who lead: it tells who has moved.

    Nothing in it says what was said, what is true, or which verdict was given. The state of a seat
    is one of asked, moved, waits, lost (no window of the person is open), bot, empty; ``asked``
    says whether the round waits for it, whoever sits there.
    """
    return _rows(storage, room_of(storage, code), public=False)


def public_board(storage: Storage, code: str) -> list[dict[str, Any]]:
    """The same for a wall that everybody sees: made of what each seat at the table may know.

    Those who speak in a round are all asked until it is over. How many seats bots have moved for
    is in it once everybody may know: when the table is over, or at once in a room that says so.
    """
    return _rows(storage, room_of(storage, code), public=True)


def _rows(storage: Storage, room: Room, *, public: bool) -> list[dict[str, Any]]:
    known = versions(storage, room)
    there = frozenset[str]() if public else frozenset(storage.presence.there(room.number))
    return [_row(storage, room, table, known, there, public) for table in room.tables]


def _row(
    storage: Storage,
    room: Room,
    table: RoomTable,
    known: dict[str, int],
    there: frozenset[str],
    public: bool,
) -> dict[str, Any]:
    spec = room.plan.condition(table.condition).spec
    episode, asked, bots, stood_in = None, "", (), ()
    if table.episode_id is not None:
        version = known.get(table.episode_id)
        episode = episode_at(storage, room, table.episode_id, version)
        asked = asked_since(episode)
        if not public or bots_are_told(room, table):
            bots, stood_in = seats_of_bots(room, table, episode), episode.stood_in()

    def seat(agent: str) -> dict[str, Any]:
        if public:
            return _public_seat(table, agent, episode)
        return _seat(room, table, agent, episode, there)

    return {
        "number": table.number,
        "condition": "" if public else table.condition,
        "turn": table.turn,
        "phase": table.phase,
        "over": table.phase == "over",
        "round": 0 if episode is None else episode.node.round,
        "rounds": spec.max_message_rounds,
        "deadline": table.deadline,
        "left": table.left,
        "since": asked,
        "bots": len(bots),
        "counted": is_counted(room, bots),
        "seats": [
            {"agent": agent, "name": spec.seat_name(agent), **seat(agent)}
            for agent in spec.agent_names
        ],
        "lit": [] if episode is None else _lit(episode, public),
        "lit_by_bots": [list(each) for each in stood_in],
    }


def _seat(
    room: Room, table: RoomTable, agent: str, episode: Episode | None, there: frozenset[str]
) -> dict[str, Any]:
    seat = table.seats.get(agent)
    person = None if seat is None or seat.person is None else room.person(seat.person)
    bot = None if seat is None or seat.bot is None else str(seat.bot["kind"])
    asked = episode is not None and table.phase != "over" and agent in episode.to_move
    if bot is not None:
        state = "bot"
    elif person is None:
        state = "empty"
    elif there and not person.bot and f"person:{person.number}" not in there:
        # Where nobody's windows are known of, nobody's are missed.
        state = "lost"
    elif episode is None or table.phase == "over":
        state = "waits"
    elif asked:
        state = "asked"
    else:
        state = "moved" if agent in episode.held else "waits"
    return {
        "person": None if person is None else person.number,
        "who": "" if person is None else person.shown,
        "bot": bot,
        "state": state,
        "asked": asked,
        "told": "" if seat is None else seat.told,
    }


def _public_seat(table: RoomTable, agent: str, episode: Episode | None) -> dict[str, Any]:
    speaks = episode is not None and table.phase == "running" and agent in _speakers(episode)
    return {"state": "asked" if speaks else "waits"}


def _speakers(episode: Episode) -> set[str]:
    """Who speaks in the present round, or may: what the schedule says, which everybody knows."""
    if episode.over:
        return set()
    spec, round_id = episode.spec, episode.node.round
    return {a for seed in range(spec.num_variants) for a in spec.turn(round_id, seed).agents}


def _lit(episode: Episode, public: bool) -> list[list[Any]]:
    """The cells of the grid that have been played: a round and an agent each."""
    path = episode.path()[1:]
    played: list[list[Any]] = [[node.round - 1, agent] for node in path for agent in node.moves]
    held = [] if public else [[episode.node.round, agent] for agent in episode.held]
    return played + held


def asked_since(episode: Episode) -> str:
    """When the present round began: with the last move that is not held back."""
    held = set(episode.held)
    for event in reversed(episode.events):
        if isinstance(event, Moved) and event.move.agent in held:
            held.discard(event.move.agent)
        elif isinstance(event, Moved):
            return event.at or ""
    return next((event.at or "" for event in episode.events), "")
