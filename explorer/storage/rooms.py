"""The rows of rooms, and transactions that change them. The rules are in :mod:`explorer.rooms`."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, cast

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from explorer.storage.change_feed import ChangeFeed, answers_topic, episode_topic, room_topic
from explorer.storage.engines import DatabasePart, reading, writing
from explorer.storage.entries import default_title, fold, stamp
from explorer.storage.errors import ConflictError
from explorer.storage.limits import charge
from explorer.storage.records import checked_id, insert_episode, to_json
from explorer.storage.schema import (
    answers,
    episodes,
    events,
    leaders,
    people,
    room_seats,
    room_tables,
    rooms,
)
from nip_core.displays import displayed, line
from nip_core.play import Episode, Seated

__all__ = ["RoomChange", "RoomRows", "Rooms", "hashed_key"]

Row = Mapping[str, Any]


# The storage that an answer takes besides its text.
BYTES_OF_A_ROW = 200


def hashed_key(key: str) -> str:
    """Return the hash under which a leading token is stored."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


@displayed
@dataclass(frozen=True)
class RoomRows:
    """All rows of a room except its answers, at one version.

    Parameters
    ----------
    people, tables, seats : tuple of mapping
        In the order of their numbers.
    """

    room: Row
    people: tuple[Row, ...]
    tables: tuple[Row, ...]
    seats: tuple[Row, ...]
    leaders: frozenset[str] = field(repr=False)


# Used for each window on every change, so they are built once.
VERSION_OF = select(rooms.c.number, rooms.c.version).where(rooms.c.code == bindparam("asked"))
VERSIONS_OF = select(episodes.c.id, episodes.c.version).where(
    episodes.c.id.in_(bindparam("asked", expanding=True))
)


class _UnchangedError(Exception):
    """Raised to roll back a change that changed nothing."""


class RoomChange:
    """A change of a room in one transaction; other changes of the room wait for it.

    Attributes
    ----------
    rows : RoomRows
        The present rows, locked against other changes.
    episodes : set of str
        The ids of the episodes in which somebody was seated.
    """

    def __repr__(self) -> str:
        return line(self, f"room {self.number}")

    def __init__(self, connection: Connection, rows: RoomRows) -> None:
        self._connection = connection
        self.rows = rows
        self.number: int = rows.room["number"]
        self.changed = False
        self.episodes: set[str] = set()

    def _do(self, statement: Any) -> None:
        self._connection.execute(statement)
        self.changed = True

    def set_room(self, **values: Any) -> None:
        """Change columns of the room itself."""
        self._do(update(rooms).where(rooms.c.number == self.number).values(values))

    def add_leader(self, visitor: str) -> None:
        """Let a browser lead."""
        if visitor not in self.rows.leaders:
            self._do(insert(leaders).values(room=self.number, visitor=visitor))

    def remove_leaders(self, but: str = "") -> None:
        """Let no browser lead any more, except one."""
        here = (leaders.c.room == self.number) & (leaders.c.visitor != but)
        self._do(delete(leaders).where(here))

    def add_person(self, **values: Any) -> None:
        """Add a person."""
        self._do(insert(people).values(room=self.number, **values))

    def set_person(self, number: int, **values: Any) -> None:
        """Change columns of a person."""
        here = (people.c.room == self.number) & (people.c.number == number)
        self._do(update(people).where(here).values(values))

    def add_table(self, turn: int, number: int, **values: Any) -> None:
        """Add a table."""
        self._do(insert(room_tables).values(room=self.number, turn=turn, number=number, **values))

    def set_table(self, turn: int, number: int, **values: Any) -> None:
        """Change a table's columns."""
        here = _at(room_tables, self.number, turn, number)
        self._do(update(room_tables).where(here).values(values))
        if "phase" in values:
            # Halting a table must stop a writer that has already read the episode.
            played = select(room_tables.c.episode).where(here).scalar_subquery()
            halted = values["phase"] != "running"
            self._do(update(episodes).where(episodes.c.id == played).values(halted=halted))

    def remove_tables(self, turn: int) -> None:
        """Remove the tables of a turn, with their seats."""
        here = (room_tables.c.room == self.number) & (room_tables.c.turn == turn)
        self._do(delete(room_tables).where(here))

    def add_seat(self, turn: int, number: int, agent: str, **values: Any) -> None:
        """Add a seat to a table."""
        given = {"person": None, "bot": None, "told": "", **values}
        place = {"room": self.number, "turn": turn, "number": number, "agent": agent}
        self._do(insert(room_seats).values(**place, **given))

    def set_seat(self, turn: int, number: int, agent: str, **values: Any) -> None:
        """Change a seat's columns."""
        here = _at(room_seats, self.number, turn, number) & (room_seats.c.agent == agent)
        self._do(update(room_seats).where(here).values(values))

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

    def seat(
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
                self._do(update(events).where(place).values(change))
        for agent in sorted(seats):
            self.seat(episode_id, agent, sits[agent])

    def unseal(self) -> None:
        """Let everybody see the room's finished episodes."""
        here = (episodes.c.room == self.number) & episodes.c.settled.is_(True)
        self._do(update(episodes).where(here).values(sealed=False))

    def forget_answers(
        self, person: int | None = None, *, block: int | None = None, part: str | None = None
    ) -> None:
        """Delete the answers of one person, those to one block in one round, or all."""
        said = {"person": person, "block": block, "part": part}
        wanted = {name: value for name, value in said.items() if value is not None}
        self._do(delete(answers).where(_all(answers, {"room": self.number, **wanted})))

    def delete(self) -> None:
        """Delete the room and everything that belongs to it."""
        self._connection.execute(delete(episodes).where(episodes.c.room == self.number))
        self._do(delete(rooms).where(rooms.c.number == self.number))


class Rooms(DatabasePart):
    """Rooms in a database."""

    def __init__(self, engine: Engine, feed: ChangeFeed) -> None:
        super().__init__(engine)
        self._feed = feed

    def add(self, *, code: str, kind: str, plan: Any, key: str, visitor: str, expires: str) -> int:
        """Add a room that a browser leads, and return its number.

        Raises
        ------
        ConflictError
            If a room with this code exists.
        """
        now = stamp()
        new = insert(rooms).values(
            code=code,
            kind=kind,
            plan=json.dumps(plan, allow_nan=False),
            phase="gathering",
            turn=1,
            state="{}",
            version=1,
            key=hashed_key(key),
            created=now,
            updated=now,
            expires=expires,
            invitation=secrets.token_urlsafe(16),
        )
        with writing(self._engine) as connection:
            number = connection.scalar(new.returning(rooms.c.number))
            assert number is not None
            connection.execute(insert(leaders).values(room=number, visitor=visitor))
        return number

    def version(self, code: str) -> tuple[int, int] | None:
        """Return a room's number and version; None if there is no such room."""
        with reading(self._engine) as connection:
            row = connection.execute(VERSION_OF, {"asked": code}).one_or_none()
        return None if row is None else (row[0], row[1])

    def read(self, code: str) -> RoomRows | None:
        """Return all rows of a room, all at one version; None if there is no such room."""
        with reading(self._engine) as connection:
            while True:
                found = _read(connection, code)
                # The statements of one transaction may see different versions.
                wanted = select(rooms.c.version).where(rooms.c.code == code)
                again = connection.scalar(wanted)
                if found is None or again == found.room["version"]:
                    return found

    def listed(self) -> list[Row]:
        """Return all rooms, the latest first, with the number of people who have joined each."""
        joined = select(func.count()).where(people.c.room == rooms.c.number).scalar_subquery()
        wanted = select(rooms, joined.label("people")).order_by(rooms.c.number.desc())
        with reading(self._engine) as connection:
            return [_plain(row) for row in connection.execute(wanted)]

    @contextmanager
    def changing(self, code: str) -> Generator[RoomChange | None]:
        """Open a transaction in which a room is changed; other changes of it wait.

        An exception in the block undoes the change. Yields None if there is no such room.
        """
        claim = (
            update(rooms)
            .where(rooms.c.code == code)
            .values(version=rooms.c.version + 1, updated=stamp())
        )
        topics: list[str] = []
        with (
            suppress(_UnchangedError),
            self._feed.writing(room_topic(code), more=topics) as connection,
        ):
            found = None
            if connection.execute(claim).rowcount:
                found = _read(connection, code)
            change = None if found is None else RoomChange(connection, found)
            yield change
            if change is None or not change.changed:
                raise _UnchangedError  # keeps the version
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
            found = connection.execute(VERSIONS_OF, {"asked": list(ids)})
            return {row.id: row.version for row in found}

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
        found: dict[tuple[str, int, str], Counter[str]] = {}
        with reading(self._engine) as connection:
            for *place, _, value, often in connection.execute(wanted.group_by(*by).order_by(*by)):
                found.setdefault((place[0], place[1], place[2]), Counter())[value] += often
        return found

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
        values: Mapping[str, Any],
        *,
        most: int,
        most_in_all: int,
        old_block: int | None = None,
    ) -> bool:
        """Store an answer, and return whether that was within the limits.

        The room's version does not change and its topic is not published: an answer must not make
        every window read the room again.

        Parameters
        ----------
        place : mapping
            The room, person, lesson, block and part.
        values : mapping
            The kind and the value.
        most : int
            How many answers may be stored at this place; if one, it is replaced.
        old_block : int, optional
            The number that the same block had before; an answer there is replaced as well.
        most_in_all : int
            How many answers a person may give in a room.
        """
        here = _all(answers, place)
        mine = _all(answers, {name: place[name] for name in ("room", "person")})
        topics = answers_topic(code), answers_topic(code, place["person"])
        charge(BYTES_OF_A_ROW + len(values["value"]))
        with self._feed.writing(*topics) as connection:
            if most == 1:
                connection.execute(delete(answers).where(here))
                if old_block is not None:
                    old = _all(answers, {**place, "block": old_block})
                    connection.execute(delete(answers).where(old))
            last = connection.scalar(select(func.max(answers.c.number)).where(here))
            number = 0 if last is None else last + 1
            given = connection.scalar(select(func.count()).where(mine)) or 0
            if number >= most or given >= most_in_all:
                return False
            new = {**place, "number": number, **values, "at": stamp()}
            connection.execute(insert(answers).values(new))
        return True

    def answers_mark(self, room: int) -> str:
        """Return a value that differs whenever an answer was added, changed or deleted."""
        wanted = select(func.count(), func.max(answers.c.at)).where(answers.c.room == room)
        with reading(self._engine) as connection:
            number, latest = connection.execute(wanted).one()
        return f"{number} {latest}"


def _read(connection: Connection, code: str) -> RoomRows | None:
    row = connection.execute(select(rooms).where(rooms.c.code == code)).one_or_none()
    if row is None:
        return None
    room = _plain(row)
    number = room["number"]

    def all_of(table: Table, *order: Column[Any]) -> tuple[Row, ...]:
        wanted = select(table).where(table.c.room == number).order_by(*order)
        return tuple(_plain(each) for each in connection.execute(wanted))

    led = connection.scalars(select(leaders.c.visitor).where(leaders.c.room == number))
    return RoomRows(
        room,
        all_of(people, people.c.number),
        all_of(room_tables, room_tables.c.turn, room_tables.c.number),
        all_of(room_seats, room_seats.c.turn, room_seats.c.number, room_seats.c.agent),
        frozenset(led),
    )


def _plain(row: Any) -> Row:
    return cast("Row", dict(row._mapping))


def _at(table: Table, room: int, turn: int, number: int) -> ColumnElement[bool]:
    return _all(table, {"room": room, "turn": turn, "number": number})


def _all(table: Table, values: Mapping[str, Any]) -> ColumnElement[bool]:
    found = [table.c[name] == value for name, value in values.items()]
    condition = found[0]
    for each in found[1:]:
        condition &= each
    return condition
