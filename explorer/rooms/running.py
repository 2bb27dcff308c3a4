"""A running room: the facilitator's actions, and the scheduler."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from explorer.play import PERSON, StoredTable
from explorer.rooms.board import versions
from explorer.rooms.changes import changing, in_seconds, leading, now, seconds_until
from explorer.rooms.errors import NoSuchRoomError, NotNowError, RoomClosedError, RoomError
from explorer.rooms.events import (
    Revealed,
    RoomPaused,
    RoomResumed,
    RoundExpired,
    RoundExtended,
    TableEnded,
    TablePaused,
    TableResumed,
    TaskEnded,
    TimersMoved,
)
from explorer.rooms.lesson_acts import take_over_timers
from explorer.rooms.models import drop_grants, run_models
from explorer.rooms.opening import Steadiness, most_episode_days, purge_overdue
from explorer.rooms.room import Access, Room, RoomTable, room_of
from explorer.rooms.seating import player_record
from explorer.rooms.tables import carry_on, carry_table_on, episode_at, let_bots_move, note_round
from explorer.storage import BEAT, SILENT, ConflictError, Storage, StorageError, stamp
from nip_core.play import STANDS_IN_FOR, Episode

MOST_EXTRA = 3600


def pause(access: Access, table: int | None = None) -> None:
    """Pause a table, or all; the remaining time of their rounds is kept."""
    with leading(access, table=table) as (change, room):
        if room.phase not in ("running", "paused"):
            raise NotNowError("The room is not running, so it cannot be paused.")
        for room_table in _some(room, table):
            if room_table.phase == "running":
                left = None if room_table.deadline is None else seconds_until(room_table.deadline)
                change.append(TablePaused(**room_table.place, left=left))
        if table is None and room.phase == "running":
            change.append(RoomPaused())


def resume(access: Access, table: int | None = None) -> None:
    """Resume a table, or all."""
    with leading(access, table=table) as (change, room):
        if room.phase not in ("running", "paused"):
            raise NotNowError("The room is not paused, so it cannot go on.")
        for room_table in _some(room, table):
            if room_table.phase == "paused":
                deadline = None if room_table.left is None else in_seconds(room_table.left)
                change.append(TableResumed(**room_table.place, deadline=deadline))
        if room.phase == "paused":
            change.append(RoomResumed())
    carry_on(room)


def extend(access: Access, table: int | None = None, seconds: int = 60) -> None:
    """Give the present round of a table, or of all, more time."""
    if not 1 <= seconds <= MOST_EXTRA:
        raise RoomError(f"A round can be made longer by 1 to {MOST_EXTRA} seconds.")
    with leading(access, table=table) as (change, room):
        some = [t for t in _some(room, table) if t.deadline is not None or t.left is not None]
        if not some:
            raise NotNowError("No round with a time limit is being played.")
        for room_table in some:
            due, left = room_table.deadline, room_table.left
            due = None if due is None else in_seconds(seconds_until(due) + seconds)
            left = None if left is None else left + seconds
            change.append(RoundExtended(**room_table.place, deadline=due, left=left))


def end(access: Access, table: int | None = None) -> None:
    """End a table, or all of them and the present task. What was played is kept."""
    with leading(access, table=table) as (change, room):
        if room.phase not in ("running", "paused"):
            raise NotNowError("The room is not running, so there is no task to end.")
        for room_table in _some(room, table):
            if room_table.phase != "over":
                change.append(TableEnded(**room_table.place))
        if table is None:
            change.append(TaskEnded())


def reveal(access: Access) -> None:
    """Reveal the truth: everybody may look at the finished episodes."""
    with leading(access) as (change, room):
        if room.phase == "gathering":
            raise NotNowError("Start the room first.")
        if any(table.phase != "over" for table in room.tables):
            raise NotNowError(
                "Some tables are still playing. Wait for them, or end the task first."
            )
        change.append(Revealed())


def _some(room: Room, number: int | None) -> list[RoomTable]:
    tables = [table for table in room.tables if number in (None, table.number)]
    if number is not None and not tables:
        raise NotNowError(f"There is no table {number}.")
    return tables


# Seconds between two checks if no round ends sooner. No round is shorter, so none is missed.
CHECK_EVERY = 5.0
# In a rehearsal bots take about as long as people in a hurry; models are asked this often.
PACE = 2.0
PURGE_EVERY = 3600.0

log = logging.getLogger("explorer")


class Scheduler(threading.Thread):
    """Runs what is due in the rooms of a database, which the given function opens."""

    def __init__(self, storage: Callable[[], Storage]) -> None:
        super().__init__(name="rooms", daemon=True)
        self._storage = storage
        self._stopped = threading.Event()
        self._purged = -PURGE_EVERY
        self._clock = Steadiness()
        self._checked = datetime.min.replace(tzinfo=UTC)

    def stop(self) -> None:
        """Stop the thread."""
        self._stopped.set()

    def run(self) -> None:
        """Check repeatedly until stopped."""
        pause = 0.0  # continue at once with what was running before a restart
        while not self._stopped.wait(pause):
            pause = CHECK_EVERY
            try:
                storage = self._storage()
                if not timedelta() <= now() - self._checked < BEAT:
                    self._checked = now()
                    move_timers(storage)
                pause = run_due(storage)
                take_over_timers(storage)
                storage.usage.share()
                storage.remove_traces(left=True)
                if time.monotonic() - self._purged > PURGE_EVERY:
                    self._purged = time.monotonic()
                    purge_overdue(storage, self._clock)
                    drop_grants(storage)
                    if days := most_episode_days():
                        storage.usage.delete_old(days)
                    storage.attempts.forget(time.time())
                    storage.remove_traces()
            except StorageError as error:
                # People see the error in the app; here it is tried again.
                log.info("Maintenance of rooms failed (%s)", type(error).__name__)
            except Exception:
                log.exception("Maintenance of rooms failed")


def move_timers(storage: Storage) -> None:
    """Record a check of time limits; postpone them by the time in which no server was running.

    In a room, a server was running until the last check or the last event, if that was later.
    """
    checked, at = storage.rooms.checked_at(), stamp(now())
    codes = storage.rooms.timed(checked or at)
    first = bool(codes) and storage.rooms.note_check(checked, at)
    for code in codes if first and checked is not None else ():
        with (
            suppress(NoSuchRoomError, RoomClosedError),
            changing(Access(storage, code)) as (change, room),
        ):
            since = max(checked, room.rows.room["updated"])
            down = now() - datetime.fromisoformat(since)
            if down > SILENT:
                change.append(TimersMoved(since=since, seconds=down.total_seconds()))


def run_due(storage: Storage) -> float:
    """Do what is due in all rooms, and return the seconds until the next check."""
    pause = CHECK_EVERY
    for code in storage.rooms.running():
        try:
            room = room_of(Access(storage, code))
            _do_due(room)
        except (RoomError, ConflictError):
            continue  # it was deleted, or another process was faster
        except StorageError:
            raise
        except Exception:
            # An error in one room must not stop the others.
            log.exception("Maintenance of a room failed")
            continue
        if room.plan.rehearsal or room.plan.models:
            pause = min(pause, PACE)
    soonest = storage.rooms.next_deadline()
    if soonest is not None:
        pause = min(pause, max(0.05, (datetime.fromisoformat(soonest) - now()).total_seconds()))
    return pause


def _do_due(room: Room) -> None:
    """Do what is due at the tables of a room."""
    known = versions(room)
    for table in room.tables:
        if table.phase != "running" or table.episode_id is None:
            continue
        if table.deadline is not None and datetime.fromisoformat(table.deadline) <= now():
            _end_round(room, table)
        episode = episode_at(room, table.episode_id, known.get(table.episode_id))
        if room.plan.rehearsal:
            at_table = StoredTable(room.storage, table.episode_id)
            at_table.step()  # one bot moves
            note_round(room, table, at_table)
        elif episode.over or _bots_to_move(episode):
            carry_table_on(room, table.number)
        run_models(room, table, episode)


def _bots_to_move(episode: Episode) -> bool:
    players = episode.players
    return any(players.get(a, {}).get("kind") in ("scripted", "random") for a in episode.to_move)


def _end_round(room: Room, table: RoomTable) -> None:
    """Move for everybody who has not moved in time, for this round only; the record says so.

    If the plan allows no bots, the table ends instead and does not count.
    """
    with changing(room) as (change, present):
        here = present.table(table.number)
        if here is None or here.deadline is None or here.deadline != table.deadline:
            return  # another process was faster, or there is more time now
        assert here.episode_id is not None
        version = room.storage.rooms.versions([here.episode_id])[here.episode_id]
        episode = episode_at(present, here.episode_id, version)
        if episode.node.round == here.round and episode.to_move and not present.plan.bots:
            change.append(TableEnded(**here.place))
            return
        waits = episode.to_move if episode.node.round == here.round else ()
        records = {agent: _stands_in(episode, present, agent) for agent in waits}
        late = {agent: record for agent, record in records.items() if record is not None}
        # If this process dies now, another one continues after that time.
        due = in_seconds(present.plan.round_seconds or CHECK_EVERY)
        expired = RoundExpired(**here.place, deadline=due, late=late)
        change.append(expired, version=version)
    at_table = StoredTable(room.storage, table.episode_id or "")
    if not room.plan.rehearsal:
        let_bots_move(at_table)
    note_round(room, table, at_table)


def _stands_in(episode: Episode, room: Room, agent: str) -> dict[str, object] | None:
    """Return the player that moves once for a person or a model; None where a bot plays anyway."""
    sits = episode.players.get(agent, PERSON)
    if sits.get("kind") in ("scripted", "random"):
        return None
    record = player_record(episode, agent, room.plan.bots)
    return {**record, STANDS_IN_FOR: dict(sits), "late": True}
