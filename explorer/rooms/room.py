"""A room as it was loaded: facts, and who may do what."""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal
from weakref import WeakKeyDictionary

from explorer.rooms.codes import read_code
from explorer.rooms.errors import NoSuchRoomError, NotYoursError, RemovedError, RoomClosedError
from explorer.rooms.plan import Plan
from explorer.storage import RoomRows, Rooms, Storage
from nip_core.displays import displayed

__all__ = [
    "CLEARED",
    "DOOR",
    "FORGOTTEN",
    "REMOVED",
    "REMOVED_FORGOTTEN",
    "SPECTATORS",
    "Door",
    "Person",
    "Room",
    "RoomTable",
    "SeatFacts",
    "load_room",
    "room_of",
]

MOST_KEPT = 64
# The entry of a room's state that lists the browsers that have come by the link to watch.
SPECTATORS = "watch"

Seat = tuple[int, str]
Door = Literal["open", "wide", "locked"]

DOOR = "door"  # where it is in the room's state
# What stands in a person's row, in place of what they were told, once they have gone for good.
FORGOTTEN, CLEARED = "forgotten", "cleared"
REMOVED, REMOVED_FORGOTTEN = "removed", "removed, forgotten"
SENT_AWAY = {REMOVED: REMOVED, REMOVED_FORGOTTEN: REMOVED, CLEARED: CLEARED}


@displayed
@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who has joined.

    Parameters
    ----------
    number : int
        From 1 on.
    name : str
        As it was typed; may be empty.
    shown : str
        What they are called: the name, or "Person 7"; of a rehearsal's bots "Bot 7".
    left : bool
        Have they gone?
    seat : (int, str), optional
        The table's number, and the agent.
    bot : bool
        Is it nobody, for a rehearsal?
    sent_away : {"", "removed", "cleared"}
        Has the facilitator removed them, or cleared them away because they had never sat down?
    forgotten : bool
        Is their part deleted?
    joined : str
        When, in ISO 8601 and UTC.
    """

    number: int
    name: str
    shown: str
    left: bool
    seat: Seat | None
    bot: bool
    visitor: str | None = field(repr=False)
    sent_away: str = ""
    forgotten: bool = False
    joined: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class SeatFacts:
    """A seat of a room.

    Parameters
    ----------
    agent : str
    person : int, optional
        Whose it is.
    bot : mapping, optional
        What plays it instead of a person, now.
    told : str
        What the facilitator is told of it.
    """

    agent: str
    person: int | None
    bot: Mapping[str, Any] | None
    told: str


@displayed
@dataclass(frozen=True, slots=True)
class RoomTable:
    """A table of a room, at one turn.

    Parameters
    ----------
    turn, number : int
        From 1 on.
    episode_id : str, optional
        Once it is played.
    condition : str
    task_id : str
        The choice that the task was drawn for.
    phase : {"waiting", "running", "paused", "over"}
    round : int
        That the deadline is of.
    deadline : str, optional
        When the round ends, in ISO 8601 and UTC.
    left : float, optional
        The seconds that are left of the round while it is paused.
    seats : mapping of str to SeatFacts
        By agent.
    """

    turn: int
    number: int
    episode_id: str | None
    condition: str
    task_id: str
    phase: str
    round: int
    deadline: str | None
    left: float | None
    seats: Mapping[str, SeatFacts]


@displayed
@dataclass(frozen=True)
class Room:
    """A room as it was at one version of it.

    Parameters
    ----------
    rows : RoomRows
    """

    rows: RoomRows = field(repr=False)

    @property
    def number(self) -> int:
        """By which the storage knows it."""
        return self.rows.room["number"]

    @property
    def code(self) -> str:
        """By which people join."""
        return self.rows.room["code"]

    @property
    def name(self) -> str:
        """What people call it."""
        return self.plan.title or f"Room {self.code}"

    @property
    def kind(self) -> str:
        """``"tables"`` or ``"lesson"``."""
        return self.rows.room["kind"]

    @property
    def phase(self) -> str:
        """One of gathering, running, paused, ended, revealed, closed."""
        return self.rows.room["phase"]

    @property
    def turn(self) -> int:
        """Which task the tables are at, from 1 on."""
        return self.rows.room["turn"]

    @property
    def version(self) -> int:
        """Another one whenever anything changed here; moves at tables are no change of it."""
        return self.rows.room["version"]

    @property
    def expires(self) -> str:
        """When all of it is deleted."""
        return self.rows.room["expires"]

    @property
    def revealed(self) -> bool:
        """Has the truth of the present task been told?"""
        return self.is_revealed(self.turn)

    def is_revealed(self, turn: int) -> bool:
        """Has the truth of a task been told?"""
        return self.state.get("revealed", 0) >= turn

    @cached_property
    def plan(self) -> Plan:
        """What the facilitator chose."""
        return Plan.from_dict(json.loads(self.rows.room["plan"]))

    @cached_property
    def state(self) -> Mapping[str, Any]:
        """What else changes, such as where a lesson is."""
        return json.loads(self.rows.room["state"])

    @cached_property
    def everything(self) -> tuple[RoomTable, ...]:
        """The tables of all turns."""
        seats: dict[tuple[int, int], dict[str, SeatFacts]] = {}
        for row in self.rows.seats:
            bot = None if row["bot"] is None else json.loads(row["bot"])
            facts = SeatFacts(row["agent"], row["person"], bot, row["told"])
            seats.setdefault((row["turn"], row["number"]), {})[row["agent"]] = facts
        return tuple(
            RoomTable(
                row["turn"],
                row["number"],
                row["episode"],
                row["condition"],
                row["task"],
                row["phase"],
                row["round"],
                row["deadline"],
                row["left"],
                seats.get((row["turn"], row["number"]), {}),
            )
            for row in self.rows.tables
        )

    @cached_property
    def tables(self) -> tuple[RoomTable, ...]:
        """The tables of the present turn, by number."""
        return tuple(table for table in self.everything if table.turn == self.turn)

    def table(self, number: int) -> RoomTable | None:
        """A table of the present turn by its number."""
        return next((table for table in self.tables if table.number == number), None)

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """All who have joined, by number."""
        seats = {
            seat.person: (table.number, agent)
            for table in self.tables
            for agent, seat in table.seats.items()
            if seat.person is not None
        }
        here = [row for row in self.rows.people if row["left"] is None]
        called = [row["name"].casefold() for row in here if row["name"]]
        return tuple(
            Person(
                row["number"],
                row["name"],
                _shown(row, called),
                row["left"] is not None,
                seats.get(row["number"]),
                row["consent"] == "bot",
                row["visitor"],
                SENT_AWAY.get(row["consent"], ""),
                row["consent"] in (FORGOTTEN, REMOVED_FORGOTTEN),
                row["joined"],
            )
            for row in self.rows.people
        )

    @property
    def here(self) -> tuple[Person, ...]:
        """Those who have not left."""
        return tuple(person for person in self.people if not person.left)

    def person(self, number: int) -> Person:
        """Somebody by their number.

        Raises
        ------
        NotYoursError
            If there is nobody: it tells no more than if it were another's.
        """
        for person in self.people:
            if person.number == number:
                return person
        raise NotYoursError

    def own(self, number: int, visitor: str) -> Person:
        """Somebody by their number, if it is this browser.

        Raises
        ------
        NotYoursError
        RemovedError
            If the facilitator has removed them: they see and do nothing here any more.
        """
        person = self.person(number)
        if person.visitor is None or person.visitor != visitor:
            raise NotYoursError
        if person.sent_away == REMOVED:
            raise RemovedError
        return person

    @property
    def door(self) -> Door:
        """Who may join: everybody at the usual pace, a large class at once, or nobody new."""
        return self.state.get(DOOR, "open")

    def lets_in(self, visitor: str) -> bool:
        """Has this browser a place in here, to which it may come back through a locked door?"""
        if self.plan.rehearsal:
            return self.door != "locked"
        mine = [person for person in self.people if person.visitor == visitor]
        return self.door != "locked" or bool(mine and mine[0].sent_away != CLEARED)

    def trace(self, visitor: str) -> str:
        """What is kept of a browser whose person was forgotten: enough to know it again here."""
        return sha256(f"{self.rows.room['created']} {visitor}".encode()).hexdigest()[:32]

    def removed(self, visitor: str) -> Person | None:
        """Whom the facilitator has removed, of those whom a browser was; None if nobody."""
        known = {visitor, self.trace(visitor)}
        return next((p for p in self.people if p.sent_away == REMOVED and p.visitor in known), None)

    def persons_of(self, visitor: str) -> list[Person]:
        """Whom a browser is, of those who have not left."""
        return [person for person in self.here if person.visitor == visitor]

    def leads(self, visitor: str) -> bool:
        """May this browser lead the room?"""
        return visitor in self.rows.leaders

    @property
    def invitation(self) -> str:
        """The key in the links and pictures that the room hands out."""
        return self.rows.room["invitation"] or ""

    def invites(self, key: str) -> bool:
        """Is that the key of one of the room's own links?"""
        given = key.encode("utf-8", "surrogatepass")
        return bool(self.invitation) and secrets.compare_digest(given, self.invitation.encode())

    def knows(self, visitor: str) -> bool:
        """Has this browser been in the room, so that it has not guessed the code?"""
        came = any(person.visitor == visitor for person in self.people)
        return came or self.leads(visitor) or visitor in self.state.get(SPECTATORS, ())


def _shown(row: Mapping[str, Any], called: list[str]) -> str:
    name, number = row["name"], row["number"]
    if not name:
        return f"Bot {number}" if row["consent"] == "bot" else f"Person {number}"
    return f"{name} ({number})" if called.count(name.casefold()) > 1 else name


_kept: WeakKeyDictionary[Rooms, OrderedDict[str, Room]] = WeakKeyDictionary()
_lock = threading.Lock()


def room_of(storage: Storage, code: str) -> Room:
    """A room, closed or not. What has not changed is not loaded again.

    Raises
    ------
    NoSuchRoomError
    """
    code = read_code(code)
    known = storage.rooms.version(code)
    if known is None:
        raise NoSuchRoomError
    with _lock:
        kept = _kept.setdefault(storage.rooms, OrderedDict())
        room = kept.get(code)
    if room is not None and (room.number, room.version) == known:
        return room
    rows = storage.rooms.read(code)
    if rows is None:
        raise NoSuchRoomError
    room = Room(rows)
    with _lock:
        kept[code] = room
        kept.move_to_end(code)
        while len(kept) > MOST_KEPT:
            kept.popitem(last=False)
    return room


def load_room(storage: Storage, code: str) -> Room:
    """A room that goes on.

    Raises
    ------
    NoSuchRoomError, RoomClosedError
    """
    room = room_of(storage, code)
    if room.phase == "closed":
        raise RoomClosedError
    return room
