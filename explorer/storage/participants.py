"""Studies with people: who takes part, what has happened to each, and their ids on other sites.

What a person did is a list of events that only grows. Ids of other sites are in the row of the
person and nowhere else, and deleting a person deletes the row with all events.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from explorer.storage.engines import DatabasePart, insert_into, reading, writing
from explorer.storage.erasing import erase
from explorer.storage.errors import ConflictError
from explorer.storage.limits import charge
from explorer.storage.schema import participant_events, participants, people_studies
from nip_core.displays import displayed, line

Events = list[tuple[Mapping[str, Any], str]]  # each with its time


@displayed
@dataclass(frozen=True, slots=True)
class PeopleStudyRow:
    """A study with people, as it is stored."""

    number: int
    code: str  # in its link
    title: str
    body: str = field(repr=False)  # the study's file
    folder: str  # where the files are that it names
    room: str = field(repr=False)  # the code of the room in which its games are played
    counts: str = field(repr=False)  # how many people and games there have been, as JSON
    fixed: str | None  # the digest of the analysis when the first person took part
    opened: str
    closed: str | None


@displayed
@dataclass(frozen=True, slots=True)
class Participant:
    """A person who takes part."""

    id: str = field(repr=False)  # random
    study: int
    number: int  # counted from 1; a number is never given twice
    visitor: str = field(repr=False)  # the browser that goes on
    person: str | None = field(repr=False)  # a hash of the first outside id
    outside: Mapping[str, str] = field(repr=False)
    seen: str  # when a page of theirs was last open


class StudyChange:
    """A change of a study in one transaction; other changes of the study wait for it."""

    def __init__(self, connection: Connection, study: PeopleStudyRow) -> None:
        self._connection = connection
        self.study = study
        self.counts: dict[str, int] = json.loads(study.counts)

    def __repr__(self) -> str:
        return line(self, f"study {self.study.number}")

    def add(self, somebody: Participant, begun: Mapping[str, Any], at: str, fixed: str) -> bool:
        """Add a person with their first event; return False if their id takes part already."""
        row = {name: getattr(somebody, name) for name in _FIELDS}
        row["outside"] = json.dumps(dict(somebody.outside))
        new = insert_into(self._connection.engine, participants).values(row)
        added = new.on_conflict_do_nothing().returning(participants.c.id)
        if self._connection.scalar(added) is None:
            return False
        self.append(somebody.id, 1, [begun], at)
        if self.study.fixed is None:
            here = people_studies.c.number == self.study.number
            self._connection.execute(update(people_studies).where(here).values(fixed=fixed))
        return True

    def everybody(self, since: str = "") -> list[tuple[Participant, Events]]:
        """Return all people whose pages were open after a time, with their events."""
        return _everybody(self._connection, self.study.number, since)

    def append(
        self, participant: str, position: int, new: Sequence[Mapping[str, Any]], at: str
    ) -> None:
        """Append events at a position, or raise a ConflictError if others are there."""
        _append(self._connection, participant, position, new, at)

    def save(self) -> None:
        """Write the counts."""
        here = people_studies.c.number == self.study.number
        counts = json.dumps(self.counts)
        self._connection.execute(update(people_studies).where(here).values(counts=counts))


_FIELDS = tuple(column.name for column in participants.c)


class Participants(DatabasePart):
    """Studies with people in a database."""

    def add_study(
        self, code: str, title: str, body: str, folder: str, room: str, *, at: str
    ) -> None:
        """Add a study."""
        row = {"code": code, "title": title, "body": body, "folder": folder, "room": room}
        with writing(self._engine) as connection:
            connection.execute(insert(people_studies).values(**row, counts="{}", opened=at))

    def studies(self) -> list[PeopleStudyRow]:
        """Return all studies, the first opened first."""
        with reading(self._engine) as connection:
            wanted = select(people_studies).order_by(people_studies.c.number)
            return [PeopleStudyRow(*row) for row in connection.execute(wanted)]

    def study(self, code: str) -> PeopleStudyRow | None:
        """Return a study by its code."""
        with reading(self._engine) as connection:
            wanted = select(people_studies).where(people_studies.c.code == code)
            row = connection.execute(wanted).one_or_none()
        return None if row is None else PeopleStudyRow(*row)

    def close_study(self, code: str, at: str | None) -> None:
        """Let nobody begin any more, or let people begin again."""
        change = update(people_studies).where(people_studies.c.code == code).values(closed=at)
        with writing(self._engine) as connection:
            connection.execute(change)

    def delete_study(self, code: str) -> None:
        """Delete a study with all its people."""
        gone = delete(people_studies).where(people_studies.c.code == code)
        with writing(self._engine) as connection:
            erase(connection, gone)

    @contextmanager
    def changing(self, code: str) -> Generator[StudyChange | None]:
        """Open a change of a study; None if there is no such study."""
        claim = update(people_studies).where(people_studies.c.code == code).values(code=code)
        with writing(self._engine) as connection:
            row = connection.execute(claim.returning(*people_studies.c)).one_or_none()
            yield None if row is None else StudyChange(connection, PeopleStudyRow(*row))

    # -- people ----------------------------------------------------------------------------------

    def by_id(self, participant: str) -> Participant | None:
        """Return a person by their random id."""
        return self._one(participants.c.id == participant)

    def find(self, study: int, visitor: str, person: str | None) -> list[Participant]:
        """Return the people who have an outside id (by its hash), or use a browser."""
        mine = participants.c.visitor == visitor
        if person is not None:
            mine = or_(mine, participants.c.person == person)
        with reading(self._engine) as connection:
            wanted = select(participants).where(participants.c.study == study, mine)
            rows = connection.execute(wanted.order_by(participants.c.number.desc())).all()
        return [_participant(row) for row in rows]

    def numbered(self, study: int, number: int) -> Participant | None:
        """Return a person by their number."""
        return self._one((participants.c.study == study) & (participants.c.number == number))

    def everybody(self, study: int) -> list[tuple[Participant, Events]]:
        """Return all people of a study with their events."""
        with reading(self._engine) as connection:
            return _everybody(connection, study)

    def events(self, participant: str) -> Events:
        """Return what has happened to a person."""
        wanted = (
            select(participant_events.c.body, participant_events.c.at)
            .where(participant_events.c.participant == participant)
            .order_by(participant_events.c.position)
        )
        with reading(self._engine) as connection:
            return [(json.loads(body), at) for body, at in connection.execute(wanted)]

    def append(
        self, participant: str, position: int, new: Sequence[Mapping[str, Any]], at: str
    ) -> None:
        """Append events at a position, or raise a ConflictError if others are there."""
        with writing(self._engine) as connection:
            _append(connection, participant, position, new, at)

    def note_seen(self, participant: str, at: str, visitor: str | None = None) -> None:
        """Note that a page of a person is open, and in which browser they go on."""
        values = {"seen": at, **({} if visitor is None else {"visitor": visitor})}
        change = update(participants).where(participants.c.id == participant).values(values)
        with writing(self._engine) as connection:
            connection.execute(change)

    def forget(self, participant: str) -> None:
        """Delete a person with everything that is stored about them here."""
        gone = delete(participants).where(participants.c.id == participant)
        with writing(self._engine) as connection:
            erase(connection, gone)

    def _one(self, condition: ColumnElement[bool]) -> Participant | None:
        with reading(self._engine) as connection:
            row = connection.execute(select(participants).where(condition)).one_or_none()
        return None if row is None else _participant(row)


def _participant(row: Any) -> Participant:
    values = {**row._mapping}
    return Participant(**{**values, "outside": json.loads(values["outside"])})


def _everybody(
    connection: Connection, study: int, since: str = ""
) -> list[tuple[Participant, Events]]:
    here = (participants.c.study == study) & (participants.c.seen >= since)
    rows = connection.execute(select(participants).where(here).order_by(participants.c.number))
    people = {row.id: (_participant(row), Events()) for row in rows}
    wanted = (
        select(participant_events)
        .join(participants, participants.c.id == participant_events.c.participant)
        .where(here)
        .order_by(participant_events.c.participant, participant_events.c.position)
    )
    for row in connection.execute(wanted):
        if row.participant in people:
            people[row.participant][1].append((json.loads(row.body), row.at))
    return list(people.values())


def _append(
    connection: Connection,
    participant: str,
    position: int,
    new: Sequence[Mapping[str, Any]],
    at: str,
) -> None:
    rows = [
        {"participant": participant, "position": n, "body": json.dumps(dict(event)), "at": at}
        for n, event in enumerate(new, position)
    ]
    for row in rows:
        charge(len(str(row["body"])))
        # A person who was deleted meanwhile has no row to refer to.
        there = select(participants.c.id).where(participants.c.id == participant)
        if connection.scalar(there) is None:
            raise ConflictError("This person's data were deleted in the meantime.")
        event = insert_into(connection.engine, participant_events).values(row)
        added = event.on_conflict_do_nothing().returning(participant_events.c.position)
        if connection.scalar(added) is None:
            raise ConflictError("Something else has happened in the meantime. Look again.")
