"""Language models at a room's tables: the facilitator lends, is told, and the table goes on.

A table never waits for a model for ever: after a time a scripted player takes the seat, and the
record says for whom.
"""

from __future__ import annotations

import json
import threading
from datetime import datetime

from explorer.game_table.loans import Keys, loans
from explorer.game_table.workers import what_failed, work_at, worker_of
from explorer.players.llm import LLMSettings
from explorer.rooms.board import asked_since
from explorer.rooms.changes import changing, now
from explorer.rooms.dealing import INSTEAD_OF, bot_record
from explorer.rooms.errors import NotLeaderError
from explorer.rooms.room import Room, RoomTable, room_of
from explorer.rooms.tables import carry_table_on
from explorer.storage import Storage
from nip_core.play import Episode

__all__ = ["lend_models", "look_after_models"]

# Seconds from when a model was asked: the facilitator is told; a scripted player takes over.
TELL_AFTER = 30.0
TAKE_OVER_AFTER = 120.0

# In memory only, as all that is lent: which keys go with which room, by who leads it.
_lent: dict[tuple[str, str], tuple[str, dict[str, LLMSettings], Keys]] = {}
_lock = threading.Lock()


def lend_models(storage: Storage, code: str, keys: Keys, *, by: str) -> None:
    """Let the models of a room be asked, on behalf of who leads it, with their keys.

    Parameters
    ----------
    keys : mapping
        By seat and address; see :class:`~explorer.game_table.loans.Loans`.

    Raises
    ------
    NotLeaderError
    LLMError
        If what the plan says of a model cannot be used.
    """
    room = room_of(storage, code)
    if not room.leads(by):
        raise NotLeaderError
    settings = {a: LLMSettings.from_record(said) for a, said in room.plan.models.items()}
    with _lock:
        _lent[_place(room)] = by, settings, keys


def _place(room: Room) -> tuple[str, str]:
    """By which a room is told from one that was deleted, whose number another one may have."""
    return room.code, room.rows.room["created"]


def look_after_models(storage: Storage, room: Room, table: RoomTable, episode: Episode) -> None:
    """Let models at a table move; tell of those that do not, and replace them in the end."""
    players = episode.players
    waiting = [a for a in episode.to_move if players.get(a, {}).get("kind") == "llm"]
    if not waiting:
        return
    reason = _ask(storage, room, episode, table.episode_id or "")
    since = asked_since(episode)
    waited = (now() - datetime.fromisoformat(since)).total_seconds() if since else TELL_AFTER
    if waited >= TAKE_OVER_AFTER:
        _take_over(storage, room, table, waiting, reason)
    elif reason or waited >= TELL_AFTER:
        _tell(storage, room, table, waiting, reason or "The model has not answered yet.")


def _ask(storage: Storage, room: Room, episode: Episode, episode_id: str) -> str:
    """See that somebody asks the models; return why that fails, if it does."""
    with _lock:
        lent = _lent.get(_place(room))
    if lent is None:
        return "Nobody has let this model be asked since the server was started."
    visitor, settings, keys = lent
    worker = worker_of(episode_id)
    if worker is not None and worker.failed and worker.round == episode.node.round:
        agent = next((a for a, seat in worker.seats.items() if seat.error), "")
        return what_failed(worker, agent)[0]
    loans.lend(visitor, episode_id, settings.values(), keys)
    work_at(storage.within(room.number), episode_id, visitor)
    return ""


def _tell(storage: Storage, room: Room, table: RoomTable, agents: list[str], words: str) -> None:
    """Tell the facilitator, once."""
    if all(table.seats[agent].told == words for agent in agents):
        return
    with changing(storage, room.code) as (change, present):
        here = present.table(table.number)
        if here is not None and here.turn == table.turn:
            for agent in agents:
                if here.seats[agent].told != words:
                    change.set_seat(here.turn, here.number, agent, told=words)


def _take_over(
    storage: Storage, room: Room, table: RoomTable, agents: list[str], reason: str
) -> None:
    """Let scripted players sit where models do not answer."""
    with changing(storage, room.code) as (change, present):
        here = present.table(table.number)
        if here is None or here.turn != table.turn or here.phase != "running":
            return
        assert here.episode_id is not None
        episode = storage.within(present.number).load(here.episode_id).episode
        for agent in agents:
            model = episode.players.get(agent, {})
            if model.get("kind") != "llm" or agent not in episode.to_move:
                continue
            record = {**bot_record(episode, agent, "scripted"), INSTEAD_OF: model.get("model")}
            told = f"A scripted player has taken over. {reason}".strip()
            change.set_seat(here.turn, here.number, agent, bot=json.dumps(record), told=told)
            change.seat(here.episode_id, agent, record)
    carry_table_on(storage, room.code, table.number)
