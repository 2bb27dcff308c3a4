"""The events of a room, of which its log consists.

A room is the fold of its log: each event says how it changes the rows, and nothing else changes
them. What identifies a person (name, browser, answers) is `private`: it is stored beside the log
under its owner, so that it can be deleted and the log stays valid. It is deleted with the person's
part, with the room, and once it is replaced: when an answer or a name is changed or reset, the
earlier event stays without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, ClassVar

from explorer.play import HUMAN
from explorer.storage import LoggedEvent, RoomEvent, RoomRows, Storage, stamp

# Keys of a room's state: who may join, whom the facilitator has named, the browsers that watch, the
# hash of the link's key, the clock, the process with the keys of models, which tables wait for a
# model, and the lesson.
DOOR, NAMED, SPECTATORS, KEY = "door", "named", "watch", "watch_key"
CLOCK, ASKS, WAITS, LESSON, REVEALED = "clock", "asks", "waits", "lesson", "revealed"
# Replaces a person's notice about recording after their data was deleted.
FORGOTTEN, CLEARED = "forgotten", "cleared"
REMOVED, REMOVED_FORGOTTEN = "removed", "removed, forgotten"


def person_record(number: int) -> dict[str, Any]:
    """Return the record of a person: a number, never a name."""
    return {"kind": HUMAN, "who": f"person {number}"}


def _set_state(rows: RoomRows, **values: Any) -> None:
    """Change entries of the room's state; None removes an entry."""
    state = {**json.loads(rows.room["state"]), **values}
    kept = {name: value for name, value in state.items() if value is not None}
    rows.room["state"] = json.dumps(kept, allow_nan=False)


def _set_wait(rows: RoomRows, turn: int, table: int, wait: Mapping[str, Any] | None) -> None:
    """Change how long a table waits for a model; None if it does not."""
    waits = {**json.loads(rows.room["state"]).get(WAITS, {}), f"{turn}/{table}": wait}
    kept = {place: record for place, record in waits.items() if record is not None}
    _set_state(rows, **{WAITS: kept or None})


# -- the room --------------------------------------------------------------------------------------


class RoomCreated(RoomEvent):
    """A facilitator has made the room."""

    private = ("key", "invitation")

    code: str
    plan: Mapping[str, Any]
    expires: str
    key: str = ""
    invitation: str | None = None

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room.update(
            code=self.code,
            kind=self.plan["kind"],
            plan=json.dumps(self.plan, allow_nan=False),
            phase="gathering",
            turn=1,
            state="{}",
            key=self.key,
            created=at,
            closed=None,
            expires=self.expires,
            invitation=self.invitation,
            overdue=None,
        )


class RoomImported(RoomEvent):
    """The room was made by a version without logs; these were its rows, and its people follow."""

    private = ("secrets", "state")

    room: Mapping[str, Any]
    tables: Sequence[Mapping[str, Any]] = ()
    seats: Sequence[Mapping[str, Any]] = ()
    secrets: Mapping[str, Any] = field(default_factory=dict[str, Any])
    state: str | None = None

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room.update({**self.room, **self.secrets})
        if self.state is not None:
            rows.room["state"] = self.state
        rows.tables |= {(row["turn"], row["number"]): dict(row) for row in self.tables}
        rows.seats |= {(row["turn"], row["number"], row["agent"]): dict(row) for row in self.seats}


class _OfVisitor(RoomEvent):
    """Something about a browser, without a person in the room."""

    private = ("visitor",)
    role: ClassVar[str]

    visitor: str = ""

    @property
    def owner(self) -> str:
        """Return the name of the browser, and its role."""
        return f"{self.role} {self.visitor}"


class LeaderAdded(_OfVisitor):
    """A browser may lead the room."""

    role = "leader"

    def _apply(self, rows: RoomRows, at: str) -> None:
        if self.visitor:
            rows.leaders.add(self.visitor)


class LeaderRemoved(_OfVisitor):
    """A browser may lead the room no longer."""

    role = "leader"
    erases = True

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.leaders.discard(self.visitor)


class LinkReplaced(RoomEvent):
    """There is a new link for facilitators."""

    private = ("key",)

    key: str = ""

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room["key"] = self.key


class WatchLinkSet(RoomEvent):
    """There is a new link for spectators, or none."""

    private = ("key",)

    key: str | None = None

    def _apply(self, rows: RoomRows, at: str) -> None:
        _set_state(rows, **{KEY: self.key})


class SpectatorAdded(_OfVisitor):
    """A browser has used the link to watch."""

    role = "spectator"

    def _apply(self, rows: RoomRows, at: str) -> None:
        if self.visitor:
            there = json.loads(rows.room["state"]).get(SPECTATORS, [])
            _set_state(rows, **{SPECTATORS: [*there, self.visitor]})


class SpectatorLeft(_OfVisitor):
    """A browser has joined the room, or its link is no longer valid."""

    role = "spectator"
    erases = True

    def _apply(self, rows: RoomRows, at: str) -> None:
        there = json.loads(rows.room["state"]).get(SPECTATORS, [])
        _set_state(
            rows, **{SPECTATORS: [visitor for visitor in there if visitor != self.visitor] or None}
        )


class DoorSet(RoomEvent):
    """The facilitator has changed who may join."""

    door: str

    def _apply(self, rows: RoomRows, at: str) -> None:
        _set_state(rows, **{DOOR: None if self.door == "open" else self.door})


class ClockStarted(RoomEvent):
    """The workshop's clock was started."""

    since: str

    def _apply(self, rows: RoomRows, at: str) -> None:
        _set_state(rows, **{CLOCK: self.since})


class ModelsLent(RoomEvent):
    """A process has keys for the room's models."""

    process: str

    def _apply(self, rows: RoomRows, at: str) -> None:
        # These models are asked once more.
        _set_state(rows, **{ASKS: self.process, WAITS: None})


class TimersMoved(RoomEvent):
    """No server was running since a time; what was due after it is postponed by some seconds."""

    since: str
    seconds: float

    def _apply(self, rows: RoomRows, at: str) -> None:
        def moved(due: str) -> datetime:
            late = datetime.fromisoformat(due) > datetime.fromisoformat(self.since)
            return datetime.fromisoformat(due) + timedelta(seconds=self.seconds * late)

        for place, row in rows.tables.items():
            if row["deadline"] is not None:
                rows.tables[place] = {**row, "deadline": stamp(moved(row["deadline"]))}
        state = json.loads(rows.room["state"])
        lesson = state.get(LESSON, {})
        if lesson.get("until"):
            _set_state(rows, **{LESSON: {**lesson, "until": moved(lesson["until"]).isoformat()}})
        for place, wait in state.get(WAITS, {}).items():
            turn, table = map(int, place.split("/"))
            _set_wait(rows, turn, table, {**wait, "due": stamp(moved(wait["due"]))})


class RoomPaused(RoomEvent):
    """The whole room pauses."""

    happened = "all tables were paused"

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room["phase"] = "paused"


class RoomResumed(RoomEvent):
    """The whole room goes on."""

    happened = "the tables go on"

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room["phase"] = "running"


class TaskStarted(RoomEvent):
    """The room has started, or gone on to another task; empty tables are removed."""

    happened = "a task was started"

    turn: int

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room.update(turn=self.turn, phase="running")
        _set_state(rows, **{WAITS: None})
        for place in [key for key, row in rows.tables.items() if row["phase"] == "waiting"]:
            del rows.tables[place]
            for seat in [key for key in rows.seats if key[:2] == place]:
                del rows.seats[seat]


class TaskEnded(RoomEvent):
    """The facilitator has ended the present task."""

    happened = "the task was ended"

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room["phase"] = "ended"


class Revealed(RoomEvent):
    """The truth of the present task is revealed."""

    happened = "the truth was revealed"

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room["phase"] = "revealed"
        _set_state(rows, **{REVEALED: rows.room["turn"]})


class RoomClosed(RoomEvent):
    """The room is closed to people."""

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room.update(phase="closed", closed=at)


class OverdueMarked(RoomEvent):
    """The room was found overdue; or it was not, and a mark was removed."""

    since: str | None

    def _apply(self, rows: RoomRows, at: str) -> None:
        rows.room["overdue"] = self.since


# -- people ----------------------------------------------------------------------------------------


class _OfPerson(RoomEvent):
    """Something about a person."""

    person: int

    @property
    def owner(self) -> str:
        """Return the person."""
        return f"person {self.person}"

    def set(self, rows: RoomRows, **values: Any) -> None:
        """Change the person's columns."""
        rows.people[self.person] = {**rows.people[self.person], **values}


class _NewPerson(_OfPerson):
    """A person whom the room did not have before."""

    private = ("visitor", "name")

    visitor: str | None = None
    name: str = ""

    def add(self, rows: RoomRows, *, joined: str, left: str | None, consent: str) -> None:
        """Add the person's row."""
        rows.people[self.person] = {
            "number": self.person,
            "visitor": self.visitor,
            "name": self.name,
            "joined": joined,
            "left": left,
            "consent": consent,
        }


class PersonJoined(_NewPerson):
    """A person has joined, or a bot of a rehearsal."""

    bot: bool = False

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.add(rows, joined=at, left=None, consent="bot" if self.bot else "told")


class PersonImported(_NewPerson):
    """A person of a room that was made by a version without logs."""

    joined: str
    left: str | None
    consent: str

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.add(rows, joined=self.joined, left=self.left, consent=self.consent)


class PersonReturned(_OfPerson):
    """A person who had left is back; an empty name leaves theirs as it is."""

    private = ("name",)

    name: str = ""

    def _apply(self, rows: RoomRows, at: str) -> None:
        named = {"name": self.name} if self.name else {}
        self.set(rows, left=None, consent="told", **named)


class PersonNamed(_OfPerson):
    """The facilitator has named a person, who cannot change the name."""

    private = ("name",)
    replaces = ("name",)

    name: str = ""

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set(rows, name=self.name)
        named = json.loads(rows.room["state"]).get(NAMED, ())
        _set_state(rows, **{NAMED: sorted({*named, self.person})})


class PersonLeft(_OfPerson):
    """A person has left, or the facilitator has removed or cleared them."""

    how: str = ""

    def _apply(self, rows: RoomRows, at: str) -> None:
        row = rows.people[self.person]
        self.set(rows, left=row["left"] or at, consent=self.how or row["consent"])


class PersonLetIn(_OfPerson):
    """A person who was removed may come back."""

    def _apply(self, rows: RoomRows, at: str) -> None:
        forgotten = rows.people[self.person]["consent"] == REMOVED_FORGOTTEN
        self.set(rows, consent=FORGOTTEN if forgotten else "told")


class PersonForgotten(_OfPerson):
    """A person's data was deleted; the trace, a hash, still identifies their browser here."""

    erases = True
    needs_answers = True

    trace: str | None

    def _apply(self, rows: RoomRows, at: str) -> None:
        removed = rows.people[self.person]["consent"] in (REMOVED, REMOVED_FORGOTTEN)
        consent = REMOVED_FORGOTTEN if removed else FORGOTTEN
        self.set(rows, name="", visitor=self.trace, consent=consent)
        _delete_answers(rows, person=self.person)


# -- answers and the lesson ------------------------------------------------------------------------


def _delete_answers(rows: RoomRows, **wanted: object) -> None:
    for key, row in list(rows.answers.items()):
        if all(row[name] == value for name, value in wanted.items()):
            del rows.answers[key]


class AnswerGiven(_OfPerson):
    """A person has answered a question; the number counts several answers to it.

    An answer that was stored when the block had another number is replaced.
    """

    private = ("value",)
    quiet = True

    lesson: str
    block: int
    part: str
    number: int
    kind: str
    old_block: int | None = None
    value: str | None = None

    def _apply(self, rows: RoomRows, at: str) -> None:
        row = {**self.fields(private=False), "value": self.value, "at": at}
        old = row.pop("old_block")
        place = tuple(row[name] for name in ("person", "lesson", "block", "part", "number"))
        rows.answers.pop((self.person, self.lesson, old, self.part, self.number), None)
        if self.value is not None:  # else it was replaced, or the person was forgotten
            rows.answers[place] = row


class AnswersDeleted(_OfPerson):
    """The answers of a bot were deleted."""

    needs_answers = True

    def _apply(self, rows: RoomRows, at: str) -> None:
        _delete_answers(rows, person=self.person)


# What a facilitator has done with a lesson, by the act.
STEERED = {
    "go": "the lesson is at another step",
    "open": "answers were opened",
    "lock": "answers were closed",
    "reveal": "the result was revealed",
    "reset": "the answers were reset",
    "timer": "a timer was set",
    "round": "another round was chosen",
    "alone": "who plays with whom was changed",
    "led": "the pace was changed",
    "let": "other words are shown",
    "pause": "the lesson was paused",
    "resume": "the lesson goes on",
}


class LessonSteered(RoomEvent):
    """The lesson has moved on: a step, a round or a timer begins, pairs are drawn, and so on."""

    act: str
    changes: Mapping[str, Any]

    @property
    def steers(self) -> str:
        """Return what has happened; pairs also change by what their members do."""
        return STEERED.get(self.act, "")

    def _apply(self, rows: RoomRows, at: str) -> None:
        lesson = json.loads(rows.room["state"]).get(LESSON, {})
        _set_state(rows, **{LESSON: {**lesson, **self.changes}})


class BlockReset(LessonSteered):
    """A block is asked again: its answers, by number and round, were deleted."""

    needs_answers = True

    blocks: Sequence[Sequence[Any]]

    def _apply(self, rows: RoomRows, at: str) -> None:
        super()._apply(rows, at)
        for block, part in self.blocks:
            _delete_answers(rows, block=block, part=part)


# -- tables ----------------------------------------------------------------------------------------


class _OfTable(RoomEvent):
    """Something about a table."""

    turn: int
    table: int

    def set(self, rows: RoomRows, **values: Any) -> None:
        """Change the table's columns."""
        place = self.turn, self.table
        rows.tables[place] = {**rows.tables[place], **values}

    def add(self, rows: RoomRows, seats: Mapping[str, Mapping[str, Any]], **values: Any) -> None:
        """Add the table and its seats."""
        place = {"turn": self.turn, "number": self.table}
        row = {**place, "episode": None, "round": 0, "deadline": None, "left": None, **values}
        rows.tables[self.turn, self.table] = row
        empty = {"person": None, "bot": None, "told": ""}
        for agent, fields in seats.items():
            rows.seats[self.turn, self.table, agent] = {**place, "agent": agent, **empty, **fields}


class TableLaid(_OfTable):
    """There is an empty table, at which people can choose their seats before the start."""

    condition: str
    agents: Sequence[str]

    def _apply(self, rows: RoomRows, at: str) -> None:
        seats = {agent: dict[str, object]() for agent in self.agents}
        self.add(rows, seats, condition=self.condition, task="", phase="waiting")


class TableDealt(_OfTable):
    """A table plays an episode: each seat has a person, a bot, or both if the person is absent.

    The episode's own log says who plays each seat, too, in `Seated` events: it is a whole document,
    which is exported and replayed without its room. They follow from the room's events (from
    `first_players`, later from `players`), and are written in the same transaction.
    """

    episode: str
    condition: str
    task: str
    deadline: str | None
    seats: Mapping[str, Mapping[str, Any]]

    def first_players(self) -> Iterable[tuple[str, Mapping[str, Any]]]:
        """Return who plays each seat: a person, and then the bot that plays in their place."""
        for agent, players in self.seats.items():
            if players["person"] is not None:
                yield agent, person_record(players["person"])
            if players["bot"] is not None:
                yield agent, players["bot"]

    def _apply(self, rows: RoomRows, at: str) -> None:
        seats = {
            agent: {
                "person": players["person"],
                "bot": players["bot"] and json.dumps(players["bot"]),
            }
            for agent, players in self.seats.items()
        }
        self.add(
            rows,
            seats,
            episode=self.episode,
            condition=self.condition,
            task=self.task,
            phase="running",
            deadline=self.deadline,
        )


class TablePaused(_OfTable):
    """A table pauses, with a number of seconds left of its round."""

    happened = "a table was paused"

    left: float | None

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set(rows, phase="paused", deadline=None, left=self.left)
        _set_wait(rows, self.turn, self.table, None)


class TableResumed(_OfTable):
    """A table goes on."""

    happened = "a table goes on"

    deadline: str | None

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set(rows, phase="running", deadline=self.deadline, left=None)


class TableEnded(_OfTable):
    """A table is over: its episode is, or the facilitator has ended it before.

    So neither this event nor the end of the episode implies the other. If the episode ended by
    itself, the event shows when that was among the room's other events.
    """

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set(rows, phase="over", deadline=None, left=None)


class ModelAwaited(_OfTable):
    """A table waits for a model at a position; when this is due, a scripted player takes over."""

    node: int
    due: str

    def _apply(self, rows: RoomRows, at: str) -> None:
        _set_wait(rows, self.turn, self.table, {"node": self.node, "due": self.due})


class RoundOpened(_OfTable):
    """A round with a time limit has begun."""

    round: int
    deadline: str

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set(rows, round=self.round, deadline=self.deadline)


class RoundExtended(_OfTable):
    """The present round ends at another time, or has this many seconds left when it is resumed."""

    happened = "a round was made longer"

    deadline: str | None
    left: float | None

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set(rows, deadline=self.deadline, left=self.left)


class RoundExpired(_OfTable):
    """The time is up: late players are moved for once. The deadline is checked again then."""

    deadline: str
    late: Mapping[str, Mapping[str, Any]]

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set(rows, deadline=self.deadline)

    def players(self, rows: RoomRows) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """Return who moves once for those who are late."""
        episode = rows.tables[self.turn, self.table]["episode"]
        return [(episode, agent, record) for agent, record in self.late.items()]


class _OfSeat(_OfTable):
    """Something about a seat."""

    agent: str

    def set_seat(self, rows: RoomRows, **values: Any) -> None:
        """Change the seat's columns."""
        place = self.turn, self.table, self.agent
        rows.seats[place] = {**rows.seats[place], **values}

    def played_by(self, rows: RoomRows, record: Mapping[str, Any]) -> list[Any]:
        """Return that the seat's episode has this player, unless it is over or not begun."""
        table = rows.tables[self.turn, self.table]
        if table["episode"] is None or table["phase"] == "over":
            return []
        return [(table["episode"], self.agent, record)]


class SeatTaken(_OfSeat):
    """A person plays a seat, new at it or back after a bot has played for them."""

    happened = "a seat was taken"

    person: int

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set_seat(rows, person=self.person, bot=None, told="")

    def players(self, rows: RoomRows) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """Return who plays the seat."""
        return self.played_by(rows, person_record(self.person))


class SeatFreed(_OfSeat):
    """A person has given up a seat, and nobody plays it."""

    happened = "a seat was given up"

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set_seat(rows, person=None, bot=None)


class BotSeated(_OfSeat):
    """A bot or a model plays a seat, which may be kept for its person."""

    private = ("note",)
    happened = "an automated player took a seat"

    bot: Mapping[str, Any]
    person: int | None = None
    note: str = ""

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set_seat(rows, person=self.person, bot=json.dumps(self.bot), told=self.note)

    def players(self, rows: RoomRows) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """Return who plays the seat."""
        return self.played_by(rows, self.bot)


class SeatNoted(_OfSeat):
    """The facilitator is shown a note about a seat."""

    private = ("note",)

    note: str = ""

    def _apply(self, rows: RoomRows, at: str) -> None:
        self.set_seat(rows, told=self.note)


# -- the log ---------------------------------------------------------------------------------------


def event_of(logged: LoggedEvent) -> RoomEvent:
    """Return an event as it was stored; private fields that were deleted have their defaults."""
    return RoomEvent.kinds[logged.kind](**logged.body, **logged.private)


def fold(number: int, log: Iterable[LoggedEvent]) -> RoomRows:
    """Return the rows of a room, answers included, from its log."""
    rows = RoomRows.empty(number)
    for logged in log:
        event_of(logged).apply(rows, logged.at)
    return rows


def rebuild(storage: Storage, code: str) -> None:
    """Delete all rows that are derived from a room's log, and make them again."""
    storage.rooms.rebuild(code, fold)
