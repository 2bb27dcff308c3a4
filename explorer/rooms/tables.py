"""A person's table in a room: when they may move, and how play continues after a move."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from explorer.languages import marked, tr
from explorer.play import Refusal, Seen, StoredTable, latest, move_of, refusal, was_made
from explorer.rooms.changes import changing, in_seconds
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.events import RoundOpened, TableEnded
from explorer.rooms.room import Access, Person, Room, RoomTable, load_room, room_of
from explorer.storage import (
    ConflictError,
    HaltedError,
    NoSuchEpisodeError,
    StorageError,
)
from nip_core.displays import displayed
from nip_core.errors import NipError
from nip_core.play import Episode, View

LEFT = marked("You have left the room, so this was not sent. Join again to play.")

PAUSED = marked("The facilitator has paused the table.")
ATTEMPTS = 50

log = logging.getLogger("explorer")

ReadEpisode = Callable[[Room, str], Episode]


def episode_at(room: Room, episode_id: str, version: int | None = None) -> Episode:
    """Return an episode to read, not to play on; of a known one, only new events are loaded."""
    return latest(room.storage, episode_id, version).episode


def bots_are_known(room: Room, table: RoomTable) -> bool:
    """Return whether everybody may know by now where bots have moved at a table."""
    return table.phase == "over" or room.plan.bots_told == "once"


@displayed
@dataclass(frozen=True)
class SeatedTable:
    """One person's table, if they have a seat: made of their seat's view and of public facts."""

    room: Room
    person: Person
    table: RoomTable | None
    _read_episode: ReadEpisode = field(repr=False)

    @property
    def agent(self) -> str:
        """Return the agent of their seat; empty without one."""
        return "" if self.person.seat is None else self.person.seat[1]

    @property
    def episode_id(self) -> str | None:
        """Return the episode's id, if the table is played."""
        return None if self.table is None else self.table.episode_id

    @cached_property
    def seen(self) -> Seen | None:
        """Return what the seat sees; None while nothing is played."""
        if self.table is None or self.episode_id is None:
            return None
        episode = self._read_episode(self.room, self.episode_id)
        bots = True if bots_are_known(self.room, self.table) else None
        return Seen(episode, self.agent, revealed=self.room.revealed, bots=bots)

    @property
    def paused(self) -> bool:
        """Return whether the table is paused."""
        return self.table is not None and self.table.phase == "paused"

    @property
    def over(self) -> bool:
        """Return whether the table is over."""
        return self.table is not None and self.table.phase == "over"

    @property
    def replaced(self) -> bool:
        """Return whether a bot plays the person's seat at the moment."""
        return self.table is not None and self.table.seats[self.agent].bot is not None

    @property
    def deadline(self) -> str | None:
        """Return when the round ends, in ISO 8601 and UTC, if it has a time limit."""
        return None if self.table is None else self.table.deadline

    @property
    def what_now(self) -> str:
        """Return a sentence about what to do now."""
        if self.room.phase == "gathering":
            return tr("You are in. Wait for the facilitator to start.")
        if self.table is None or self.seen is None:
            return tr(
                "All seats are taken. You get one with the next task, or when somebody leaves."
            )
        if self.over and self.room.revealed:
            return tr("The table is over, and the truth is revealed.")
        if self.over:
            return tr("Your table is over. The facilitator reveals the truth once all tables are.")
        if self.paused:
            return tr(PAUSED)
        if self.replaced:
            return tr("A bot plays for you. Press “I am back” to go on yourself.")
        view = self.seen.view
        own = [number for number, seen in enumerate(view.rounds) if seen.own is not None]
        # Until they have moved themselves.
        late = bool(own) and (own[-1], view.agent) in view.stood_in
        moved = tr("A bot moved for you.") if late else ""
        return " ".join(filter(None, (moved, _turn(view))))

    def play(self, act: Any) -> Refusal | None:
        """Make a move as the browser sent it, which may be anything.

        Return why it was refused and for which channel; None if it was made and is stored.
        """
        seen = self.seen
        if seen is None or self.table is None:
            return {"message": tr("You have no seat to play at yet."), "channel": None}
        try:
            played = self._play(act)
        except (StorageError, NipError) as error:
            return refusal(error, self.room.plan.condition(self.table.condition).rules)
        # The move is made. Whatever fails from here on, the scheduler does later.
        try:
            carry_table_on(self.room, self.table.number, played)
        except Exception as error:
            if not isinstance(error, StorageError | RoomError):
                log.exception("The bots at a table could not move")
        return None

    def _play(self, act: Any) -> StoredTable | None:
        """Make a move and return the table; None if the move had been made before."""
        for _ in range(ATTEMPTS):
            room = load_room(self.room)
            person = room.own(self.person.number, self.person.visitor or "")
            table = None if person.seat is None else room.table(person.seat[0])
            if person.left:
                raise NotNowError(tr(LEFT))
            if table is None or person.seat != self.person.seat:
                raise NotNowError(tr("You have another seat now. Look at the table again."))
            if table.episode_id is None or table.episode_id != self.episode_id:
                raise NotNowError(
                    tr("The room has gone on to another task. Look at the table again.")
                )
            stored = latest(room.storage, table.episode_id)
            if was_made(act, self.agent, stored.episode):
                return None
            _need_running(room, table, person)
            at_table = StoredTable(room.storage, stored.id, stored)
            try:
                move = move_of(act, self.agent, at_table.round)
                if room.plan.rehearsal:
                    at_table.play(move)  # the rehearsal lets its bots move, one after the other
                else:
                    at_table.play_with_answers(move, beside_people=True)
            except (ConflictError, NoSuchEpisodeError):
                continue  # another seat was faster, or the facilitator: read it again
            return at_table
        raise NotNowError("The table is busy. Send it again.")


def _need_running(room: Room, table: RoomTable, person: Person) -> None:
    if table.phase == "paused" or room.phase == "paused":
        raise NotNowError(tr(PAUSED))
    if table.phase == "over" or room.phase in ("ended", "revealed"):
        raise NotNowError("The table is over.")
    if table.seats[person.seat[1] if person.seat else ""].bot is not None:
        raise NotNowError("A bot plays for you at the moment. Press “I am back”, then send it.")


def _turn(view: View) -> str:
    if view.held is not None:
        return tr("Your move is made. It is shown once all who speak in this turn have moved.")
    legal, roles = view.legal, view.rules.roles
    if not legal.may_act:
        return tr("Read what is said. It is not your turn.")
    goes_on = any(name in roles.go_on for name in legal.choices)
    if goes_on and any(name in roles.verdict for name in legal.choices):
        if legal.last_turn:
            return tr("Decide now. This is your last turn.")
        return tr("It is your turn: ask, or decide.")
    if not legal.channels:
        return tr("It is your turn: choose.")
    if not legal.choices:
        if legal.optional:
            return tr("It is your turn: write your message, if you want to.")
        return tr("It is your turn: write your message.")
    if legal.optional:
        return tr("It is your turn: write your message, if you want to, and choose.")
    return tr("It is your turn: write your message and choose.")


def seat_at(access: Access, person: int) -> SeatedTable:
    """Return the table of a person of this browser."""
    return seated(load_room(access), person, access.visitor)


def seated(
    room: Room, person: int, visitor: str, read_episode: ReadEpisode = episode_at
) -> SeatedTable:
    """Return the same for a loaded room; `read_episode` reads its episodes."""
    somebody = room.own(person, visitor)
    table = None if somebody.seat is None else room.table(somebody.seat[0])
    return SeatedTable(room, somebody, table, read_episode)


def carry_on(room: Room) -> None:
    """Let bots move at all tables, and record which tables have ended."""
    for table in room_of(room).tables:
        carry_table_on(room, table.number)


def carry_table_on(room: Room, number: int, at_table: StoredTable | None = None) -> None:
    """Let bots move at a table, and record a new round or the end; it may be called repeatedly.

    The table's episode is loaded unless it is given as `at_table`.
    """
    room = room_of(room)
    facts = room.table(number)
    if facts is None or facts.episode_id is None or facts.phase != "running":
        return
    if at_table is not None and at_table.id == facts.episode_id:
        table = at_table
    else:
        table = StoredTable(room.storage, facts.episode_id)
    if not room.plan.rehearsal:
        let_bots_move(table)
    note_round(room, facts, table)


def let_bots_move(table: StoredTable) -> None:
    """Let automated players move as long as they can."""
    for _ in range(ATTEMPTS):
        try:
            table.play_to_the_end()
        except HaltedError:
            return  # they go on when the table does
        except ConflictError:
            continue  # the table is loaded again
        return


def note_round(room: Room, facts: RoomTable, table: StoredTable) -> None:
    """Record that a table is over, or when its new round ends."""
    limit = room.plan.round_seconds
    if not table.over and (limit is None or table.round == facts.round):
        return
    with changing(room) as (change, present):
        now = present.table(facts.number)
        if now is None or now.episode_id != table.id or now.phase == "over":
            return
        if table.over:
            change.append(TableEnded(**now.place))
        elif limit is not None and now.round < table.round and now.phase == "running":
            due = in_seconds(limit)
            change.append(RoundOpened(**now.place, round=table.round, deadline=due))
