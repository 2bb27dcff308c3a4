"""What goes on in rooms without anybody's doing: rounds that are over, models that do not answer.

Each process of the app has one keeper. Whatever it does is claimed by a change of the room that
finds it as it was, so that of several processes one does it; and all of it can be done again, so
that a process that dies in between leaves nothing undone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from explorer.game_table.seats import PERSON
from explorer.game_table.table import Table
from explorer.rooms.changes import changing, in_seconds, now
from explorer.rooms.dealing import player_record
from explorer.rooms.errors import RoomError
from explorer.rooms.lesson_acts import go_on_with_timers
from explorer.rooms.making import most_episode_days
from explorer.rooms.models import drop_loans, look_after_models
from explorer.rooms.opening import Steadiness, purge_overdue
from explorer.rooms.room import Room, RoomTable, room_of
from explorer.rooms.tables import carry_table_on, episode_at, let_bots_move, note_round
from explorer.rooms.watching import versions
from explorer.storage import ConflictError, Storage, StorageError
from nip_core.play import STANDS_IN_FOR, Episode

__all__ = ["Keeper", "look"]

# Seconds between two looks, if no round ends sooner. No round is shorter, so none is missed.
LOOK = 5.0
# In a rehearsal bots take about as long as people in a hurry; and models are asked no later.
PACE = 2.0
PURGE_EVERY = 3600.0

log = logging.getLogger("explorer")


class Keeper(threading.Thread):
    """Looks after the rooms of a database.

    Parameters
    ----------
    storage : callable
        Opens it, or gives the one that is open.
    """

    def __init__(self, storage: Callable[[], Storage]) -> None:
        super().__init__(name="rooms", daemon=True)
        self._storage = storage
        self._stopped = threading.Event()
        self._purged = -PURGE_EVERY
        self._clock = Steadiness()

    def stop(self) -> None:
        """End it."""
        self._stopped.set()

    def run(self) -> None:
        """Look, until stopped."""
        pause = 0.0  # what was begun before a restart goes on
        while not self._stopped.wait(pause):
            pause = LOOK
            try:
                storage = self._storage()
                pause = look(storage)
                go_on_with_timers(storage)
                storage.usage.share()
                if time.monotonic() - self._purged > PURGE_EVERY:
                    self._purged = time.monotonic()
                    purge_overdue(storage, self._clock)
                    drop_loans(storage)
                    if days := most_episode_days():
                        storage.usage.delete_old(days)
                    storage.tries.forget(time.time())
            except StorageError as error:
                # Whoever uses the app is told more; here it is tried again.
                log.info("The rooms cannot be looked after (%s)", type(error).__name__)
            except Exception:
                log.exception("The rooms could not be looked after")


def look(storage: Storage) -> float:
    """Do what is due in all rooms, and return in how many seconds to look again."""
    pause = LOOK
    for code in storage.rooms.running():
        try:
            room = room_of(storage, code)
            _look_at(storage, room)
        except (RoomError, ConflictError):
            continue  # it was deleted, or somebody else was faster
        except StorageError:
            raise
        except Exception:
            # What is wrong with one room must not keep the others from going on.
            log.exception("A room could not be looked after")
            continue
        if room.plan.rehearsal or room.plan.models:
            pause = min(pause, PACE)
    soonest = storage.rooms.next_deadline()
    if soonest is not None:
        pause = min(pause, max(0.05, (datetime.fromisoformat(soonest) - now()).total_seconds()))
    return pause


def _look_at(storage: Storage, room: Room) -> None:
    known = versions(storage, room)
    for table in room.tables:
        if table.phase != "running" or table.episode_id is None:
            continue
        if table.deadline is not None and datetime.fromisoformat(table.deadline) <= now():
            _end_round(storage, room, table)
        episode = episode_at(storage, room, table.episode_id, known.get(table.episode_id))
        if room.plan.rehearsal:
            _step(storage, room, table)
        elif episode.over or _bots_to_move(episode):
            carry_table_on(storage, room.code, table.number)
        look_after_models(storage, room, table, episode)


def _bots_to_move(episode: Episode) -> bool:
    players = episode.players
    return any(players.get(a, {}).get("kind") in ("scripted", "random") for a in episode.to_move)


def _step(storage: Storage, room: Room, table: RoomTable) -> None:
    """Let one bot of a rehearsal move."""
    at_table = Table(storage.within(room.number), table.episode_id or "")
    at_table.step()
    note_round(storage, room, table, at_table)


def _end_round(storage: Storage, room: Room, table: RoomTable) -> None:
    """Move for all who have not within the time; it is for this round only, and in the record.

    Where the facilitator lets no bot play, the table ends instead, and is in no result.
    """
    with changing(storage, room.code) as (change, present):
        here = present.table(table.number)
        if here is None or here.deadline is None or here.deadline != table.deadline:
            return  # another process was faster, or there is more time now
        assert here.episode_id is not None
        version = storage.rooms.versions([here.episode_id])[here.episode_id]
        episode = episode_at(storage, present, here.episode_id, version)
        if episode.node.round == here.round and episode.to_move and not present.plan.bots:
            change.set_table(here.turn, here.number, phase="over", deadline=None, left=None)
            return
        if episode.node.round == here.round:
            for agent in episode.to_move:
                record = _stands_in(episode, present, agent)
                if record is not None:
                    change.seat(here.episode_id, agent, record, version=version)
                    version += 1
        # Should this process die now, another one goes on after that.
        limit = present.plan.round_seconds or LOOK
        change.set_table(here.turn, here.number, deadline=in_seconds(limit))
    at_table = Table(storage.within(room.number), table.episode_id or "")
    if not room.plan.rehearsal:
        let_bots_move(at_table)
    note_round(storage, room, table, at_table)


def _stands_in(episode: Episode, room: Room, agent: str) -> dict[str, Any] | None:
    """Who moves once in place of a person or a model; nobody where a bot plays anyway."""
    sits = episode.players.get(agent, PERSON)
    if sits.get("kind") in ("scripted", "random"):
        return None
    record = player_record(episode, agent, room.plan.bots)
    return {**record, STANDS_IN_FOR: dict(sits), "late": True}
