"""A loaded room: its state, who may do what, and where drafts in it are kept."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b, sha256
from typing import Any, Literal

from explorer.languages import tr
from explorer.rooms.errors import NoSuchRoomError, NotYoursError, RemovedError, RoomClosedError
from explorer.rooms.events import (
    CLEARED,
    DOOR,
    FORGOTTEN,
    REMOVED,
    REMOVED_FORGOTTEN,
    SPECTATORS,
)
from explorer.rooms.plan import RoomPlan
from explorer.storage import RoomRows, Storage, room_topic
from nip_core.displays import displayed

# Letters that are not confused with each other or with digits, and that form no words: no vowels,
# and neither L, Q nor V.
ALPHABET = "BCDFGHJKMNPRSTWXYZ"
LENGTH = 5
# Look-alikes that people type instead.
MEANT = str.maketrans({"8": "B", "6": "G", "5": "S", "2": "Z", "0": "D", "O": "D", "V": "W"})
IGNORED = str.maketrans(dict.fromkeys(" \t\r\n-_.,/'\"\u2013\u2014\u00a0"))
MOST_TYPED = 40


def new_code() -> str:
    """Return a code that nobody can predict."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(text: str) -> str:
    """Return the code in a text typed in any case, with spaces and dashes."""
    code = text[:MOST_TYPED].translate(IGNORED).upper().translate(MEANT)
    if len(text) > MOST_TYPED or len(code) != LENGTH or not set(code) <= set(ALPHABET):
        raise NoSuchRoomError
    return code


Seat = tuple[int, str]
Door = Literal["open", "wide", "locked"]

SENT_AWAY = {REMOVED: REMOVED, REMOVED_FORGOTTEN: REMOVED, CLEARED: CLEARED}


@displayed
@dataclass(frozen=True, slots=True)
class Person:
    """A person who has joined."""

    number: int  # from 1
    name: str  # as it was typed; may be empty
    several: bool  # whether somebody else here has the same name
    left: bool  # whether they have left
    seat: Seat | None  # the table's number, and the agent
    bot: bool  # whether it is a bot of a rehearsal
    visitor: str | None = field(repr=False)
    # "removed" by the facilitator, "cleared" because they never took part, or empty.
    sent_away: str = ""
    forgotten: bool = False  # whether their data was deleted
    joined: str = ""  # the time, in ISO 8601 and UTC

    @property
    def shown(self) -> str:
        """Return the displayed name: the name, or "Person 7"; for a rehearsal's bots "Bot 7"."""
        # Made where it is shown, since the windows of a room may speak several languages.
        if not self.name:
            number = self.number
            return (
                tr("Bot {number}", number=number)
                if self.bot
                else tr("Person {number}", number=number)
            )
        return f"{self.name} ({self.number})" if self.several else self.name


@displayed
@dataclass(frozen=True, slots=True)
class RoomSeat:
    """A seat of a room."""

    agent: str
    person: int | None  # whose seat it is
    bot: Mapping[str, Any] | None  # the bot that plays it now
    note: str  # which the facilitator is shown


# The columns of a table's row, in the order of the fields of `RoomTable`.
TABLE_COLUMNS = (
    *("turn", "number", "episode", "condition", "task", "phase", "round", "deadline", "left"),
)


@displayed
@dataclass(frozen=True, slots=True)
class RoomTable:
    """A table of a room, at one turn."""

    turn: int  # turns and numbers count from 1
    number: int
    episode_id: str | None  # set once it is played
    condition: str
    task_id: str  # the choice that the task was drawn for
    phase: str
    round: int  # the round of the deadline
    deadline: str | None  # when the round ends, in ISO 8601 and UTC
    left: float | None  # the seconds left of the round while it is paused
    seats: Mapping[str, RoomSeat]  # by agent

    @property
    def place(self) -> dict[str, Any]:
        """Return how an event names the table."""
        return {"turn": self.turn, "table": self.number}

    def seat(self, agent: str) -> dict[str, Any]:
        """Return how an event names a seat of the table."""
        return {**self.place, "agent": agent}


@displayed
@dataclass(frozen=True)
class Room:
    """A room at one version."""

    rows: RoomRows = field(repr=False)
    _storage: Storage = field(repr=False, compare=False)
    # Cached results of computations, which are then done once for all windows.
    derived: dict[str, Any] = field(default_factory=dict[str, Any], repr=False, compare=False)

    @property
    def number(self) -> int:
        """Return the number of the room in the database."""
        return self.rows.room["number"]

    @cached_property
    def storage(self) -> Storage:
        """Return the database, with access to the room's episodes."""
        return self._storage.within(self.number)

    @property
    def code(self) -> str:
        """Return the code with which people join."""
        return self.rows.room["code"]

    @property
    def name(self) -> str:
        """Return the displayed name."""
        return self.plan.title or tr("Room {code}", code=self.code)

    @property
    def kind(self) -> str:
        """Return ``"tables"`` or ``"lesson"``."""
        return self.rows.room["kind"]

    @property
    def phase(self) -> str:
        """Return one of gathering, running, paused, ended, revealed, closed."""
        return self.rows.room["phase"]

    @property
    def turn(self) -> int:
        """Return the number of the present task, counted from 1."""
        return self.rows.room["turn"]

    @property
    def version(self) -> int:
        """Return a number that changes with the room, but not with moves at its tables."""
        return self.rows.room["version"]

    @property
    def expires(self) -> str:
        """Return when the room will be deleted."""
        return self.rows.room["expires"]

    @property
    def revealed(self) -> bool:
        """Return whether the truth of the present task is revealed."""
        return self.is_revealed(self.turn)

    def is_revealed(self, turn: int) -> bool:
        """Return whether the truth of a task is revealed."""
        return self.state.get("revealed", 0) >= turn

    @cached_property
    def plan(self) -> RoomPlan:
        """Return the facilitator's settings."""
        return RoomPlan.from_dict(json.loads(self.rows.room["plan"]))

    @cached_property
    def state(self) -> Mapping[str, Any]:
        """Return other values that change, such as the position in a lesson."""
        return json.loads(self.rows.room["state"])

    @cached_property
    def everything(self) -> tuple[RoomTable, ...]:
        """Return the tables of all turns."""
        seats: dict[tuple[int, int], dict[str, RoomSeat]] = {}
        for row in self.rows.seats.values():
            bot = None if row["bot"] is None else json.loads(row["bot"])
            facts = RoomSeat(row["agent"], row["person"], bot, row["told"])
            seats.setdefault((row["turn"], row["number"]), {})[row["agent"]] = facts
        return tuple(
            RoomTable(
                *(row[name] for name in TABLE_COLUMNS),
                seats=seats.get((row["turn"], row["number"]), {}),
            )
            for row in self.rows.tables.values()
        )

    @cached_property
    def tables(self) -> tuple[RoomTable, ...]:
        """Return the tables of the present turn, by number."""
        return tuple(table for table in self.everything if table.turn == self.turn)

    def table(self, number: int) -> RoomTable | None:
        """Return a table of the present turn by its number."""
        return next((table for table in self.tables if table.number == number), None)

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """Return all who have joined, by number."""
        seats = {
            seat.person: (table.number, agent)
            for table in self.tables
            for agent, seat in table.seats.items()
            if seat.person is not None
        }
        here = [row for row in self.rows.people.values() if row["left"] is None]
        called = [row["name"].casefold() for row in here if row["name"]]
        return tuple(
            Person(
                row["number"],
                row["name"],
                called.count(row["name"].casefold()) > 1,
                row["left"] is not None,
                seats.get(row["number"]),
                row["consent"] == "bot",
                row["visitor"],
                SENT_AWAY.get(row["consent"], ""),
                row["consent"] in (FORGOTTEN, REMOVED_FORGOTTEN),
                row["joined"],
            )
            for row in self.rows.people.values()
        )

    @property
    def here(self) -> tuple[Person, ...]:
        """Return those who have not left."""
        return tuple(person for person in self.people if not person.left)

    def person(self, number: int) -> Person:
        """Return a person; an unknown number raises the same error as somebody else's."""
        for person in self.people:
            if person.number == number:
                return person
        raise NotYoursError

    def own(self, number: int, visitor: str, *, even_removed: bool = False) -> Person:
        """Return a person if they belong to this browser; a removed one only if `even_removed`."""
        person = self.person(number)
        if person.visitor is None or person.visitor != visitor:
            raise NotYoursError
        if person.sent_away == REMOVED and not even_removed:
            raise RemovedError
        return person

    @property
    def door(self) -> Door:
        """Return who may join: everybody at the usual rate, many people at once, or nobody."""
        return self.state.get(DOOR, "open")

    def lets_in(self, visitor: str) -> bool:
        """Return whether this browser is a member, who may come back to a locked room."""
        if self.plan.rehearsal:
            return self.door != "locked"
        mine = [person for person in self.people if person.visitor == visitor]
        return self.door != "locked" or bool(mine and mine[0].sent_away != CLEARED)

    def trace(self, visitor: str) -> str:
        """Return the hash that identifies a browser in this room after its person was deleted."""
        return sha256(f"{self.rows.room['created']} {visitor}".encode()).hexdigest()[:32]

    def removed(self, visitor: str) -> Person | None:
        """Return a person of this browser whom the facilitator has removed, if there is one."""
        known = {visitor, self.trace(visitor)}
        return next((p for p in self.people if p.sent_away == REMOVED and p.visitor in known), None)

    def persons_of(self, visitor: str) -> list[Person]:
        """Return the people of a browser who have not left."""
        return [person for person in self.here if person.visitor == visitor]

    def leads(self, visitor: str) -> bool:
        """Return whether this browser may lead the room."""
        return visitor in self.rows.leaders

    @property
    def invitation(self) -> str:
        """Return the key in the room's own links and QR codes."""
        return self.rows.room["invitation"] or ""

    def invites(self, key: str) -> bool:
        """Return whether a key is that of one of the room's own links."""
        key_bytes = key.encode("utf-8", "surrogatepass")
        return bool(self.invitation) and secrets.compare_digest(key_bytes, self.invitation.encode())

    def knows(self, visitor: str) -> bool:
        """Return whether this browser has been in the room, so that it has not guessed the code."""
        came = any(person.visitor == visitor for person in self.people)
        return came or self.leads(visitor) or visitor in self.spectators

    @property
    def spectators(self) -> list[str]:
        """Return the browsers that have used the present link to watch."""
        return self.state.get(SPECTATORS, [])


def drafts_of(room: Room, person: int) -> str:
    """Return the owner under which a person's drafts in a room are stored."""
    return f"room:{room.number}:person:{person}"


def place_in_browser(code: str, person: int, episode_id: str | None, agent: str) -> str:
    """Return a browser's name for a person's seat, which does not contain the episode's id."""
    place = f"{code}/{person}/{episode_id}/{agent}"
    return blake2b(place.encode(), digest_size=8).hexdigest()


def places_in_browser(room: Room, person: int) -> list[str]:
    """Return the names under which a browser stores a person's drafts at the tables of all tasks.

    All seats are included, because after deletion it is unknown which ones they had.
    """
    return [
        place_in_browser(room.code, person, table.episode_id, agent)
        for table in room.everything
        if table.episode_id is not None
        for agent in table.seats
    ]


@displayed
@dataclass(frozen=True, slots=True)
class Access:
    """A browser's access to a room, with which it reads and changes the room.

    It is made without asking the database, which checks the code and the visitor's rights with each
    command.
    """

    storage: Storage = field(repr=False)
    code: str  # the room's code, as it was typed
    visitor: str = field(default="", repr=False)  # the browser; empty for reading only
    # The position of the log that the window showed. Of two commands that are based on the same
    # position, the second is refused.
    since: int | None = None


def room_of(at: Access | Room) -> Room:
    """Return a room as it is now, closed or not. An unchanged room is not loaded again."""
    code, cache = read_code(at.code), at.storage.cache
    known = at.storage.rooms.version(code)
    if known is None:
        raise NoSuchRoomError
    room: Room | None = cache.last(room_topic(code))
    if room is not None and room.rows.are_at(*known):
        return room
    rows = at.storage.rooms.read(code)
    if rows is None:
        raise NoSuchRoomError
    room = Room(rows, at.storage)
    cache.keep(room_topic(code), room)
    return room


def load_room(at: Access | Room) -> Room:
    """Return a room as it is now, unless it is closed."""
    room = room_of(at)
    if room.phase == "closed":
        raise RoomClosedError
    return room


def cached_room(at: Access | Room) -> Room:
    """Return a room from the cache, for a subscriber of its topic; the code must be exact."""
    return at.storage.cache.read(room_topic(at.code), lambda: room_of(at))
