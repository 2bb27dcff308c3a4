"""Language models at a room's tables: the facilitator provides keys and sees problems.

A table never waits for a model indefinitely: after a time a scripted player takes the seat, and the
record says for whom. The facilitator can give the seat back to the model.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from explorer.play import Keys, grants, what_failed, work_at, worker_of
from explorer.players import LLMSettings
from explorer.rooms.changes import changing, in_seconds, leading, seconds_until
from explorer.rooms.events import ASKS, WAITS, BotSeated, ModelAwaited, ModelsLent, SeatNoted
from explorer.rooms.room import Access, Room, RoomTable
from explorer.rooms.seating import player_record
from explorer.rooms.tables import carry_table_on
from explorer.storage import Storage
from explorer.usage import USUAL_BUDGET, UsageBudget
from nip_core.play import INSTEAD_OF, Episode

# Seconds for which a table waits for a model: until the facilitator is shown a note, and until a
# scripted player takes over.
NOTE_AFTER = 30.0
TAKE_OVER_AFTER = 120.0
# Seconds after which a failed model is asked again.
ASK_AGAIN_AFTER = 45.0
# Seconds that other processes wait longer, so that the process with the keys acts first.
LATER = 15.0
# A longer gap between two checks is not counted in full, since the table may have been paused.
MOST_BETWEEN = 10.0
LIFETIME = 12 * 3600.0

NOT_LENT = (
    "This model has no key since the server was started: the facilitator has to give it again."
)


@dataclass
class _Lent:
    """What a facilitator lets the models of a room use."""

    visitor: str
    settings: dict[str, LLMSettings]
    keys: Keys = field(repr=False)
    caps: UsageBudget
    at: float


@dataclass
class _Wait:
    """How long a table has waited for its models in a round."""

    place: int
    looked: float
    seconds: float = 0.0
    asked: float | None = None  # the value of these seconds when they were last asked


# Kept in memory only, like all keys of visitors: the keys of each room, by its leader.
_lent: dict[tuple[str, str], _Lent] = {}
_waits: dict[str, _Wait] = {}
_lock = threading.Lock()
clock = time.monotonic


def lend_models(access: Access, keys: Keys, caps: UsageBudget | None = None) -> None:
    """Let the models of a room be asked with the leader's keys.

    It can be called again, for example after a restart of the server or with another key; failed
    models are then asked once more.

    The `keys` are by seat and address, as in :class:`~explorer.play.workers.ModelGrants`; `caps` is
    what each episode may use. Invalid settings of a model in the plan raise an LLMError.
    """
    with leading(access) as (change, room):
        settings = {a: LLMSettings.from_record(record) for a, record in room.plan.models.items()}
        change.append(ModelsLent(process=access.storage.presence.process))
    with _lock:
        before = _lent.get(_place(room))
        if before is not None and before.visitor == access.visitor:
            keys = {**before.keys, **keys}  # an empty field keeps the key given before
        _lent[_place(room)] = _Lent(access.visitor, settings, keys, caps or USUAL_BUDGET, clock())
        for table in room.tables:
            _waits.pop(table.episode_id or "", None)


def models_lent(room: Room) -> bool:
    """Return whether this process has keys for the models of a room."""
    return _lent_to(room) is not None


def drop_grants(storage: Storage) -> None:
    """Drop keys that were provided long ago, or for a room that is over."""
    with _lock:
        lent = dict(_lent)
    open_rooms = {
        (row["code"], row["created"]) for row in storage.rooms.listed() if row["phase"] != "closed"
    }
    for place, grant in lent.items():
        if place not in open_rooms or clock() - grant.at > LIFETIME:
            with _lock:
                _lent.pop(place, None)


def _place(room: Room) -> tuple[str, str]:
    """Return a name of a room that is not reused if its number is, after the room was deleted."""
    return room.code, room.rows.room["created"]


def _lent_to(room: Room) -> _Lent | None:
    with _lock:
        return _lent.get(_place(room))


def run_models(room: Room, table: RoomTable, episode: Episode) -> None:
    """Let models at a table move; report those that do not, and finally replace them."""
    players = episode.players
    waiting = [a for a in episode.to_move if players.get(a, {}).get("kind") == "llm"]
    episode_id = table.episode_id or ""
    if not waiting:
        _waits.pop(episode_id, None)
        return
    wait = _waiting(room, table, episode.node.id)
    asker = room.state.get(ASKS)
    mine = asker in (None, room.storage.presence.process)
    reason = _ask(room, episode, episode_id, wait) if mine else ""
    waited = wait.seconds if mine else wait.seconds - LATER
    if waited >= TAKE_OVER_AFTER:
        _take_over(room, table, waiting, reason)
    elif mine and (reason or waited >= NOTE_AFTER):
        _show_note(room, table, waiting, reason or "The model has not answered yet.")
    elif waited >= NOTE_AFTER and not any(table.seats[agent].note for agent in waiting):
        _show_note(room, table, waiting, NOT_LENT)


def _waiting(room: Room, table: RoomTable, place: int) -> _Wait:
    now, episode_id = clock(), table.episode_id or ""
    wait = _waits.get(episode_id)
    if wait is None or wait.place != place:
        waited = _waited_before(room, table, place)
        wait = _waits[episode_id] = _Wait(place, now, waited)
    wait.seconds += min(now - wait.looked, MOST_BETWEEN)
    wait.looked = now
    return wait


def _waited_before(room: Room, table: RoomTable, place: int) -> float:
    """Return for how long a table has waited, by the room's log, and log that it waits now.

    So a restart of the server does not make it wait from the beginning.
    """
    known = room.state.get(WAITS, {}).get(f"{table.turn}/{table.number}")
    if known is not None and known["node"] == place:
        return max(0.0, TAKE_OVER_AFTER - seconds_until(known["due"]))
    due = in_seconds(TAKE_OVER_AFTER)
    with changing(room) as (change, present):
        here = present.table(table.number)
        if here is not None and here.turn == table.turn and here.phase == "running":
            change.append(ModelAwaited(**table.place, node=place, due=due))
    return 0.0


def _ask(room: Room, episode: Episode, episode_id: str, wait: _Wait) -> str:
    """Ask the models, or check that another process does; return the error, if any."""
    lent = _lent_to(room)
    if lent is None:
        return NOT_LENT
    worker = worker_of(episode_id)
    at_work = worker is not None and worker.is_alive()
    if worker is not None and at_work and worker.seats and worker.round != episode.node.round:
        worker.cancel.set()  # the round for which it was asked is over
        return ""
    if (
        worker is not None
        and worker.failed
        and not at_work
        and wait.asked is not None
        and (worker.over_budget or wait.seconds - wait.asked < ASK_AGAIN_AFTER)
    ):
        agent = next((a for a, seat in worker.seats.items() if seat.error), "")
        return what_failed(worker, agent)[0]
    if not at_work:
        wait.asked = wait.seconds
        grants.lend(lent.visitor, episode_id, lent.settings.values(), lent.keys)
        room.storage.budgets.set_caps(episode_id, lent.visitor, lent.caps)
    work_at(room.storage, episode_id, lent.visitor, beside_people=True)
    return ""


def _show_note(room: Room, table: RoomTable, agents: list[str], words: str) -> None:
    """Show the facilitator a note, once."""
    if all(table.seats[agent].note == words for agent in agents):
        return
    with changing(room) as (change, present):
        here = present.table(table.number)
        if here is not None and here.turn == table.turn:
            for agent in agents:
                if here.seats[agent].note != words:
                    change.append(SeatNoted(**here.seat(agent), note=words))


def _take_over(room: Room, table: RoomTable, agents: list[str], reason: str) -> None:
    """Let scripted players take the seats of models that do not answer."""
    with changing(room) as (change, present):
        here = present.table(table.number)
        if here is None or here.turn != table.turn or here.phase != "running":
            return
        assert here.episode_id is not None
        episode = room.storage.load(here.episode_id).episode
        for agent in agents:
            model = episode.players.get(agent, {})
            if model.get("kind") != "llm" or agent not in episode.to_move:
                continue
            record = {**player_record(episode, agent, "scripted"), INSTEAD_OF: model.get("model")}
            note = f"A scripted player has taken over. {reason}".strip()
            change.append(BotSeated(**here.seat(agent), bot=record, note=note))
    worker = worker_of(table.episode_id or "")
    if worker is not None:
        worker.cancel.set()  # its answer is no longer needed
    carry_table_on(room, table.number)
