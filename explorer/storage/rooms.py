"""The rows of rooms, and transactions that change them. The rules are in :mod:`explorer.rooms`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field, fields
from datetime import datetime
from hashlib import sha256
from typing import Any, ClassVar, Self, cast, dataclass_transform

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from explorer.storage.change_feed import ChangeFeed, answers_topic, episode_topic, room_topic
from explorer.storage.engines import DatabasePart, insert_into, reading, writing
from explorer.storage.entries import default_title
from explorer.storage.erasing import erase
from explorer.storage.errors import ConflictError
from explorer.storage.limits import charge
from explorer.storage.records import checked_id, fold, insert_episode, stamp, to_json
from explorer.storage.schema import (
    answers,
    episodes,
    events,
    leaders,
    people,
    private,
    processes,
    room_events,
    room_seats,
    room_tables,
    rooms,
)
from nip_core.displays import displayed, line
from nip_core.play import Episode, Seated

Row = Mapping[str, Any]


# The row of `processes` that says when time limits were last checked.
TIMERS = "timers"
DUE = re.compile(r'"(?:until|due)": "([^"]+)"')  # in a room's state
# The storage that an answer takes besides its text.
BYTES_OF_A_ROW = 200


def hashed_key(key: str) -> str:
    """Return the hash under which a leading token is stored."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


@displayed
@dataclass
class RoomRows:
    """The rows of a room, derived from its log.

    Rows are replaced, never changed, except the room's own.
    """

    room: dict[str, Any]  # the room's own columns
    # People by number; tables by turn and number; seats by turn, number and agent; answers, as far
    # as they were read, by person, lesson, block, part and number.
    people: dict[int, Row] = field(default_factory=dict[int, Row])
    tables: dict[tuple[int, int], Row] = field(default_factory=dict[tuple[int, int], Row])
    seats: dict[tuple[int, int, str], Row] = field(default_factory=dict[tuple[int, int, str], Row])
    leaders: set[str] = field(default_factory=set[str], repr=False)  # the browsers that may lead
    answers: dict[tuple[Any, ...], Row] = field(default_factory=dict[tuple[Any, ...], Row])

    @classmethod
    def empty(cls, number: int) -> Self:
        """Return the rows of a room in which nothing has happened."""
        return cls({"number": number, "position": 0})

    def copy(self) -> RoomRows:
        """Return a copy that does not change with this."""
        return RoomRows(*(copy(getattr(self, field.name)) for field in fields(self)))

    def are_at(self, number: int, version: int) -> bool:
        """Return whether these are the rows of a room, by its number, at a version."""
        return (self.room["number"], self.room["version"]) == (number, version)

    def sorted(self) -> RoomRows:
        """Return a copy without answers, in the order in which rows are read."""
        return RoomRows(
            dict(self.room),
            dict(sorted(self.people.items())),
            dict(sorted(self.tables.items())),
            dict(sorted(self.seats.items())),
            set(self.leaders),
        )


@displayed
@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event as it is stored."""

    kind: str  # the name of its class
    body: Mapping[str, Any]
    # What is stored beside the log, and may have been deleted since.
    private: Mapping[str, Any] = field(repr=False)
    at: str


@displayed
@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class RoomEvent:
    """Something that has happened in a room; :mod:`explorer.rooms.events` has the events.

    Each subclass is a frozen dataclass.
    """

    # The events by name. In the log, events have the names of their classes.
    kinds: ClassVar[dict[str, type[RoomEvent]]] = {}
    # The fields that are stored beside the log, under the owner, so that they can be deleted.
    private: ClassVar[tuple[str, ...]] = ()
    # Whether everything that is stored under the owner is deleted with this event.
    erases: ClassVar[bool] = False
    # Whether answers are deleted, so that all of them have to be read first.
    needs_answers: ClassVar[bool] = False
    # Private fields whose earlier values under the owner are deleted with this event.
    replaces: ClassVar[tuple[str, ...]] = ()
    # Whether only windows that show answers have to be refreshed.
    quiet: ClassVar[bool] = False
    # What has happened, as a clause, if a facilitator may now decide otherwise.
    happened: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)
        RoomEvent.kinds[cls.__name__] = cls

    @property
    def owner(self) -> str:
        """Return the name under which the private fields are stored."""
        return ""

    @property
    def steers(self) -> str:
        """Return what has happened, if a facilitator may now decide otherwise; else nothing."""
        return self.happened

    def fields(self, *, private: bool) -> dict[str, Any]:
        """Return the private or the other fields as a plain document."""
        names = [field.name for field in fields(self)]
        return {name: getattr(self, name) for name in names if (name in self.private) is private}

    def apply(self, rows: RoomRows, at: str) -> None:
        """Change the rows of the room. Nothing else changes them."""
        position = rows.room["position"] + 1
        self._apply(rows, at)
        rows.room["position"] = position
        if not self.quiet:
            rows.room.update(version=position, updated=at)

    def _apply(self, rows: RoomRows, at: str) -> None:
        raise NotImplementedError

    def players(self, rows: RoomRows) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """Return the new players of seats, as (episode, agent, record)."""
        del rows
        return ()


# Used for each window on every change, so they are built once.
VERSION_OF = select(rooms.c.number, rooms.c.version).where(rooms.c.code == bindparam("asked"))
# With the value that is there: this statement begins a transaction and takes the room's lock.
CLAIM = (
    update(rooms)
    .where(rooms.c.code == bindparam("asked"))
    .values(code=rooms.c.code)
    .returning(rooms.c.number, rooms.c.version, rooms.c.position)
)
VERSIONS_OF = select(episodes.c.id, episodes.c.version).where(
    episodes.c.id.in_(bindparam("asked", expanding=True))
)


# With the room, person, lesson, block and part of an answer.
CLAIM_ANSWER = (
    update(rooms)
    .where(rooms.c.number == bindparam("room"))
    .values(position=rooms.c.position + 1)
    .returning(rooms.c.position)
)
_OF_PERSON = and_(*(answers.c[name] == bindparam(name) for name in ("room", "person")))
_HERE = and_(_OF_PERSON, *(answers.c[name] == bindparam(name) for name in ("lesson", "part")))
COUNT_ANSWERS = select(func.count()).where(_OF_PERSON)
LAST_ANSWER = select(func.max(answers.c.number)).where(_HERE, answers.c.block == bindparam("block"))
ANSWERED_HERE = select(answers).where(
    _HERE,
    or_(answers.c.block == bindparam("block"), answers.c.block == bindparam("old_block")),
)
INSERT_EVENTS, INSERT_PRIVATE = insert(room_events), insert(private)


class _UnchangedError(Exception):
    """Raised to roll back a change that changed nothing."""


class RoomChange:
    """A change of a room in one transaction; other changes of the room wait for it."""

    def __init__(self, connection: Connection, rows: RoomRows) -> None:
        self._connection = connection
        self._before = rows.copy()
        self.rows = rows  # after the events so far
        self.number: int = rows.room["number"]
        self._log: list[tuple[RoomEvent, str]] = []
        self._answers_read = False
        self.changed = False
        self.episodes: set[str] = set()  # the ids of those whose seats changed

    def __repr__(self) -> str:
        return line(self, f"room {self.number}")

    def _do(self, statement: Any) -> None:
        self._connection.execute(statement)
        self.changed = True

    def append(self, *new: RoomEvent, version: int | None = None) -> None:
        """Append events to the log, and record new players of seats in their episodes.

        A caller that has seen an episode at a `version` gets a ConflictError if it has changed
        since.
        """
        for event in new:
            if event.needs_answers and not self._answers_read:
                self._read_answers()
            at, answered = stamp(), dict(self.rows.answers) if event.needs_answers else {}
            event.apply(self.rows, at)
            self._log.append((event, at))
            if gone := [answered[key] for key in answered.keys() - self.rows.answers.keys()]:
                delete_values(self._connection, self.number, gone)
            if event.replaces:
                delete_fields(self._connection, self.number, event.owner, event.replaces)
            for episode_id, agent, record in event.players(self.rows):
                self._seat(episode_id, agent, record, version=version)
                version = None if version is None else version + 1
            if event.erases:
                mine = _of_all(private, _at(self.number, owner=event.owner))
                erase(self._connection, delete(private).where(mine))
        self.changed = True

    def since(self, position: int) -> list[LoggedEvent]:
        """Return the events after a position of the log, without this change's own."""
        return _read_log(self._connection, self.number, after=position)

    def _read_answers(self) -> None:
        wanted = select(answers).where(answers.c.room == self.number)
        stored = {_key(answers, row): row for row in _all_rows(self._connection, wanted)}
        self._before.answers, self.rows.answers = stored, dict(stored)
        self._answers_read = True

    def flush(self) -> None:
        """Write the events and the rows that follow from them."""
        first = self._before.room["position"] + 1
        append_events(self._connection, self.number, first, self._log)
        write_rows(self._connection, self._before, self.rows)
        self._log.clear()
        self._before = self.rows.copy()

    def add_episode(self, episode_id: str, episode: Episode, labels: tuple[str, ...]) -> None:
        """Store an episode that is played in the room, sealed."""
        now = stamp()
        insert_episode(
            self._connection,
            episode_id,
            episode,
            default_title(episode.setup),
            tuple(sorted(set(labels))),
            created=now,
            updated=now,
            room=self.number,
        )
        self.changed = True

    def _seat(
        self,
        episode_id: str,
        agent: str,
        player: Mapping[str, Any],
        *,
        version: int | None = None,
    ) -> None:
        """Record in an episode who plays a seat; writers of an earlier version get a conflict.

        So does the caller, if the episode is not at the given version.
        """
        now = stamp()
        claim = (
            update(episodes)
            .where(episodes.c.id == checked_id(episode_id), episodes.c.room == self.number)
            .values(version=episodes.c.version + 1, updated=now)
            .returning(episodes.c.number, episodes.c.version)
        )
        if version is not None:
            claim = claim.where(episodes.c.version == version)
        row = self._connection.execute(claim).one_or_none()
        if row is None:
            raise ConflictError("Somebody has played at this table in the meantime.")
        event = Seated(agent=agent, player=dict(player), at=now)
        new = {"number": row.version - 1, "body": to_json(event.to_dict()), "words": None}
        self._do(insert(events).values(episode=row.number, written=now, **new))
        self.episodes.add(episode_id)

    def blank(self, episode_id: str, player: Mapping[str, Any], instead: str) -> None:
        """Replace everything that a player has written in an episode.

        Their seats are recorded once more, so that the episode has a new version and is loaded
        again.
        """
        here = episodes.c.id == checked_id(episode_id)
        number = self._connection.scalar(select(episodes.c.number).where(here))
        wanted = select(events.c.number, events.c.body).where(events.c.episode == number)
        sits: dict[str, Any] = {}
        seats: set[str] = set()
        for row in self._connection.execute(wanted.order_by(events.c.number)).all():
            event = json.loads(row.body)
            if event["type"] == "seated":
                sits[event["agent"]] = event["player"]
            elif event["type"] == "moved" and sits.get(event["move"]["agent"]) == player:
                move = event["move"]
                seats.add(move["agent"])
                move["messages"] = dict.fromkeys(move.get("messages") or {}, instead)
                move.pop("raw", None)
                change = {"body": to_json(event), "words": fold(instead)}
                place = (events.c.episode == number) & (events.c.number == row.number)
                erase(self._connection, update(events).where(place).values(change))
                self.changed = True
        for agent in sorted(seats):
            self._seat(episode_id, agent, sits[agent])

    def delete(self) -> None:
        """Delete the room and everything that belongs to it."""
        erase(self._connection, delete(episodes).where(episodes.c.room == self.number))
        erase(self._connection, delete(rooms).where(rooms.c.number == self.number))
        self.changed = True


class Rooms(DatabasePart):
    """Rooms in a database."""

    def __init__(self, engine: Engine, feed: ChangeFeed) -> None:
        super().__init__(engine)
        self._feed = feed

    def add(self, *new: RoomEvent) -> int:
        """Add a room that begins with these events, unless its code is taken; return its number."""
        log = [(event, stamp()) for event in new]
        rows = RoomRows.empty(0)
        for event, at in log:
            event.apply(rows, at)
        del rows.room["number"]
        with writing(self._engine) as connection:
            made = insert(rooms).values(rows.room).returning(rooms.c.number)
            number = connection.scalar(made)
            assert number is not None
            rows.room["number"] = number
            append_events(connection, number, 1, log)
            write_rows(connection, RoomRows(dict(rows.room)), rows)
        return number

    def log(self, code: str) -> tuple[int, list[LoggedEvent]]:
        """Return a room's number, and its events in their order."""
        with reading(self._engine) as connection:
            number = connection.scalar(select(rooms.c.number).where(rooms.c.code == code))
            return (0, []) if number is None else (number, _read_log(connection, number))

    def position(self, room: int) -> int | None:
        """Return how many events the log of a room has, by its number."""
        with reading(self._engine) as connection:
            return connection.scalar(select(rooms.c.position).where(rooms.c.number == room))

    def rebuild(self, code: str, fold: Callable[[int, list[LoggedEvent]], RoomRows]) -> None:
        """Delete all rows of a room, and make them again from its log."""
        claim = update(rooms).where(rooms.c.code == code).values(code=code)
        with self._feed.writing(room_topic(code)) as connection:
            number = connection.scalar(claim.returning(rooms.c.number))
            if number is None:
                return
            for table in PROJECTIONS:
                erase(connection, delete(table).where(table.c.room == number), soon=True)
            here = update(episodes).where(episodes.c.room == number)
            connection.execute(here.values(sealed=True, halted=None))
            rows = fold(number, _read_log(connection, number))
            write_rows(connection, RoomRows({"number": number}), rows)

    def version(self, code: str) -> tuple[int, int] | None:
        """Return a room's number and version; None if there is no such room."""
        with reading(self._engine) as connection:
            row = connection.execute(VERSION_OF, {"asked": code}).one_or_none()
        return None if row is None else (row[0], row[1])

    def read(self, code: str) -> RoomRows | None:
        """Return all rows of a room, all at one version; None if there is no such room."""
        with reading(self._engine) as connection:
            while True:
                rows = _read(connection, code)
                # The statements of one transaction may see different versions.
                wanted = select(rooms.c.version).where(rooms.c.code == code)
                again = connection.scalar(wanted)
                if rows is None or again == rows.room["version"]:
                    return rows

    def listed(self) -> list[Row]:
        """Return all rooms, the latest first, with the number of people who have joined each."""
        joined = select(func.count()).where(people.c.room == rooms.c.number).scalar_subquery()
        wanted = select(rooms, joined.label("people")).order_by(rooms.c.number.desc())
        with reading(self._engine) as connection:
            return [_plain(row) for row in connection.execute(wanted)]

    @contextmanager
    def changing(self, code: str, known: RoomRows | None = None) -> Generator[RoomChange | None]:
        """Open a transaction in which a room is changed, while other changes of it wait.

        An exception in the block undoes the change. Yields None if there is no such room. If the
        rows that are `known`, without answers, are still at the room's version, they are not read
        again.
        """
        topics: list[str] = []
        with (
            suppress(_UnchangedError),
            self._feed.writing(room_topic(code), more=topics) as connection,
        ):
            # Takes the lock of the room, and of SQLite's file.
            now = connection.execute(CLAIM, {"asked": code}).one_or_none()
            rows = None
            if now is not None and known is not None and known.are_at(now.number, now.version):
                # Answers change the position and only their own rows.
                rows = known.copy()
                rows.room["position"] = now.position
            elif now is not None:
                rows = _read(connection, code)
            change = None if rows is None else RoomChange(connection, rows)
            yield change
            if change is None or not change.changed:
                raise _UnchangedError
            change.flush()
            topics += map(episode_topic, change.episodes)

    def database_time(self) -> datetime | None:
        """Return the database server's time; None for SQLite, which has no clock of its own."""
        if self._engine.dialect.name != "postgresql":
            return None
        with reading(self._engine) as connection:
            return cast("datetime", connection.scalar(text("SELECT clock_timestamp()")))

    def running(self) -> list[str]:
        """Return the codes of the rooms with running tables."""
        with reading(self._engine) as connection:
            return list(connection.scalars(select(rooms.c.code).where(rooms.c.phase == "running")))

    def checked_at(self) -> str | None:
        """Return when time limits were last checked, by any process."""
        with reading(self._engine) as connection:
            return connection.scalar(select(processes.c.seen).where(processes.c.id == TIMERS))

    def timed(self, since: str) -> list[str]:
        """Return the codes of the rooms in which something is due after a time."""
        rounds = exists().where(
            room_tables.c.room == rooms.c.number, room_tables.c.deadline > since
        )
        # In lessons, and where a table waits for a model.
        timers = or_(rooms.c.state.like('%"until": "%'), rooms.c.state.like('%"due": "%'))
        wanted = select(rooms.c.code, rooms.c.state, rounds.label("rounds")).where(
            rooms.c.phase != "closed", or_(rounds, timers)
        )
        then = datetime.fromisoformat(since)
        with reading(self._engine) as connection:
            return [
                row.code
                for row in connection.execute(wanted)
                if row.rounds
                or any(datetime.fromisoformat(t) > then for t in DUE.findall(row.state))
            ]

    def note_check(self, before: str | None, at: str) -> bool:
        """Record when time limits are checked; return whether no other process was faster."""
        new = insert_into(self._engine, processes).values(id=TIMERS, seen=at)
        same = (processes.c.id == TIMERS) & (processes.c.seen == before)
        with writing(self._engine) as connection:
            if before is None:
                return connection.execute(new.on_conflict_do_nothing()).rowcount > 0
            return connection.execute(update(processes).where(same).values(seen=at)).rowcount > 0

    def lessons_with_timers(self) -> list[Row]:
        """Return the code and state of each room whose lesson has a timer, even expired."""
        wanted = select(rooms.c.code, rooms.c.state).where(
            rooms.c.kind == "lesson",
            rooms.c.phase != "closed",
            rooms.c.state.like('%"until": "%'),
        )
        with reading(self._engine) as connection:
            return [_plain(row) for row in connection.execute(wanted)]

    def next_deadline(self) -> str | None:
        """Return when the next round of any room ends."""
        wanted = select(func.min(room_tables.c.deadline)).where(room_tables.c.phase == "running")
        with reading(self._engine) as connection:
            return connection.scalar(wanted)

    def versions(self, ids: Collection[str]) -> dict[str, int]:
        """Return the number of events of episodes, by id."""
        with reading(self._engine) as connection:
            rows = connection.execute(VERSIONS_OF, {"asked": list(ids)})
            return {row.id: row.version for row in rows}

    # -- answers -------------------------------------------------------------------------------

    def answers_of(
        self,
        room: int,
        *,
        people: Collection[int] | None = None,
        at: tuple[int, str] | None = None,
        kinds: Collection[str] | None = None,
    ) -> list[Row]:
        """Return the answers of a room, in the order in which they were given.

        Only those of some people, to one block in one round, or of some kinds, if these are given.
        """
        wanted = select(answers).where(answers.c.room == room)
        if people is not None:
            wanted = wanted.where(answers.c.person.in_(people))
        if at is not None:
            wanted = wanted.where(answers.c.block == at[0], answers.c.part == at[1])
        if kinds is not None:
            wanted = wanted.where(answers.c.kind.in_(kinds))
        with reading(self._engine) as connection:
            order = wanted.order_by(answers.c.at, answers.c.person, answers.c.number)
            return [_plain(row) for row in connection.execute(order)]

    def answers_counted(
        self, room: int, without: Collection[int] = ()
    ) -> dict[tuple[str, int, str], Counter[str]]:
        """Return how often each value was answered, by lesson, block and part."""
        by = (answers.c.lesson, answers.c.block, answers.c.part, answers.c.kind, answers.c.value)
        wanted = select(*by, func.count()).where(
            answers.c.room == room, answers.c.person.not_in(without)
        )
        counts: dict[tuple[str, int, str], Counter[str]] = {}
        with reading(self._engine) as connection:
            for *place, _, value, often in connection.execute(wanted.group_by(*by).order_by(*by)):
                counts.setdefault((place[0], place[1], place[2]), Counter())[value] += often
        return counts

    def answered(self, room: int, without: Collection[int] = ()) -> dict[tuple[int, str], int]:
        """Return how many people have answered, by block and part; some people are not counted."""
        here = (answers.c.room == room) & answers.c.person.not_in(without)
        by = (answers.c.block, answers.c.part)
        wanted = select(*by, func.count(answers.c.person.distinct())).where(here).group_by(*by)
        with reading(self._engine) as connection:
            return {(block, part): n for block, part, n in connection.execute(wanted)}

    def put_answer(
        self,
        code: str,
        place: Mapping[str, Any],
        make: Callable[[int], RoomEvent],
        *,
        most: int,
        most_in_all: int,
        old_block: int | None = None,
    ) -> bool:
        """Append an answer to a room's log, and return whether that was within the limits.

        The room's version does not change and its topic is not published: an answer must not make
        every window read the room again.

        The `place` is the room, person, lesson, block and part. The event is made from the number
        of earlier answers there, of which there may be `most` (a single one is replaced), and a
        person may give `most_in_all` in a room. An answer to the same block under its `old_block`
        number is replaced as well.
        """
        topics = answers_topic(code), answers_topic(code, place["person"])
        with suppress(_UnchangedError), self._feed.writing(*topics) as connection:
            position = connection.scalar(CLAIM_ANSWER, place)
            if position is None:
                raise ConflictError("The room was deleted in the meantime.")
            before = RoomRows({"number": place["room"], "position": position})
            if most == 1:
                stored = _all_rows(connection, ANSWERED_HERE, {**place, "old_block": old_block})
                before.answers = {_key(answers, row): row for row in stored}
                number = 0
            else:
                last = connection.scalar(LAST_ANSWER, place)
                number = 0 if last is None else last + 1
            answered = connection.scalar(COUNT_ANSWERS, place) or 0
            if number >= most or answered - len(before.answers) >= most_in_all:
                raise _UnchangedError
            event, at, after = make(number), stamp(), before.copy()
            if before.answers:
                gone = before.answers.values()
                delete_values(connection, place["room"], gone, event.owner, soon=True)
            event.apply(after, at)
            after.room["position"] = position  # which the claim has written
            append_events(connection, place["room"], position, [(event, at)])
            write_rows(connection, before, after)
            return True
        return False


# The fields of an event that say which answer it gave: the key of the answer's row.
ANSWERED = tuple(column.name for column in answers.primary_key if column.name != "room")
PROJECTIONS = (room_seats, room_tables, people, leaders, answers)
PARTS = {"people": people, "tables": room_tables, "seats": room_seats, "answers": answers}


def append_events(
    connection: Connection, room: int, position: int, log: Sequence[tuple[RoomEvent, str]]
) -> None:
    """Write events into a room's log; of several writers at a position, only one succeeds."""
    rows: list[Row] = []
    beside: list[Row] = []
    for place, (event, at) in enumerate(log, position):
        body = to_json(event.fields(private=False))
        kind = type(event).__name__
        rows.append({"room": room, "position": place, "kind": kind, "body": body, "at": at})
        if not event.erases and (private_fields := event.fields(private=True)):
            values = {"owner": event.owner, "body": to_json(private_fields)}
            beside.append({"room": room, "position": place, **values})
            charge(len(values["body"]) * event.quiet)
        charge((len(body) + BYTES_OF_A_ROW) * event.quiet)
    if rows:
        connection.execute(INSERT_EVENTS, rows)
    if beside:
        connection.execute(INSERT_PRIVATE, beside)


def delete_values(
    connection: Connection,
    room: int,
    gone: Iterable[Row],
    owner: str | None = None,
    *,
    soon: bool = False,
) -> None:
    """Delete the private values of answers that no longer exist, `soon` if others replace them."""
    places = {tuple(row[name] for name in ANSWERED) for row in gone}
    mine = {"room": room} if owner is None else {"room": room, "owner": owner}
    same = (private.c.room == room_events.c.room) & (private.c.position == room_events.c.position)
    wanted = select(room_events.c.position, room_events.c.body).join_from(
        room_events, private, same
    )
    positions: list[int] = []
    for row in connection.execute(wanted.where(_of_all(private, mine))):
        body = json.loads(row.body)
        if tuple(body.get(name) for name in ANSWERED) in places:
            positions.append(row.position)
    here = (private.c.room == room) & (private.c.position == bindparam("old"))
    if positions:
        erase(
            connection,
            delete(private).where(here),
            [{"old": position} for position in positions],
            soon=soon,
        )


def delete_fields(connection: Connection, room: int, owner: str, names: Sequence[str]) -> None:
    """Delete the values of some private fields of an owner."""
    mine = _of_all(private, {"room": room, "owner": owner})
    for row in connection.execute(select(private.c.position, private.c.body).where(mine)).all():
        values = json.loads(row.body)
        if not any(values.get(name) for name in names):
            continue
        kept = {name: value for name, value in values.items() if name not in names}
        here = _of_all(private, {"room": room, "position": row.position})
        erase(connection, update(private).where(here).values(body=to_json(kept)))


def _read_log(connection: Connection, room: int, *, after: int = 0) -> list[LoggedEvent]:
    same = (private.c.room == room_events.c.room) & (private.c.position == room_events.c.position)
    wanted = (
        select(room_events, private.c.body.label("beside"))
        .join_from(room_events, private, same, isouter=True)
        .where(room_events.c.room == room, room_events.c.position > after)
        .order_by(room_events.c.position)
    )
    return [
        LoggedEvent(row.kind, json.loads(row.body), json.loads(row.beside or "{}"), row.at)
        for row in connection.execute(wanted)
    ]


def write_rows(connection: Connection, before: RoomRows, after: RoomRows) -> None:
    """Write the changed rows; nothing else writes these tables."""
    room = after.room["number"]
    if changed := _changed(before.room, after.room):
        connection.execute(update(rooms).where(rooms.c.number == room).values(changed))
    for visitor in before.leaders - after.leaders:
        connection.execute(delete(leaders).where(_of_all(leaders, _at(room, visitor=visitor))))
    for visitor in sorted(after.leaders - before.leaders):
        connection.execute(insert(leaders).values(_at(room, visitor=visitor)))
    for name, table in PARTS.items():
        _write_part(connection, room, table, getattr(before, name), getattr(after, name))
    for key, row in after.tables.items():
        phase = before.tables.get(key, {}).get("phase")
        if row["episode"] is not None and row["phase"] != phase:
            # On the episode's own row: it must stop a writer that has already read the episode.
            played = update(episodes).where(episodes.c.id == row["episode"])
            connection.execute(played.values(halted=row["phase"] != "running"))
    if (revealed := _revealed(after)) > _revealed(before):
        shown = [row["episode"] for row in after.tables.values() if row["turn"] <= revealed]
        ended = episodes.c.id.in_(shown) & episodes.c.settled.is_(True)
        connection.execute(update(episodes).where(ended).values(sealed=False))


def _revealed(rows: RoomRows) -> int:
    """Return the last turn whose truth is revealed."""
    return json.loads(rows.room.get("state", "{}")).get("revealed", 0)


def _write_part(
    connection: Connection,
    room: int,
    table: Table,
    before: Mapping[Any, Row],
    after: Mapping[Any, Row],
) -> None:
    for key in before.keys() - after.keys():
        here = _of_all(table, _place(table, room, before[key]))
        erase(connection, delete(table).where(here), soon=True)
    changed = {
        key: values
        for key in before.keys() & after.keys()
        if before[key] is not after[key] and (values := _changed(before[key], after[key]))
    }
    # Seats that are given up are written first, since nobody can have two at a time.
    for key in sorted(changed, key=lambda key: changed[key].get("person", 0) is not None):
        here = _of_all(table, _place(table, room, after[key]))
        connection.execute(update(table).where(here).values(changed[key]))
    new = [{**after[key], "room": room} for key in after if key not in before]
    if new:
        connection.execute(insert(table), new)


def _changed(before: Row, after: Row) -> dict[str, object]:
    return {name: after[name] for name in after if before.get(name, ...) != after[name]}


def _read(connection: Connection, code: str) -> RoomRows | None:
    row = connection.execute(select(rooms).where(rooms.c.code == code)).one_or_none()
    if row is None:
        return None
    room = _plain(row)
    number = room["number"]

    def all_of(table: Table) -> dict[Any, Row]:
        keys = [column for column in table.primary_key if column.name != "room"]
        wanted = select(table).where(table.c.room == number).order_by(*keys)
        return {_key(table, row): row for row in _all_rows(connection, wanted)}

    led = connection.scalars(select(leaders.c.visitor).where(leaders.c.room == number))
    return RoomRows(room, all_of(people), all_of(room_tables), all_of(room_seats), set(led))


def _all_rows(connection: Connection, wanted: Any, values: Row | None = None) -> list[Row]:
    return [_plain(row) for row in connection.execute(wanted, values)]


def _plain(row: Any) -> dict[str, object]:
    """Return a row as a dictionary, without the room that it belongs to."""
    return {name: value for name, value in row._mapping.items() if name != "room"}


def _key(table: Table, row: Row) -> Any:
    """Return the primary key of a row within its room."""
    key = [row[column.name] for column in table.primary_key if column.name != "room"]
    return tuple(key) if len(key) > 1 else key[0]


def _place(table: Table, room: int, row: Row) -> Row:
    return _at(room, **{c.name: row[c.name] for c in table.primary_key if c.name != "room"})


def _at(room: int, **values: Any) -> Row:
    return {"room": room, **values}


def _of_all(table: Table, values: Mapping[str, Any]) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in values.items()))
